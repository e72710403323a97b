//go:build linux

package docker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// double is an engine that answers as it is told to.
type double struct {
	host string
	// answers are by method and path, without the version and what is random;
	// they come before the usual ones.
	answers map[string]http.HandlerFunc

	mu       sync.Mutex
	requests []string
}

func text(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); io.WriteString(w, body) }
}

func good(v any) http.HandlerFunc {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text(http.StatusOK, string(body))
}

// wellInfo is what a good engine says of itself.
func wellInfo(change func(*facts)) http.HandlerFunc {
	f := facts{OSType: "linux", Architecture: machines[runtime.GOARCH][0], MemoryLimit: true, PidsLimit: true}
	if change != nil {
		change(&f)
	}
	return good(f)
}

// streams answers a request for a container's streams with what body does.
func streams(body func(net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
		body(conn)
	}
}

func newDouble(t *testing.T, answers map[string]http.HandlerFunc) *double {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "gbd") // short, for a socket
	if err != nil {
		t.Fatal(err)
	}
	d := &double{host: "unix://" + dir + "/s", answers: answers}
	l, err := net.Listen("unix", dir+"/s")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: d}
	done := make(chan error)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Close()
		<-done
		os.RemoveAll(dir)
	})
	return d
}

// plain leaves out of a path what differs from engine to engine and from box to
// box.
func plain(path string) string {
	if strings.HasPrefix(path, "/v1.") {
		path = path[strings.IndexByte(path[1:], '/')+1:]
	}
	if i := strings.Index(path, "/glovebox-"); i >= 0 {
		rest := path[i+1:]
		if j := strings.IndexByte(rest, '/'); j >= 0 {
			return path[:i] + "/*" + rest[j:]
		}
		return path[:i] + "/*"
	}
	return path
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what := r.Method + " " + plain(r.URL.Path)
	d.mu.Lock()
	d.requests = append(d.requests, what)
	d.mu.Unlock()
	if answer := d.answers[what]; answer != nil {
		answer(w, r)
		return
	}
	switch what {
	case "GET /_ping":
		w.Header().Set("Api-Version", "1.47")
	case "GET /info":
		wellInfo(nil)(w, r)
	case "GET /containers/json":
		io.WriteString(w, "[]")
	case "GET /images/json":
		good([]imageSummary{{ID: "sha256:1", Labels: map[string]string{labelRoot: "root"}, RepoTags: []string{"localhost/glovebox-root-root:latest"}}})(w, r)
	case "GET /images/sha256:1/json":
		io.WriteString(w, "{}")
	case "POST /containers/create":
		good(created{ID: "1"})(w, r)
	case "POST /containers/*/start", "POST /containers/*/kill", "POST /containers/*/wait":
		io.WriteString(w, "{}")
	case "POST /containers/*/attach":
		streams(func(c net.Conn) { io.Copy(io.Discard, c) })(w, r)
	case "DELETE /containers/*":
		text(http.StatusNotFound, `{"message":"no such container"}`)(w, r)
	default:
		text(http.StatusNotImplemented, `{"message":"unknown"}`)(w, r)
	}
}

func (d *double) asked(what string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.requests, what)
}

// doubleSpec is a box that no double can make.
func doubleSpec(t *testing.T) tier.Spec {
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "file"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	return tier.Spec{Root: &rootfs.Root{Key: "root", Tree: tree}, Limits: glovebox.Limits{}.WithDefaults()}
}

// An engine that is not up to it, lies or is mad is refused in time, and what
// was asked of it is taken back.
func TestBadEngines(t *testing.T) {
	const create, attach, begin = "POST /containers/create", "POST /containers/*/attach", "POST /containers/*/start"
	for name, tc := range map[string]struct {
		answers map[string]http.HandlerFunc
		kind    tier.Kind
		says    string
		made    bool // a container may have been
	}{
		"an old one": {map[string]http.HandlerFunc{"GET /_ping": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", "1.24") }},
			tier.KindInvalid, "1.24", false},
		"no engine at all":      {map[string]http.HandlerFunc{"GET /_ping": text(200, "hello")}, tier.KindInvalid, "version", false},
		"it sends us elsewhere": {map[string]http.HandlerFunc{"GET /_ping": http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound).ServeHTTP}, tier.KindInvalid, "302", false},
		"no answer to read":     {map[string]http.HandlerFunc{"GET /info": text(200, "{{{{")}, tier.KindInvalid, "info", false},
		"an answer without end": {map[string]http.HandlerFunc{"GET /info": func(w http.ResponseWriter, _ *http.Request) {
			for err := error(nil); err == nil; {
				_, err = io.WriteString(w, strings.Repeat(" ", 64<<10))
			}
		}}, tier.KindInvalid, "info", false},
		"Windows containers": {map[string]http.HandlerFunc{"GET /info": wellInfo(func(f *facts) { f.OSType = "windows" })}, tier.KindUnsupported, "windows", false},
		"another machine":    {map[string]http.HandlerFunc{"GET /info": wellInfo(func(f *facts) { f.Architecture = "riscv64" })}, tier.KindUnsupported, "riscv64", false},
		"no memory limit":    {map[string]http.HandlerFunc{"GET /info": wellInfo(func(f *facts) { f.MemoryLimit = false })}, tier.KindUnsupported, "memory", false},
		"no process limit":   {map[string]http.HandlerFunc{"GET /info": wellInfo(func(f *facts) { f.PidsLimit = false })}, tier.KindUnsupported, "processes", false},
		"a failed import": {map[string]http.HandlerFunc{"GET /images/json": text(200, "[]"), "POST /images/create": text(200, `{"status":"x"}{"error":"disk full"}`)},
			tier.KindBroken, "disk full", false},
		"an import that is lost": {map[string]http.HandlerFunc{"GET /images/json": text(200, "[]"), "POST /images/create": text(200, `{"status":"x"}`)},
			tier.KindBroken, "does not know", false},
		"an image of somebody else's": {map[string]http.HandlerFunc{
			"GET /images/json":    good([]imageSummary{{ID: "sha256:1", Labels: map[string]string{labelRoot: "root"}, RepoTags: []string{"example.org/glovebox-root-root:latest", "evil:latest"}}}),
			"POST /images/create": text(200, `{"error":"it is imported"}`),
		}, tier.KindBroken, "it is imported", false},
		"no container":        {map[string]http.HandlerFunc{create: text(500, `{"message":"no room"}`)}, tier.KindBroken, "no room", true},
		"a discarded limit":   {map[string]http.HandlerFunc{create: good(created{Warnings: []string{"Your kernel does not support pids limit capabilities or the cgroup is not mounted. PIDs limit discarded."}})}, tier.KindUnsupported, "processes", true},
		"another one":         {map[string]http.HandlerFunc{create: good(created{Warnings: []string{"Your kernel does not support memory limit capabilities. Limitation discarded."}})}, tier.KindUnsupported, "memory", true},
		"no limit of swap":    {map[string]http.HandlerFunc{create: good(created{Warnings: []string{"Your kernel does not support swap limit capabilities or the cgroup is not mounted. Memory limited without swap."}})}, tier.KindUnsupported, "memory", true},
		"limits ignored":      {map[string]http.HandlerFunc{create: good(created{Warnings: []string{"Resource limits are not supported and ignored on cgroups V1 rootless systems"}})}, tier.KindUnsupported, "memory", true},
		"no streams":          {map[string]http.HandlerFunc{attach: text(404, "gone")}, tier.KindBroken, "gone", true},
		"streams that end":    {map[string]http.HandlerFunc{attach: streams(func(net.Conn) {})}, tier.KindBroken, "boot", true},
		"garbage for streams": {map[string]http.HandlerFunc{attach: streams(func(c net.Conn) { io.WriteString(c, "garbage, and much of it") })}, tier.KindBroken, "boot", true},
		"a lie for a stream": {map[string]http.HandlerFunc{attach: streams(func(c net.Conn) { c.Write(append([]byte{1, 0, 0, 0, 0, 0, 0, 16}, "0123456789abcdef"...)) })},
			tier.KindBroken, "boot", true},
		"a runtime in trouble": {map[string]http.HandlerFunc{attach: streams(func(c net.Conn) { c.Write(append([]byte{2, 0, 0, 0, 0, 0, 0, 8}, "no exec\n"...)) })},
			tier.KindBroken, "no exec", true},
		"it does not start": {map[string]http.HandlerFunc{begin: text(500, `{"message":"bad runtime"}`)}, tier.KindBroken, "bad runtime", true},
	} {
		t.Run(name, func(t *testing.T) {
			before := leftover.Look(t, leftover.Options{})
			t.Cleanup(func() { before.Same(t) })
			d := newDouble(t, tc.answers)
			tr, err := New(Options{Host: d.host})
			if err == nil {
				var box tier.Box
				if box, err = tr.Open(context.Background(), doubleSpec(t)); err == nil {
					box.Close()
				}
			}
			if !tier.IsKind(err, tc.kind) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want an error of the kind %s that says %q", err, tc.kind, tc.says)
			}
			if d.asked("DELETE /containers/*") != tc.made {
				t.Errorf("it was asked for %q", d.requests)
			}
		})
	}
}

// A runtime that was asked for is the one that there is, or none.
func TestRuntime(t *testing.T) {
	for has, kind := range map[string]tier.Kind{
		`{"HostConfig":{"Runtime":"runsc"}}`:                    tier.KindBroken, // as far as a double comes
		`{"HostConfig":{"Runtime":"oci"},"OCIRuntime":"runsc"}`: tier.KindBroken,
		`{"HostConfig":{"Runtime":"oci"},"OCIRuntime":"runc"}`:  tier.KindUnsupported,
		`{}`: tier.KindUnsupported,
	} {
		tr, err := New(Options{Runtime: "runsc", Host: newDouble(t, map[string]http.HandlerFunc{
			"GET /containers/*/json":    text(200, has),
			"POST /containers/*/attach": text(404, "gone"),
		}).host})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tr.Open(context.Background(), doubleSpec(t)); !tier.IsKind(err, kind) {
			t.Errorf("%s: got %v, want the kind %s", has, err, kind)
		}
	}
}

// A box that never comes up is given up when nobody waits for it.
func TestSilentBox(t *testing.T) {
	before := leftover.Look(t, leftover.Options{})
	t.Cleanup(func() { before.Same(t) })
	d := newDouble(t, nil)
	tr, err := New(Options{Host: d.host})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := tr.Open(ctx, doubleSpec(t)); err == nil || ctx.Err() == nil {
		t.Errorf("got %v", err)
	}
	if !d.asked("DELETE /containers/*") {
		t.Error("the container is left")
	}
}

func TestNoEngine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///does/not/exist.sock")
	tr, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Open(context.Background(), doubleSpec(t)); !tier.IsKind(err, tier.KindUnsupported) || !strings.Contains(err.Error(), "DOCKER_HOST") {
		t.Errorf("got %v", err)
	}
	if report := tr.Probe(context.Background()); report.Usable || report.Reason == "" {
		t.Errorf("the probe says %+v", report)
	}
	if _, err := New(Options{Host: "unix:///does/not/exist.sock"}); !tier.IsKind(err, tier.KindInvalid) {
		t.Errorf("got %v", err)
	}
}

// Only what is known to have no owner is swept.
func TestSweep(t *testing.T) {
	me := thisProcess()
	type container struct {
		ID     string `json:"Id"`
		Labels map[string]string
	}
	var list []container
	for id, label := range map[string]string{
		"glovebox-mine":   me.String(),
		"glovebox-dead":   me.machine + "/1234567890.1",
		"glovebox-reused": me.machine + "/" + fmt.Sprint(os.Getpid()) + ".1",
		"glovebox-far":    "elsewhere/1.1",
		"glovebox-odd":    "odd",
		"glovebox-odder":  me.machine + "/-1.x",
	} {
		list = append(list, container{id, map[string]string{labelOwner: label}})
	}
	var removed []string
	answers := map[string]http.HandlerFunc{
		"GET /containers/json": good(list),
		"DELETE /containers/*": func(_ http.ResponseWriter, r *http.Request) { removed = append(removed, filepath.Base(r.URL.Path)) },
	}
	if _, err := New(Options{Host: newDouble(t, answers).host}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(removed)
	if want := []string{"glovebox-dead", "glovebox-reused"}; !slices.Equal(removed, want) {
		t.Errorf("removed %q, want %q", removed, want)
	}
}

// The oldest images go when a new one comes.
func TestPrune(t *testing.T) {
	var list []imageSummary
	for i := range keptImages + 3 {
		list = append(list, imageSummary{ID: fmt.Sprint(i), Created: int64(100 + i)})
	}
	var removed []string
	answers := map[string]http.HandlerFunc{"GET /images/json": good(list)}
	for i := range list {
		answers[fmt.Sprint("DELETE /images/", i)] = func(w http.ResponseWriter, _ *http.Request) {
			removed = append(removed, fmt.Sprint(i))
			w.WriteHeader(http.StatusConflict) // it is in use
		}
	}
	tr, err := New(Options{Host: newDouble(t, answers).host})
	if err != nil {
		t.Fatal(err)
	}
	tr.prune(context.Background())
	if want := []string{"2", "1", "0"}; !slices.Equal(removed, want) {
		t.Errorf("removed %q, want %q", removed, want)
	}
}
