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

// Some values are equal in all copies of a parent, such as the seed of an
// interpreter's hash tables and the addresses of its code. Code in one copy can
// learn them. So few boxes share a parent, for a short time. Its successor is
// made early and waits: a parent costs as much as many copies.
const (
	maxCopies   = 64
	renewCopies = 8
	maxAge      = 10 * time.Minute
	renewAge    = 5 * time.Minute
)

// maxParents is the most parents of a tier, successors included: each holds an
// interpreter.
const maxParents = 16

// A kind with failing parents has none for a while, and for twice as long after
// each further failure.
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

// line is the current parent of a kind, and its successor. Lines are never
// removed, because the maker of a parent returns to the line.
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

// kindOf names the common properties of a parent's boxes: the limits are each
// box's own.
func kindOf(spec *tier.Spec) string {
	h := sha256.New()
	// Quoted, to keep different lists of strings distinct.
	fmt.Fprintf(h, "%q %q %q %q %q", spec.Root.Key, spec.Root.Tree, spec.Standby.Args, spec.Standby.Env, spec.Standby.Dir)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// openCopy makes a box as a copy of a parent, or returns nil where no copy is
// possible. It has a parent made for the next boxes.
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

// spent reports whether no more copies are to be made of the parent.
func (p *parent) spent() bool { return !p.usable(maxCopies, maxAge) }

// usable reports whether the parent has fewer copies and a lower age.
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

// tried records the result of an intended copy of a parent. A parent without a
// copy is dropped; further errors are the box's own, but a host that refuses a
// wall to one copy refuses the wall to all. A kind gets a respite if its parent
// never made a copy.
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

// none is closed: no parent is in the making.
var none = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// want has a parent made for the further boxes of a kind, unless one exists. It
// returns at once, with a channel to be closed on success or failure.
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

// add makes a parent the current one of its kind, now or after the present one
// is spent, and ends it at the maximum age, used or not.
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

// bound drops the least recently used parent, where there are too many.
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

// drop ends a parent, and the successor takes over. A copy in the making fails,
// or lives on.
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

// close drops all parents, and returns when none is left. No more are made.
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
