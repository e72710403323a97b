package bench

import (
	"context"
	"sync"
	"time"
)

// request is one that was served.
type request struct {
	begin, end time.Time
	warm       bool
}

// within is the part of the request between two times, from 0 to 1. The sum of
// all parts is the work in between, even with long requests across the edges.
func (r request) within(from, to time.Time) float64 {
	begin, end := r.begin, r.end
	if begin.Before(from) {
		begin = from
	}
	if end.After(to) {
		end = to
	}
	part, whole := end.Sub(begin), r.end.Sub(r.begin)
	switch {
	case part < 0:
		return 0
	case whole <= 0:
		return 1
	}
	return float64(part) / float64(whole)
}

// served is how many requests had ended at a time.
func served(all []request, at time.Time) (n int) {
	for _, r := range all {
		if !r.end.After(at) {
			n++
		}
	}
	return n
}

// turn is a stretch of requests to one contestant.
type turn struct {
	mode    Mode
	clients int
	// quota is how many requests there are in all; 0 means no bound.
	quota int
	// end, if not zero, is when no further request begins. Each client has one
	// at least.
	end time.Time

	mu    sync.Mutex
	taken int
	done  []request
	err   error
}

// run lets the clients ask, and waits for all of them.
func (t *turn) run(ctx context.Context, c *Contestant) ([]request, error) {
	clients := t.clients
	if t.quota > 0 {
		clients = min(clients, t.quota)
	}
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			// Staggered rests keep clients from asking all at once.
			rest := Pace * time.Duration(i+1) / time.Duration(clients)
			for first := true; t.take(ctx, first); first = false {
				if t.mode == Paced {
					if !sleep(ctx, rest) {
						return
					}
					rest = Pace
				}
				r := request{begin: time.Now()}
				var err error
				r.warm, err = c.Do(ctx)
				r.end = time.Now()
				t.note(r, err)
			}
		})
	}
	all.Wait()
	return t.done, t.err
}

// take reports whether a client may ask once more.
func (t *turn) take(ctx context.Context, first bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.err != nil, ctx.Err() != nil, t.quota > 0 && t.taken == t.quota:
		return false
	case !first && !t.end.IsZero() && !time.Now().Before(t.end):
		return false
	}
	t.taken++
	return true
}

func (t *turn) note(r request, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err == nil:
		t.done = append(t.done, r)
	case t.err == nil:
		t.err = err
	}
}

// sleep reports whether ctx did not end meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
