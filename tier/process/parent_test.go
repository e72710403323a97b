//go:build linux

package process

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// waiting is the spec of a box whose Python waits for a program.
func waiting(t testing.TB) tier.Spec {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("a parent needs root")
	}
	tools, err := language.Python.Find(t.Context(), host.New())
	if err != nil {
		t.Skip(err)
	}
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := store.Tree(t.Context(), tools.Root)
	if err != nil {
		t.Fatal(err)
	}
	report, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { report.Close(); in.Close() })
	step := language.Python.Standby(tools).Program
	return tier.Spec{
		Root: root, Limits: glovebox.DefaultLimits, Forks: true, Descriptors: []*os.File{nil, nil, in},
		Standby: &tier.Command{Args: step.Args, Env: append([]string{"PATH=" + tools.Path, "HOME=" + tier.Workspace, "LANG=C.UTF-8"}, tools.Env...)},
	}
}

// forking is a tier with a parent for boxes of the spec.
func forking(t testing.TB, o Options, spec tier.Spec) *Tier {
	t.Helper()
	tr, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	p, err := tr.openParent(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	tr.parents.kinds[kindOf(&spec)] = &line{parent: p}
	tr.parents.expire(tr.parents.kinds[kindOf(&spec)])
	return tr
}

// python runs a program in a box that waits for one.
func python(t testing.TB, box tier.Box, source string) (out glovebox.Outcome, stdout, stderr string) {
	t.Helper()
	orders, err := json.Marshal(map[string]any{"main": "main.py", "files": []string{"main.py"}, "args": []string{}})
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	out = box.Run(t.Context(), tier.Command{
		Orders: orders, Stdout: &o, Stderr: &e, Files: []glovebox.File{{Path: "main.py", Data: []byte(source)}}, Wall: 20 * time.Second,
	})
	return out, o.String(), e.String()
}

func TestParent(t *testing.T) {
	spec := waiting(t)
	for name, o := range map[string]Options{"control groups": {}, "supervisor": {NoControlGroups: true}} {
		t.Run(name, func(t *testing.T) {
			tr := forking(t, o, spec)
			from := tr.parents.take(kindOf(&spec))
			for range 3 {
				box, err := tr.open(t.Context(), spec, missing{}, from)
				if err != nil {
					t.Fatal(err)
				}
				out, stdout, stderr := python(t, box, "print(6 * 7)")
				if out.Cause != glovebox.CauseExit || stdout != "42\n" {
					t.Errorf("%+v printed %q, %q", out, stdout, stderr)
				}
				var o, e bytes.Buffer
				out = box.Run(t.Context(), tier.Command{Args: []string{spec.Standby.Args[0], "-I", "-c", "import sys; print(sys.stdin.read())"}, Env: spec.Standby.Env, Stdin: []byte("in"), Stdout: &o, Stderr: &e})
				if out.Cause != glovebox.CauseExit || o.String() != "in\n" {
					t.Errorf("the next: %+v printed %q, %q", out, &o, &e)
				}
				if err := box.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
