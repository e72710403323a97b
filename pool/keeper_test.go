package pool

import (
	"testing"
	"time"
)

// TestBefore: whose thing is made first.
func TestBefore(t *testing.T) {
	type S = shelf[string, *box]
	now := time.Unix(100, 0)
	with := func(things, making, goal int, change func(*S)) *S {
		s := &S{
			things: make([]thing[*box], things), making: make([]*job, making),
			claim: claim{goal: goal}, demand: demand{takes: 2}, started: now,
		}
		if change != nil {
			change(s)
		}
		return s
	}
	for _, test := range []struct {
		name          string
		first, second *S
	}{
		{"who is waited for", with(0, 0, 9, func(s *S) { s.waiters = make([]waiter[*box], 1) }), with(0, 0, 1, nil)},
		{"who is waited for, though once", with(0, 0, 1, func(s *S) { s.waiters = make([]waiter[*box], 1); s.demand.takes = 1 }), with(0, 0, 1, nil)},
		{"but not when it is being made", with(0, 0, 9, nil), with(0, 1, 9, func(s *S) { s.waiters = make([]waiter[*box], 1) })},
		{"who was asked for twice", with(8, 0, 9, nil), with(0, 0, 1, func(s *S) { s.demand.takes = 1 })},
		{"a promise is as good", with(0, 0, 1, func(s *S) { s.demand = demand{}; s.demand.announce(now, 1) }), with(0, 0, 1, func(s *S) { s.demand.takes = 1 })},
		{"the emptier one", with(0, 1, 4, nil), with(1, 0, 2, nil)},
		{"though it needs fewer", with(1, 0, 4, nil), with(5, 5, 20, nil)},
		{"whose turn was longer ago", with(0, 0, 9, func(s *S) { s.started = now.Add(-1) }), with(0, 0, 1, nil)},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !test.first.before(test.second, now) || test.second.before(test.first, now) {
				t.Errorf("%v, %v", test.first.before(test.second, now), test.second.before(test.first, now))
			}
		})
	}
	if s := with(1, 1, 4, nil); s.before(s, now) {
		t.Error("before itself")
	}
}
