package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Policy controls the retries of failed requests. A zero field means that of
// [DefaultPolicy].
type Policy struct {
	// Attempts is the most requests for one Complete, the first included.
	Attempts int
	// Base is the longest wait before the second attempt; it doubles for each
	// further attempt, up to Max. A wait is a random part of the bound, so many
	// clients with a common failure do not come back together.
	Base, Max time.Duration
	// Total is the longest time of all waits together. If a provider asks for a
	// wait beyond the rest of Total, the request has failed.
	Total time.Duration
	// Notify is called on each failure followed by another attempt, with the
	// number of the attempt, from 1, and the length of the wait. It may be nil.
	Notify func(attempt int, err error, wait time.Duration)
	// Sleep waits, or returns the error of ctx. Nil is the clock.
	Sleep func(ctx context.Context, d time.Duration) error
}

// DefaultPolicy is the policy of the zero Policy.
var DefaultPolicy = Policy{Attempts: 5, Base: time.Second, Max: 30 * time.Second, Total: 2 * time.Minute, Sleep: sleep}

// Restarted is the piece of a stream after an attempt broken off in the middle
// of the text: the text before this piece is void, and begins again after it.
// Restarted is no part of the Reply.
const Restarted = "\n[the answer broke off and starts again]\n"

// Retry returns m with its temporary errors tried again; see [Error.Temporary].
// All other errors, and the end of the context, are returned at once.
func Retry(m Model, p Policy) Model {
	d := DefaultPolicy
	if p.Attempts <= 0 {
		p.Attempts = d.Attempts
	}
	if p.Base <= 0 {
		p.Base = d.Base
	}
	if p.Max <= 0 {
		p.Max = d.Max
	}
	if p.Total <= 0 {
		p.Total = d.Total
	}
	if p.Sleep == nil {
		p.Sleep = d.Sleep
	}
	return &retrier{m, p}
}

type retrier struct {
	Model
	p Policy
}

func (r *retrier) Complete(ctx context.Context, req Request, stream func(string)) (*Reply, error) {
	left := r.p.Total
	for attempt := 1; ; attempt++ {
		streamed := false
		sink := stream
		if stream != nil {
			sink = func(text string) {
				streamed = true
				stream(text)
			}
		}
		reply, err := r.Model.Complete(ctx, req, sink)
		var e *Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &e) || !e.Temporary() {
			return reply, err
		}
		wait := r.p.wait(attempt, e.RetryAfter)
		if attempt == r.p.Attempts || wait > left {
			last := *e
			if attempt > 1 {
				last.Err = fmt.Errorf("%w (%d attempts)", e.Err, attempt)
			}
			return nil, &last
		}
		left -= wait
		if r.p.Notify != nil {
			r.p.Notify(attempt, err, wait)
		}
		if err := r.p.Sleep(ctx, wait); err != nil {
			return nil, err
		}
		if streamed {
			stream(Restarted)
		}
	}
}

// wait is how long to wait after a failed attempt: what the provider asks for
// and a random part of the backoff ("full jitter").
func (p Policy) wait(attempt int, asked time.Duration) time.Duration {
	backoff := p.Max
	// From 2^30 on the shift could overflow.
	if n := attempt - 1; n < 30 && p.Base < p.Max>>n {
		backoff = p.Base << n
	}
	return asked + rand.N(backoff+1)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
