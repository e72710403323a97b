//go:build linux

package docker

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// python makes a tier and a root with the system's Python, whose path there it
// returns.
func python(t testing.TB) (*Tier, *rootfs.Root, string) {
	t.Helper()
	program, err := filepath.EvalSymlinks("/usr/bin/python3")
	if err != nil {
		t.Skip("there is no /usr/bin/python3")
	}
	tr, err := New(Options{Host: EngineHost(t)})
	if err != nil {
		t.Fatal(err)
	}
	library := "/usr/lib/" + filepath.Base(program)
	h := host.New()
	elfs, err := h.ELFs(library)
	if err != nil {
		t.Skip(err)
	}
	libraries, err := h.Libraries(append(elfs, program)...)
	if err != nil {
		t.Skip(err)
	}
	plan := rootfs.Base().Merge(tr.TreeRoot())
	plan.Add(rootfs.Entry{Path: program, Source: program}, rootfs.Entry{Path: library, Source: library})
	plan.Add(rootfs.Libraries(libraries)...)
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := store.Tree(context.Background(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return tr, root, program
}

// A real toolchain comes through an import whole, and works.
func TestPython(t *testing.T) {
	tr, root, program := python(t)
	box, err := tr.Open(t.Context(), tier.Spec{Root: root, Limits: glovebox.Limits{}.WithDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	var stdout, stderr bytes.Buffer
	const code = `
import hashlib, json, multiprocessing, os, socket, sqlite3, sys, tempfile
with multiprocessing.Pool(2) as p: squares = p.map(abs, range(3))
open("made", "w").write("by Python")
print(json.dumps([os.getuid(), socket.gethostname(), squares, sys.stdin.read(), sorted(os.listdir("/opt/glovebox"))]))
print("x" * 200000)
`
	out := box.Run(t.Context(), tier.Command{
		Args: []string{program, "-I", "-c", code}, Stdin: []byte("in"), Stdout: &stdout, Stderr: &stderr,
	})
	first, rest, _ := bytes.Cut(stdout.Bytes(), []byte("\n"))
	if out.Cause != glovebox.CauseExit || out.ExitCode != 0 || len(rest) != 200001 ||
		string(first) != `[1000, "glovebox", [0, 1, 2], "in", ["glove", "relay"]]` {
		t.Errorf("ended with %+v: %s, and %d bytes; %s", out, first, len(rest), &stderr)
	}
	files, err := box.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	if made, err := fs.ReadFile(files, "made"); string(made) != "by Python" {
		t.Errorf("it made %q, %v", made, err)
	}
}

// BenchmarkBox is the life of a box that runs one program.
func BenchmarkBox(b *testing.B) {
	tr, root, program := python(b)
	empty, err := glove.Program(new(glove.Script))
	if err != nil {
		b.Fatal(err)
	}
	spec := tier.Spec{
		Root: root, Limits: glovebox.Limits{}.WithDefaults(),
		Files: []glovebox.File{{Path: "empty", Data: empty, Executable: true}},
	}
	ctx := context.Background()
	for name, args := range map[string][]string{
		"empty": {tier.Workspace + "/empty"}, "python": {program, "-I", "-c", "print(1)"},
	} {
		run := func(b *testing.B, box tier.Box) {
			if out := box.Run(ctx, tier.Command{Args: args}); out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
				b.Fatalf("ended with %+v", out)
			}
		}
		open := func(b *testing.B) tier.Box {
			box, err := tr.Open(ctx, spec)
			if err != nil {
				b.Fatal(err)
			}
			return box
		}
		b.Run(name+"/cold", func(b *testing.B) {
			for b.Loop() {
				box := open(b)
				run(b, box)
				if err := box.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/warm", func(b *testing.B) {
			box := open(b)
			defer box.Close()
			for b.Loop() {
				run(b, box)
			}
		})
	}
}
