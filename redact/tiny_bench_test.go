package redact

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// tiny is the Observation of a run that printed two bytes.
func tiny() *glovebox.Observation {
	zero := 0
	control := func(name, how string) glovebox.Control {
		return glovebox.Control{Name: name, Enforced: true, How: how}
	}
	return &glovebox.Observation{
		ID: "run_0123456789abcdefghijkl", Status: glovebox.StatusPass, Phase: glovebox.PhaseExecute, NextAction: glovebox.ActionDone,
		Message: "The program ran to its end with exit code 0.", ExitCode: &zero,
		Evidence: []glovebox.Evidence{{Source: "kernel", Fact: "exited with 0"}},
		Stdout:   "4\n", Language: "python", Tier: glovebox.TierGVisor, TierReason: "the strongest that this host can enforce",
		Extraction: &glovebox.Extraction{Format: "fence", Taken: []glovebox.Piece{{File: "main.py", Language: "python", Line: 4, Lines: 7}}},
		Isolation: []glovebox.Control{
			control("memory", "the sentry's own limit"), control("processes", "a limit of the sandbox's kernel"),
			control("network", "a network namespace without an interface"), control("root", "a read-only EROFS image"),
			control("workspace", "a memory file system of 64 MiB"), control("kernel", "gVisor with systrap"),
			control("clock", "the watchdog of this process"), control("output", "counted by this process"),
		},
		Usage: glovebox.Usage{DurationMS: 3.25, CPUMS: 2.5, MemoryPeak: 9 << 20, ProcessesPeak: 1},
	}
}

// BenchmarkTiny is what the redaction of a run costs that printed two bytes: its
// streams, and every text of its Observation.
func BenchmarkTiny(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		r := New(Config{})
		for _, s := range []string{"stdout", "stderr"} {
			w := r.Writer(s, io.Discard)
			if s == "stdout" {
				w.Write([]byte("4\n"))
			}
			w.Close()
		}
		r.Observation(tiny())
	}
}

// BenchmarkJSON writes the Observation as every surface does.
func BenchmarkJSON(b *testing.B) {
	o := tiny()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(o); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPrepared is what a run pays to have the rules loaded, when they are.
func BenchmarkPrepared(b *testing.B) {
	Prepare()
	for b.Loop() {
		Prepare()
	}
}
