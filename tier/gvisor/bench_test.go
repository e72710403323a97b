//go:build linux

package gvisor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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

// BenchmarkCold is a box's whole life beside that of a box of gVisor's own
// "runsc do", built from the same module: each runs one command that does
// nothing, by turns.
func BenchmarkCold(b *testing.B) {
	runsc := filepath.Join(b.TempDir(), "runsc")
	build := exec.Command("go", "build", "-o", runsc, gvisorModule+"/runsc")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Skipf("no runsc: %v: %s", err, out)
	}
	args := []string{"--network=none", "--ignore-cgroups", "do", "/bin/true"}
	if os.Geteuid() != 0 {
		args = append([]string{"--rootless"}, args...)
	}
	s := new(glove.Script)
	s.Call("exit", unix.SYS_EXIT_GROUP, 0)
	program, err := glove.Program(s)
	if err != nil {
		b.Fatal(err)
	}
	tr, tc := newTier(b), needPython(b)
	spec := tier.Spec{Root: tc.root, Limits: glovebox.DefaultLimits, Files: []glovebox.File{{Path: "true", Data: program, Executable: true}}}
	var ours, theirs []time.Duration
	for b.Loop() {
		start := time.Now()
		box, err := tr.Open(ctx, spec)
		if err != nil {
			b.Skip(err)
		}
		if out := box.Run(ctx, tier.Command{Args: []string{tier.Workspace + "/true"}}); out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
			b.Fatalf("got %+v", out)
		}
		if err := box.Close(); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, time.Since(start))
		start = time.Now()
		if out, err := exec.Command(runsc, args...).CombinedOutput(); err != nil {
			b.Skipf("runsc %q: %v: %s", args, err, out)
		}
		theirs = append(theirs, time.Since(start))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	b.ReportMetric(0, "ns/op") // of both
	for _, m := range []struct {
		name string
		at   int
	}{{"min", 0}, {"p50", len(ours) / 2}} {
		b.ReportMetric(float64(ours[m.at].Microseconds())/1000, "ms-"+m.name)
		b.ReportMetric(float64(theirs[m.at].Microseconds())/1000, "runsc-do-ms-"+m.name)
		b.ReportMetric(float64(ours[m.at])/float64(theirs[m.at]), "ratio-"+m.name)
	}
}

// BenchmarkIdle is what boxes take on the host in which a Python waits: the
// proportional set size of all their processes. What boxes share, above all the
// pages of our executable, counts once for all of them.
func BenchmarkIdle(b *testing.B) {
	tr, tc := newTier(b), needPython(b)
	for _, n := range []int{1, 20} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			before := childrenOf(os.Getpid())
			ctx, cancel := context.WithCancel(ctx)
			var waiting, done sync.WaitGroup
			for range n {
				box, err := tr.Open(ctx, tier.Spec{Root: tc.root, Limits: glovebox.DefaultLimits})
				if err != nil {
					b.Skip(err)
				}
				defer box.Close()
				waiting.Add(1)
				done.Go(func() {
					up := sync.OnceFunc(waiting.Done)
					box.Run(ctx, tier.Command{
						Args:   []string{"/usr/local/bin/python3", "-I", "-c", "import time; print(1, flush=True); time.sleep(600)"},
						Stdout: writer(func(p []byte) (int, error) { up(); return len(p), nil }),
					})
				})
			}
			waiting.Wait()
			time.Sleep(2 * bootTime) // the sentries have given back what they need not
			for b.Loop() {
				var pss int64
				for _, sentry := range childrenOf(os.Getpid()) {
					if !slices.Contains(before, sentry) {
						pss += treePSS(b, sentry)
					}
				}
				b.ReportMetric(float64(pss)/float64(n)/(1<<20), "MB-PSS/box")
			}
			cancel()
			done.Wait()
		})
	}
}

// treePSS is the proportional set size of a process and all that descend from
// it, in bytes.
func treePSS(b *testing.B, pid int) int64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Skip(err)
	}
	_, after, _ := strings.Cut(string(data), "\nPss:")
	var total int64
	if _, err := fmt.Sscan(after, &total); err != nil {
		b.Fatal(err)
	}
	total <<= 10
	for _, child := range childrenOf(pid) {
		total += treePSS(b, child)
	}
	return total
}
