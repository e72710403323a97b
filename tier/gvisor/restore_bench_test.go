//go:build linux

package gvisor

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
)

// BenchmarkStandby is about boxes in which a Python waits: what it takes to make
// one the long way and as a copy, and what it takes it to answer, beside the
// same Python without a box.
func BenchmarkStandby(b *testing.B) {
	tr := copyTier(b)
	spec := whole(b, tier.Spec{})
	from, err := take(tr, spec)
	if err != nil {
		b.Fatal(err)
	}
	from.state.Close()
	kind := from.kind
	// fresh makes a box; no template is made meanwhile.
	fresh := func(b *testing.B, long bool) tier.Box {
		var from *origin
		if !long {
			tr.templates.mu.Lock()
			tr.templates.kinds[kind].template.copies = 0
			tr.templates.mu.Unlock()
			if from = tr.templates.take(kind); from == nil {
				b.Fatal("there is no template")
			}
			defer from.state.Close()
		}
		box, _, err := tr.open(ctx, spec, from)
		if err != nil {
			b.Fatal(err)
		}
		return box
	}
	answer := func(b *testing.B, box tier.Box) {
		if r := order(box, "print(1)"); r.Cause != glovebox.CauseExit || r.stdout != "1\n" {
			b.Errorf("got %+v, %q, %q", r.Outcome, r.stdout, r.stderr)
		}
	}
	report := func(b *testing.B, took []time.Duration) {
		slices.Sort(took)
		for name, d := range map[string]time.Duration{"min-ms": took[0], "p50-ms": took[len(took)/2], "p95-ms": took[len(took)*95/100]} {
			b.ReportMetric(float64(d.Microseconds())/1000, name)
		}
	}
	for _, way := range []string{"cold", "copy"} {
		b.Run("open/"+way, func(b *testing.B) {
			var took []time.Duration
			cpu := native.TreeTime(os.Getpid())
			for b.Loop() {
				begin := time.Now()
				box := fresh(b, way == "cold")
				took = append(took, time.Since(begin))
				box.Close()
			}
			b.ReportMetric(float64((native.TreeTime(os.Getpid())-cpu).Microseconds())/1000/float64(b.N), "cpu-ms/box")
			report(b, took)
		})
	}
	python, err := exec.Command("python3", "-I", "-c", "import sys; print(sys.executable, end='')").Output()
	if err != nil {
		b.Skip(err)
	}
	for name, pause := range map[string]time.Duration{"paced": 25 * time.Millisecond, "closed": 0} {
		b.Run("answer/"+name, func(b *testing.B) {
			var took []time.Duration
			var boxes []tier.Box
			for b.Loop() {
				if len(boxes) == 0 {
					for range 5 {
						boxes = append(boxes, fresh(b, false))
					}
				}
				box := boxes[0]
				boxes = boxes[1:]
				time.Sleep(pause)
				begin := time.Now()
				answer(b, box)
				took = append(took, time.Since(begin))
				box.Close()
			}
			for _, box := range boxes {
				box.Close()
			}
			report(b, took)
		})
		b.Run("no box/"+name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				time.Sleep(pause)
				begin := time.Now()
				if err := exec.Command(string(python), "-I", "-c", "print(1)").Run(); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begin))
			}
			report(b, took)
		})
	}
	for _, workers := range []int{1, 2, 3} {
		b.Run(fmt.Sprintf("life/%d", workers), func(b *testing.B) {
			next := make(chan bool)
			var all sync.WaitGroup
			for range workers {
				all.Go(func() {
					for range next {
						box := fresh(b, false)
						answer(b, box)
						box.Close()
					}
				})
			}
			for b.Loop() {
				next <- true
			}
			close(next)
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "boxes/s")
		})
	}
}
