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

// BenchmarkBatch measures programs of a batch, by one and two workers, beside a bare
// Python each. CPU is that of everything: the sentries, their boot and end, and us.
func BenchmarkBatch(b *testing.B) {
	spec, _ := batchSpec(b)
	tr := newTier(b)
	measure := func(name string, workers int, one func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			before := used()
			var all sync.WaitGroup
			for i := range workers {
				all.Go(func() {
					for j := i; j < b.N; j += workers {
						one(b)
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
			tr.nests.empty()
			b.ReportMetric(float64((used()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
	bare := func(b *testing.B) {
		if err := exec.Command("/usr/bin/python3", "-I", "-c", "print(1)").Run(); err != nil {
			b.Error(err)
		}
	}
	boxed := func(spec tier.Spec) func(b *testing.B) {
		return func(b *testing.B) {
			box, err := tr.Open(ctx, spec)
			if err != nil {
				b.Error(err)
				return
			}
			out, o, e := batchPython(b, box, "print(1)")
			if out.Cause != glovebox.CauseExit || out.ExitCode != 0 || o != "1\n" {
				b.Errorf("%+v %q %q", out, o, e)
			}
			if err := box.Close(); err != nil {
				b.Error(err)
			}
		}
	}
	alone := spec
	alone.Batch = ""
	for _, workers := range []int{1, 2} {
		measure(fmt.Sprint("bare", workers), workers, bare)
		measure(fmt.Sprint("alone", workers), workers, boxed(alone))
		measure(fmt.Sprint("batch", workers), workers, boxed(spec))
	}
}

// empty ends the nests that have no box, and waits for that.
func (ns *nests) empty() {
	ns.mu.Lock()
	for kind, all := range ns.idle {
		for _, n := range all {
			ns.end(n)
		}
		delete(ns.idle, kind)
	}
	ns.mu.Unlock()
	ns.leaving.Wait()
}

// used is the processor time of this process and its children that have ended.
func used() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		unix.Getrusage(who, &r)
		sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	return sum
}
