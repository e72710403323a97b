//go:build linux

package process

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// What is equal in all copies of a parent, such as the seed of an interpreter's
// hash tables and where its code lies, can be learned by the code in one of them.
// So few boxes share a parent, for a short time; its successor is made before its
// end, and waits for that: a parent costs as much as many copies.
const (
	maxCopies   = 64
	renewCopies = 8
	maxAge      = 10 * time.Minute
	renewAge    = 5 * time.Minute
)

// maxParents is the most parents of a tier, successors included: each holds an
// interpreter.
const maxParents = 16

// A kind whose parents fail has none for a while, and for twice as long each
// further time.
const (
	respite    = time.Minute
	maxRespite = time.Hour
)

// parents keeps the parents of a tier.
type parents struct {
	make func(ctx context.Context, spec tier.Spec) (*parent, error)
	ctx  context.Context // of those that are being made
	stop context.CancelFunc
	all  sync.WaitGroup // those that make or end them

	mu    sync.Mutex // guards the lines too
	kinds map[string]*line
	done  bool
}

// line is the parent of a kind now, and its successor. There is one for each kind
// there ever was: who makes a parent comes back to it.
type line struct {
	parent *parent       // nil: none
	next   *parent       // nil: none yet
	making chan struct{} // closed when one is made or cannot be; nil: none is being made
	renews bool          // what is being made is a successor, and soon there
	pause  time.Duration // the last respite, until one is proven
	rest   time.Time     // until then none is made
	used   time.Time
}

// fail begins a respite.
func (l *line) fail() {
	l.pause = min(max(2*l.pause, respite), maxRespite)
	l.rest = time.Now().Add(l.pause)
}

func newParents(maker func(context.Context, tier.Spec) (*parent, error)) *parents {
	ps := &parents{make: maker, kinds: map[string]*line{}}
	ps.ctx, ps.stop = context.WithCancel(context.Background())
	return ps
}

// kindOf names what must be equal in boxes of one parent: the limits are each
// box's own.
func kindOf(spec *tier.Spec) string {
	h := sha256.New()
	// Quoted, since no two lists of strings look the same so.
	fmt.Fprintf(h, "%q %q %q %q %q", spec.Root.Key, spec.Root.Tree, spec.Standby.Args, spec.Standby.Env, spec.Standby.Dir)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// openCopy makes a box as a copy of a parent, or returns nil where that cannot be.
// It has a parent made for the next ones.
func (t *Tier) openCopy(ctx context.Context, spec tier.Spec) (box tier.Box) {
	kind := kindOf(&spec)
	for range 2 { // the first may end, with its successor there, while we wait for our turn
		from := t.parents.take(kind)
		if from == nil {
			// To start an interpreter takes as long as to wait for a parent.
			select {
			case <-t.parents.want(kind, &spec):
				from = t.parents.take(kind)
			case <-ctx.Done():
			}
		}
		if from == nil {
			return nil
		}
		b, err := t.open(ctx, spec, missing{}, from)
		t.parents.tried(kind, from, err)
		t.parents.want(kind, &spec)
		if !errors.Is(err, errBarren) {
			return b
		}
	}
	return nil
}

// spent tells whether no more copies are to be made of the parent.
func (p *parent) spent() bool { return !p.usable(maxCopies, maxAge) }

// usable tells whether there are fewer copies of the parent, and it is younger.
func (p *parent) usable(copies int, age time.Duration) bool {
	return p.taken < copies && time.Since(p.made) < age
}

// take returns the parent of a kind, or nil.
func (ps *parents) take(kind string) *parent {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	l := ps.kinds[kind]
	if l == nil {
		return nil
	}
	for l.parent != nil && l.parent.spent() {
		ps.drop(l)
	}
	if l.parent == nil {
		return nil
	}
	l.parent.taken++
	l.used = time.Now()
	return l.parent
}

// tried says what came of a box that was to be a copy of a parent. One that made
// none is dropped; other errors are the box's own, but where the host refuses the
// copy a wall, it refuses it to all. A kind whose parent never made any gets a respite.
func (ps *parents) tried(kind string, p *parent, err error) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	l := ps.kinds[kind]
	switch {
	case l.parent != p:
	case err == nil:
		p.proven, l.pause = true, 0
	case errors.Is(err, errBarren), !p.proven && tier.IsKind(err, tier.KindUnsupported):
		ps.drop(l)
		if !p.proven {
			l.fail()
		}
	}
}

// none is closed: nobody makes a parent.
var none = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// want has a parent made for the further boxes of a kind, unless there is one.
// It returns at once, with what is closed when one is made or cannot be.
func (ps *parents) want(kind string, spec *tier.Spec) <-chan struct{} {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	l := ps.kinds[kind]
	if l == nil {
		l = &line{}
		ps.kinds[kind] = l
	}
	if l.making != nil {
		return l.making
	}
	if p := l.parent; ps.done || l.next != nil || time.Now().Before(l.rest) || p != nil && p.usable(renewCopies, renewAge) {
		return none
	}
	root, standby := *spec.Root, *spec.Standby
	bare := tier.Spec{Root: &rootfs.Root{Key: root.Key, Tree: root.Tree}, Standby: &tier.Command{
		Args: slices.Clone(standby.Args), Env: slices.Clone(standby.Env), Dir: standby.Dir,
	}}
	made := make(chan struct{})
	l.making, l.renews, l.used = made, l.parent != nil, time.Now()
	ps.all.Go(func() {
		p, err := ps.make(ps.ctx, bare)
		ps.mu.Lock()
		defer ps.mu.Unlock()
		defer close(made)
		l.making = nil
		switch {
		case err != nil:
			l.fail()
		case ps.done:
			p.close()
		default:
			ps.add(l, p)
			ps.bound()
		}
	})
	return made
}

// add makes a parent the one of its kind, now or when that is spent, and ends it
// at its age, used or not.
func (ps *parents) add(l *line, p *parent) {
	if l.parent == nil {
		l.parent = p
	} else {
		l.next = p
	}
	p.end = time.AfterFunc(maxAge, func() {
		ps.mu.Lock()
		defer ps.mu.Unlock()
		for l.parent != nil && l.parent.spent() { // the successor is younger
			ps.drop(l)
		}
	})
}

// bound drops the parent that was not used for the longest time, where there are
// too many.
func (ps *parents) bound() {
	n, oldest := 0, ""
	for kind, l := range ps.kinds {
		if l.parent == nil {
			continue
		}
		if n++; l.next != nil {
			n++
		}
		if oldest == "" || l.used.Before(ps.kinds[oldest].used) {
			oldest = kind
		}
	}
	if n > maxParents {
		ps.dropAll(ps.kinds[oldest])
	}
}

// dropAll ends all parents of a kind.
func (ps *parents) dropAll(l *line) {
	for l.parent != nil {
		ps.drop(l)
	}
}

// drop ends a parent, and its successor takes its place. A copy that is being made
// of it fails, or lives on.
func (ps *parents) drop(l *line) {
	p := l.parent
	l.parent, l.next = l.next, nil
	p.end.Stop()
	ps.all.Go(func() {
		p.turn <- struct{}{} // its last copy
		p.close()
		p.torn = true
		<-p.turn
	})
}

// close drops all, and returns when none is left. No more are made.
func (ps *parents) close() {
	ps.mu.Lock()
	ps.done = true
	ps.stop()
	for _, l := range ps.kinds {
		ps.dropAll(l)
	}
	ps.mu.Unlock()
	ps.all.Wait()
}

// Copies implements [tier.Copier].
func (t *Tier) Copies(spec tier.Spec) bool {
	if !t.forks(&spec) {
		return false
	}
	ps := t.parents
	ps.mu.Lock()
	defer ps.mu.Unlock()
	l := ps.kinds[kindOf(&spec)]
	return l != nil && (l.parent != nil && !l.parent.spent() || l.next != nil || l.making != nil && l.renews)
}

// Close ends the parents of boxes. Boxes live on.
func (t *Tier) Close() error {
	t.parents.close()
	return nil
}
