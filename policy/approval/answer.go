package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/account"
)

// Ask returns the request of a question: the denial of the Job, if there is one; the
// request whose grant covers the Job; the open request of the same question; or a new
// one. Only the first three need no room: the open requests of a tenant, and those of
// all, are bounded, and beyond the bound the error is [ErrFull].
//
// Ask consumes nothing: see [Store.Use].
func (s *Store) Ask(ctx context.Context, q Question) (Request, error) {
	about, err := q.subject()
	if err != nil {
		return Request{}, fmt.Errorf("approvals: %w", err)
	}
	var r Request
	err = s.change(ctx, func(c *change) error {
		e, err := c.ask(&q, about)
		if err == nil {
			r = e.Request
			r.Asked = slices.Clone(q.Asked)
		}
		return err
	})
	if err != nil {
		return Request{}, err
	}
	return r, nil
}

func (c *change) ask(q *Question, about subject) (*entry, error) {
	if e := c.state.denial(about.job); e != nil {
		return e, nil
	}
	for i := range c.state.Requests {
		if e := &c.state.Requests[i]; e.fits(about) {
			if _, err := c.capability(e, about); err == nil {
				return e, nil
			}
		}
	}
	key := about.key()
	for i := range c.state.Requests {
		if e := &c.state.Requests[i]; e.State == StateOpen && e.Key == key {
			if _, _, err := c.text(e); err == nil {
				return e, nil
			}
			// The request's files are lost, so no answer is possible.
			return e, c.write(q, about, e)
		}
	}
	if err := c.state.room(about.tenant); err != nil {
		return nil, err
	}
	ttl := q.TTL
	if ttl == 0 {
		ttl = defaultTTL
	}
	e := entry{Key: key, Program: about.program}
	for e.ID == "" || slices.ContainsFunc(c.state.Requests, func(other entry) bool { return other.ID == e.ID }) {
		e.ID = "ask_" + randomHex(6)
	}
	e.Job, e.Policy, e.Tenant, e.Image = about.job, about.policy, about.tenant, about.image
	e.Requested, e.Expires = c.now, c.now.Add(ttl)
	e.State, e.Rules, e.Log = StateOpen, about.ruleNames(), c.o.Log
	if err := c.write(q, about, &e); err != nil {
		return nil, err
	}
	c.state.Requests = append(c.state.Requests, e)
	return &c.state.Requests[len(c.state.Requests)-1], nil
}

// open returns an open request, or says what became of it.
func (c *change) open(id string) (*entry, error) {
	e, err := c.state.find(id)
	if err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	if e.State != StateOpen {
		return nil, fmt.Errorf("approvals: %w", &AnsweredError{e.Request})
	}
	return e, nil
}

// answer fills in who answered what.
func (c *change) answer(e *entry, as State, kind EventKind, who, reason string) {
	e.State, e.Answered, e.Approver, e.Reason = as, c.now, who, reason
	c.event(kind, e)
}

// person checks a name and a reason. An empty name is the user of this process.
func person(who, reason string) (string, error) {
	if who == "" {
		who = account.Name()
	}
	if err := errors.Join(plain("name", who), plain("reason", reason)); err != nil {
		return "", fmt.Errorf("approvals: %w", err)
	}
	return who, nil
}

// Grant answers a request with yes. Of several answers exactly one counts: the others
// get an [AnsweredError] with the first. A grant that the policy does not allow is
// [ErrRefused], and the request stays open.
func (s *Store) Grant(ctx context.Context, id string, o GrantOptions) (Request, error) {
	who, err := person(o.Approver, o.Reason)
	if err != nil {
		return Request{}, err
	}
	if o.Approver = who; o.Scope == "" {
		o.Scope = ScopeJob
	}
	if o.Scope != ScopeJob && o.Scope != ScopeRule || o.For < 0 || o.For > maxLife {
		return Request{}, fmt.Errorf("approvals: scope %q for %v: want %s or %s for at most %v", o.Scope, o.For, ScopeJob, ScopeRule, maxLife)
	}
	return s.answered(ctx, id, func(c *change, e *entry) error {
		content, _, err := c.text(e)
		if err != nil {
			return err
		}
		if denied := c.state.denial(e.Job); denied != nil {
			return fmt.Errorf("approvals: %w", &AnsweredError{denied.Request})
		}
		g, err := c.grant(e, content, o)
		if err != nil {
			return fmt.Errorf("approvals: %w", err)
		}
		data, err := seal(ctx, c.o.Signer, grantType, g)
		if err != nil {
			return fmt.Errorf("approvals: %w", err)
		}
		if err := writeFile(c.path(e.ID, grantEnding), data); err != nil {
			return fmt.Errorf("approvals: %w", err)
		}
		e.Grant, e.Capability, e.Scope, e.Until, e.Single = g.ID, sum(data), g.Scope, g.Expires, g.Uses == 1
		c.answer(e, StateGranted, EventGranted, who, o.Reason)
		return nil
	})
}

// Deny answers a request with no. The same Job is not asked about again, under any
// policy, and its other requests cannot be granted; the reason goes back to the model.
func (s *Store) Deny(ctx context.Context, id, reason, approver string) (Request, error) {
	who, err := person(approver, reason)
	if err != nil {
		return Request{}, err
	}
	return s.answered(ctx, id, func(c *change, e *entry) error {
		c.answer(e, StateDenied, EventDenied, who, reason)
		return nil
	})
}

// answered does something with an open request and returns it.
func (s *Store) answered(ctx context.Context, id string, do func(*change, *entry) error) (Request, error) {
	var r Request
	err := s.change(ctx, func(c *change) error {
		e, err := c.open(id)
		if err == nil {
			err = do(c, e)
		}
		if err == nil {
			r = e.Request
		}
		return err
	})
	if err != nil {
		return Request{}, err
	}
	return r, nil
}

// Cancel takes back an open request, or a grant that is not used up.
func (s *Store) Cancel(ctx context.Context, id, reason, by string) (Request, error) {
	who, err := person(by, reason)
	if err != nil {
		return Request{}, err
	}
	var r Request
	err = s.change(ctx, func(c *change) error {
		e, err := c.state.find(id)
		switch {
		case err != nil:
			return fmt.Errorf("approvals: %w", err)
		case !e.State.live():
			return fmt.Errorf("approvals: %w", &AnsweredError{e.Request})
		}
		c.answer(e, StateCancelled, EventCancelled, who, reason)
		r = e.Request
		return nil
	})
	if err != nil {
		return Request{}, err
	}
	return r, nil
}

// Use returns a grant that lets the Job of a question run now, and consumes its use. The
// use is durable before Use returns: a caller that is killed before the run begins has
// lost it, and no other caller gets it. The error is [ErrNoGrant] where no grant fits,
// and [ErrDenied] where a person denied the Job.
func (s *Store) Use(ctx context.Context, q Question) (Grant, error) {
	about, err := q.subject()
	if err != nil {
		return Grant{}, fmt.Errorf("approvals: %w", err)
	}
	var g Grant
	err = s.change(ctx, func(c *change) (err error) {
		g, err = c.use(about)
		return err
	})
	if err != nil {
		return Grant{}, err
	}
	return g, nil
}

func (c *change) use(about subject) (Grant, error) {
	if e := c.state.denial(about.job); e != nil {
		return Grant{}, fmt.Errorf("approvals: %w: %w", ErrDenied, &AnsweredError{e.Request})
	}
	var best *entry
	var grant Grant
	var why []error
	for i := range c.state.Requests {
		e := &c.state.Requests[i]
		if !e.fits(about) {
			continue
		}
		g, err := c.capability(e, about)
		if err != nil {
			why = append(why, err)
			continue
		}
		// Grants for one run are kept for later. Of grants for many, the first to end is used.
		if best == nil || best.Single && !e.Single || best.Single == e.Single && e.Until.Before(best.Until) {
			best, grant = e, g
		}
	}
	if best == nil {
		return Grant{}, fmt.Errorf("approvals: %w", errors.Join(append([]error{ErrNoGrant}, why...)...))
	}
	best.Runs++
	if best.Single {
		best.State, best.Answered = StateUsed, c.now
	}
	c.event(EventUsed, best)
	return grant, nil
}

// life is how long a grant lives that a person wants to live for a time.
func life(wish, most time.Duration) (time.Duration, error) {
	if most == 0 || most > maxLife {
		most = maxLife
	}
	switch {
	case wish == 0:
		return min(defaultLife, most), nil
	case wish > most:
		return 0, fmt.Errorf("%w: %v is longer than %v", ErrRefused, wish, most)
	}
	return wish, nil
}
