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
	// keeps things warm learns how many are wanted from being asked, so a turn
	// that is not counted comes before each figure.
	Warm bool
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

// stretches is in how many turns a sustained figure is taken, and leadIn the
// part of each that is not counted.
const (
	stretches = 2
	leadIn    = 0.25
)

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
	// Share, if not 0, is the most time for one figure: one that is used up
	// ends with fewer requests, but not with none.
	Share time.Duration
	// Settle, if not nil, is called between two turns. It returns when nothing
	// of the last contestant is still at work, so that nobody pays for what
	// another one does behind its requests.
	Settle func(ctx context.Context)
	// Begin, if not nil, is told what is timed next: the n-th of all.
	Begin func(mode Mode, clients, n, all int)
}

// cell is one mode with one number of clients.
type cell struct {
	mode    Mode
	clients int
}

func (p *Plan) cells() []cell {
	var all []cell
	for _, mode := range Modes {
		clients := p.Clients
		if mode == Sustained && p.Sustained != nil {
			clients = p.Sustained
		}
		for _, n := range clients {
			all = append(all, cell{mode, n})
		}
	}
	return all
}

// Cells is how many figures are made of each contestant.
func (p *Plan) Cells() int { return len(p.cells()) }

// Run times the contestants. The first one is what the others are compared
// with. One that fails in a mode has a figure that says so, and the others go
// on; the only error is that of ctx.
func (p *Plan) Run(ctx context.Context, list []Contestant) ([]Figure, error) {
	var all []Figure
	cells := p.cells()
	p.settle(ctx)
	for i, c := range cells {
		if p.Begin != nil {
			p.Begin(c.mode, c.clients, i+1, len(cells))
		}
		figures, err := p.time(ctx, list, c)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

// time makes one figure of each contestant. They take turns.
func (p *Plan) time(ctx context.Context, list []Contestant, in cell) ([]Figure, error) {
	for i := range list {
		if c := &list[i]; c.Warm && in.mode != Sustained { // which has a lead-in
			var lesson score
			p.turn(ctx, c, &lesson, in)
			p.settle(ctx)
		}
	}
	scores := make([]score, len(list))
	for again := true; again; {
		again = false
		for i := range list {
			s := &scores[i]
			if s.err != nil || p.enough(s, in) {
				continue
			}
			again = true
			p.turn(ctx, &list[i], s, in)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			p.settle(ctx)
		}
	}
	figures := make([]Figure, len(list))
	for i, c := range list {
		figures[i] = scores[i].figure(c, in)
		figures[i].compare(figures[0])
	}
	return figures, nil
}

func (p *Plan) settle(ctx context.Context) {
	if p.Settle != nil {
		p.Settle(ctx)
	}
}

// enough tells whether a contestant has had its turns.
func (p *Plan) enough(s *score, in cell) bool {
	if in.mode == Sustained {
		return s.turns == stretches
	}
	return len(s.asked) >= p.Requests || p.Share > 0 && s.busy >= p.Share
}

// turn is one contestant's.
func (p *Plan) turn(ctx context.Context, c *Contestant, s *score, in cell) {
	t := turn{mode: in.mode, clients: in.clients, begin: time.Now()}
	if in.mode == Sustained {
		long := p.Sustain
		if p.Share > 0 {
			long = min(long, p.Share)
		}
		t.end = t.begin.Add(long / stretches)
	} else {
		each := max(2, (Burst+in.clients-1)/in.clients)
		t.quota = min(each*in.clients, p.Requests-len(s.asked))
		if p.Share > 0 {
			t.end = t.begin.Add(p.Share - s.busy)
		}
	}
	asked, err := t.run(ctx, c)
	s.turns++
	s.busy += time.Since(t.begin)
	if err != nil {
		s.err = fmt.Errorf("after %d requests: %w", len(s.asked)+len(asked), err)
	}
	if in.mode != Sustained {
		s.asked = append(s.asked, asked...)
		s.work += float64(len(asked))
		s.over += time.Since(t.begin)
		return
	}
	from := t.begin.Add(time.Duration(leadIn * float64(t.end.Sub(t.begin))))
	for _, r := range asked {
		if r.end.After(from) {
			s.asked = append(s.asked, r)
			s.work += r.within(from, t.end)
		}
	}
	s.over += t.end.Sub(from)
}
