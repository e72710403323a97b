// Package pool keeps a stock of values that take long to make and are used
// once.
//
// A value, here called a thing, has a key; things of one key are
// interchangeable. [Pool.Take] hands out a thing at once or not at all, and so
// teaches the pool the demand, without an operator.
//
//   - The number of ready values of a key follows the demand: the most Takes
//     that recently waited for replacement at any moment (demand.go).
//   - When the keys' demands exceed the room, the keys most often and most
//     recently wanted come first (allot.go).
//   - One goroutine, the keeper, decides; makers and droppers come and go
//     (keeper.go, work.go).
//
// Each value from Make is either taken, by one caller, or dropped, once.
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

// ErrShort is the error of Wait while the machine is short of memory: nothing
// is made then.
var ErrShort = errors.New("pool: the machine is short of memory")

// ErrTooLarge is the error of Wait for a cost above Memory.
var ErrTooLarge = errors.New("pool: a thing of this key is larger than the pool")

// Pool keeps things ready. Its methods are safe for concurrent use. It is made
// by [New] and has to be closed.
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

// New starts an empty pool without keys. It panics if Make or Drop is missing.
func New[K comparable, V any](c Config[K, V]) *Pool[K, V] {
	c.fill()
	p := &Pool[K, V]{c: c, began: time.Now(), turns: make(chan struct{}, 1), shelves: map[K]*shelf[K, V]{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.work.Go(p.keep)
	return p
}

// Take returns a thing of the key and true, at once; or false: then the caller
// makes its own. Either way the pool records the demand for the key. The thing
// then belongs to the caller.
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

// take takes from a shelf, which is nil for a key unknown to the pool.
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

// Wait is Take for callers that prefer waiting to making their own. Wait ends
// with the context's error; with Make's, after repeated failures of Make; with
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

// waiter receives the answer of a Wait. It has room for one.
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

// Want announces n Takes of the key, beyond the pool's own expectation; the
// pool prepares within its bounds.
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

// Busy marks a request as in work, until a call of the returned function.
// Makers leave the processors to requests: each request takes one worker's
// place, but BusyShare of the workers remain. Things for callers of Wait are
// made regardless.
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

// Drain drops the waiting stock, gives up the making of more and forgets the
// demand. The dropping continues after Drain returns.
func (p *Pool[K, V]) Drain() {
	p.mu.Lock()
	for _, s := range p.shelves {
		p.clear(s)
		s.demand = demand{}
	}
	p.mu.Unlock()
	p.turn()
}

// Close drops the waiting stock, gives up the making of more and returns when
// neither values nor goroutines are left. Close may be called more than once,
// but not by Make. The error is always nil.
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
