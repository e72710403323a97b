//go:build linux

package engine_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process"
)

// BenchmarkWarmRate measures whole requests in the process tier, from a model's
// reply to the observation, of four clients that do not rest: a program of one
// line, and one with a test that is proven, where boxes are kept ready; and the
// line where none is. cpu-ms is the processor time of each, that of all processes
// that were made for it included.
func BenchmarkWarmRate(b *testing.B) {
	t, err := process.New(process.Options{})
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.New(engine.Config{Tiers: []tier.Tier{t}, Warm: &engine.Warm{}})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	need(b, e, language.Python)
	cold, err := engine.New(engine.Config{Tiers: []tier.Tier{t}})
	if err != nil {
		b.Fatal(err)
	}
	defer cold.Close()
	used := func() (sum time.Duration) {
		for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
			var r syscall.Rusage
			syscall.Getrusage(who, &r)
			sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
		return sum
	}
	line := glovebox.Job{Reply: "Here:\n```python\nprint(1)\n```\n"}
	for _, way := range []struct {
		name string
		e    *engine.Engine
		job  glovebox.Job
	}{
		{"run", e, line},
		{"cold", cold, line},
		{"proven", e, glovebox.Job{
			Reply: "Here:\n```python\ndef add(a, b):\n    return a + b\n```\n",
			Tests: []glovebox.File{{Path: "test_main.py", Data: []byte("from main import add\n\ndef test_add():\n    assert add(1, 2) == 3\n")}},
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			run := func() (bool, error) {
				o, err := way.e.Run(b.Context(), way.job)
				if err == nil && o.Status != glovebox.StatusPass {
					err = errors.New(string(o.Status) + ": " + o.Message)
				}
				return o != nil && o.Warm, err
			}
			for range 20 {
				if _, err := run(); err != nil {
					b.Fatal(err)
				}
			}
			time.Sleep(time.Second)
			var mu sync.Mutex
			var took []time.Duration
			warm := 0
			before := used()
			b.ResetTimer()
			b.SetParallelism((4 + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					begin := time.Now()
					ready, err := run()
					if err != nil {
						b.Error(err)
					}
					mu.Lock()
					took = append(took, time.Since(begin))
					if ready {
						warm++
					}
					mu.Unlock()
				}
			})
			slices.Sort(took)
			n := float64(b.N)
			b.ReportMetric(n/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric((used()-before).Seconds()*1e3/n, "cpu-ms")
			b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
			b.ReportMetric(float64(warm)/n, "warm")
		})
	}
}
