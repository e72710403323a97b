package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// The plots are inline SVG without a viewBox: positions along a line are
// percentages, so a plot follows the width of the page and its text keeps its
// size.

// percent is a position along a plot from 0 to 100. What is no number, or
// outside, is moved to the nearest end.
type percent float64

func (p percent) String() string {
	v := float64(p)
	if !(v > 0) {
		v = 0
	}
	return strconv.FormatFloat(min(v, 100), 'f', 2, 64) + "%"
}

// whisker is one line of a dot-and-interval plot: an estimate from 0 to 1 and
// its 95 % interval.
type whisker struct {
	Label string
	// Value and Range are the numbers as text.
	Value, Range  string
	At, From, Len percent
}

func newWhisker(label string, at, low, high float64) whisker {
	i := whisker{Label: label, Value: share(at), At: percent(100 * at)}
	// Without an interval there is only the dot.
	if low < high {
		i.Range = fmt.Sprintf("%.1f – %.1f", 100*low, 100*high)
		i.From, i.Len = percent(100*low), percent(100*(high-low))
	}
	return i
}

// To is the right end of the interval.
func (i whisker) To() percent { return i.From + i.Len }

// share writes a part of 1 as a percentage.
func share(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*v)
}

// Heights in a histogram, in pixels.
const (
	histogramBars  = 132
	histogramTotal = histogramBars + 40
	// binsPerDecade gives bins of convenient sizes: each is a third wider than
	// the previous one.
	binsPerDecade = 8
	// maxDecades bounds the axis: from a microsecond to a day are eleven.
	maxDecades = 12
	// longest is 30 years in milliseconds. Above it a duration is no duration.
	longest = 1e12
)

// histogram shows durations on a logarithmic axis: passes below, failures
// stacked on top.
type histogram struct {
	Height, Base int
	Bins         []bin
	Ticks, Marks []tick
	// Top is the count of the highest bin.
	Top int
	// Quantiles are the numbers as text.
	Quantiles []fact
	Good, Bad int
}

type bin struct {
	X, W                percent
	GoodY, GoodH        float64
	BadY, BadH          float64
	From, To            string
	GoodCount, BadCount int
}

type tick struct {
	X      percent
	Label  string
	Anchor string
	Y      int
}

// newHistogram counts durations in milliseconds. A duration of zero or less, or
// longer than any run, is unknown and left out; nil means that none is known.
func newHistogram(good, bad []float64) *histogram {
	known := func(in []float64) []float64 {
		return slices.DeleteFunc(slices.Clone(in), func(v float64) bool { return !(v > 0) || v > longest })
	}
	good, bad = known(good), known(bad)
	all := slices.Sorted(slices.Values(append(slices.Clone(good), bad...)))
	if len(all) == 0 {
		return nil
	}
	first := int(math.Floor(math.Log10(all[0])))
	last := max(int(math.Ceil(math.Log10(all[len(all)-1]))), first+1)
	first = max(first, last-maxDecades)
	n := (last - first) * binsPerDecade
	goods, bads := make([]int, n), make([]int, n)
	count := func(in []float64, to []int) {
		for _, v := range in {
			i := int((math.Log10(v) - float64(first)) * binsPerDecade)
			to[min(max(i, 0), n-1)]++
		}
	}
	count(good, goods)
	count(bad, bads)

	h := &histogram{Height: histogramTotal, Base: histogramBars + 18, Good: len(good), Bad: len(bad)}
	for i := range n {
		h.Top = max(h.Top, goods[i]+bads[i])
	}
	scale := float64(histogramBars) / float64(h.Top)
	edge := func(i int) float64 { return math.Pow(10, float64(first)+float64(i)/binsPerDecade) }
	for i := range n {
		if goods[i]+bads[i] == 0 {
			continue
		}
		g, b := height(goods[i], scale), height(bads[i], scale)
		h.Bins = append(h.Bins, bin{
			X: percent(100 * float64(i) / float64(n)), W: percent(100 / float64(n) * 0.9),
			GoodY: float64(h.Base) - g, GoodH: g, BadY: float64(h.Base) - g - b, BadH: b,
			From: milliseconds(edge(i)), To: milliseconds(edge(i + 1)),
			GoodCount: goods[i], BadCount: bads[i],
		})
	}
	for d := first; d <= last; d++ {
		h.Ticks = append(h.Ticks, h.tick(float64(d-first)/float64(last-first), decade(d), h.Base+16))
	}
	for _, q := range []struct {
		name string
		at   float64
		mark bool
	}{{"fastest", 0, false}, {"median", 0.5, true}, {"95th percentile", 0.95, false}, {"slowest", 1, false}} {
		v := percentile(all, q.at)
		h.Quantiles = append(h.Quantiles, fact{Name: q.name, Value: milliseconds(v)})
		if q.mark {
			h.Marks = append(h.Marks, h.tick((math.Log10(v)-float64(first))/float64(last-first), q.name, 10))
		}
	}
	return h
}

// height keeps the bar of a single run visible beside a bar of ten thousand.
func height(count int, scale float64) float64 {
	if count == 0 {
		return 0
	}
	return max(float64(count)*scale, 1.5)
}

// tick places a label so that it stays inside the plot.
func (h *histogram) tick(at float64, label string, y int) tick {
	t := tick{X: percent(100 * at), Label: label, Anchor: "middle", Y: y}
	if at < 0.05 {
		t.Anchor = "start"
	} else if at > 0.95 {
		t.Anchor = "end"
	}
	return t
}

// milliseconds writes a duration with three digits.
func milliseconds(ms float64) string {
	d := time.Duration(min(ms, longest) * float64(time.Millisecond)).Round(time.Second)
	switch {
	case !(ms > 0):
		return "–"
	case ms < 0.995:
		return fmt.Sprintf("%.2g ms", ms)
	case ms < 999.5:
		return threeDigits(ms) + " ms"
	case ms < 59_950:
		return threeDigits(ms/1000) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
}

// threeDigits writes a number from 1 to 999 with three digits, for alignment.
func threeDigits(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.0f", v)
	}
}

// decade writes a power of ten milliseconds.
func decade(exponent int) string {
	unit := " ms"
	if exponent >= 3 {
		exponent, unit = exponent-3, " s"
	}
	return strconv.FormatFloat(math.Pow(10, float64(exponent)), 'f', -1, 64) + unit
}
