//go:build linux

package engine_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process"
)

// pause is that between two paced requests.
const pause = 25 * time.Millisecond

type contestant struct {
	name string
	do   func() error
}

// turns times each of a list in turns of some requests, and returns the sorted
// times of each.
func turns(b *testing.B, list []contestant, pause time.Duration, burst int) [][]time.Duration {
	const requests = 60
	times := make([][]time.Duration, len(list))
	for range requests / burst {
		for i, c := range list {
			for range burst {
				time.Sleep(pause)
				begin := time.Now()
				if err := c.do(); err != nil {
					b.Fatalf("%s: %v", c.name, err)
				}
				times[i] = append(times[i], time.Since(begin))
			}
		}
	}
	for _, took := range times {
		slices.Sort(took)
	}
	return times
}

func micro(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// BenchmarkColdRun sets whole runs in the process tier beside bare starts of the
// very same interpreter: the box's own files, started from the host. They take
// turns, paced and back to back, and the ratios of their medians and of their
// minima are reported: the latter bear a busy machine.
func BenchmarkColdRun(b *testing.B) {
	ctx := b.Context()
	t, err := process.New(process.Options{})
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.New(engine.Config{Tiers: []tier.Tier{t}})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	need(b, e, language.Python)
	tools, err := e.Toolchain(ctx, language.Python)
	if err != nil {
		b.Fatal(err)
	}
	roots, err := rootfs.Open("")
	if err != nil {
		b.Fatal(err)
	}
	root, err := roots.Tree(ctx, tools.Root)
	if err != nil {
		b.Fatal(err)
	}
	const line = "print(1)"
	python := filepath.Join(root.Tree, tools.Exe)
	job := glovebox.Job{Tier: glovebox.TierProcess, Program: &glovebox.Program{
		Language: "python", Main: "main.py", Files: []glovebox.File{{Path: "main.py", Data: []byte(line)}},
	}}
	list := []contestant{
		{"bare", func() error { return exec.Command(python, "-I", "-c", line).Run() }},
		// The same command in a box of its own.
		{"box", func() error {
			box, err := t.Open(ctx, tier.Spec{Root: root, Limits: glovebox.DefaultLimits})
			if err != nil {
				return err
			}
			out := box.Run(ctx, tier.Command{Args: []string{tools.Exe, "-I", "-c", line}})
			if out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
				err = fmt.Errorf("%+v", out)
			}
			return errors.Join(err, box.Close())
		}},
		{"run", func() error {
			o, err := e.Run(ctx, job)
			if err == nil && o.Status != glovebox.StatusPass {
				err = errors.New(o.Message)
			}
			return err
		}},
	}
	for b.Loop() {
		for _, mode := range []struct {
			name  string
			pause time.Duration
			burst int
		}{{"paced", pause, 1}, {"closed", 0, 10}} {
			var base []time.Duration
			for i, took := range turns(b, list, mode.pause, mode.burst) {
				if i == 0 {
					base = took
				}
				ratio := func(q int) float64 { return float64(took[len(took)*q/100]) / float64(base[len(base)*q/100]) }
				b.Logf("%-6s %-4s min %8v p50 %8v p95 %8v, ÷ bare: min %.2f p50 %.2f", mode.name, list[i].name,
					micro(took[0]), micro(took[len(took)/2]), micro(took[len(took)*95/100]), ratio(0), ratio(50))
				b.ReportMetric(ratio(50), mode.name+"-"+list[i].name)
			}
		}
	}
	// Where the time of a run goes, by its own word.
	least := map[string]float64{}
	for range 40 {
		o, err := e.Run(ctx, job)
		if err != nil {
			b.Fatal(err)
		}
		for name, ms := range map[string]float64{
			"extract": o.Timings.Extract, "boot": o.Timings.Boot, "check": o.Timings.Check, "execute": o.Timings.Execute,
			"teardown": o.Timings.Teardown, "redact": o.Timings.Redact, "total": o.Timings.Total,
		} {
			if best, ok := least[name]; !ok || ms < best {
				least[name] = ms
			}
		}
		time.Sleep(pause)
	}
	b.Logf("phases of a run, the least of each in ms: %v", least)
}
