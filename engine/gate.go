package engine

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// BusyError is what [Engine.Run] returns when as many runs are under way and
// wait as the Config allows. Nothing of the Job was done.
type BusyError struct {
	// RetryAfter is when there is probably room, by how long the last runs took.
	RetryAfter time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("as many runs as may be are under way and wait: try again in %v", e.RetryAfter)
}

// gate admits a bounded number of runs at a time. Waiting runs are admitted in the
// order of their arrival.
type gate struct {
	runs, waiting int // bounds

	mu    sync.Mutex
	in    int
	queue []chan struct{} // closed when its run may go in
	took  time.Duration   // how long a run takes, of late
}

// newGate makes a gate; nil lets everybody in.
func newGate(runs, waiting int) *gate {
	if runs <= 0 {
		return nil
	}
	if waiting <= 0 {
		waiting = 2 * runs
	}
	return &gate{runs: runs, waiting: waiting}
}

// enter waits for a place, and returns what gives it back. It fails with a
// [*BusyError], or with the context's error.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	g.mu.Lock()
	if g.in < g.runs {
		g.in++
		g.mu.Unlock()
		return g.inside(), nil
	}
	if len(g.queue) >= g.waiting {
		defer g.mu.Unlock()
		return nil, &BusyError{RetryAfter: g.hint()}
	}
	turn := make(chan struct{})
	g.queue = append(g.queue, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return g.inside(), nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	for i, other := range g.queue {
		if other == turn {
			g.queue = append(g.queue[:i], g.queue[i+1:]...)
			g.mu.Unlock()
			return nil, ctx.Err()
		}
	}
	g.mu.Unlock()
	g.pass(0) // its turn came meanwhile
	return nil, ctx.Err()
}

// inside returns what ends a run's stay.
func (g *gate) inside() func() {
	began := time.Now()
	return sync.OnceFunc(func() { g.pass(time.Since(began)) })
}

// pass gives a place to who waits longest. took is how long it was used; 0 means
// not at all.
func (g *gate) pass(took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if took > 0 {
		if g.took == 0 {
			g.took = took
		}
		g.took += (took - g.took) / 8
	}
	if len(g.queue) == 0 {
		g.in--
		return
	}
	close(g.queue[0])
	g.queue = g.queue[1:]
}

// hint is when those that wait now are probably in: rounded up, since nobody
// gains from coming too early.
func (g *gate) hint() time.Duration {
	rounds := math.Ceil(float64(len(g.queue)+1) / float64(g.runs))
	return max(time.Duration(rounds*float64(g.took)).Round(time.Millisecond), 10*time.Millisecond)
}
