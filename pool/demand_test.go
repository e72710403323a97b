package pool

import (
	"testing"
	"time"
)

func TestDemandTarget(t *testing.T) {
	start := time.Unix(0, 0)
	takes := func(n int) func(*demand) {
		return func(d *demand) {
			for range n {
				d.take(start, 50)
			}
		}
	}
	for _, test := range []struct {
		name  string
		do    func(*demand)
		after time.Duration
		want  int
	}{
		{"nothing", func(*demand) {}, 0, 0},
		{"one", takes(1), 0, 1},
		{"one is never less", takes(1), 24 * time.Hour, 1},
		{"two", takes(2), 0, 3},
		{"sixteen", takes(16), 0, 20},
		{"kept for a while", takes(16), halfLife, 20},
		{"then half", takes(16), 2 * halfLife, 10},
		{"no more debt than can be held", takes(500), 0, 63},
		{"paid in between", func(d *demand) {
			for range 10 {
				d.take(start, 50)
				d.paid()
			}
		}, 0, 1},
		{"settled in between", func(d *demand) { takes(4)(d); d.settled(); takes(4)(d) }, 0, 5},
		{"paid before", func(d *demand) { d.paid(); d.paid(); takes(1)(d) }, 0, 1},
		{"promised", func(d *demand) { d.announce(start, 7) }, 0, 7},
		{"promised and taken", func(d *demand) { d.announce(start, 7); takes(1)(d) }, 0, 6},
		{"promised twice", func(d *demand) { d.announce(start, 7); d.announce(start, 7) }, 0, 14},
		{"promised long ago", func(d *demand) { d.announce(start, 7) }, 2 * promiseLasts, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var d demand
			test.do(&d)
			if got := d.target(start.Add(test.after)); got != test.want {
				t.Errorf("the target is %d, not %d", got, test.want)
			}
		})
	}
}

func TestDemandRate(t *testing.T) {
	start := time.Unix(0, 0)
	every := func(gap time.Duration, n int) demand {
		var d demand
		for i := range n {
			d.take(start.Add(time.Duration(i)*gap), 50)
		}
		return d
	}
	one, fast, slow := every(0, 1), every(time.Second/10, 100), every(time.Second, 100)
	promised := demand{}
	promised.announce(start, 1)
	for _, test := range []struct {
		name  string
		d     demand
		at    time.Duration
		least float64
		most  float64
	}{
		{"fast", fast, 9900 * time.Millisecond, 9, 11},
		{"slow", slow, 99 * time.Second, 0.9, 1.1},
		{"fast, but long ago", fast, 70 * time.Second, 0, 0.1},
		{"once", one, 0, 0.1, 0.1},
		{"promised", promised, 0, 1, 1},
		{"one burst", every(0, 8), 0, 0.1, 1},
		{"at the same moment", every(0, 500), 0, 1e6, 1e10},
		{"a clock that goes back", fast, -time.Hour, 9, 11},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.d.rate(start.Add(test.at)); got < test.least || got > test.most {
				t.Errorf("%v a second", got)
			}
		})
	}
}
