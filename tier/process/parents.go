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
// end.
const (
	maxCopies   = 64
	renewCopies = 40
	maxAge      = 10 * time.Minute
	renewAge    = 5 * time.Minute
)

// maxParents is the most parents of a tier: each holds an interpreter.
const maxParents = 8

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

// line is the parent of a kind now. There is one for each kind there ever was:
// who makes a parent comes back to it.
type line struct {
	parent *parent // nil: none
	making bool
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

// openCopy makes a box as a copy of a parent, or returns nil where that cannot be
// now. It has a parent made for the next ones.
func (t *Tier) openCopy(ctx context.Context, spec tier.Spec) (box tier.Box) {
	kind := kindOf(&spec)
	for range 2 { // the first may end, with its successor there, while we wait for our turn
		from := t.parents.take(kind)
		if from == nil {
			break
		}
		b, err := t.open(ctx, spec, missing{}, from)
		t.parents.tried(kind, from, err)
		if !errors.Is(err, errBarren) {
			box = b
			break
		}
	}
	t.parents.want(kind, &spec)
	return box
}

// take returns the parent of a kind, or nil.
func (ps *parents) take(kind string) *parent {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	l := ps.kinds[kind]
	if l == nil || l.parent == nil {
		return nil
	}
	p := l.parent
	if !p.usable(maxCopies, maxAge) {
		ps.drop(l)
		return nil
	}
	p.taken++
	l.used = time.Now()
	return p
}

// usable tells whether there are fewer copies of the parent, and it is younger.
func (p *parent) usable(copies int, age time.Duration) bool {
	return p.taken < copies && time.Since(p.made) < age
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

// want has a parent made for the further boxes of a kind, unless there is one.
// It returns at once.
func (ps *parents) want(kind string, spec *tier.Spec) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	l := ps.kinds[kind]
	if l == nil {
		l = &line{}
		ps.kinds[kind] = l
	}
	if p := l.parent; ps.done || l.making || time.Now().Before(l.rest) || p != nil && p.usable(renewCopies, renewAge) {
		return
	}
	root, standby := *spec.Root, *spec.Standby
	bare := tier.Spec{Root: &rootfs.Root{Key: root.Key, Tree: root.Tree}, Standby: &tier.Command{
		Args: slices.Clone(standby.Args), Env: slices.Clone(standby.Env), Dir: standby.Dir,
	}}
	l.making, l.used = true, time.Now()
	ps.all.Go(func() {
		p, err := ps.make(ps.ctx, bare)
		ps.mu.Lock()
		defer ps.mu.Unlock()
		l.making = false
		switch {
		case err != nil:
			l.fail()
			return
		case ps.done:
			p.close()
			return
		}
		ps.drop(l)
		l.parent = p
		ps.expire(l)
		ps.bound()
	})
}

// expire ends the parent at its age, used or not.
func (ps *parents) expire(l *line) {
	p := l.parent
	p.end = time.AfterFunc(maxAge, func() {
		ps.mu.Lock()
		defer ps.mu.Unlock()
		if l.parent == p {
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
		if n++; oldest == "" || l.used.Before(ps.kinds[oldest].used) {
			oldest = kind
		}
	}
	if n > maxParents {
		ps.drop(ps.kinds[oldest])
	}
}

// drop ends a parent; a copy that is being made of it fails, or lives on.
func (ps *parents) drop(l *line) {
	p := l.parent
	if l.parent = nil; p == nil {
		return
	}
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
		ps.drop(l)
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
	return l != nil && l.parent != nil && l.parent.usable(maxCopies, maxAge)
}

// Close ends the parents of boxes. Boxes live on.
func (t *Tier) Close() error {
	t.parents.close()
	return nil
}
