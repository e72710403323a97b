package host_test

import (
	"context"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
)

var _ language.Host = (*host.Host)(nil)

func TestSmoke(t *testing.T) {
	h := host.New()
	for _, n := range []string{"python3", "node", "php", "ruby", "perl", "lua", "go", "bash", "nosuch", "python3.13", "pip"} {
		t0 := time.Now()
		p, err := h.LookPath(n)
		t.Log(n, p, err, time.Since(t0))
		if err == nil {
			t0 = time.Now()
			l, err := h.Libraries(p)
			t.Log(l, err, time.Since(t0))
			_ = rootfs.Libraries
			if q, err := h.LookPath(n); q != p {
				t.Fatal(q, err)
			}
		}
	}
	s, err := h.Ask(context.Background(), "/usr/bin/env")
	t.Log(s, err)
	s, err = h.Ask(context.Background(), "/bin/ls", "/nosuch")
	t.Log(s, err)
	t0 := time.Now()
	e, err := h.ELFs("/root/.pyenv/versions/3.11.7/lib/python3.11/lib-dynload")
	t.Log(len(e), err, time.Since(t0))
	t0 = time.Now()
	l, err := h.Libraries(e...)
	t.Log(l, err, time.Since(t0))
	for range 2 {
		t0 = time.Now()
		v, err := language.Remember(h, "x", []string{"/usr/bin/python3"}, func() ([]string, error) { t.Log("find"); return []string{"a"}, nil })
		t.Log(v, err, time.Since(t0))
	}
}
