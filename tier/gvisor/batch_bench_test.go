//go:build linux

package gvisor

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
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

func BenchmarkBatch(b *testing.B) {
	spec, _ := batchSpec(b)
	tr := newTier(b)
	b.Run("bare", func(b *testing.B) {
		begin := processorTime()
		for b.Loop() {
			exec.Command("/usr/bin/python3", "-I", "-c", "print(1)").Run()
		}
		b.ReportMetric(float64((processorTime()-begin).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	})
	for _, workers := range []int{1, 2} {
		b.Run(strings.Repeat("worker ", workers), func(b *testing.B) {
			var nests []*nest
			for range workers {
				n, err := tr.openNest(ctx, spec)
				if err != nil {
					b.Fatal(err)
				}
				defer n.g.Close()
				nests = append(nests, n)
			}
			one := func(n *nest) {
				box, err := tr.lend(n, spec)
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
			for _, n := range nests {
				one(n)
			}
			time.Sleep(300 * time.Millisecond)
			own := ownTime()
			var before time.Duration
			for _, n := range nests {
				s, _ := n.g.groupSample()
				before += s.CPU
			}
			b.ResetTimer()
			var all sync.WaitGroup
			for i, n := range nests {
				all.Go(func() {
					for j := i; j < b.N; j += workers {
						one(n)
					}
				})
			}
			all.Wait()
			b.StopTimer()
			var after time.Duration
			for _, n := range nests {
				s, _ := n.g.groupSample()
				after += s.CPU
				m, _ := n.g.memorySize()
				b.Log("memory", m>>10, "own", ownMemory(n.g.sentry.Process.Pid)>>10)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric(float64((after-before).Microseconds())/1000/float64(b.N), "guest-ms/op")
			b.ReportMetric(float64((ownTime()-own).Microseconds())/1000/float64(b.N), "own-ms/op")
		})
	}
}

func ownTime() time.Duration { return rusage(unix.RUSAGE_SELF) }

func processorTime() time.Duration { return rusage(unix.RUSAGE_SELF) + rusage(unix.RUSAGE_CHILDREN) }

func rusage(who int) time.Duration {
	var r unix.Rusage
	unix.Getrusage(who, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
