package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(2, 3)
		var mu sync.Mutex
		var order []int
		var inside, most, busy int
		var hints []time.Duration
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				leave, err := g.enter(t.Context())
				var full *BusyError
				if errors.As(err, &full) {
					mu.Lock()
					busy++
					hints = append(hints, full.RetryAfter)
					mu.Unlock()
					return
				}
				mu.Lock()
				order = append(order, i)
				inside++
				most = max(most, inside)
				mu.Unlock()
				time.Sleep(time.Second + time.Duration(i)*time.Millisecond) // no two end at once
				mu.Lock()
				inside--
				mu.Unlock()
				leave()
				leave() // is idempotent
			})
			synctest.Wait()
		}
		all.Wait()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(order, want) || busy != 3 || most != 2 {
			t.Errorf("order %v, %d busy, %d inside at most", order, busy, most)
		}
		if g.in != 0 || len(g.queue) != 0 {
			t.Errorf("%d are still in, %d wait", g.in, len(g.queue))
		}
		// Now it knows how long a run takes.
		for range 2 {
			if _, err := g.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			go g.enter(t.Context())
		}
		synctest.Wait()
		_, err := g.enter(t.Context())
		var full *BusyError
		if !errors.As(err, &full) || full.RetryAfter < 2*time.Second || full.RetryAfter > 2010*time.Millisecond {
			t.Errorf("with 2 inside and 3 waiting: %v", err)
		}
	})
}

// TestGateCancelled: who gives up while it waits takes nobody's place.
func TestGateCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, 2)
		leave, _ := g.enter(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		var first, second error
		go func() { _, first = g.enter(ctx) }()
		synctest.Wait()
		go func() {
			var out func()
			if out, second = g.enter(t.Context()); second == nil {
				out()
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		leave()
		synctest.Wait()
		if !errors.Is(first, context.Canceled) || second != nil || g.in != 0 || len(g.queue) != 0 {
			t.Errorf("%v, %v; %d in, %d wait", first, second, g.in, len(g.queue))
		}
	})
}
