// Package waiting has Python processes that wait for a program, for the tests
// of tiers that copy them.
package waiting

import (
	"os"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// Nobody is a Python that can be copied and is otherwise idle, after opening
// the number of descriptors given in its argument.
const Nobody = `
import os, sys
sys.path.append("/opt/glovebox/python")
from _glovebox import parent
parent.copies()
n = int(sys.argv[1])
os.write(4 + n, b"x")
os.read(3 + n, 9)
os._exit(0)
`

// Spec is the Spec of a box whose Python waits for a program, with the root
// from build. The test is skipped without Python.
func Spec(t testing.TB, build func(*rootfs.Store, rootfs.Plan) (*rootfs.Root, error)) tier.Spec {
	t.Helper()
	tools, err := language.Python.Find(t.Context(), host.New())
	if err != nil {
		t.Skip(err)
	}
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := build(store, tools.Root)
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

// Becoming is the command that turns a waiting Python into a program.
func Becoming(t testing.TB, source string) tier.Command {
	t.Helper()
	files := []glovebox.File{{Path: "main.py", Data: []byte(source)}}
	plan, err := language.Python.Plan(&language.Toolchain{}, &glovebox.Program{Language: "python", Main: "main.py", Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return tier.Command{Files: files, Orders: plan.Run.Orders(language.Told{Files: files}), Wall: 20 * time.Second}
}
