package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// takes is a contestant that takes some time.
func takes(name string, d time.Duration) Contestant {
	return Contestant{Name: name, Do: func(ctx context.Context) (bool, error) {
		time.Sleep(d)
		return false, ctx.Err()
	}}
}

// find returns a figure.
func find(t *testing.T, figures []Figure, name string, mode Mode, clients int) Figure {
	t.Helper()
	i := slices.IndexFunc(figures, func(f Figure) bool { return f.Name == name && f.Mode == mode && f.Clients == clients })
	if i < 0 {
		t.Fatalf("there is no figure of %s, %s, %d", name, mode, clients)
	}
	return figures[i]
}

func about(a, b float64) bool { return math.Abs(a-b) <= 0.02*b }

// TestFigures: by a fake clock, each figure is what the contestants do.
func TestFigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Plan{Clients: []int{1, 4}, Requests: 24, Sustain: 4 * time.Second}
		figures, err := p.Run(t.Context(), []Contestant{takes("slow", 10*time.Millisecond), takes("fast", 2*time.Millisecond)})
		if err != nil || len(figures) != 2*p.Cells() || p.Cells() != 6 {
			t.Fatalf("%d figures, %v", len(figures), err)
		}
		for _, want := range []struct {
			mode    Mode
			clients int
			runs    int
			rate    float64 // of the fast one
		}{
			{Paced, 1, 24, 1000 / 27.},
			{Closed, 1, 24, 500},
			{Closed, 4, 24, 2000},
			{Sustained, 1, 1000, 500},
			{Sustained, 4, 4000, 2000},
		} {
			f := find(t, figures, "fast", want.mode, want.clients)
			if f.P50 != 2 || f.Min != 2 || f.P95 != 2 || !about(f.Ratio, 0.2) {
				t.Errorf("%+v", f)
			}
			if !about(float64(f.Runs), float64(want.runs)) || !about(f.Rate, want.rate) {
				t.Errorf("%s, %d clients: %d runs, %.1f a second; want %d, %.1f", want.mode, want.clients, f.Runs, f.Rate, want.runs, want.rate)
			}
			if want.mode != Paced && !about(f.RateRatio, 5) {
				t.Errorf("rate %.2f times the other's", f.RateRatio)
			}
		}
	})
}

// TestOnly: one is timed in its own mode alone.
func TestOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Plan{Clients: []int{1, 2}, Requests: 4, Sustain: time.Second}
		some := takes("some", time.Millisecond)
		some.Only = Sustained
		figures, err := p.Run(t.Context(), []Contestant{takes("all", time.Millisecond), some})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range figures {
			if f.Name == "some" && f.Mode != Sustained {
				t.Errorf("%+v", f)
			}
		}
		if n := len(figures); n != p.Cells()+2 {
			t.Errorf("%d figures", n)
		}
	})
}

// TestSlowSustained: the rate is right however the requests fit into
// the second, those that are longer included.
func TestSlowSustained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, d := range []time.Duration{30, 130, 300, 499, 501, 700, 2000} {
			d *= time.Millisecond
			p := Plan{Clients: []int{4}, Requests: 1, Sustain: time.Second}
			figures, err := p.Run(t.Context(), []Contestant{takes("slow", d)})
			if err != nil {
				t.Fatal(err)
			}
			if f := find(t, figures, "slow", Sustained, 4); !about(f.Rate, 4/d.Seconds()) || f.Runs < 4 {
				t.Errorf("%v: %+v", d, f)
			}
		}
	})
}

// TestTurns: contestants take turns in bursts, and settle between them.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order strings.Builder
		does := func(name string) Contestant {
			return Contestant{Name: name, Do: func(context.Context) (bool, error) { order.WriteString(name); return false, nil }}
		}
		p := Plan{Clients: []int{1}, Sustained: []int{}, Requests: 13, Settle: func(context.Context) { order.WriteByte('.') }}
		if _, err := p.Run(t.Context(), []Contestant{does("a"), does("b")}); err != nil {
			t.Fatal(err)
		}
		round := strings.Repeat("a", 10) + "." + strings.Repeat("b", 10) + ".aaa.bbb."
		if got := order.String(); got != round+round {
			t.Errorf("got %s", got)
		}
	})
}

// TestClients: as many ask at a time as should, and no more.
func TestClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var now, most int
		c := Contestant{Name: "a", Do: func(context.Context) (bool, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return false, nil
		}}
		for _, clients := range []int{1, 3, 16} {
			most = 0
			p := Plan{Clients: []int{clients}, Requests: 40, Sustain: time.Second}
			if _, err := p.Run(t.Context(), []Contestant{c}); err != nil {
				t.Fatal(err)
			}
			if most != clients {
				t.Errorf("%d asked at a time, want %d", most, clients)
			}
		}
	})
}

// TestWithin: who is slow asks less often, but asks; and the time is kept.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		p := Plan{Clients: []int{1, 4}, Requests: 100, Sustain: time.Minute, Within: time.Minute, Settle: func(ctx context.Context) {
			sleep(ctx, 5*time.Second)
		}}
		slow := takes("slow", 4*time.Second)
		slow.Warm = true
		figures, err := p.Run(t.Context(), []Contestant{takes("fast", time.Millisecond), takes("even", 300*time.Millisecond), slow})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range figures {
			if f.Runs < f.Clients || f.P50 == 0 || f.Rate == 0 {
				t.Errorf("%+v", f)
			}
		}
		for name, most := range map[string]int{"slow": 2, "even": 7} {
			if f := find(t, figures, name, Closed, 1); f.Runs > most {
				t.Errorf("%s: %d runs", name, f.Runs)
			}
		}
		if f := find(t, figures, "fast", Closed, 1); f.Runs < 20 {
			t.Errorf("fast: %d runs", f.Runs)
		}
		if took := time.Since(begin); took > 80*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestFails: who fails is out, and the others go on.
func TestFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32
		bad := Contestant{Name: "bad", Do: func(context.Context) (bool, error) {
			if n.Add(1)%3 == 0 {
				return false, errors.New("it broke")
			}
			return false, nil
		}}
		p := Plan{Clients: []int{1}, Requests: 10, Sustain: time.Second}
		figures, err := p.Run(t.Context(), []Contestant{takes("good", time.Millisecond), bad})
		if err != nil {
			t.Fatal(err)
		}
		if f := find(t, figures, "bad", Closed, 1); f.Error != "after 2 requests: it broke" || f.Ratio != 0 || f.Runs != 2 {
			t.Errorf("%+v", f)
		}
		if f := find(t, figures, "good", Closed, 1); f.Error != "" || f.Runs != 10 || f.Ratio != 1 {
			t.Errorf("%+v", f)
		}
	})
}

// TestCancel: nothing is waited for.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 110*time.Millisecond)
		defer cancel()
		begin := time.Now()
		p := Plan{Clients: []int{2}, Requests: 1000, Sustain: time.Hour}
		_, err := p.Run(ctx, []Contestant{takes("a", time.Millisecond)})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 200*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

// TestWarm: a share is told of who should be warm, and of nobody else.
func TestWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32
		half := func(context.Context) (bool, error) { return n.Add(1)%2 == 0, nil }
		p := Plan{Clients: []int{1}, Sustained: []int{}, Requests: 10}
		figures, err := p.Run(t.Context(), []Contestant{{Name: "cold", Do: half}, {Name: "warm", Do: half, Warm: true}})
		if err != nil {
			t.Fatal(err)
		}
		if f := find(t, figures, "cold", Closed, 1); f.Warm != nil {
			t.Errorf("cold: %v warm", *f.Warm)
		}
		if f := find(t, figures, "warm", Closed, 1); f.Warm == nil || *f.Warm != 0.5 || f.Runs != 10 {
			t.Errorf("warm: %v in %d runs", f.Warm, f.Runs)
		}
		if n.Load() != 2*10+2*30 {
			t.Errorf("asked %d times: each figure of the warm one has two turns before it", n.Load())
		}
	})
}

func TestQuantile(t *testing.T) {
	var times []float64
	for i := range 100 {
		times = append(times, float64(i+1))
	}
	if p50, p95 := quantile(times, 0.5), quantile(times, 0.95); p50 != 51 || p95 != 96 {
		t.Errorf("p50 %v, p95 %v", p50, p95)
	}
	if one := quantile(times[:1], 0.95); one != 1 {
		t.Errorf("of one: %v", one)
	}
}

func TestRatios(t *testing.T) {
	warm := 0.9
	figures := []Figure{
		{Name: "bare", Mode: Paced, Clients: 1, Runs: 5, P50: 10, P95: 12, Rate: 28},
		{Name: "box", Mode: Paced, Clients: 1, Runs: 5, P50: 5, P95: 20, Rate: 56, Warm: &warm},
		{Name: "bad", Mode: Paced, Clients: 1, Error: "after 1 requests: it broke"},
	}
	side := func(name string, m Metric) Side { return Side{name, Paced, 1, m} }
	bare := side("bare", P50)
	ratios, how := Ratios(figures, []Ratio{
		{"p50", side("box", P50), bare},
		{"p95", side("box", P95), bare},
		{"rate", side("box", Rate), side("bare", Rate)},
		{"bad", side("bad", P50), bare},
		{"gone", side("gone", P50), bare},
		{"unknown", side("unknown", P50), bare},
		{"clients", Side{"box", Paced, 4, P50}, bare},
		{"over", bare, side("gone", P50)},
	}, map[string]string{"box": "a box", "bare": "no box"}, map[string]string{"gone": "it is not installed"})
	if len(ratios) != 3 || ratios["p50"] != 0.5 || ratios["p95"] != 2 || ratios["rate"] != 2 {
		t.Errorf("%v", ratios)
	}
	for key, want := range map[string]string{
		"p50":     "p50 of box, paced, 1 at a time = 5 ms in 5 runs, 90 % of them warm (a box); divided by p50 of bare, paced, 1 at a time = 10 ms in 5 runs (no box)",
		"bad":     "absent: bad, paced, 1 at a time, failed after 1 requests: it broke",
		"gone":    "absent: gone was not timed: it is not installed",
		"unknown": "absent: unknown, paced, 1 at a time, was not timed",
		"clients": "absent: box, paced, 4 at a time, was not timed",
		"over":    "absent: gone was not timed: it is not installed",
	} {
		if how[key] != want {
			t.Errorf("%s: %s", key, how[key])
		}
	}
	if len(how) != 8 {
		t.Errorf("%d texts", len(how))
	}
}
