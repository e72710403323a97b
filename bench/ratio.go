package bench

import (
	"fmt"
	"slices"
)

// Metric is which number of a [Figure] is compared.
type Metric string

// The metrics.
const (
	P50  Metric = "p50"
	P95  Metric = "p95"
	Rate Metric = "runs a second"
)

// Side is one number of one figure.
type Side struct {
	Name    string
	Mode    Mode
	Clients int
	Metric  Metric
}

// Ratio is one number over another one.
type Ratio struct {
	Key      string
	Of, Over Side
}

// Ratios makes ratios of figures, and how describes the making of each, by key.
// An impossible ratio is absent, with the reason in how. about describes each
// contestant's request, and missing gives the reasons for untimed contestants,
// by name.
func Ratios(figures []Figure, list []Ratio, about, missing map[string]string) (ratios map[string]float64, how map[string]string) {
	ratios, how = map[string]float64{}, map[string]string{}
	for _, r := range list {
		of, saysOf := r.Of.of(figures, about, missing)
		over, saysOver := r.Over.of(figures, about, missing)
		switch {
		case of <= 0:
			how[r.Key] = "absent: " + saysOf
		case over <= 0:
			how[r.Key] = "absent: " + saysOver
		default:
			ratios[r.Key] = of / over
			how[r.Key] = saysOf + "; divided by " + saysOver
		}
	}
	return ratios, how
}

// of finds the side's number, or 0, and a description.
func (s Side) of(figures []Figure, about, missing map[string]string) (float64, string) {
	i := slices.IndexFunc(figures, func(f Figure) bool {
		return f.Name == s.Name && f.Mode == s.Mode && f.Clients == s.Clients
	})
	what := fmt.Sprintf("%s, %s, %d at a time", s.Name, s.Mode, s.Clients)
	switch {
	case i < 0 && missing[s.Name] != "":
		return 0, s.Name + " was not timed: " + missing[s.Name]
	case i < 0:
		return 0, what + ", was not timed"
	case figures[i].Error != "":
		return 0, what + ", failed " + figures[i].Error
	}
	f := figures[i]
	n, unit := f.P50, " ms"
	switch s.Metric {
	case P95:
		n = f.P95
	case Rate:
		n, unit = f.Rate, ""
	}
	says := fmt.Sprintf("%s of %s = %.4g%s in %d runs", s.Metric, what, n, unit, f.Runs)
	if f.Warm != nil {
		says += fmt.Sprintf(", %.0f %% of them warm", 100**f.Warm)
	}
	if about[s.Name] != "" {
		says += " (" + about[s.Name] + ")"
	}
	return n, says
}
