package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// testFetcher has a directory of its own.
func testFetcher(t testing.TB) *fetcher {
	t.Helper()
	f := newFetcher(t.TempDir(), nil)
	t.Cleanup(f.close)
	return f
}

func pinnedTo(name, url, body string) remote {
	return remote{name: name, url: url, hash: Hash{"sha256", sha([]byte(body))}}
}

func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestFetchedOnceAndVerifiedAlways(t *testing.T) {
	var asked atomic.Int32
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1); io.WriteString(w, "content") })
	f, r := testFetcher(t), pinnedTo("a", at+"/a", "content")
	read := func() string {
		file, err := f.get(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		b, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for range 2 {
		if got := read(); got != "content" || asked.Load() != 1 {
			t.Errorf("%q after %d requests", got, asked.Load())
		}
	}
	// What has changed in the cache is not used.
	if err := os.WriteFile(filepath.Join(f.dir, "sha256-"+r.hash.Hex), []byte("c0ntent"), 0o600); err != nil {
		t.Fatal(err)
	}
	if read() != "content" || asked.Load() != 2 {
		t.Errorf("%d requests after the cache was changed", asked.Load())
	}
}

func TestHostileServers(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "good") })
	other = strings.Replace(other, "127.0.0.1", "localhost", 1)
	for _, c := range []struct {
		name  string
		serve http.HandlerFunc
		size  int64
		want  string
	}{
		{"other content", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "evil") }, 0, "not what the lock pins"},
		{"more than it says", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("good", 100)) }, 4, "more than 4 bytes"},
		{"less than it says", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "good") }, 5, "4 bytes where it says 5"},
		{"redirect to another host", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, http.StatusFound) }, 0, "another host"},
		{"redirect to a file", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, 0, "another host"},
		{"redirects without end", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		}, 0, "redirects"},
		{"not there", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, 0, "404"},
		{"broken", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, 0, "503"},
		{"silent", func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush(); <-r.Context().Done() }, 0, "silent"},
		{"packed", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(gzipped(t, []byte("good")))
		}, 0, "not what the lock pins"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := testFetcher(t)
			if c.name == "silent" {
				f.idle = 50 * time.Millisecond
			}
			r := pinnedTo("a", serve(t, c.serve)+"/a", "good")
			r.size = c.size
			file, err := f.get(context.Background(), r)
			if err == nil {
				file.Close()
			}
			wantError(t, err, c.want)
			if _, err := os.Stat(filepath.Join(f.dir, "sha256-"+r.hash.Hex)); !errors.Is(err, os.ErrNotExist) {
				t.Error("it was kept under its hash")
			}
		})
	}
}

func TestRedirectWithinAHostIsFollowed(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			http.Redirect(w, r, "/b", http.StatusFound)
			return
		}
		io.WriteString(w, "good")
	})
	file, err := testFetcher(t).get(context.Background(), pinnedTo("a", at+"/a", "good"))
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
}

// A download goes on where the one before it was cut off, and begins anew
// where what is there is wrong.
func TestDownloadsAreResumed(t *testing.T) {
	const body = "0123456789"
	var ranges []string
	cut := true
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		ranges = append(ranges, r.Header.Get("Range"))
		if cut {
			cut = false
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, body[:4])
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
	})
	f, r := testFetcher(t), pinnedTo("a", at+"/a", body)
	file, err := f.get(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	if got := strings.Join(ranges, ","); got != ",bytes=4-" {
		t.Errorf("asked for the ranges %q", got)
	}

	ranges = nil
	f = testFetcher(t)
	if err := os.WriteFile(filepath.Join(f.dir, "sha256-"+r.hash.Hex+".part"), []byte("wrong"), 0o600); err != nil {
		t.Fatal(err)
	}
	if file, err = f.get(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	file.Close()
	if got := strings.Join(ranges, ","); got != "bytes=5-," {
		t.Errorf("asked for the ranges %q", got)
	}
}

func TestURLsThatAreNotFetched(t *testing.T) {
	for url, want := range map[string]string{
		"file:///etc/passwd":            "cannot be fetched",
		"ftp://host/a":                  "cannot be fetched",
		"https://user:word@host.test/a": "credentials",
		"http://169.254.169.254/latest": "link-local",
		"http://[fe80::1]/a":            "link-local",
		"http://0.0.0.0:1/a":            "link-local",
		"https://":                      "cannot be fetched",
	} {
		_, err := testFetcher(t).get(context.Background(), pinnedTo("a", url, "x"))
		wantError(t, err, want)
	}
	_, err := testFetcher(t).get(context.Background(), remote{name: "a", url: "http://127.0.0.1:1/"})
	wantError(t, err, "no hash")
}

func TestFewDownloadsAtATime(t *testing.T) {
	var now, most atomic.Int32
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		io.WriteString(w, r.URL.Path)
	})
	var files []remote
	for i := range 20 {
		p := fmt.Sprintf("/%d", i)
		files = append(files, pinnedTo(p, at+p, p))
	}
	if err := testFetcher(t).all(context.Background(), files); err != nil {
		t.Fatal(err)
	}
	if most.Load() > parallel {
		t.Errorf("%d downloads at a time", most.Load())
	}
	files[3].hash.Hex = digestA
	wantError(t, testFetcher(t).all(context.Background(), files), "/3: its content is not")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := testFetcher(t).all(ctx, files); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

func TestFilesOfThisMachine(t *testing.T) {
	f := testFetcher(t)
	name := filepath.Join(t.TempDir(), "a.whl")
	if err := os.WriteFile(name, []byte("good"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := remote{name: "a", path: name, hash: Hash{"sha256", sha([]byte("good"))}}
	file, err := f.get(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	r.hash.Hex = digestA
	_, err = f.get(context.Background(), r)
	wantError(t, err, "not what the lock pins")
	r.path = "/dev/zero"
	_, err = f.get(context.Background(), r)
	wantError(t, err, "no regular file")
}
