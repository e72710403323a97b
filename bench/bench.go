// Package bench times whole requests beside each other, so that the figures of
// a noisy machine can be compared: contestants take turns, and what counts is
// the ratio of two of them in one run.
//
// It knows no contestant and reads no clock but time's: it is given what to
// call, and calls it in three [Mode]s with several clients at a time.
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
	// Do is one request, from start to end. It is called by several clients at
	// a time. It tells whether the request was served by what had been kept
	// warm.
	Do func(ctx context.Context) (warm bool, err error)
	// Warm says that Do should be served warm: the share that was is told. What
	// keeps things warm learns how many are wanted from being asked, so two turns
	// that are not counted come before each figure, or one where time is short.
	Warm bool
	// Only is the one mode that it is timed in; empty means all.
	Only Mode
}

// Mode is how requests follow each other.
type Mode string

// The modes.
const (
	// Paced: each client rests for [Pace] before each request. What is slow
	// only after a rest shows here.
	Paced Mode = "paced"
	// Closed: back to back, in bursts of [Burst] requests with a rest between
	// them, in which a contestant may fill up what it keeps ready.
	Closed Mode = "closed"
	// Sustained: back to back with no rest at all, for [Plan.Sustain]: what a
	// contestant keeps ready is used up, and it must make more meanwhile.
	Sustained Mode = "sustained"
)

// Modes are all modes, in the order in which they are timed.
var Modes = []Mode{Paced, Closed, Sustained}

// Pace is a client's rest before a request in the paced mode.
const Pace = 25 * time.Millisecond

// Burst is about how many requests, of all clients together, follow each other
// before it is the next contestant's turn; each client has two at least.
const Burst = 10

// leadIn is the part of a sustained turn that is not counted: what was kept
// ready is used up in it.
const leadIn = 0.5

// Plan says how much is timed.
type Plan struct {
	// Clients are how many ask at a time; one figure is made for each.
	Clients []int
	// Sustained are those of Clients that a sustained figure is made for; nil
	// means all.
	Sustained []int
	// Requests is how many are timed for a figure that is paced or closed.
	Requests int
	// Sustain is how long a sustained figure takes.
	Sustain time.Duration
	// Within, if not 0, is about how long Run may take: each contestant has an
	// equal share of what is left, and one that is slow is asked less often,
	// but is asked once by each client.
	Within time.Duration
	// Settle, if not nil, is called between two turns. It returns when nothing
	// of the last contestant is still at work, so that nobody pays for what
	// another one does behind its requests; or when ctx ends.
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

// Run times the contestants. The first one is what the others are compared
// with. One that fails in a mode has a figure that says so, and the others go
// on; the only error is that of ctx.
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

// those are the contestants that are timed in a mode.
func those(list []Contestant, mode Mode) []Contestant {
	return slices.DeleteFunc(slices.Clone(list), func(c Contestant) bool { return c.Only != "" && c.Only != mode })
}

// time makes one figure of each contestant. They take turns.
func (p *Plan) time(ctx context.Context, list []Contestant, in cell) ([]Figure, error) {
	scores := make([]score, len(list))
	for i := range list {
		if list[i].Warm && in.mode != Sustained { // which has a lead-in
			// The first is slow, as little was ready; the second is as fast as those that
			// are counted.
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

// enough tells whether a contestant has had its turns.
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

// turn is one contestant's, and the rest after it. It returns the score with
// it.
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
		// No turn takes it all: there is one before, or a rest behind.
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
