package bench

import (
	"slices"
	"time"
)

// Figure is the result of one contestant in one mode with some clients.
type Figure struct {
	Name    string `json:"name"`
	Mode    Mode   `json:"mode"`
	Clients int    `json:"clients"`
	// Runs is how many requests were timed.
	Runs int `json:"runs"`
	// Min, P50 and P95 are milliseconds from a request to its result.
	Min float64 `json:"min_ms"`
	P50 float64 `json:"p50_ms"`
	P95 float64 `json:"p95_ms"`
	// Rate is how many requests a second were served, of all clients together.
	Rate float64 `json:"runs_per_second"`
	// Ratio is P50, and RateRatio Rate, over that of the first contestant in
	// the same mode with as many clients; 0 where there is none.
	Ratio     float64 `json:"ratio,omitempty"`
	RateRatio float64 `json:"rate_ratio,omitempty"`
	// Warm is the share of requests, from 0 to 1, served warm; nil for a
	// contestant without Warm.
	Warm *float64 `json:"warm,omitempty"`
	// Error explains why the contestant stopped. The figure then covers only
	// the work until the stop.
	Error string `json:"error,omitempty"`
}

// score is a contestant's work so far for one figure.
type score struct {
	asked []request
	turns int
	busy  time.Duration // of all turns, and the rests after them
	work  float64       // requests, whole and in part, that were served …
	over  time.Duration // … in this time
	err   error
}

func (s *score) figure(c Contestant, in cell) Figure {
	f := Figure{Name: c.Name, Mode: in.mode, Clients: in.clients, Runs: len(s.asked)}
	if s.err != nil {
		f.Error = s.err.Error()
	}
	if len(s.asked) == 0 {
		return f
	}
	times := make([]float64, len(s.asked))
	var warm float64
	for i, r := range s.asked {
		times[i] = r.end.Sub(r.begin).Seconds() * 1000
		if r.warm {
			warm++
		}
	}
	slices.Sort(times)
	f.Min, f.P50, f.P95 = times[0], quantile(times, 0.5), quantile(times, 0.95)
	if s.over > 0 {
		f.Rate = s.work / s.over.Seconds()
	}
	if c.Warm {
		warm /= float64(len(s.asked))
		f.Warm = &warm
	}
	return f
}

// quantile is that of sorted times.
func quantile(times []float64, q float64) float64 {
	return times[min(int(q*float64(len(times))), len(times)-1)]
}

// compare sets the ratios to the first contestant's figure.
func (f *Figure) compare(first Figure) {
	if f.Error != "" || first.Error != "" {
		return
	}
	if first.P50 > 0 {
		f.Ratio = f.P50 / first.P50
	}
	if first.Rate > 0 {
		f.RateRatio = f.Rate / first.Rate
	}
}
