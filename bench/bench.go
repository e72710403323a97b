// Package bench times whole requests beside each other, so that the figures of
// a noisy machine can be compared: contestants take turns, and what counts is
// the ratio of their medians in one run.
package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Contestant is something whose time is taken.
type Contestant struct {
	// Name tells it in the figures.
	Name string
	// How says in one line what is timed.
	How string
	// Do is one request, from start to end.
	Do func(ctx context.Context) error
}

// Figure is what one contestant took in one mode.
type Figure struct {
	Name string `json:"name"`
	How  string `json:"how"`
	// Mode is "paced", with a pause before each request, or "closed", back to
	// back.
	Mode string  `json:"mode"`
	Runs int     `json:"runs"`
	Min  float64 `json:"min_ms"`
	P50  float64 `json:"p50_ms"`
	P95  float64 `json:"p95_ms"`
	// Ratio is P50 over that of the first contestant in the same mode.
	Ratio float64 `json:"ratio"`
}

// Pace is the pause before a request in the paced mode.
const Pace = 25 * time.Millisecond

// Run times n requests of each contestant, in both modes, after a warm-up of
// one. The first contestant is what the others are compared with.
func Run(ctx context.Context, list []Contestant, n int) ([]Figure, error) {
	for _, c := range list {
		if err := c.Do(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	var all []Figure
	for _, mode := range []string{"paced", "closed"} {
		times := make([][]float64, len(list))
		// Back to back means each contestant by itself, in blocks that take
		// turns; paced ones take turns one by one.
		block := 1
		if mode == "closed" {
			block = 10
		}
		for done := 0; done < n; done += block {
			for i, c := range list {
				for range min(block, n-done) {
					if mode == "paced" {
						time.Sleep(Pace)
					}
					begin := time.Now()
					if err := c.Do(ctx); err != nil {
						return nil, fmt.Errorf("%s: %w", c.Name, err)
					}
					times[i] = append(times[i], float64(time.Since(begin).Microseconds())/1000)
				}
			}
		}
		var base float64
		for i, c := range list {
			f := figure(times[i])
			f.Name, f.How, f.Mode = c.Name, c.How, mode
			if i == 0 {
				base = f.P50
			}
			f.Ratio = f.P50 / base
			all = append(all, f)
		}
	}
	return all, nil
}

func figure(times []float64) Figure {
	slices.Sort(times)
	at := func(q float64) float64 { return times[min(int(q*float64(len(times))), len(times)-1)] }
	return Figure{Runs: len(times), Min: times[0], P50: at(0.5), P95: at(0.95)}
}
