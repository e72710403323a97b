package pool

import (
	"context"
	"slices"
	"time"
)

// shelf is the pool's entry for one key.
type shelf[K comparable, V any] struct {
	key     K
	cost    int64
	things  []thing[V] // that wait, the oldest first
	making  []*job
	waiters []waiter[V] // the first comes first
	demand  demand
	trouble trouble
	claim   claim     // on the room of the pool
	started time.Time // when the last Make began
	short   time.Time // since when less than its goal waits; zero: all of it does

	hits, misses uint64
}

// thing is one that waits.
type thing[V any] struct {
	v    V
	made time.Time
	dead <-chan struct{} // nil where it cannot die
}

// job is a Make under way.
type job struct {
	began    time.Time
	cancel   context.CancelFunc
	unwanted bool
}

// manyKeys bounds the keys of a pool: more would make its turns slow. A stream
// of keys with a single request each does not grow the pool.
const manyKeys = 1024

// shelf finds the key's shelf or makes one. It returns nil when the pool is
// closed, or knows too many keys and the caller does not insist.
func (p *Pool[K, V]) shelf(key K, now time.Time, insist bool) *shelf[K, V] {
	s := p.shelves[key]
	if s != nil || p.closed || len(p.shelves) >= p.maxKeys() && !insist {
		return s
	}
	s = &shelf[K, V]{key: key, cost: max(0, p.c.Cost(key)), demand: demand{last: now}}
	p.shelves[key] = s
	return s
}

// maxKeys leaves most shelves empty, to be forgotten if necessary.
func (p *Pool[K, V]) maxKeys() int { return max(manyKeys, 4*p.c.Most) }

// has is the number of things on the shelf or in the making.
func (s *shelf[K, V]) has() int { return len(s.things) + len(s.making) }

// empty reports whether the shelf holds nothing but statistics.
func (s *shelf[K, V]) empty() bool { return s.has() == 0 && len(s.waiters) == 0 }

func (s *shelf[K, V]) pop() thing[V] {
	t := s.things[0]
	s.things[0] = thing[V]{}
	s.things = s.things[1:]
	return t
}

func (t thing[V]) isDead() bool {
	select {
	case <-t.dead:
		return true
	default:
		return false
	}
}

// died records the death of a waiting thing. If Makes succeed but the results
// die, the key is in trouble as well.
func (p *Pool[K, V]) died(s *shelf[K, V], t thing[V], now time.Time) {
	p.counts.Died++
	s.trouble.add(errDied, t.made, now)
	p.drop(t.v, s.cost)
}

// bury drops the dead things of the shelf.
func (p *Pool[K, V]) bury(s *shelf[K, V], now time.Time) {
	s.things = slices.DeleteFunc(s.things, func(t thing[V]) bool {
		dead := t.isDead()
		if dead {
			p.died(s, t, now)
		}
		return dead
	})
}

// clear empties a shelf: the waiting stock is dropped, the making of more given
// up.
func (p *Pool[K, V]) clear(s *shelf[K, V]) {
	for len(s.things) > 0 {
		p.drop(s.pop().v, s.cost)
	}
	for _, j := range s.making {
		j.unwanted = true
		j.cancel()
	}
}
