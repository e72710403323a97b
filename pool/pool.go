// Package pool keeps things ready that take long to make and are used once.
//
// A thing has a key; things of one key are as good as each other. [Pool.Take]
// hands one out at once or not at all, and the pool learns from it what is
// wanted: it needs no operator.
//
//   - How many of a key are kept ready follows the demand: the most Takes that
//     were waiting to be made good at any moment of late (demand.go).
//   - Where not all keys get what they want, those asked for most often and
//     most lately come first (allot.go).
//   - One goroutine, the keeper, decides; makers and droppers come and go
//     (keeper.go, work.go).
//
// Each thing that Make made is either taken, by one caller, or dropped, once.
package pool

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is what Wait returns when the pool is closed.
var ErrClosed = errors.New("pool: closed")

// ErrShort is what Wait returns while the machine is short of memory: nothing is
// made then.
var ErrShort = errors.New("pool: the machine is short of memory")

// ErrTooLarge is what Wait returns when one thing costs more than Memory.
var ErrTooLarge = errors.New("pool: a thing of this key is larger than the pool")

// Pool keeps things ready. Its methods may be called at the same time. It is
// made by [New] and has to be closed.
type Pool[K comparable, V any] struct {
	c      Config[K, V]
	ctx    context.Context // ends with the pool
	cancel context.CancelFunc
	work   sync.WaitGroup // the keeper, makers and droppers
	turns  chan struct{}  // asks the keeper for a turn
	busy   atomic.Int64   // requests in work
	active atomic.Int64   // when there was the last of them, or a Take, since began
	began  time.Time

	mu       sync.Mutex
	closed   bool
	shelves  map[K]*shelf[K, V]
	waiters  int           // of all shelves
	makers   int           // Makes under way
	droppers int           // Drops under way
	drops    []dropping[V] // what has to be dropped
	all      room          // held: waiting, being made, being dropped
	going    room          // of it what is to be dropped or being dropped
	counts   Counts
	short    bool // of memory, as the keeper last saw it
	swept    time.Time
}

// New starts a pool that is empty and knows no keys. It panics where Make or
// Drop is missing.
func New[K comparable, V any](c Config[K, V]) *Pool[K, V] {
	c.fill()
	p := &Pool[K, V]{c: c, began: time.Now(), turns: make(chan struct{}, 1), shelves: map[K]*shelf[K, V]{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.work.Go(p.keep)
	return p
}

// Take returns a thing of the key and true, at once; or false: then the caller
// makes its own. Either way the pool learns that the key is wanted. The thing
// is the caller's from now on.
func (p *Pool[K, V]) Take(key K) (V, bool) {
	now := time.Now()
	p.mu.Lock()
	v, ok := p.take(p.shelf(key, now, false), now)
	if !ok {
		p.counts.Misses++
	}
	p.mu.Unlock()
	p.turn()
	return v, ok
}

// take takes from a shelf, which is nil for a key that the pool did not learn.
func (p *Pool[K, V]) take(s *shelf[K, V], now time.Time) (v V, ok bool) {
	if s == nil {
		return v, false
	}
	s.demand.take(now, p.c.PerKey)
	for len(s.things) > 0 {
		t := s.pop()
		if t.isDead() {
			p.died(s, t, now)
			continue
		}
		p.release(s.cost)
		p.active.Store(int64(now.Sub(p.began)))
		s.trouble.works(t.made)
		s.hits++
		p.counts.Hits++
		return t.v, true
	}
	s.misses++
	s.short = now.Add(-p.c.Rest) // it has nobody to let alone
	return v, false
}

// Wait is Take for those who would rather wait than make their own. It ends
// with the context's error; with Make's, where Make fails again and again; with
// [ErrShort], [ErrTooLarge] or [ErrClosed].
func (p *Pool[K, V]) Wait(ctx context.Context, key K) (v V, err error) {
	now := time.Now()
	p.mu.Lock()
	s := p.shelf(key, now, true)
	if s == nil {
		p.mu.Unlock()
		return v, ErrClosed
	}
	defer p.turn()
	v, ok := p.take(s, now)
	switch {
	case ok:
		p.mu.Unlock()
		return v, nil
	case s.cost > p.c.Memory:
		err = ErrTooLarge
	case p.short:
		err = ErrShort
	case s.trouble.chronic() && s.trouble.holds(now):
		err = s.trouble.err
	}
	if err != nil {
		p.counts.Misses++
		p.mu.Unlock()
		return v, err
	}
	w := make(waiter[V], 1)
	s.waiters = append(s.waiters, w)
	p.waiters++
	p.mu.Unlock()
	p.turn()
	select {
	case got := <-w:
		return got.v, got.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(s.waiters, w)
	if i < 0 { // it was served meanwhile
		got := <-w
		return got.v, got.err
	}
	s.waiters = slices.Delete(s.waiters, i, i+1)
	p.waiters--
	p.counts.Misses++
	return v, ctx.Err()
}

// waiter is where a Wait gets its answer. It has room for it.
type waiter[V any] chan answer[V]

type answer[V any] struct {
	v   V
	err error
}

// refuse ends all waits for a shelf.
func (p *Pool[K, V]) refuse(s *shelf[K, V], err error) {
	for _, w := range s.waiters {
		w <- answer[V]{err: err}
		p.waiters--
		p.counts.Misses++
	}
	s.waiters = nil
}

// Want says that n of the key will be taken soon, beyond what the pool expects
// by itself; it gets ready for them within its bounds.
func (p *Pool[K, V]) Want(key K, n int) {
	if n <= 0 {
		return
	}
	now := time.Now()
	p.mu.Lock()
	if s := p.shelf(key, now, false); s != nil {
		s.demand.announce(now, n)
		if len(s.things) == 0 {
			s.short = now.Add(-p.c.Rest)
		}
	}
	p.mu.Unlock()
	p.turn()
}

// Busy says that a request is in work, until the function it returns is called.
// Makers leave the processors to requests: each request takes one worker's
// place, but never more than Config.BusyShare leaves. What somebody waits for
// in Wait is made regardless.
func (p *Pool[K, V]) Busy() (done func()) {
	p.busy.Add(1)
	var once atomic.Bool
	return func() {
		if !once.CompareAndSwap(false, true) {
			return
		}
		p.active.Store(int64(time.Since(p.began)))
		if p.busy.Add(-1) < int64(p.c.Workers) {
			p.turn()
		}
	}
}

// Drain drops all that waits, gives up what is being made and forgets what was
// wanted. The dropping goes on after it returns.
func (p *Pool[K, V]) Drain() {
	p.mu.Lock()
	for _, s := range p.shelves {
		p.clear(s)
		s.demand = demand{}
	}
	p.mu.Unlock()
	p.turn()
}

// Close drops all that waits, gives up what is being made and returns when
// nothing is left, neither things nor goroutines. It may be called more than
// once, but not by Make. The error is always nil.
func (p *Pool[K, V]) Close() error {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	for key, s := range p.shelves {
		p.clear(s)
		p.refuse(s, ErrClosed)
		delete(p.shelves, key)
	}
	p.mu.Unlock()
	p.work.Wait()
	return nil
}

// turn asks the keeper to look around. It never blocks.
func (p *Pool[K, V]) turn() {
	select {
	case p.turns <- struct{}{}:
	default: // it was asked already
	}
}
