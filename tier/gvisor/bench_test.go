//go:build linux

package gvisor

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// BenchmarkBox is a box's whole life: it is opened, runs one command and is
// closed. Beside it stands the same Python without a box.
func BenchmarkBox(b *testing.B) {
	s := new(glove.Script)
	s.Call("exit", unix.SYS_EXIT_GROUP, 0)
	program, err := glove.Program(s)
	if err != nil {
		b.Fatal(err)
	}
	tr := newTier(b)
	tc := needPython(b)
	life := func(b *testing.B, files []glovebox.File, args ...string) {
		for b.Loop() {
			box, err := tr.Open(ctx, tier.Spec{Root: tc.root, Limits: glovebox.DefaultLimits, Files: files})
			if err != nil {
				b.Skip(err)
			}
			if out := box.Run(ctx, tier.Command{Args: args}); out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
				b.Errorf("got %+v", out)
			}
			if err := box.Close(); err != nil {
				b.Error(err)
			}
		}
	}
	b.Run("true", func(b *testing.B) {
		life(b, []glovebox.File{{Path: "true", Data: program, Executable: true}}, tier.Workspace+"/true")
	})
	b.Run("python", func(b *testing.B) { life(b, nil, "/usr/local/bin/python3", "-I", "-c", "print(1)") })
	b.Run("python without a box", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("python3", "-I", "-c", "print(1)").Run(); err != nil {
				b.Skip(err)
			}
		}
	})
}
