package image

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	registrytest "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
)

// evil is a registry in front of which a test stands.
type evil struct {
	*httptest.Server
	good http.Handler
	on   atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
}

// answer has on asked first; it tells whether it has answered.
func (e *evil) answer(on func(w http.ResponseWriter, r *http.Request) bool) { e.on.Store(&on) }

func newEvil(t *testing.T) *evil {
	e := &evil{good: registrytest.New(registrytest.Logger(quiet()))}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if on := e.on.Load(); on == nil || *on == nil || !(*on)(w, r) {
			e.good.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *evil) host() string { return strings.TrimPrefix(e.URL, "http://") }

// forever writes until nobody listens.
func forever(w http.ResponseWriter, r *http.Request) {
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func TestHostileRegistry(t *testing.T) {
	layer := pack(t, "f="+strings.Repeat("content of a file ", 4000))
	img := build(t, types.OCIUncompressedLayer, v1.Config{}, runtime.GOARCH, layer)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(layer) }))
	t.Cleanup(other.Close)

	isBlob := func(r *http.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/sha256:")
	}
	isManifest := func(r *http.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/manifests/1")
	}
	blob := func(answer http.HandlerFunc) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if isBlob(r) {
				answer(w, r)
			}
			return isBlob(r)
		}
	}
	manifest := func(answer http.HandlerFunc) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if isManifest(r) {
				answer(w, r)
			}
			return isManifest(r)
		}
	}
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}
	text := func(mediaType, s string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			_, _ = w.Write([]byte(s))
		}
	}
	// stalled answers nothing more until the client goes.
	stalled := func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	challenge := func(realm string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm=%q,service="x"`, realm))
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
	}
	tests := []struct {
		name string
		on   func(http.ResponseWriter, *http.Request) bool
		want string
	}{
		{"stalls before it answers", blob(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "stall"},
		{"stalls in a blob", blob(stalled), "stalls"},
		{"stalls in a manifest", manifest(stalled), "stalls"},
		{"stalls at once", func(w http.ResponseWriter, r *http.Request) bool { stalled(w, r); return true }, "stalls"},
		{"drips", blob(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("x"))
				w.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		}), "stalls"},
		{"redirects to another host", blob(redirect(other.URL + "/x")), "plain HTTP: refused, another host"},
		{"redirects to another port by HTTPS", blob(redirect("https://127.0.0.1:1/x")), "private address"},
		{"redirects a manifest", manifest(redirect(other.URL + "/x")), "another host"},
		{"redirects to a file", blob(redirect("file:///etc/passwd")), `scheme "file"`},
		{"redirects to the metadata service", blob(redirect("http://169.254.169.254/latest/meta-data/")), "refused"},
		{"redirects to it by HTTPS", blob(redirect("https://169.254.169.254/latest/")), "link-local"},
		{"redirects to it in IPv6", blob(redirect("https://[fe80::1]/")), "link-local"},
		{"redirects to it as a mapped address", blob(redirect("https://[::ffff:169.254.169.254]/")), "link-local"},
		{"redirects to it through a translator", blob(redirect("https://[64:ff9b::a9fe:a9fe]/")), "link-local"},
		{"redirects to a private network", blob(redirect("https://10.0.0.1/")), "private address"},
		{"redirects to a carrier's network", blob(redirect("https://100.100.100.200/")), "private address"},
		{"redirects to a name of this machine", blob(redirect("https://localhost:1/x")), "private address"},
		{"redirects to a password", blob(redirect("https://u:p@example.com/")), "password"},
		{"redirects in a circle", blob(func(w http.ResponseWriter, r *http.Request) { redirect(r.URL.Path)(w, r) }), "redirected more than"},
		{"redirects its first answer", func(w http.ResponseWriter, r *http.Request) bool {
			redirect("http://169.254.169.254/")(w, r)
			return true
		}, "refused"},
		{"sends for a token to the metadata service", challenge("http://169.254.169.254/token"), "private or link-local"},
		{"sends for a token to another port", challenge(other.URL + "/token"), ""},
		{"sends for a token to a file", challenge("file:///etc/passwd"), "realm scheme"},
		{"truncates", blob(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write([]byte("short"))
		}), ""},
		{"ends early", blob(text("x", "short")), "ends after 5 bytes"},
		{"lies about the content", blob(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("x"), len(layer))) }), "bytes"},
		{"sends a blob without end", blob(forever), "bytes that its manifest says"},
		{"sends a manifest without end", manifest(forever), "more than"},
		{"sends an error without end", blob(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404); forever(w, r) }), "answers 404"},
		{"sends a first answer without end", func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/v2/" {
				w.WriteHeader(http.StatusInternalServerError)
				forever(w, r)
			}
			return r.URL.Path == "/v2/"
		}, ""},
		{"has no such image", manifest(http.NotFound), "answers 404"},
		{"fails", blob(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }), "answers 503"},
		{"answers with another part", blob(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(206) }), "answers 206"},
		{"sends schema 1", manifest(text(string(types.DockerManifestSchema1Signed), `{"schemaVersion":1,"name":"x","fsLayers":[]}`)), "schema 1"},
		{"sends HTML", manifest(text("text/html", "<html>")), "manifest"},
		{"sends an index of nothing", manifest(text(string(types.OCIImageIndex), `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`)), "not made for"},
		{"announces another type", func(w http.ResponseWriter, r *http.Request) bool {
			if isManifest(r) {
				b, _ := img.RawManifest()
				text(string(types.OCIImageIndex), string(b))(w, r)
			}
			return isManifest(r)
		}, "announced as"},
		{"writes a terminal's escapes", manifest(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(403)
			_, _ = w.Write([]byte(`{"errors":[{"code":"DENIED","message":"` + "\x1b[31m" + `"}]}`))
		}), "answers 403"},
		{"writes escapes in its first answer", func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(500)
			_, _ = w.Write([]byte("\x1b[31m\n" + strings.Repeat("x", 1<<12)))
			return true
		}, "500"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEvil(t)
			push(t, e.host()+"/x:1", img)
			e.answer(tt.on)
			around := private(t)
			dir := filepath.Join(around, "a", "store")
			s := open(t, dir)
			before := outside(t, around, dir)
			o := insecure
			if strings.HasPrefix(tt.want, "stall") {
				o.Stall = 300 * time.Millisecond
			}
			_, err := s.Pull(t.Context(), e.host()+"/x:1", o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if err != nil && (strings.ContainsAny(err.Error(), "\x1b\n") || len(err.Error()) > 2000) {
				t.Errorf("the registry's words reach a terminal: %q", err)
			}
			stored(t, s)
			if now := outside(t, around, dir); now != before {
				t.Errorf("written outside the store:\n%s\nbefore:\n%s", now, before)
			}
		})
	}
}

// TestBombs pulls layers that are little and become much.
func TestBombs(t *testing.T) {
	zeros := make([]byte, 300<<20)
	z, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	head := pack(t, "f="+strings.Repeat("\x00", 512))[:1024]
	for name, l := range map[string]v1.Layer{
		"gzip":        staticLayer(gzipped(t, zeros), types.OCILayer),
		"zstd":        staticLayer(z.EncodeAll(zeros, nil), types.OCILayerZStd),
		"after a tar": staticLayer(gzipped(t, append(append(head, make([]byte, 1024)...), zeros...)), types.OCILayer),
	} {
		t.Run(name, func(t *testing.T) {
			e := newEvil(t)
			pushLayer(t, e.host()+"/bomb:1", l)
			s := open(t, private(t))
			if _, err := s.Pull(t.Context(), e.host()+"/bomb:1", insecure); err == nil || !strings.Contains(err.Error(), "bomb") {
				t.Errorf("got %v", err)
			}
			stored(t, s)
		})
	}
}

// TestResume breaks the connection a few times.
func TestResume(t *testing.T) {
	layer := pack(t, "f="+strings.Repeat("content of a file ", 4000))
	img := build(t, types.OCIUncompressedLayer, v1.Config{}, runtime.GOARCH, layer)
	for name, ranges := range map[string]bool{"by parts": true, "from the start": false} {
		t.Run(name, func(t *testing.T) {
			e := newEvil(t)
			push(t, e.host()+"/x:1", img)
			var broken atomic.Int32
			digest, _, _ := v1.SHA256(bytes.NewReader(layer))
			e.answer(func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, digest.String()) {
					return false
				}
				from := 0
				if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil && ranges {
					w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(layer)-1, len(layer)))
					w.Header().Set("Content-Length", fmt.Sprint(len(layer)-from))
					w.WriteHeader(http.StatusPartialContent)
				} else {
					from = 0
					w.Header().Set("Content-Length", fmt.Sprint(len(layer)))
				}
				to := len(layer)
				if n := int(broken.Add(1)); n < 3 {
					to = n * 20000
				}
				_, _ = w.Write(layer[from:to])
				return true
			})
			s := open(t, private(t))
			i, err := s.Pull(t.Context(), e.host()+"/x:1", insecure)
			if err != nil || i.Digest() != hexOf(t, img) || broken.Load() != 3 {
				t.Errorf("%v, after %d requests", err, broken.Load())
			}
		})
	}
}

func TestPlainHTTPIsRefused(t *testing.T) {
	e := newEvil(t)
	push(t, e.host()+"/x:1", build(t, types.OCILayer, v1.Config{}, runtime.GOARCH))
	s := open(t, private(t))
	if _, err := s.Pull(t.Context(), e.host()+"/x:1", PullOptions{}); err == nil || !strings.Contains(err.Error(), "insecure") {
		t.Errorf("unasked: %v", err)
	}
	local := "localhost" + e.host()[strings.LastIndex(e.host(), ":"):]
	if _, err := s.Pull(t.Context(), local+"/x:1", insecure); err != nil {
		t.Errorf("by the loopback's name: %v", err)
	}
	if _, err := s.Pull(t.Context(), "169.254.169.254/x:1", insecure); err == nil || !strings.Contains(err.Error(), "link-local") {
		t.Errorf("the metadata service: %v", err)
	}
}

func TestMayAsk(t *testing.T) {
	tests := []struct {
		home, ask string
		insecure  bool
		refused   string
	}{
		{"x.io", "https://x.io/v2/", false, ""},
		{"x.io", "https://cdn.x.io/blob?sig=1", false, ""},
		{"x.io", "http://x.io/v2/", false, "insecure"},
		{"x.io", "http://x.io/v2/", true, "loopback only"},
		{"192.168.0.1:5000", "http://192.168.0.1:5000/v2/", true, "loopback only"},
		{"192.168.0.1:5000", "https://192.168.0.1:5000/v2/", false, ""},
		{"192.168.0.1:5000", "https://192.168.0.1:5001/v2/", false, "private"},
		{"127.0.0.1:5000", "http://127.0.0.1:5000/v2/", true, ""},
		{"127.0.0.1:5000", "http://127.0.0.1:5000/v2/", false, "insecure"},
		{"127.0.0.1:5000", "http://127.0.0.1:5001/v2/", true, "another host"},
		{"127.0.0.1:5000", "http://localhost:5000/v2/", true, "another host"},
		{"localhost.evil.io", "http://localhost.evil.io/", true, "loopback only"},
		{"localhost", "http://localhost:80/v2/", true, ""},
		{"x.io", "ftp://x.io/", true, "scheme"},
		{"x.io", "gopher://127.0.0.1/", true, "scheme"},
		{"x.io", "https://a:b@x.io/", false, "password"},
		{"x.io", "https://2130706433/", false, ""}, // a name, whose address is looked at when it is known
		{"169.254.1.1", "https://169.254.1.1/", false, "link-local"},
	}
	for _, tt := range tests {
		g := newGuard(tt.home, PullOptions{Insecure: tt.insecure})
		u, err := url.Parse(tt.ask)
		if err != nil {
			t.Fatal(err)
		}
		err = g.mayAsk(u)
		if tt.refused == "" && err != nil || tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)) {
			t.Errorf("%s sends to %s: got %v, want %q", tt.home, tt.ask, err, tt.refused)
		}
	}
}

func TestMayDial(t *testing.T) {
	tests := []struct {
		ip            string
		others, named bool
	}{
		{"93.184.216.34", true, true}, {"2606:2800:220:1::1", true, true},
		{"127.0.0.1", false, true}, {"::1", false, true}, {"10.1.2.3", false, true}, {"192.168.1.1", false, true}, {"172.31.0.1", false, true},
		{"fd00:ec2::254", false, true}, {"100.64.0.1", false, true}, {"::ffff:127.0.0.1", false, true}, {"64:ff9b::7f00:1", false, true},
		{"169.254.169.254", false, false}, {"fe80::1", false, false}, {"0.0.0.0", false, false}, {"0.1.2.3", false, false}, {"::", false, false},
		{"224.0.0.1", false, false}, {"ff02::1", false, false}, {"255.255.255.255", false, false}, {"64:ff9b::a9fe:a9fe", false, false},
	}
	for _, tt := range tests {
		ip := netip.MustParseAddr(tt.ip)
		if got := mayDial("x", ip, false) == nil; got != tt.others {
			t.Errorf("%s, which a registry names: %v", tt.ip, got)
		}
		if got := mayDial("x", ip, true) == nil; got != tt.named {
			t.Errorf("%s, which the operator names: %v", tt.ip, got)
		}
	}
}

// TestNamedHosts lets a registry send us to a host that the operator named.
func TestNamedHosts(t *testing.T) {
	layer := pack(t, "f=1")
	other := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(layer) }))
	other.Config.ErrorLog = quiet()
	other.StartTLS()
	t.Cleanup(other.Close)
	e := newEvil(t)
	push(t, e.host()+"/x:1", build(t, types.OCIUncompressedLayer, v1.Config{}, runtime.GOARCH, layer))
	e.answer(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/blobs/") {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			return true
		}
		return false
	})
	s := open(t, private(t))
	o := PullOptions{Insecure: true, Hosts: []string{strings.TrimPrefix(other.URL, "https://")}}
	// It is asked, and fails at its certificate, which no authority has signed.
	if _, err := s.Pull(t.Context(), e.host()+"/x:1", o); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
}

// TestCredentialsStayHome sees that what the user has for a registry is not
// sent to where that sends us.
func TestCredentialsStayHome(t *testing.T) {
	layer := pack(t, "f=1")
	img := build(t, types.OCIUncompressedLayer, v1.Config{}, runtime.GOARCH, layer)
	e := newEvil(t)
	push(t, e.host()+"/x:1", img)
	var asked, leaked atomic.Bool
	e.answer(func(w http.ResponseWriter, r *http.Request) bool {
		user, password, ok := r.BasicAuth()
		if r.Host != e.host() {
			leaked.Store(ok)
			return false
		}
		if !ok || user != "me" || password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		asked.Store(true)
		if strings.Contains(r.URL.Path, "/blobs/") && r.Host == e.host() {
			// The same server, by another name.
			http.Redirect(w, r, "http://localhost:"+e.host()[strings.LastIndex(e.host(), ":")+1:]+r.URL.Path, http.StatusTemporaryRedirect)
			return true
		}
		return false
	})
	home := t.TempDir()
	config, err := json.Marshal(map[string]any{"auths": map[string]any{e.host(): map[string]string{"username": "me", "password": "secret"}}})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(home, "config.json"), config)
	t.Setenv("DOCKER_CONFIG", home)
	s := open(t, private(t))
	if _, err := s.Pull(t.Context(), e.host()+"/x:1", insecure); err == nil || !strings.Contains(err.Error(), "another host") {
		t.Errorf("got %v", err)
	}
	if !asked.Load() || leaked.Load() {
		t.Errorf("credentials used %v, sent elsewhere %v", asked.Load(), leaked.Load())
	}
}

func pushLayer(t *testing.T, ref string, l v1.Layer) {
	t.Helper()
	r, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	diff := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}
	if err := remote.Write(r, withLayer(t, l, diff)); err != nil {
		t.Fatal(err)
	}
}
