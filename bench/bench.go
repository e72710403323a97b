// Package bench times whole requests beside each other, to make the figures of
// a noisy machine comparable: contestants take turns, and the result is the
// ratio of two contestants in one run.
//
// The package knows no contestant and reads no clock but time's: it calls given
// functions in three [Mode]s with several clients at a time.
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
	// How describes the request in one line.
	How string
	// Do is one request, from start to end. Several clients call Do at a time.
	// warm reports whether the request was served from a warm stock.
	Do func(ctx context.Context) (warm bool, err error)
	// Warm means that Do should be served warm: the figure includes the warm
	// share. A warm stock learns the demand from requests, so two uncounted
	// turns come before each figure, or one if time is short.
	Warm bool
	// Only is the only timed mode; empty means all.
	Only Mode
}

// Mode is how requests follow each other.
type Mode string

// The modes.
const (
	// Paced: each client rests for [Pace] before each request. Slowness after a
	// rest shows in this mode.
	Paced Mode = "paced"
	// Closed: back to back, in bursts of [Burst] requests with a rest in
	// between, for contestants to refill their stock.
	Closed Mode = "closed"
	// Sustained: back to back with no rest at all, for [Plan.Sustain]: a
	// contestant's stock is used up, and must be refilled meanwhile.
	Sustained Mode = "sustained"
)

// Modes are all modes, in the order of timing.
var Modes = []Mode{Paced, Closed, Sustained}

// Pace is a client's rest before a request in the paced mode.
const Pace = 25 * time.Millisecond

// Burst is the approximate number of successive requests, of all clients
// together, before the next contestant's turn; each client has at least two.
const Burst = 10

// leadIn is the uncounted part of a sustained turn, while the stock is used up.
const leadIn = 0.5

// Plan says how much is timed.
type Plan struct {
	// Clients are how many ask at a time; one figure is made for each.
	Clients []int
	// Sustained is the subset of Clients with a sustained figure; nil means
	// all.
	Sustained []int
	// Requests is how many are timed for a figure that is paced or closed.
	Requests int
	// Sustain is how long a sustained figure takes.
	Sustain time.Duration
	// Within, if not 0, is the approximate time for Run: each contestant has an
	// equal share of the rest, and a slow contestant gets fewer requests, but
	// at least one from each client.
	Within time.Duration
	// Settle, if not nil, is called between two turns. It returns when all work
	// of the last contestant is over, lest the next pay for work behind earlier
	// requests; or when ctx ends.
	Settle func(ctx context.Context)
	// Begin, if not nil, is told what is timed next: the n-th of all.
	Begin func(mode Mode, clients, n, all int)
}

// cell is one mode with one number of clients.
type cell struct {
	mode    Mode
	clients int
	share   time.Duration // of each contestant; 0 means no bound
}

func (p *Plan) cells() []cell {
	var all []cell
	for _, mode := range Modes {
		clients := p.Clients
		if mode == Sustained && p.Sustained != nil {
			clients = p.Sustained
		}
		for _, n := range clients {
			all = append(all, cell{mode: mode, clients: n})
		}
	}
	return all
}

// Cells is how many figures are made of each contestant that is timed in all modes.
func (p *Plan) Cells() int { return len(p.cells()) }

// Run times the contestants. The first is the base of comparison. A failure of
// a contestant in a mode is noted in the figure, and the rest go on; the only
// error is that of ctx.
func (p *Plan) Run(ctx context.Context, list []Contestant) ([]Figure, error) {
	var all []Figure
	cells := p.cells()
	end := time.Now().Add(p.Within)
	for i, c := range cells {
		if p.Begin != nil {
			p.Begin(c.mode, c.clients, i+1, len(cells))
		}
		if p.Within > 0 {
			c.share = max(time.Until(end), 0) / time.Duration((len(cells)-i)*len(list))
			c.share = max(c.share, time.Millisecond)
		}
		figures, err := p.time(ctx, those(list, c.mode), c)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

// those are the contestants timed in a mode.
func those(list []Contestant, mode Mode) []Contestant {
	return slices.DeleteFunc(slices.Clone(list), func(c Contestant) bool { return c.Only != "" && c.Only != mode })
}

// time makes one figure of each contestant. They take turns.
func (p *Plan) time(ctx context.Context, list []Contestant, in cell) ([]Figure, error) {
	scores := make([]score, len(list))
	for i := range list {
		if list[i].Warm && in.mode != Sustained { // which has a lead-in
			// The first turn is slow, with little ready; the second is as fast
			// as the counted turns.
			lesson := p.turn(ctx, &list[i], score{}, in)
			if in.share == 0 || lesson.busy < in.share/4 {
				lesson = p.turn(ctx, &list[i], score{busy: lesson.busy}, in)
			}
			scores[i].busy = lesson.busy
		}
	}
	for again := true; again; {
		again = false
		for i := range list {
			if p.enough(scores[i], in) {
				continue
			}
			again = true
			scores[i] = p.turn(ctx, &list[i], scores[i], in)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
		}
	}
	figures := make([]Figure, len(list))
	for i, c := range list {
		figures[i] = scores[i].figure(c, in)
		figures[i].compare(figures[0])
	}
	return figures, nil
}

// enough reports whether a contestant has had its turns.
func (p *Plan) enough(s score, in cell) bool {
	switch {
	case s.err != nil:
		return true
	case s.turns == 0:
		return false
	case in.share > 0 && s.busy >= in.share:
		return true
	case in.mode == Sustained:
		return true // in one turn
	}
	return len(s.asked) >= p.Requests
}

// turn is one contestant's turn, and the rest afterwards. It returns the
// updated score.
func (p *Plan) turn(ctx context.Context, c *Contestant, s score, in cell) score {
	begin := time.Now()
	t := turn{mode: in.mode, clients: in.clients}
	if in.mode == Sustained {
		t.end = begin.Add(p.Sustain)
	} else {
		each := max(2, (Burst+in.clients-1)/in.clients)
		t.quota = min(each*in.clients, p.Requests-len(s.asked))
	}
	if in.share > 0 {
		// No turn takes the whole share: part goes to a turn before, or a rest
		// after.
		part := in.share / 3
		if in.mode == Sustained {
			part *= 2
		}
		if last := begin.Add(part); t.end.IsZero() || t.end.After(last) {
			t.end = last
		}
	}
	asked, err := t.run(ctx, c)
	if err != nil {
		s.err = fmt.Errorf("after %d requests: %w", len(s.asked)+len(asked), err)
	}
	if in.mode == Sustained {
		from, to := begin.Add(time.Duration(leadIn*float64(t.end.Sub(begin)))), t.end
		if served(asked, to) < in.clients { // too short for a rate of what went on in it
			from, to = begin, time.Now()
		}
		for _, r := range asked {
			if r.end.After(from) {
				s.asked = append(s.asked, r)
				s.work += r.within(from, to)
			}
		}
		s.over += to.Sub(from)
	} else {
		s.asked = append(s.asked, asked...)
		s.work += float64(len(asked))
		s.over += time.Since(begin)
	}
	if p.Settle != nil {
		rest, cancel := ctx, context.CancelFunc(func() {})
		if in.share > 0 {
			rest, cancel = context.WithTimeout(ctx, in.share/3)
		}
		p.Settle(rest)
		cancel()
	}
	s.turns++
	s.busy += time.Since(begin)
	return s
}
