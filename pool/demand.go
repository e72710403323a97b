package pool

import (
	"math"
	"time"
)

// demand follows how much a key is wanted.
//
// A Take leaves a debt: one more has to be made. A Make that ends pays one
// back. With n things ready all Takes are hits for as long as the debt stays
// within n, so the right n is the highest debt, lately. That holds the rate of
// Takes times the time that a Make takes (Little's law), bursts, and makers
// that are slow because others need them, and nothing has to be measured.
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
	// halfLife is how fast a burst is forgotten, after as long again in which
	// the next such burst finds all ready.
	halfLife = time.Minute
	// once is the gap we expect for a key that was taken once, and the longest
	// that we remember: one burst does not make a key a hot one, one pause
	// not a cold one.
	once = 10 * time.Second
	// promiseLasts is how long we believe in Takes that do not come. Those
	// that do come speak for themselves by then.
	promiseLasts = time.Minute
	// memory is how many gaps weigh in the smoothed one.
	memory = 7
	// soon is the gap we expect of Takes that are announced.
	soon = time.Second
)

// take is one Take. The debt ends at most, which is how much can ever be held.
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

// paid is a Make that has ended well.
func (d *demand) paid() { d.debt = max(0, d.debt-1) }

// settled says that as many are ready as may be.
func (d *demand) settled() { d.debt = 0 }

// lately is the highest debt, which counts the less the longer it is ago.
func (d *demand) lately(now time.Time) float64 {
	ago := max(0, now.Sub(d.peakAt)-halfLife)
	return float64(d.peak) * math.Exp2(-ago.Seconds()/halfLife.Seconds())
}

// target is how many should be ready: a quarter more than the peak, and one
// where there was but one Take.
func (d *demand) target(now time.Time) int {
	n := int(math.Ceil(d.lately(now) - 0.01))
	n += (n + 2) / 4
	if d.takes > 0 {
		n = max(n, 1)
	}
	return max(n, d.expected(now))
}

// steady tells whether it is probable that one more will be taken.
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
