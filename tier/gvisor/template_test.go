//go:build linux

package gvisor

import (
	"bytes"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// obedient is a Python that executes its orders. Its descriptors follow those of
// the Spec, of which there are none.
var obedient = &tier.Command{
	Args: []string{"/usr/local/bin/python3", "-I", "-B", "-c", `
import os
code = b''
while True:
    os.write(4, b'!')
    part = os.read(3, 65536)
    if part != b'\n': break
while part:
    code += part
    part = os.read(3, 65536)
exec(code)
`},
	Env: []string{"PATH=/usr/local/bin:/usr/bin", "HOME=/workspace", "LANG=C.UTF-8"},
}

// ripe opens and closes boxes of a kind until a template of it is there.
func ripe(t testing.TB, tr *Tier, spec tier.Spec) {
	t.Helper()
	t.Cleanup(func() { tr.Close() })
	open(t, tr, spec).Close()
	spec = whole(t, spec)
	kind, err := kindOf(spec)
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if from := tr.templates.take(kind); from != nil {
			from.state.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("there is no template")
}

// whole is what open makes of a spec.
func whole(t testing.TB, spec tier.Spec) tier.Spec {
	t.Helper()
	if spec.Root == nil {
		spec.Root = needPython(t).root
	}
	spec.Limits = spec.Limits.WithDefaults()
	return spec
}

// copyOf opens a box that must be a copy.
func copyOf(t testing.TB, tr *Tier, spec tier.Spec) tier.Box {
	t.Helper()
	spec = whole(t, spec)
	kind, err := kindOf(spec)
	if err != nil {
		t.Fatal(err)
	}
	from := tr.templates.take(kind)
	if from == nil {
		t.Fatal("there is no template")
	}
	b, _, err := tr.open(ctx, spec, from)
	from.state.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

// order runs the standby command.
func order(b tier.Box, code string, change ...func(*tier.Command)) result {
	var stdout, stderr bytes.Buffer
	cmd := tier.Command{Orders: []byte(code), Stdout: &stdout, Stderr: &stderr}
	for _, f := range change {
		f(&cmd)
	}
	return result{b.Run(ctx, cmd), stdout.String(), stderr.String()}
}

func TestCopy(t *testing.T) {
	tr := newTier(t)
	spec := tier.Spec{Standby: obedient, Limits: smallLimits}
	ripe(t, tr, spec)
	b := copyOf(t, tr, spec)
	r := order(b, "print(open('f').read() + input())", func(c *tier.Command) {
		c.Files, c.Stdin = []glovebox.File{{Path: "f", Data: []byte("staged ")}}, []byte("typed")
	})
	if r.Cause != glovebox.CauseExit || r.stdout != "staged typed\n" {
		t.Errorf("got %+v, %q, %q", r.Outcome, r.stdout, r.stderr)
	}
}
