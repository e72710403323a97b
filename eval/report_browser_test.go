//go:build !windows

package eval

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// browser is Chromium, with a proxy that answers nothing and notes who was
// asked for.
type browser struct {
	path  string
	proxy string

	mu    sync.Mutex
	asked []string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	b := &browser{}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			b.path = path
			break
		}
	}
	if b.path == "" {
		t.Skip("no Chromium on this host")
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.asked = append(b.asked, r.Host)
		b.mu.Unlock()
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(proxy.Close)
	b.proxy = proxy.Listener.Addr().(*net.TCPAddr).String()
	return b
}

// open shows a page and returns the document that came of it, and what the
// browser wrote on its console.
func (b *browser) open(t *testing.T, page string) (document, console string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.path,
		// The sandbox of the browser needs rights that a test lacks; the page
		// is ours.
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-crash-reporter",
		"--user-data-dir="+filepath.Join(dir, "profile"),
		"--proxy-server=http://"+b.proxy, "--proxy-bypass-list=<-loopback>",
		"--enable-logging=stderr", "--log-level=0", "--virtual-time-budget=2000", "--dump-dom", "file://"+file)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir)
	// Its helpers are in a group of their own, so that none outlives the test.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if err != nil && out.Len() == 0 {
		t.Skipf("Chromium does not start here: %v: %.300s", err, errs.String())
	}
	var said []string
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, "CONSOLE") {
			said = append(said, line)
		}
	}
	return out.String(), strings.Join(said, "")
}

// TestReportInABrowser: what a browser makes of the page under the page's own
// policy: nothing on the console, no request, and nothing that data brought.
func TestReportInABrowser(t *testing.T) {
	b := newBrowser(t)
	attack := `"'></title></style></script><img src=http://glovebox.test/a.png onerror="document.title='owned'"><script>document.title='owned'</script>`
	var hostile Report
	fill(reflect.ValueOf(&hostile).Elem(), attack)
	for _, c := range []struct {
		name   string
		report *Report
	}{
		{name: "plain", report: sampleReport(30, 4)},
		{name: "hostile", report: &hostile},
		{name: "large", report: sampleReport(10_000, 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := render(t, c.report)
			document, console := b.open(t, page)
			if console != "" {
				t.Errorf("the console says: %s", console)
			}
			want, got := parse(t, page), parse(t, document)
			if got.skeleton[0] != `html lang="en" class="js"` {
				t.Errorf("the page's own script did not run: %s", got.skeleton[0])
			}
			// The script marks the page and lets headings be chosen; nothing else
			// may be new.
			for i, line := range got.skeleton {
				got.skeleton[i] = strings.TrimSuffix(strings.TrimSuffix(line, ` tabindex="0"`), ` class="js"`)
			}
			if !slices.Equal(got.skeleton, want.skeleton) {
				t.Errorf("the document has %d elements, the page %d, or they differ", len(got.skeleton), len(want.skeleton))
			}
		})
	}
	// A policy that forbids is only seen where it does: the same page with a
	// foreign script and image in it.
	t.Run("the policy holds", func(t *testing.T) {
		page := strings.Replace(render(t, sampleReport(2, 1)), "</main>", `<img src="http://glovebox.test/b.png"><script>document.body.dataset.owned = 1</script></main>`, 1)
		document, console := b.open(t, page)
		if strings.Contains(document, "data-owned") {
			t.Error("a foreign script ran")
		}
		if !strings.Contains(console, "Content Security Policy") {
			t.Errorf("the browser does not say that it refused: %s", console)
		}
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.ContainsFunc(b.asked, func(host string) bool { return strings.Contains(host, "glovebox.test") }) {
		t.Errorf("the page made a request: %q", b.asked)
	}
	t.Logf("the browser itself asked for %q", b.asked)
}
