package approval

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Get returns a request.
func (s *Store) Get(ctx context.Context, id string) (Request, error) {
	var r Request
	err := s.view(ctx, func(now *state) error {
		e, err := now.find(id)
		if err != nil {
			return fmt.Errorf("approvals: %w", err)
		}
		r = s.full(e)
		return nil
	})
	return r, err
}

// List returns all requests: open ones first, the oldest at the top, then granted ones,
// then the others, the latest at the top.
func (s *Store) List(ctx context.Context) ([]Request, error) {
	var open, granted, closed []Request
	err := s.view(ctx, func(now *state) error {
		for i := range now.Requests {
			switch e := &now.Requests[i]; e.State {
			case StateOpen:
				open = append(open, s.full(e))
			case StateGranted:
				granted = append(granted, s.full(e))
			default:
				closed = append(closed, e.Request)
			}
		}
		return nil
	})
	slices.SortStableFunc(closed, func(a, b Request) int { return b.Answered.Compare(a.Answered) })
	return slices.Concat(open, granted, closed), err
}

// full is a request with what its rules ask. A request whose file is lost has none.
func (s *Store) full(e *entry) Request {
	r := e.Request
	if e.State.live() {
		if content, err := s.content(e); err == nil {
			r.Asked = content.Asked
		}
	}
	return r
}

// Wait returns a request as soon as it is not open any more. Between two looks at the
// files it pauses, at most for a second.
func (s *Store) Wait(ctx context.Context, id string) (Request, error) {
	for pause := 20 * time.Millisecond; ; pause = min(pause*3/2, time.Second) {
		r, err := s.Get(ctx, id)
		if err != nil || r.State != StateOpen {
			return r, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
}

// Sweep writes down which requests have lapsed and which grants have ended, drops closed
// requests beyond the bounds, and removes files that nothing needs. Each change of the
// store does the same.
func (s *Store) Sweep(ctx context.Context) error {
	return s.change(ctx, func(c *change) error {
		if len(c.events) == 0 && c.file != "" {
			c.tidy()
		}
		return nil
	})
}
