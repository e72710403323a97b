//go:build linux

package process

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// BenchmarkCold measures a box from nothing to nothing around a program, beside
// fork and exec of the same; back to back, and with pauses as between requests.
func BenchmarkCold(b *testing.B) {
	s := new(glove.Script)
	s.Call("exit", unix.SYS_EXIT_GROUP, 0)
	nothing, err := glove.Program(s)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "true")
	if err := os.WriteFile(file, nothing, 0o755); err != nil {
		b.Fatal(err)
	}
	inBox := tier.Spec{Root: emptyRoot(b), Files: []glovebox.File{{Path: "true", Data: nothing, Executable: true}}}
	b.Run("true", func(b *testing.B) { cold(b, inBox, []string{file}, []string{"/workspace/true"}) })
	b.Run("python", func(b *testing.B) {
		root, python := pythonRoot(b)
		args := []string{python, "-I", "-c", "print(1)"}
		cold(b, tier.Spec{Root: root}, args, args)
	})
	// Processes cost more where each is asked for (see gate).
	b.Run("200 processes", func(b *testing.B) {
		root, python := pythonRoot(b)
		args := []string{python, "-I", "-c", "import subprocess, sys\nfor _ in range(200): subprocess.run([sys.argv[1]], check=True)"}
		bare := append(slices.Clone(args), file)
		cold(b, tier.Spec{Root: root, Files: inBox.Files}, bare, append(args, "/workspace/true"))
	})
}

func cold(b *testing.B, spec tier.Spec, bare, boxed []string) {
	spec.Limits = glovebox.DefaultLimits
	box := func(o Options) func(b *testing.B) {
		t, err := New(o)
		if err != nil {
			b.Fatal(err)
		}
		return func(b *testing.B) {
			box, err := t.Open(context.Background(), spec)
			if err != nil {
				b.Fatal(err)
			}
			if out := box.Run(context.Background(), tier.Command{Args: boxed}); out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
				b.Fatalf("%+v", out)
			}
			if err := box.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, way := range []struct {
		name string
		run  func(b *testing.B)
	}{
		{"bare", func(b *testing.B) {
			if err := exec.Command(bare[0], bare[1:]...).Run(); err != nil {
				b.Fatal(err)
			}
		}},
		{"box", box(Options{})},
		{"box without control groups", box(Options{NoControlGroups: true})},
	} {
		for _, pace := range []struct {
			name  string
			pause time.Duration
		}{{"closed", 0}, {"paced", 25 * time.Millisecond}} {
			b.Run(way.name+"/"+pace.name, func(b *testing.B) {
				way.run(b)
				var took []time.Duration
				for b.Loop() {
					b.StopTimer()
					time.Sleep(pace.pause)
					b.StartTimer()
					begin := time.Now()
					way.run(b)
					took = append(took, time.Since(begin))
				}
				slices.Sort(took)
				for q, name := range map[int]string{0: "min-ms", 50: "p50-ms", 95: "p95-ms"} {
					b.ReportMetric(took[len(took)*q/100].Seconds()*1e3, name)
				}
			})
		}
	}
}

// pythonRoot makes a root with the system's Python, and returns its path there.
func pythonRoot(b *testing.B) (*rootfs.Root, string) {
	python, err := filepath.EvalSymlinks("/usr/bin/python3")
	if err != nil {
		b.Skip("there is no /usr/bin/python3")
	}
	library := "/usr/lib/" + filepath.Base(python)
	h := host.New()
	elfs, err := h.ELFs(library)
	if err != nil {
		b.Skip(err)
	}
	libraries, err := h.Libraries(append(elfs, python)...)
	if err != nil {
		b.Skip(err)
	}
	plan := rootfs.Base()
	plan.Add(rootfs.Entry{Path: python, Source: python}, rootfs.Entry{Path: library, Source: library})
	plan.Add(rootfs.Libraries(libraries)...)
	store, err := rootfs.Open(filepath.Join(b.TempDir(), "cache"))
	if err != nil {
		b.Fatal(err)
	}
	root, err := store.Tree(b.Context(), plan)
	if err != nil {
		b.Fatal(err)
	}
	return root, python
}
