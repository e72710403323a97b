//go:build linux

package microvm

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// BenchmarkBox measures a box on an emulated processor from Open to the end of
// Close, with one command that prints a word.
func BenchmarkBox(b *testing.B) {
	for _, cold := range []bool{true, false} {
		name := "restored"
		if cold {
			name = "cold"
		}
		b.Run(name, func(b *testing.B) {
			o := emulated
			o.NoSnapshots = cold
			tr, _ := newTier(b, o)
			spec := newSpec(b, tr)
			s := new(glove.Script)
			s.Call("write", unix.SYS_WRITE, 1, "hello", 5)
			image, err := glove.Program(s)
			if err != nil {
				b.Fatal(err)
			}
			spec.Files = []glovebox.File{{Path: "p", Data: image, Executable: true}}
			once := func() {
				begin := time.Now()
				made, err := tr.Open(ctx, spec)
				if err != nil {
					b.Fatal(err)
				}
				box := made.(*box)
				opened := time.Now()
				out := box.Run(ctx, tier.Command{Args: []string{tier.Workspace + "/p"}})
				if out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
					b.Fatalf("ended with %+v", out)
				}
				ran := time.Now()
				used, err := box.ground.instance.Usage()
				if err != nil {
					b.Fatal(err)
				}
				if err := box.Close(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(opened.Sub(begin).Milliseconds()), "ms/open")
				b.ReportMetric(float64(ran.Sub(opened).Milliseconds()), "ms/run")
				b.ReportMetric(float64(used.CPU.Milliseconds()), "ms-cpu/box")
				b.ReportMetric(float64(time.Since(ran).Milliseconds()), "ms/close")
			}
			once() // takes the snapshot
			for b.Loop() {
				once()
			}
		})
	}
}

// BenchmarkMachine measures a machine alone, without a box in it: from its start
// until its first program answers.
func BenchmarkMachine(b *testing.B) {
	tr, _ := newTier(b, emulated)
	p := newPlan(b, tr)
	for b.Loop() {
		g, err := tr.start(ctx, p, "")
		if err != nil {
			b.Fatal(err)
		}
		if err := g.join(nil); err != nil {
			b.Fatal(err)
		}
		if err := g.discard(g.do(ctx, new(glove.Script), bootPatience)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemory measures what idle boxes cost the host, pages that they share
// divided among them.
func BenchmarkMemory(b *testing.B) {
	const boxes = 4
	tr, _ := newTier(b, emulated)
	for b.Loop() {
		var total int64
		var open []tier.Box
		for range boxes {
			box, err := tr.Open(ctx, newSpec(b, tr))
			if err != nil {
				b.Fatal(err)
			}
			open = append(open, box)
		}
		for _, o := range open {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", o.(*box).ground.instance.PID()))
			if err != nil {
				b.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				var kb int64
				if n, _ := fmt.Sscanf(line, "Pss: %d kB", &kb); n == 1 {
					total += kb
				}
			}
			if err := o.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(total>>10)/boxes, "MiB/box")
	}
}
