package pool

import (
	"context"
	"slices"
	"time"
)

// begin starts a Make.
func (p *Pool[K, V]) begin(s *shelf[K, V], now time.Time) {
	ctx, cancel := context.WithTimeout(p.ctx, p.c.Timeout)
	j := &job{began: now, cancel: cancel}
	s.making = append(s.making, j)
	s.started = now
	p.makers++
	p.all.add(s.cost)
	p.work.Go(func() {
		v, err := p.c.Make(ctx, s.key)
		cancelled := ctx.Err() == context.Canceled // by us, not late
		cancel()
		t := thing[V]{v: v, made: time.Now()}
		if err == nil {
			t.dead = p.c.Dead(v)
		} else if !cancelled {
			p.c.Failed(s.key, err)
		}
		p.made(s, j, t, err, cancelled)
		p.turn()
	})
}

// made is the end of a Make. The thing goes to a waiting caller, the shelf, or
// the droppers.
func (p *Pool[K, V]) made(s *shelf[K, V], j *job, t thing[V], err error, cancelled bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.makers--
	s.making = slices.DeleteFunc(s.making, func(o *job) bool { return o == j })
	switch {
	case err != nil:
		p.release(s.cost)
		if cancelled {
			return
		}
		p.counts.Failed++
		s.trouble.add(err, j.began, t.made)
		if s.trouble.chronic() {
			p.refuse(s, s.trouble.err)
		}
	case j.unwanted || p.closed:
		p.counts.Made++
		p.drop(t.v, s.cost)
	case len(s.waiters) > 0:
		p.counts.Made++
		p.counts.Waited++
		s.demand.paid()
		s.trouble.works(t.made)
		p.release(s.cost)
		p.waiters--
		s.waiters[0] <- answer[V]{v: t.v}
		s.waiters = slices.Delete(s.waiters, 0, 1)
	default:
		p.counts.Made++
		s.demand.paid()
		s.things = append(s.things, t)
	}
}

// dropping is what has to be dropped.
type dropping[V any] struct {
	v    V
	cost int64
}

// drop leaves a thing to the droppers, counted as held until gone.
func (p *Pool[K, V]) drop(v V, cost int64) {
	p.counts.Dropped++
	p.going.add(cost)
	p.drops = append(p.drops, dropping[V]{v, cost})
	if p.droppers < p.c.Workers {
		p.droppers++
		p.work.Go(p.dropAll)
	}
}

// dropAll is a dropper. It ends when nothing is left to drop.
func (p *Pool[K, V]) dropAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.drops) > 0 {
		d := p.drops[0]
		p.drops[0] = dropping[V]{}
		p.drops = p.drops[1:]
		p.mu.Unlock()
		p.c.Drop(d.v)
		p.mu.Lock()
		p.going.sub(d.cost)
		p.release(d.cost)
		p.turn()
	}
	p.droppers--
}

// release gives room back.
func (p *Pool[K, V]) release(cost int64) { p.all.sub(cost) }
