package pool

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// sweepEvery is the interval of the keeper's checks of waiting things.
const sweepEvery = time.Second

// keep is the keeper: it has a turn after every change, and every second while
// there is work.
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

// sweep drops dead, old and surplus things.
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

// shrink drops half of the waiting stock, the coldest first. It runs every
// second while memory is short, so soon nothing is left.
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

// forget removes unused keys, and beyond the maximum the least recently used
// empty ones.
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

// aim decides the number for each key, and gives up surplus Makes.
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

// neediest is the shelf for the next Make. Shelves with waiting callers come
// first, shelves with a single request last. In between the emptiest by its
// goal comes first; among equals, the one with the longest wait since its turn.
// Thus a key taken as fast as it is made does not starve the others. If no
// shelf is due yet, next is the time of the first.
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

// due is when a thing may be made for a shelf: see [Config.Rest].
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

// evict makes room for a thing of a cost, from keys above their goal, the
// coldest first. Memory in the dropping already counts as room to come.
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
