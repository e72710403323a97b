//go:build linux

package gvisor

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// batchSpec is the spec of a batch's box whose Python waits for a program.
func batchSpec(t testing.TB) (tier.Spec, *os.File) {
	t.Helper()
	tools, err := language.Python.Find(t.Context(), host.New())
	if err != nil {
		t.Skip(err)
	}
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := store.Image(t.Context(), tools.Root.Merge(GlovePlan()))
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
		Root: root, Limits: glovebox.DefaultLimits, Forks: true, Descriptors: []*os.File{nil, nil, in}, Batch: "test",
		Standby: &tier.Command{Args: step.Args, Env: append([]string{"PATH=" + tools.Path, "HOME=" + tier.Workspace, "LANG=C.UTF-8"}, tools.Env...)},
	}, report
}

func batchPython(t testing.TB, box tier.Box, source string) (out glovebox.Outcome, stdout, stderr string) {
	t.Helper()
	files := []glovebox.File{{Path: "main.py", Data: []byte(source)}}
	plan, err := language.Python.Plan(new(language.Toolchain), &glovebox.Program{Language: "python", Main: "main.py", Files: files})
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	out = box.Run(ctx, tier.Command{
		Orders: plan.Run.Orders(language.Told{Files: files}), Stdout: &o, Stderr: &e, Files: files, Wall: 20 * time.Second,
	})
	return out, o.String(), e.String()
}

// BenchmarkBatch measures programs of a batch, by one and two workers, beside bare
// Pythons and boxes that share nothing. CPU is all processor time: that of the
// sentries' control groups, from their boot on, and our own.
func BenchmarkBatch(b *testing.B) {
	spec, _ := batchSpec(b)
	tr := newTier(b)
	if tr.groups == nil {
		b.Skip("there are no control groups")
	}
	alone := spec
	alone.Batch = ""
	var mu sync.Mutex
	grounds := map[*ground]time.Duration{} // what each has used
	run := func(b *testing.B, box tier.Box, g *ground) {
		out, o, e := batchPython(b, box, "print(1)")
		if out.Cause != glovebox.CauseExit || out.ExitCode != 0 || o != "1\n" {
			b.Errorf("%+v %q %q", out, o, e)
		}
		if s, err := g.groupSample(); err == nil {
			mu.Lock()
			grounds[g] = s.CPU
			mu.Unlock()
		}
		if err := box.Close(); err != nil {
			b.Error(err)
		}
	}
	for _, workers := range []int{1, 2} {
		for name, one := range map[string]func(b *testing.B){
			"bare": func(b *testing.B) {
				if err := exec.Command("/usr/bin/python3", "-I", "-c", "print(1)").Run(); err != nil {
					b.Error(err)
				}
			},
			"alone": func(b *testing.B) {
				box, g, err := openAlone(tr, alone)
				if err != nil {
					b.Error(err)
					return
				}
				run(b, box, g)
			},
			"batch": func(b *testing.B) {
				box := tr.openLent(ctx, spec).(*lentBox)
				run(b, box, box.l.ground)
			},
		} {
			b.Run(fmt.Sprint(name, " ", workers), func(b *testing.B) {
				clear(grounds)
				before, self := used(), usedBy(unix.RUSAGE_SELF)
				var all sync.WaitGroup
				for i := range workers {
					all.Go(func() {
						for j := i; j < b.N; j += workers {
							one(b)
						}
					})
				}
				all.Wait()
				took := b.Elapsed()
				total := used() - before
				if name != "bare" {
					total = usedBy(unix.RUSAGE_SELF) - self // the others' is in their groups
				}
				for _, cpu := range grounds {
					total += cpu
				}
				b.ReportMetric(float64(b.N)/took.Seconds(), "runs/s")
				b.ReportMetric(float64(total.Microseconds())/1000/float64(b.N), "cpu-ms/op")
				tr.nests.empty()
			})
		}
	}
}

// openAlone makes a box as a copy, if there is a template.
func openAlone(tr *Tier, spec tier.Spec) (*glove.Box, *ground, error) {
	kind, err := kindOf(spec)
	if err != nil {
		return nil, nil, err
	}
	from := tr.templates.take(kind)
	if from != nil {
		defer from.state.Close()
	}
	tr.templates.want(kind, spec)
	return tr.open(ctx, spec, from)
}

// used is the processor time of this process and its children that have ended.
func used() time.Duration { return usedBy(unix.RUSAGE_SELF) + usedBy(unix.RUSAGE_CHILDREN) }

func usedBy(who int) time.Duration {
	var r unix.Rusage
	if unix.Getrusage(who, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
