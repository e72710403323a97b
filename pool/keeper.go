package pool

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// sweepEvery is how often the keeper looks at all that waits.
const sweepEvery = time.Second

// keep is the keeper: it has a turn whenever something has changed, and every
// second while there is something to look after.
func (p *Pool[K, V]) keep() {
	timer := time.NewTimer(math.MaxInt64)
	defer timer.Stop()
	var asked time.Time // for pressure
	var short bool
	for {
		select {
		case <-p.turns:
		case <-timer.C:
		case <-p.ctx.Done():
			return
		}
		if now := time.Now(); now.Sub(asked) >= sweepEvery {
			short, asked = p.c.Pressure(), now
		}
		timer.Reset(p.look(short))
	}
}

// look is the keeper's turn. It returns when the next is due.
func (p *Pool[K, V]) look(short bool) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return math.MaxInt64
	}
	now := time.Now()
	p.short = short
	if now.Sub(p.swept) >= sweepEvery {
		p.sweep(now)
		p.swept = now
	}
	p.forget(now)
	if short {
		for _, s := range p.shelves {
			p.refuse(s, ErrShort)
		}
	}
	p.aim(now)
	p.start(now)

	if len(p.shelves) == 0 {
		return math.MaxInt64
	}
	next := p.swept.Add(sweepEvery)
	for _, s := range p.shelves {
		if s.trouble.holds(now) && s.trouble.until.Before(next) {
			next = s.trouble.until
		}
	}
	if _, due := p.neediest(now); !due.IsZero() && due.Before(next) {
		next = due
	}
	return next.Sub(now)
}

// sweep drops what has died, what is old, and what is too many.
func (p *Pool[K, V]) sweep(now time.Time) {
	for _, s := range p.shelves {
		p.bury(s, now)
		if n := len(s.things); n > 0 && now.Sub(s.things[0].made) >= p.c.MaxAge && len(s.making) == 0 {
			p.drop(s.pop().v, s.cost)
		}
		if n := len(s.things); n > 0 && now.Sub(s.things[n-1].made) >= alive {
			s.trouble.works(s.things[n-1].made)
		}
		if s.idle(now, p.c.Idle) {
			p.clear(s)
		}
		for target := s.demand.target(now); len(s.things) > target; {
			p.drop(s.pop().v, s.cost)
		}
	}
	if p.short {
		p.shrink(now)
	}
}

func (s *shelf[K, V]) idle(now time.Time, after time.Duration) bool {
	return len(s.waiters) == 0 && now.Sub(s.demand.last) >= after
}

// shrink drops half of what waits, the coldest first. As it is done every
// second while memory is short, nothing is left soon.
func (p *Pool[K, V]) shrink(now time.Time) {
	cold := slices.SortedFunc(maps.Values(p.shelves), func(a, b *shelf[K, V]) int {
		return cmp.Compare(a.demand.rate(now), b.demand.rate(now))
	})
	waiting := 0
	for _, s := range cold {
		waiting += len(s.things)
	}
	left := (waiting + 1) / 2
	for _, s := range cold {
		for ; left > 0 && len(s.things) > 0; left-- {
			p.drop(s.pop().v, s.cost)
		}
	}
}

// forget removes keys that nobody asks for, and where there are too many the
// empty ones that were not asked for the longest.
func (p *Pool[K, V]) forget(now time.Time) {
	for key, s := range p.shelves {
		if s.empty() && (s.idle(now, p.c.Idle) || s.demand == demand{}) {
			delete(p.shelves, key)
		}
	}
	if len(p.shelves) < p.maxKeys() {
		return
	}
	old := slices.DeleteFunc(slices.Collect(maps.Values(p.shelves)), func(s *shelf[K, V]) bool { return !s.empty() })
	slices.SortFunc(old, func(a, b *shelf[K, V]) int { return a.demand.last.Compare(b.demand.last) })
	for _, s := range old[:min(len(old), p.maxKeys()/4)] {
		delete(p.shelves, s.key)
	}
}

// aim decides how many each key may have, and gives up Makes that are for none.
func (p *Pool[K, V]) aim(now time.Time) {
	claims := make([]*claim, 0, len(p.shelves))
	for _, s := range p.shelves {
		s.claim = claim{
			target: min(max(s.demand.target(now), len(s.waiters)), p.c.PerKey),
			has:    s.has(),
			urgent: len(s.waiters),
			cost:   s.cost,
			rate:   s.demand.rate(now),
		}
		switch {
		case p.short || s.cost > p.c.Memory:
			s.claim.target = 0
		case s.trouble.holds(now):
			s.claim.target = min(s.claim.target, s.claim.has)
		case s.trouble.chronic(): // try one
			s.claim.target = min(s.claim.target, len(s.things)+1)
		}
		claims = append(claims, &s.claim)
	}
	allot(claims, p.bound())
	for _, s := range p.shelves {
		switch {
		case s.claim.goal == 0: // for a while, perhaps
		case len(s.things) >= s.claim.goal:
			s.short = time.Time{}
		case s.short.IsZero():
			s.short = now
		}
		if len(s.things) >= s.claim.goal {
			s.demand.settled()
		}
		if s.claim.goal == 0 {
			for _, j := range s.making {
				j.unwanted = true
				j.cancel()
			}
		}
	}
}

func (p *Pool[K, V]) bound() room { return room{p.c.Most, p.c.Memory} }

// start begins as many Makes as workers are free.
func (p *Pool[K, V]) start(now time.Time) {
	for p.makers < p.workers() {
		s, _ := p.neediest(now)
		if s == nil {
			return
		}
		if !p.all.fits(s.cost, p.bound()) {
			p.evict(s.cost) // once that is done there is another turn
			return
		}
		p.begin(s, now)
	}
}

// workers is how many may make now.
func (p *Pool[K, V]) workers() int {
	all := p.c.Workers
	share := int(math.Ceil(float64(all) * p.c.BusyShare))
	left := all - int(min(p.busy.Load(), int64(all)))
	return min(all, max(1, share, left)+p.waiters)
}

// neediest is the shelf that the next Make is for: those whose callers wait
// first, those asked for once last; of the others the emptiest by its goal; of
// equals the one whose turn was the longest ago. Thus a key that is taken as
// fast as it is made does not starve the others. Where there is none but some
// will be, next is when.
func (p *Pool[K, V]) neediest(now time.Time) (best *shelf[K, V], next time.Time) {
	for _, s := range p.shelves {
		if s.has() >= s.claim.goal {
			continue
		}
		if due := p.due(s, now); due.After(now) {
			if next.IsZero() || due.Before(next) {
				next = due
			}
		} else if best == nil || s.before(best, now) {
			best = s
		}
	}
	return best, next
}

// due is when one may be made for a shelf: see [Config.Rest].
func (p *Pool[K, V]) due(s *shelf[K, V], now time.Time) time.Time {
	if p.c.Rest < 0 || len(s.waiters) > len(s.making) {
		return now
	}
	due := s.short.Add(p.c.Rest + (manyRests-1)*p.c.Rest*time.Duration(len(s.things))/time.Duration(s.claim.goal))
	if rested := p.began.Add(time.Duration(p.active.Load()) + p.c.Rest); p.busy.Load() == 0 && rested.Before(due) {
		return rested
	}
	return due
}

// manyRests is how many rests a key can be short at the most.
const manyRests = 20

func (s *shelf[K, V]) before(o *shelf[K, V], now time.Time) bool {
	return cmp.Or(
		-preference(len(s.making) < len(s.waiters), len(o.making) < len(o.waiters)),
		-preference(s.demand.steady(now), o.demand.steady(now)),
		// has/goal, without a division
		cmp.Compare(s.has()*o.claim.goal, o.has()*s.claim.goal),
		s.started.Compare(o.started),
	) < 0
}

// preference is 1 where a alone holds, -1 where b alone does.
func preference(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// evict drops as many things as one of a cost needs room. They are of keys
// that have more than their goal, the coldest first. What is being dropped
// already counts as room to come.
func (p *Pool[K, V]) evict(cost int64) {
	now := time.Now()
	for !p.all.without(p.going).fits(cost, p.bound()) {
		var cold *shelf[K, V]
		for _, s := range p.shelves {
			if len(s.things) > 0 && s.has() > s.claim.goal &&
				(cold == nil || s.demand.rate(now) < cold.demand.rate(now)) {
				cold = s
			}
		}
		if cold == nil {
			return // it is being made; when it is there it can go
		}
		p.drop(cold.pop().v, cold.cost)
	}
}
