//go:build linux

package process

import (
	"slices"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// BenchmarkOpen measures what is before and after a command that takes as long
// as a small program: the box is open for so long.
func BenchmarkOpen(b *testing.B) {
	t, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	spec := tier.Spec{
		Root: emptyRoot(b), Limits: glovebox.DefaultLimits,
		Files: []glovebox.File{{Path: "main.py", Data: []byte("print(1)\n")}},
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		begin := time.Now()
		box, err := t.Open(b.Context(), spec)
		if err != nil {
			b.Fatal(err)
		}
		took["open"] = append(took["open"], time.Since(begin))
		time.Sleep(8 * time.Millisecond)
		begin = time.Now()
		if err := box.Close(); err != nil {
			b.Fatal(err)
		}
		took["close"] = append(took["close"], time.Since(begin))
	}
	for name, list := range took {
		slices.Sort(list)
		for q, at := range map[int]string{0: "min", 10: "p10", 50: "p50"} {
			b.ReportMetric(list[len(list)*q/100].Seconds()*1e3, name+"-"+at+"-ms")
		}
	}
}
