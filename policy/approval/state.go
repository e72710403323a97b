package approval

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// state is all that a store knows. It is one signed file.
type state struct {
	// Store is the identity of the store, which its grants name.
	Store    string `json:"store"`
	Sequence int64  `json:"sequence"`
	// Previous is the SHA-256 of the file that this one replaced.
	Previous string `json:"previous"`
	// Time is the highest time seen at a change.
	Time     time.Time `json:"time"`
	Requests []entry   `json:"requests"` // in the order in which they were asked
}

// entry is a request as the state holds it.
type entry struct {
	Request
	Key     string `json:"key"`
	Program string `json:"program"`
	// Content and Capability are the SHA-256 of the files of a live request.
	Content    string `json:"content"`
	Capability string `json:"capability,omitempty"`
}

// Bounds of a state.
const (
	maxState      = 24 << 20 // bytes of the file
	maxTenantOpen = 16       // open requests of a tenant
	maxLive       = 512      // open requests and grants of all
	maxClosed     = 64       // further requests that are kept of a tenant
	maxDenied     = 256      // denials that are kept of a tenant
	maxRequests   = 2048     // of all
)

var idForm = lazyre.New(`^ask_[0-9a-f]{12}$`)

// check refuses a state that no store writes.
func (s *state) check() error {
	if s.Store == "" || s.Sequence < 1 || len(s.Requests) > maxRequests {
		return fmt.Errorf("store %q, change %d and %d requests cannot be", s.Store, s.Sequence, len(s.Requests))
	}
	seen := map[string]bool{}
	for i := range s.Requests {
		e := &s.Requests[i]
		if !idForm().MatchString(e.ID) || seen[e.ID] || !e.State.valid() || (e.State == StateGranted) && e.Capability == "" {
			return fmt.Errorf("request %q cannot be", e.ID)
		}
		seen[e.ID] = true
	}
	return nil
}

func (s *state) find(id string) (*entry, error) {
	for i := range s.Requests {
		if s.Requests[i].ID == id {
			return &s.Requests[i], nil
		}
	}
	return nil, fmt.Errorf("%w: %.40q; glovebox approvals lists them", ErrUnknown, id)
}

// denial returns the denial of the same Job; nil where there is none.
func (s *state) denial(job string) *entry {
	for i := range s.Requests {
		if e := &s.Requests[i]; e.State == StateDenied && e.Job == job {
			return e
		}
	}
	return nil
}

// fits reports whether a granted entry may cover a subject, as far as the state knows.
func (e *entry) fits(about subject) bool {
	if e.State != StateGranted || e.Policy != about.policy || e.Tenant != about.tenant || e.Image != about.image {
		return false
	}
	return e.Scope == ScopeRule || e.Scope == ScopeJob && e.Job == about.job && e.Program == about.program
}

// room refuses one more open request.
func (s *state) room(tenant string) error {
	open, live := 0, 0
	for i := range s.Requests {
		e := &s.Requests[i]
		if e.State == StateOpen && e.Tenant == tenant {
			open++
		}
		if e.State.live() {
			live++
		}
	}
	switch {
	case open >= maxTenantOpen:
		return fmt.Errorf("%w: %d of tenant %q are open, and no more are taken: answer or cancel some", ErrFull, open, shown(tenant))
	case live >= maxLive:
		return fmt.Errorf("%w: %d are open or granted in all, and no more are taken: answer or cancel some", ErrFull, live)
	}
	return nil
}

// lapse closes what has come to its end.
func (c *change) lapse() {
	for i := range c.state.Requests {
		switch e := &c.state.Requests[i]; {
		case e.State == StateOpen && !c.now.Before(e.Expires):
			e.State, e.Answered = StateLapsed, e.Expires
			c.event(EventLapsed, e)
		case e.State == StateGranted && !c.now.Before(e.Until):
			e.State, e.Answered = StateExpired, e.Until
			c.event(EventExpired, e)
		}
	}
}

// void gives the store a new identity, under which all grants are worthless.
func (c *change) void(why string) {
	c.state.Store = randomHex(16)
	c.events = append(c.events, Event{Kind: EventVoid, Detail: why})
	for i := range c.state.Requests {
		e := &c.state.Requests[i]
		// After a clock that was ahead, a request would stay open for too long.
		if ahead := e.Requested.Sub(c.now); ahead > 0 {
			e.Requested, e.Expires = e.Requested.Add(-ahead), e.Expires.Add(-ahead)
		}
		if e.State == StateGranted {
			e.State, e.Answered = StateVoid, c.now
			c.event(EventVoid, e)
		}
	}
}

// forget drops closed requests beyond the bounds, the oldest first, and denials last.
func (s *state) forget() {
	type shelf struct {
		tenant string
		denied bool
	}
	kept, total := map[shelf]int{}, 0
	var drop = map[string]bool{}
	order := slices.Clone(s.Requests)
	slices.SortStableFunc(order, func(a, b entry) int {
		return cmp.Or(compareBool(b.State.live(), a.State.live()), compareBool(b.State == StateDenied, a.State == StateDenied), b.Answered.Compare(a.Answered))
	})
	for _, e := range order {
		most, on := maxClosed, shelf{e.Tenant, e.State == StateDenied}
		if on.denied {
			most = maxDenied
		}
		if !e.State.live() && (kept[on] >= most || total >= maxRequests-maxLive) {
			drop[e.ID] = true
			continue
		}
		total++
		if !e.State.live() {
			kept[on]++
		}
	}
	s.Requests = slices.DeleteFunc(s.Requests, func(e entry) bool { return drop[e.ID] })
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
