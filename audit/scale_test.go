package audit

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// TestClean: many entries verify with no false alarm, with groups of all sizes.
func TestClean(t *testing.T) {
	n := 10_000
	if os.Getenv("GLOVEBOX_SAMPLE") == "all" {
		n = 1_000_000
	}
	dir, key := t.TempDir(), signerOf("a")
	var sizes []int
	for left, size := n-1, 1; left > 0; size = size%(maxGroup-1) + 1 {
		sizes = append(sizes, min(size, left))
		left -= min(size, left)
	}
	makeLog(t, dir, key, sizes)
	start := time.Now()
	r := mustVerify(t, dir, trusted(key))
	took := time.Since(start)
	if r.Entries != int64(n) {
		t.Errorf("%d entries", r.Entries)
	}
	t.Logf("%d entries, %d heads in %v: %.0f entries/s", r.Entries, r.Heads, took, float64(n)/took.Seconds())
}

// BenchmarkVerify verifies entries as runs make them, in groups of 64.
func BenchmarkVerify(b *testing.B) {
	dir, key, n := b.TempDir(), signerOf("a"), 0
	l := open(b, dir, key)
	l.sync = func(*os.File) error { return nil }
	job := &glovebox.Job{Reply: "print(1)", Tenant: "acme", Image: "python:3.12"}
	o := &glovebox.Observation{
		Status: glovebox.StatusPass, Phase: glovebox.PhaseTest, Tier: glovebox.TierGVisor, Stdout: "1\n",
		Policy:    &glovebox.Policy{Name: "default", Hash: hashOf("policy")},
		Evidence:  []glovebox.Evidence{{Source: "kernel", Fact: "exit 0"}, {Source: "harness", Fact: "3 passed"}},
		Isolation: []glovebox.Control{{Name: "seccomp", Enforced: true}, {Name: "namespaces", Enforced: true}},
	}
	for range 500 {
		var group []*request
		for range 64 {
			e := Execution(job, o, Caller{Actor: "ci"})
			group = append(group, mustRequest(e.Kind, e.Data))
			n++
		}
		if err := l.locked(func() error { return l.append(group) }); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(l.logSize)
	for b.Loop() {
		mustVerify(b, dir, trusted(key))
	}
	b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "entries/s")
}

// BenchmarkAppend appends one after the other, and reports the median.
func BenchmarkAppend(b *testing.B) {
	l := open(b, b.TempDir(), signerOf("a"))
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		add(b, l, 1)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
}

// BenchmarkAppend64 appends from 64 goroutines.
func BenchmarkAppend64(b *testing.B) {
	l := open(b, b.TempDir(), signerOf("a"))
	work := make(chan struct{})
	var wait sync.WaitGroup
	for range 64 {
		wait.Go(func() {
			for range work {
				if _, err := l.Append(context.Background(), Entry{KindExecution, numbered{1}}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	wait.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}
