//go:build linux

package gvisor

import (
	"bytes"
	"fmt"
	"os/exec"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/tiertest/waiting"
)

// forBatch makes a tier, and the spec of a batch's box whose Python waits for a
// program. The test is skipped where there are no boxes.
func forBatch(t testing.TB) (*Tier, tier.Spec) {
	t.Helper()
	tr := newTier(t)
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	open(t, tr, tier.Spec{}).Close() // or skip
	spec := waiting.Spec(t, func(store *rootfs.Store, plan rootfs.Plan) (*rootfs.Root, error) {
		return store.Image(t.Context(), plan.Merge(GlovePlan()))
	})
	spec.Batch = "test"
	if _, is := t.(*testing.T); is { // which asks whether a nest is clean in the end
		tr.nests.comesBack, tr.nests.leaves = time.Minute, time.Minute
	}
	return tr, spec
}

func batchPython(t testing.TB, box tier.Box, source string) (out glovebox.Outcome, stdout, stderr string) {
	t.Helper()
	var o, e bytes.Buffer
	cmd := waiting.Becoming(t, source)
	cmd.Stdout, cmd.Stderr = &o, &e
	out = box.Run(ctx, cmd)
	return out, o.String(), e.String()
}

// BenchmarkBatch measures programs of a batch, by one and two workers, beside bare
// Pythons and boxes that share nothing. CPU is all processor time: that of the
// sentries' control groups, from their boot on, and our own.
func BenchmarkBatch(b *testing.B) {
	tr, spec := forBatch(b)
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
