package approval

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/keys"
	"github.com/gloveboxhq/glovebox/internal/lock"
)

// Options are what a Store needs.
type Options struct {
	// Signer signs the state and the grants.
	Signer keys.Signer
	// Trusted are the keys whose signatures count; none means the Signer's.
	Trusted []keys.Public
	// Anchor is a folder outside the store, best the folder of the keys. All processes
	// that open a store name the same one.
	Anchor string
	// Clock is [time.Now] where it is nil.
	Clock func() time.Time
	// Record keeps each change before it is written; nil keeps none. Log names the audit
	// log of the Jobs that ask, so that the answer to a request, which comes from another
	// process, can be recorded where the request is.
	Record Recorder
	Log    string
}

// Store is a folder of requests. Its methods are called by many goroutines and processes
// at once. A Store holds nothing open.
type Store struct {
	dir  string
	o    Options
	turn chan struct{} // one method at a time

	// seen is the highest time that this process has seen in the store named by of.
	seen time.Time
	of   string
}

// The files of a store; the files of a request begin with its ID.
const (
	stateFile     = "requests.json"
	lockFile      = "lock"
	contentEnding = ".json"
	displayEnding = ".txt"
	grantEnding   = ".grant"
)

// tolerance is how far a clock may go back before grants are void. Within it, time
// stands still.
const tolerance = time.Minute

// Open opens the store in dir, and makes the folder where there is none. A folder that
// another user can use, and a state that no trusted key signed, are errors.
func Open(dir string, o Options) (*Store, error) {
	if o.Signer == nil || o.Anchor == "" {
		return nil, errors.New("approvals: a store needs a signer and an anchor")
	}
	if len(o.Trusted) == 0 {
		o.Trusted = []keys.Public{o.Signer.Public()}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Record == nil {
		o.Record = func(context.Context, Event) error { return nil }
	}
	s := &Store{o: o, turn: make(chan struct{}, 1)}
	var err error
	if s.dir, err = folder(dir); err != nil {
		return nil, err
	}
	if s.o.Anchor, err = folder(o.Anchor); err != nil {
		return nil, err
	}
	if within, err := filepath.Rel(s.dir, s.o.Anchor); err == nil && within != ".." && !strings.HasPrefix(within, ".."+string(filepath.Separator)) {
		return nil, fmt.Errorf("approvals: the anchor %s is inside the store %s: who puts back old files puts back both; name another folder", s.o.Anchor, s.dir)
	}
	return s, s.view(context.Background(), func(*state) error { return nil })
}

// folder makes a private folder and returns its path without links.
func folder(dir string) (string, error) {
	if err := privateDir(dir); err != nil {
		return "", fmt.Errorf("approvals: %w", err)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// change is a new state on its way to the disk.
type change struct {
	*Store
	state  *state
	now    time.Time
	events []Event

	anchor     *anchor
	anchorFile string
	file       string // SHA-256 of the state's file; empty where there is none
}

func (c *change) event(kind EventKind, e *entry) {
	c.events = append(c.events, Event{Kind: kind, Request: e.Request})
}

// view calls do with the present state, which do must not change or keep.
func (s *Store) view(ctx context.Context, do func(*state) error) error {
	return s.locked(ctx, lock.Shared, func() error {
		c, err := s.load()
		if err != nil {
			return err
		}
		return do(c.state)
	})
}

// change calls do with the present state and makes its changes durable. An error of do
// means that do changed nothing; what time has changed is written all the same.
func (s *Store) change(ctx context.Context, do func(*change) error) error {
	return s.locked(ctx, lock.Exclusive, func() error {
		c, err := s.load()
		if err != nil {
			return err
		}
		err = do(c)
		if len(c.events) == 0 {
			return err
		}
		return errors.Join(err, c.commit(ctx))
	})
}

// locked calls do while no other process writes.
func (s *Store) locked(ctx context.Context, k lock.Kind, do func() error) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	f, err := lock.Open(filepath.Join(s.dir, lockFile))
	if err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	defer f.Close()
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		if ok, err := lock.Try(f, k); err != nil {
			return fmt.Errorf("approvals: %w", err)
		} else if ok {
			return do()
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("approvals: %s is locked: %w", s.dir, ctx.Err())
		}
	}
}

// load reads the state, verifies that it is the newest one of this folder, and applies
// what time has changed.
func (s *Store) load() (*change, error) {
	c := &change{Store: s}
	var err error
	if c.anchorFile, err = anchorName(s.o.Anchor, s.dir); err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	if c.anchor, err = readAnchor(c.anchorFile); err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	present := s.o.Clock().UTC().Truncate(time.Millisecond)
	name := filepath.Join(s.dir, stateFile)
	data, err := readFile(name, maxState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.state, c.now = &state{Store: randomHex(16), Requests: []entry{}}, present
		if c.anchor != nil {
			c.state.Sequence = c.anchor.Sequence
			c.void(c.anchor.judge(nil, "", false))
		}
		return c, nil
	case err != nil:
		return nil, fmt.Errorf("approvals: %w", err)
	}
	c.state, c.file = &state{}, sum(data)
	key, err := unseal(data, stateType, s.o.Trusted, c.state)
	if err == nil {
		err = c.state.check()
	}
	if err != nil {
		return nil, fmt.Errorf("approvals: %s: %w; move the folder away to begin anew, without its requests and denials", name, err)
	}
	why := c.anchor.judge(c.state, c.file, key.Until.IsZero())
	highest := c.state.Time
	if s.of == c.state.Store && s.seen.After(highest) {
		highest = s.seen
	}
	c.now = present
	if back := highest.Sub(present); back > tolerance {
		why = fmt.Sprintf("the clock went back by %v", back)
	} else if back > 0 {
		c.now = highest
	}
	if why != "" {
		c.void(why)
	}
	s.of, s.seen = c.state.Store, c.now
	c.lapse()
	return c, nil
}

// commit records the events and writes the state.
func (c *change) commit(ctx context.Context) error {
	c.state.Sequence++
	c.state.Previous, c.state.Time = c.file, c.now
	c.state.forget()
	data, err := seal(ctx, c.o.Signer, stateType, c.stored())
	if err != nil {
		return fmt.Errorf("approvals: %w; nothing was changed", err)
	}
	if len(data) > maxState {
		return fmt.Errorf("approvals: %w", ErrFull)
	}
	id := randomHex(8)
	for _, e := range c.events {
		e.Time, e.Store, e.Sequence, e.Change = c.now, c.state.Store, c.state.Sequence, id
		if err := c.o.Record(ctx, e); err != nil {
			return fmt.Errorf("approvals: %q could not be recorded, so it does not happen: %w", e.Kind, err)
		}
	}
	if c.file == "" || c.anchor != nil && c.anchor.SHA256 != c.file && c.anchor.Store == c.state.Store {
		// The first state, and one whose writer was killed before its anchor: the next
		// one must be a successor of what the anchor holds.
		if err := c.hold(c.state.Sequence-1, c.file); err != nil {
			return err
		}
	}
	// This makes the names of the request's files durable, too.
	if err := errors.Join(writeFile(filepath.Join(c.dir, stateFile), data), syncDir(c.dir)); err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	if err := c.hold(c.state.Sequence, sum(data)); err != nil {
		return fmt.Errorf("%w; the change was written all the same", err)
	}
	c.tidy()
	return nil
}

// hold makes the anchor hold a state.
func (c *change) hold(sequence int64, file string) error {
	a := anchor{Store: c.state.Store, Sequence: sequence, SHA256: file, Folder: valid(c.dir)}
	if err := a.write(c.anchorFile); err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	return nil
}

// stored is the state as the file has it: what the rules ask is in the request's own
// file.
func (c *change) stored() *state {
	stored := *c.state
	stored.Requests = make([]entry, len(c.state.Requests))
	for i, e := range c.state.Requests {
		e.Asked = nil
		stored.Requests[i] = e
	}
	return &stored
}

// tidy removes the files of requests that are not live any more, and those that a crash
// left. A file that cannot be removed is tried again at the next change.
func (c *change) tidy() {
	keep := map[string]bool{}
	for _, e := range c.state.Requests {
		if e.State.live() {
			keep[e.ID+contentEnding], keep[e.ID+displayEnding] = true, true
		}
		if e.State == StateGranted {
			keep[e.ID+grantEnding] = true
		}
	}
	files, _ := os.ReadDir(c.dir)
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "ask_") && !keep[f.Name()] {
			_ = os.Remove(filepath.Join(c.dir, f.Name()))
		}
	}
}

// path is the file of a request.
func (s *Store) path(id, ending string) string { return filepath.Join(s.dir, id+ending) }

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
