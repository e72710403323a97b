package kernel

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// mirror is an archive of Debian packages on loopback. Its fields may be changed
// before it is asked.
type mirror struct {
	url     string
	keyring string
	key     *openpgp.Entity
	files   map[string][]byte // by path
	asked   []string
}

const debPath = "/pool/main/l/linux/linux-image_6.12.1-1_amd64.deb"

func newKey(t *testing.T) *openpgp.Entity {
	key, err := openpgp.NewEntity("Archive", "", "archive@example.org", &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newMirror(t *testing.T) *mirror {
	m := &mirror{key: newKey(t), files: map[string][]byte{}}
	var public bytes.Buffer
	if err := m.key.Serialize(&public); err != nil {
		t.Fatal(err)
	}
	m.keyring = filepath.Join(t.TempDir(), "keys.gpg")
	if err := os.WriteFile(m.keyring, public.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.asked = append(m.asked, r.URL.Path)
		data, ok := m.files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(data)
	}))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// paragraph is an entry of Packages.
func paragraph(name, version, file string, deb []byte) string {
	return fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: amd64\nFilename: %s\nSize: %d\nSHA256: %s\n\n", name, version, strings.TrimPrefix(file, "/"), len(deb), hash(deb))
}

// publish makes the files of a suite with those entries; change may change the
// text of Release.
func (m *mirror) publish(t *testing.T, suite, packages string, change func(release string) string) {
	packed := pack(t, "gzip", []byte(packages))
	dist := "/dists/" + suite
	m.files[dist+"/main/binary-amd64/Packages.gz"] = packed
	release := fmt.Sprintf("Origin: Debian\nSuite: stable\nCodename: %s\nSHA256:\n %s %d main/binary-amd64/Packages.gz\n %s 1 main/binary-arm64/Packages.gz\n",
		suite, hash(packed), len(packed), strings.Repeat("0", 64))
	if change != nil {
		release = change(release)
	}
	m.files[dist+"/InRelease"] = sign64(t, m.key, release)
}

// sign64 signs a text in the clear.
func sign64(t *testing.T, key *openpgp.Entity, text string) []byte {
	var b bytes.Buffer
	w, err := clearsign.Encode(&b, key.PrivateKey, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (m *mirror) source(suites ...string) Debian {
	d := Debian{Keyring: m.keyring}
	for _, s := range suites {
		d.Archives = append(d.Archives, Archive{m.url, s})
	}
	return d
}

func TestDebianTakesTheNewest(t *testing.T) {
	m := newMirror(t)
	deb := makeDeb(t, "xz", kernelFiles(t))
	m.files[debPath] = deb
	name := "linux-image-6.12.1-cloud-amd64"
	m.publish(t, "main", paragraph("linux-image-6.9-cloud-amd64", "6.9-1", "/pool/old.deb", deb)+
		paragraph(name, "6.12.1-1", debPath, deb)+
		paragraph("linux-image-9-cloud-amd64-unsigned", "9-1", "/pool/unsigned.deb", deb)+
		paragraph("linux-image-9-cloud-amd64-dbg", "9-1", "/pool/dbg.deb", deb)+
		paragraph("linux-image-9-amd64", "9-1", "/pool/large.deb", deb)+
		paragraph("linux-image-cloud-amd64", "9-1", "/pool/meta.deb", deb), nil)
	m.publish(t, "updates", paragraph("linux-image-6.10-cloud-amd64", "6.10-1", "/pool/old.deb", deb), func(r string) string {
		return r + "Acquire-By-Hash: yes\nValid-Until: " + time.Now().Add(time.Hour).UTC().Format("Mon, 02 Jan 2006 15:04:05 MST") + "\n"
	})
	for _, s := range []Debian{m.source("main", "updates"), m.source("updates", "main")} {
		tree, from, err := s.fetch(context.Background(), "amd64", &progress{})
		if err != nil {
			t.Fatal(err)
		}
		if tree.version != version || !strings.Contains(from, debPath) || !strings.Contains(from, fmt.Sprintf("%X", m.key.PrimaryKey.Fingerprint)) {
			t.Errorf("%s from %s", tree.version, from)
		}
	}
	if !strings.Contains(strings.Join(m.asked, " "), "/by-hash/SHA256/") {
		t.Errorf("not asked by hash: %q", m.asked)
	}
	s := m.source("main")
	s.Package = name
	if _, _, err := s.fetch(context.Background(), "amd64", &progress{}); err != nil {
		t.Error(err)
	}
}

func TestDebianRefuses(t *testing.T) {
	deb := makeDeb(t, "gzip", kernelFiles(t))
	const name = "linux-image-6.12.1-cloud-amd64"
	entry := paragraph(name, "6.12.1-1", debPath, deb)
	for _, tt := range []struct {
		name   string
		damage func(m *mirror)
		want   string
	}{
		{"no keyring", func(m *mirror) { m.keyring += ".missing" }, "no keys to prove"},
		{"a keyring of nothing", func(m *mirror) { os.WriteFile(m.keyring, []byte("x"), 0o600) }, "keys.gpg"},
		{"another key", func(m *mirror) { m.key = newKey(t); m.publish(t, "s", entry, nil) }, "unknown entity"},
		{"not signed", func(m *mirror) { m.files["/dists/s/InRelease"] = []byte("Codename: s\n") }, "not signed"},
		{"a word changed", func(m *mirror) {
			m.files["/dists/s/InRelease"] = bytes.Replace(m.files["/dists/s/InRelease"], []byte("stable"), []byte("stabel"), 1)
		}, "signature"},
		{"words before what is signed", func(m *mirror) {
			m.publish(t, "s", entry, func(r string) string { return strings.Replace(r, "SHA256:", "MD5Sum:", 1) })
			m.files["/dists/s/InRelease"] = append([]byte("SHA256:\n "+hash(nil)+" 0 main/binary-amd64/Packages.gz\n\n"), m.files["/dists/s/InRelease"]...)
		}, "no hash of"},
		{"another suite's", func(m *mirror) { m.files["/dists/s/InRelease"] = m.files["/dists/other/InRelease"] }, `of "other"`},
		{"out of date", func(m *mirror) {
			m.publish(t, "s", entry, func(r string) string { return r + "Valid-Until: Mon, 02 Jan 2006 15:04:05 UTC\n" })
		}, "valid until"},
		{"no date", func(m *mirror) {
			m.publish(t, "s", entry, func(r string) string { return r + "Valid-Until: never\n" })
		}, "never"},
		{"two paragraphs", func(m *mirror) {
			m.publish(t, "s", entry, func(r string) string { return r + "\nSuite: s\n" })
		}, "two paragraphs"},
		{"Packages changed", func(m *mirror) {
			m.files["/dists/s/main/binary-amd64/Packages.gz"] = pack(t, "gzip", []byte("Package: x\n"))
		}, "SHA-256"},
		{"Packages longer than said", func(m *mirror) {
			at := "/dists/s/main/binary-amd64/Packages.gz"
			m.files[at] = append(m.files[at], make([]byte, 9)...)
		}, "bytes"},
		{"Packages missing", func(m *mirror) { delete(m.files, "/dists/s/main/binary-amd64/Packages.gz") }, "not found"},
		{"Packages not listed", func(m *mirror) {
			m.publish(t, "s", entry, func(r string) string { return strings.ReplaceAll(r, "Packages", "Sources") })
		}, "no hash of"},
		{"no such package", func(m *mirror) { m.publish(t, "s", "Package: hello\n", nil) }, "no package"},
		{"package changed", func(m *mirror) { m.files[debPath] = append([]byte{}, deb...); m.files[debPath][len(deb)/2]++ }, "SHA-256"},
		{"package longer than said", func(m *mirror) { m.files[debPath] = append(bytes.Clone(deb), 0) }, "bytes"},
		{"package missing", func(m *mirror) { delete(m.files, debPath) }, "not found"},
		{"package from another place", func(m *mirror) {
			m.publish(t, "s", strings.Replace(entry, "pool/", "../../elsewhere/", 1), nil)
		}, "entry of"},
		{"package from another host", func(m *mirror) {
			m.publish(t, "s", strings.Replace(entry, "pool/", "//example.org/", 1), nil)
		}, "entry of"},
		{"package without a hash", func(m *mirror) { m.publish(t, "s", strings.Replace(entry, "SHA256", "MD5sum", 1), nil) }, "entry of"},
		{"package too large", func(m *mirror) {
			m.publish(t, "s", strings.Replace(entry, "Size: ", "Size: 999999", 1), nil)
		}, "entry of"},
		{"package that is none", func(m *mirror) {
			m.files[debPath] = []byte("hello")
			m.publish(t, "s", paragraph(name, "1", debPath, []byte("hello")), nil)
		}, "not an ar archive"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMirror(t)
			m.files[debPath] = deb
			m.publish(t, "s", entry, nil)
			m.publish(t, "other", entry, nil)
			tt.damage(m)
			_, _, err := m.source("s").fetch(context.Background(), "amd64", &progress{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// TestFetchFromHostileServers: what a server does ends in an error that names it.
func TestFetchFromHostileServers(t *testing.T) {
	gone := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	mux.HandleFunc("/downgrade", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
	})
	mux.HandleFunc("/error", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusTeapot) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.Write([]byte("short"))
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/silent", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	})
	server, secure := httptest.NewServer(mux), httptest.NewTLSServer(mux)
	defer server.Close()
	defer secure.Close()
	defer close(gone)
	plain := client.Transport
	client.Transport = secure.Client().Transport // which knows its certificate
	defer func() { client.Transport = plain }()
	for _, tt := range []struct{ url, want string }{
		{server.URL + "/loop", "redirects"},
		{server.URL + "/away", "file"},
		{secure.URL + "/downgrade", "redirected from https"},
		{server.URL + "/error", "teapot"},
		{server.URL + "/missing", "not found"},
		{server.URL + "/cut", "EOF"},
		{server.URL + "/endless", "more than 100000 bytes"},
		{"ftp://127.0.0.1/x", "not an http"},
		{"/etc/passwd", "not an http"},
		{"http://user:secret@127.0.0.1:1/x", "xxxxx"},
	} {
		_, err := fetch(context.Background(), &progress{}, tt.url, &bytes.Buffer{}, 100_000)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want one with %q", tt.url, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("the operator gave up")
	_, err := fetch(ctx, &progress{tell: func(Progress) { cancel(why) }}, server.URL+"/silent", &bytes.Buffer{}, 100)
	if !errors.Is(err, why) {
		t.Errorf("a silent server: %v", err)
	}
}
