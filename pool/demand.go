package pool

import (
	"math"
	"time"
)

// demand tracks the demand for a key.
//
// A Take leaves a debt: one more thing to make. A successful Make pays one
// back. With n things ready all Takes are hits for as long as the debt stays
// within n, so the right n is the highest recent debt. The debt reflects the
// rate of Takes times the duration of a Make (Little's law), bursts, and makers
// slowed down by others, without any measurement.
type demand struct {
	last     time.Time     // when it was last wanted
	gap      time.Duration // between two Takes, smoothed; 0 before the first
	takes    int           // up to memory
	debt     int
	peak     int // the highest debt
	peakAt   time.Time
	promised int       // Takes that were announced and have not come
	promise  time.Time // until when the promise counts
}

const (
	// halfLife is how fast a burst is forgotten, after an equally long time
	// with full readiness for a similar burst.
	halfLife = time.Minute
	// once is the expected gap for a key taken once, and the longest gap
	// remembered: one burst does not make a key hot, one pause not cold.
	once = 10 * time.Second
	// promiseLasts is how long announced Takes are expected. Takes that do come
	// speak for themselves by then.
	promiseLasts = time.Minute
	// memory is the number of gaps in the smoothed one.
	memory = 7
	// soon is the expected gap between announced Takes.
	soon = time.Second
)

// take records one Take. The debt ends at most, the most things ever held.
func (d *demand) take(now time.Time, most int) {
	if d.gap == 0 {
		d.gap = once
	} else {
		d.gap += (min(now.Sub(d.last), once) - d.gap) / time.Duration(d.takes+1)
	}
	d.takes = min(d.takes+1, memory)
	d.last = now
	d.promised = max(0, d.promised-1)
	d.debt = min(d.debt+1, most)
	if float64(d.debt) >= d.lately(now) {
		d.peak, d.peakAt = d.debt, now
	}
}

// announce promises n Takes.
func (d *demand) announce(now time.Time, n int) {
	d.last = now
	d.promised = d.expected(now)
	d.promised += min(n, math.MaxInt-d.promised)
	d.promise = now.Add(promiseLasts)
}

// expected is how many of the promised Takes we still believe in.
func (d *demand) expected(now time.Time) int {
	if now.After(d.promise) {
		return 0
	}
	return d.promised
}

// paid records a successful Make.
func (d *demand) paid() { d.debt = max(0, d.debt-1) }

// settled records a full stock.
func (d *demand) settled() { d.debt = 0 }

// lately is the highest debt, discounted by its age.
func (d *demand) lately(now time.Time) float64 {
	ago := max(0, now.Sub(d.peakAt)-halfLife)
	return float64(d.peak) * math.Exp2(-ago.Seconds()/halfLife.Seconds())
}

// target is the wanted stock: a quarter more than the peak, and 1 after a
// single Take.
func (d *demand) target(now time.Time) int {
	n := int(math.Ceil(d.lately(now) - 0.01))
	n += (n + 2) / 4
	if d.takes > 0 {
		n = max(n, 1)
	}
	return max(n, d.expected(now))
}

// steady reports whether a further Take is probable.
func (d *demand) steady(now time.Time) bool { return d.takes > 1 || d.expected(now) > 0 }

// rate is how many Takes a second we expect. It falls from the moment when the
// next Take is overdue.
func (d *demand) rate(now time.Time) float64 {
	gap := d.gap
	if d.expected(now) > 0 && (gap == 0 || gap > soon) {
		gap = soon
	}
	return 1 / max(gap, now.Sub(d.last), 1).Seconds()
}
