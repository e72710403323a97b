package govern

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/gloveboxhq/glovebox/audit"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/policy"
	"github.com/gloveboxhq/glovebox/policy/approval"
)

// Requests is [Approvals] with a store that people answer.
type Requests struct {
	// Open opens the store. It is called at the first question.
	Open func() (*approval.Store, error)
	// Waiting, where it is not nil, is told of each request that a Job waits for; the Job
	// goes on as soon as the request is answered. Where it is nil, no Job waits.
	Waiting func(approval.Request)
	// Journal is what the store records in. Close closes it.
	Journal *Journal

	mu    sync.Mutex
	store *approval.Store
}

// Ask implements [Approvals].
func (r *Requests) Ask(ctx context.Context, s *engine.Submission, d policy.Decision) (Answer, error) {
	store, err := r.opened()
	if err != nil {
		return Answer{}, err
	}
	q := approval.Question{
		Job: s.Job, Program: s.Program, Policy: d.Policy.Hash, Asked: d.Asks,
		TTL: d.RequestLife, GrantLife: d.GrantLife, Once: d.Once, Approvers: d.Approvers,
	}
	for {
		switch g, err := store.Use(ctx, q); {
		case err == nil:
			return Answer{Grant: g.ID}, nil
		case !errors.Is(err, approval.ErrNoGrant) && !errors.Is(err, approval.ErrDenied):
			return Answer{}, err
		}
		request, err := store.Ask(ctx, q)
		if err != nil {
			return Answer{}, err
		}
		if request.State == approval.StateOpen {
			if r.Waiting == nil {
				return Answer{Pending: &request.ApprovalRequest}, nil
			}
			r.Waiting(request)
			if request, err = store.Wait(ctx, request.ID); err != nil {
				return Answer{}, err
			}
		}
		switch request.State {
		case approval.StateGranted: // another run of the same Job may be faster
		case approval.StateDenied:
			return Answer{Denied: &request.Reason}, nil
		case approval.StateUsed:
		default:
			return Answer{}, fmt.Errorf("request %s is %s", request.ID, request.State)
		}
	}
}

func (r *Requests) opened() (*approval.Store, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.store == nil {
		store, err := r.Open()
		if err != nil {
			return nil, err
		}
		r.store = store
	}
	return r.store, nil
}

// Close implements [Approvals].
func (r *Requests) Close() error {
	if r.Journal == nil {
		return nil
	}
	return r.Journal.Close()
}

// Journal records the changes of requests in the audit logs of the Jobs that asked.
type Journal struct {
	// Open opens the log in a folder.
	Open func(dir string) (*audit.Log, error)

	mu     sync.Mutex
	opened map[string]*audit.Log
}

// Record is an [approval.Recorder]. What gives nobody a right happens where the log is
// gone, too: otherwise one lost log would stop each change of the store.
func (j *Journal) Record(ctx context.Context, e approval.Event) error {
	dir := e.Request.Log
	if dir == "" {
		return nil
	}
	log, err := j.log(dir)
	if errors.Is(err, fs.ErrNotExist) {
		switch e.Kind {
		case approval.EventAsked, approval.EventGranted, approval.EventUsed:
			return fmt.Errorf("the audit log of the request is gone: %w", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	_, err = log.Append(ctx, audit.Entry{Kind: audit.KindApproval, Data: e})
	return err
}

func (j *Journal) log(dir string) (*audit.Log, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if log := j.opened[dir]; log != nil {
		return log, nil
	}
	log, err := j.Open(dir)
	if err != nil {
		return nil, err
	}
	if j.opened == nil {
		j.opened = map[string]*audit.Log{}
	}
	j.opened[dir] = log
	return log, nil
}

// Close closes the logs. A later Record opens them again.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var errs []error
	for _, dir := range slices.Sorted(maps.Keys(j.opened)) {
		errs = append(errs, j.opened[dir].Close())
	}
	j.opened = nil
	return errors.Join(errs...)
}
