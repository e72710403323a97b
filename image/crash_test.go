package image

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// A process of its own, which a test kills, is this test program with these
// variables.
const (
	childStore = "IMAGE_TEST_STORE"
	childPull  = "IMAGE_TEST_PULL" // else it collects
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childStore); dir != "" {
		if err := child(dir, os.Getenv(childPull)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(dir, ref string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	if ref == "" {
		_, err = s.GC(context.Background())
		return err
	}
	_, err = s.Pull(context.Background(), ref, insecure)
	return err
}

// TestKilled kills a process that pulls again and again, each time a little
// further on, then one that collects. Whatever was done is whole.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := newEvil(t)
	old := build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, "version=old"))
	push(t, e.host()+"/x:old", old)
	push(t, e.host()+"/x:1", old)
	dir := private(t)
	s := open(t, dir)
	for _, tag := range []string{"old", "1"} {
		if _, err := s.Pull(t.Context(), e.host()+"/x:"+tag, insecure); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// The new image under the same name is what is pulled now.
	var layers [][]byte
	for n := range 4 {
		var lines []string
		for f := range 200 {
			lines = append(lines, fmt.Sprintf("d%d/f%d=%s", n, f, strings.Repeat(fmt.Sprint(n, f), 100)))
		}
		layers = append(layers, pack(t, lines...))
	}
	img := build(t, types.OCIUncompressedLayer, v1.Config{}, runtime.GOARCH, layers...)
	push(t, e.host()+"/x:1", img)

	// Every blob comes in pieces, and the test is told of each.
	var mu sync.Mutex
	pieces, killAt := 0, 0
	kill := func() {}
	killAfter := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		killAt = n
	}
	tick := func() {
		mu.Lock()
		defer mu.Unlock()
		if pieces++; pieces == killAt {
			kill()
		}
	}
	e.answer(func(w http.ResponseWriter, r *http.Request) bool {
		tick()
		for _, l := range layers {
			digest, _, _ := v1.SHA256(bytes.NewReader(l))
			if strings.HasSuffix(r.URL.Path, digest.String()) && r.Method == http.MethodGet {
				w.Header().Set("Content-Length", fmt.Sprint(len(l)))
				for len(l) > 0 {
					n := min(len(l), 64<<10)
					if _, err := w.Write(l[:n]); err != nil {
						return true
					}
					w.(http.Flusher).Flush()
					tick()
					l = l[n:]
				}
				return true
			}
		}
		return false
	})
	run := func(ref string, after time.Duration) (killed bool) {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childStore+"="+dir, childPull+"="+ref)
		var out bytes.Buffer
		cmd.Stderr = &out
		mu.Lock()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pieces, kill = 0, func() { _ = cmd.Process.Kill() }
		mu.Unlock()
		if after > 0 {
			defer time.AfterFunc(after, kill).Stop()
		}
		err := cmd.Wait()
		if err != nil && !strings.Contains(err.Error(), "killed") {
			t.Fatalf("%v: %s", err, out.String())
		}
		return err != nil
	}
	whole := func() {
		t.Helper()
		s := open(t, dir)
		if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
			t.Errorf("left half made: %q", left)
		}
		for _, tag := range []string{"old", "1"} {
			if err := s.Verify(t.Context(), e.host()+"/x:"+tag); err != nil {
				t.Error(err)
			}
		}
		i, err := s.Find(e.host() + "/x:1")
		if err != nil {
			t.Fatal(err)
		}
		if d := i.Digest(); d != hexOf(t, old) && d != hexOf(t, img) {
			t.Errorf("an image that nobody pushed: %s", d)
		}
		// Every blob under a name is whole, wanted or not.
		blobs, err := os.ReadDir(filepath.Join(dir, "blobs", "sha256"))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blobs {
			if err := s.verifyBlob(t.Context(), v1.Descriptor{Digest: v1.Hash{Algorithm: "sha256", Hex: b.Name()}, Size: -1}); err != nil {
				t.Error(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	kills := 0
	for n := 1; ; n += 2 {
		killAfter(n)
		if !run(e.host()+"/x:1", 0) {
			break
		}
		kills++
		whole()
	}
	killAfter(0)
	// At any time after the transfer too: while the tree is made, or the name.
	for after := time.Millisecond; after < 60*time.Millisecond; after += 7 * time.Millisecond {
		if err := os.RemoveAll(filepath.Join(dir, "trees")); err != nil {
			t.Fatal(err)
		}
		if run(e.host()+"/x:1", after) {
			kills++
		}
		whole()
	}
	if kills < 4 {
		t.Errorf("killed only %d times", kills)
	}
	if run(e.host()+"/x:1", 0) {
		t.Error("killed by nobody")
	}
	s = open(t, dir)
	i, err := s.Find(e.host() + "/x:1")
	if err != nil || i.Digest() != hexOf(t, img) {
		t.Fatalf("%v", err)
	}
	if b, err := fs.ReadFile(i, "d3/f199"); err != nil || string(b) != strings.Repeat("3 199", 100) {
		t.Errorf("%q, %v", b, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for after := time.Millisecond; after < 40*time.Millisecond; after += 9 * time.Millisecond {
		run("", after)
		whole()
	}
}

// TestManyAtOnce pulls one image from many goroutines and two stores of one
// directory.
func TestManyAtOnce(t *testing.T) {
	e := newEvil(t)
	push(t, e.host()+"/x:1", build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, "f=1"), pack(t, "g=2")))
	dir := private(t)
	stores := []*Store{open(t, dir), open(t, dir)}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			s := stores[n%2]
			i, err := s.Pull(t.Context(), e.host()+"/x:1", insecure)
			if err != nil {
				t.Error(err)
				return
			}
			if b, err := fs.ReadFile(i, "g"); err != nil || string(b) != "2" {
				t.Errorf("%q, %v", b, err)
			}
			if _, err := s.GC(t.Context()); err != nil {
				t.Error(err)
			}
			if err := s.Verify(t.Context(), e.host()+"/x:1"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
