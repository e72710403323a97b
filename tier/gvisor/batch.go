//go:build linux

package gvisor

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/tap"
	"github.com/gloveboxhq/glovebox/tier"
)

// Boxes of a batch reuse sandboxes, called nests here, in turn. There are as
// many nests as boxes at a time, each with one box at a time, so the host
// measures and kills exactly one box. Only boxes of one batch and one kind
// share a nest, and a nest is discarded after any irregularity.

// Bounds on the boxes and the age of a nest: one copy of a process can learn
// the values common to all, such as the seed of an interpreter's hash tables.
const (
	maxLent   = 64
	maxRead   = 32 // of those that read: see nest.pipes
	renewLent = 20 // then its successors are worth a template
	nestAge   = 5 * time.Minute
	nestIdle  = 5 * time.Second // how long it waits for a box
	nestRest  = time.Minute     // a kind whose nests fail has none for a while

	comesBack = 4 * hoardEvery  // how long what a box had may take to come back,
	leaves    = 2 * time.Second // and the box to end

	idleEach = 4  // for each processor: more do not wait for a box,
	idleAll  = 16 // nor more than this
)

// nests keeps the idle nests of a tier.
type nests struct {
	open      func(ctx context.Context, kind string, spec tier.Spec) (*nest, error)
	templates *templates
	comesBack time.Duration // see the constants; tests ask what there is in the end
	leaves    time.Duration

	mu      sync.Mutex
	idle    map[string][]*nest
	rest    map[string]time.Time // kinds that have none until then
	on      map[seat]int         // how many nests are on each processor
	done    bool
	leaving int // nests that are being ended
	gone    sync.Cond
	trouble []error
}

func newNests(t *Tier) *nests {
	ns := &nests{open: t.openNest, templates: newTemplates(t.makeNestTemplate),
		comesBack: comesBack, leaves: leaves, idle: map[string][]*nest{}, rest: map[string]time.Time{}, on: map[seat]int{}}
	ns.gone.L = &ns.mu
	return ns
}

// lendable reports whether boxes of a spec can reuse a nest, and of which kind:
// the box reads at most one descriptor, and we can stop reading it.
func (ns *nests) lendable(spec *tier.Spec) (kind string, ok bool) {
	if spec.Batch == "" || spec.Standby == nil || !spec.Forks || len(spec.Descriptors) > glove.MaxDescriptors {
		return "", false
	}
	read := 0
	for _, f := range spec.Descriptors {
		access, err := accessOf(f)
		if err != nil {
			return "", false
		}
		if access == os.O_RDONLY {
			read++
			if flags, err := statusOf(f); err != nil || flags&unix.O_NONBLOCK == 0 {
				return "", false
			}
		}
	}
	if read > 1 {
		return "", false
	}
	kind, err := kindOf(*spec)
	if err != nil {
		return "", false
	}
	ns.mu.Lock()
	defer ns.mu.Unlock()
	return kind, !ns.done && !time.Now().Before(ns.rest[kind])
}

// Shares implements [tier.Sharer].
func (t *Tier) Shares(spec tier.Spec) bool {
	_, ok := t.nests.lendable(&spec)
	return ok
}

// openLent makes a box in a nest, or returns nil where no nest will do.
func (t *Tier) openLent(ctx context.Context, spec tier.Spec) tier.Box {
	kind, ok := t.nests.lendable(&spec)
	if !ok {
		return nil
	}
	for used := true; used && ctx.Err() == nil; {
		n, err := t.nests.take(ctx, kind, spec)
		if err != nil {
			break
		}
		used = n.lent > 1 // a program before this one may have spoilt it
		if b, err := t.lend(ctx, n, spec); err == nil {
			return b
		}
	}
	if ctx.Err() == nil {
		t.nests.fail(kind)
	}
	return nil
}

// take returns an idle nest, owned by the caller until give.
func (ns *nests) take(ctx context.Context, kind string, spec tier.Spec) (*nest, error) {
	ns.mu.Lock()
	for all := ns.idle[kind]; len(all) > 0; all = ns.idle[kind] {
		n := all[len(all)-1]
		ns.remove(n)
		if !n.isDead() && time.Since(n.made) < nestAge {
			n.lent++
			ns.mu.Unlock()
			return n, nil
		}
		ns.end(n)
	}
	ns.mu.Unlock()
	n, err := ns.open(ctx, kind, spec)
	if err == nil {
		n.kind = kind
		ns.place(n)
		n.lent++
	}
	return n, err
}

// give takes a nest back; why is its defect, if any. A nest not kept has ended
// on return.
func (ns *nests) give(n *nest, why error) error {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	count := 0
	for _, all := range ns.idle {
		count += len(all)
	}
	if why != nil || ns.done || n.lent >= n.turns() || time.Since(n.made) > nestAge || count >= min(idleEach*runtime.NumCPU(), idleAll) {
		ns.leave(n)
		ns.mu.Unlock()
		defer ns.mu.Lock()
		return n.close()
	}
	ns.idle[n.kind] = append(ns.idle[n.kind], n)
	lent := n.lent
	time.AfterFunc(nestIdle, func() {
		ns.mu.Lock()
		defer ns.mu.Unlock()
		if n.lent == lent && ns.remove(n) {
			ns.end(n)
		}
	})
	return nil
}

// remove removes an idle nest, and reports whether it was idle.
func (ns *nests) remove(n *nest) bool {
	kind := n.kind
	i := slices.Index(ns.idle[kind], n)
	if i < 0 {
		return false
	}
	ns.idle[kind] = slices.Delete(ns.idle[kind], i, i+1)
	if len(ns.idle[kind]) == 0 {
		delete(ns.idle, kind)
	}
	return true
}

// leave takes a nest off its processor.
func (ns *nests) leave(n *nest) {
	if n.on < 0 {
		return
	}
	for _, s := range []seat{{n.on, ""}, {n.on, n.kind}} {
		if ns.on[s]--; ns.on[s] == 0 {
			delete(ns.on, s)
		}
	}
}

// end ends an idle nest in the background.
func (ns *nests) end(n *nest) {
	ns.leave(n)
	ns.leaving++
	go func() {
		err := n.close()
		ns.mu.Lock()
		defer ns.mu.Unlock()
		ns.leaving--
		ns.gone.Broadcast()
		if err != nil && len(ns.trouble) < 100 {
			ns.trouble = append(ns.trouble, err)
		}
	}()
}

// empty ends the idle nests, and waits for their end.
func (ns *nests) empty() {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	for kind, all := range ns.idle {
		for _, n := range all {
			ns.end(n)
		}
		delete(ns.idle, kind)
	}
	for ns.leaving > 0 {
		ns.gone.Wait()
	}
}

// fail bars nests of a kind for a while.
func (ns *nests) fail(kind string) {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	ns.rest[kind] = time.Now().Add(nestRest)
	for k, until := range ns.rest {
		if time.Now().After(until) {
			delete(ns.rest, k)
		}
	}
}

// close closes idle nests now and busy nests when their box closes.
func (ns *nests) close() error {
	ns.templates.close()
	ns.mu.Lock()
	ns.done = true
	ns.mu.Unlock()
	ns.empty()
	ns.mu.Lock()
	defer ns.mu.Unlock()
	return errors.Join(ns.trouble...)
}

// seat is a processor, for nests of one kind, or of any kind where kind is
// empty.
type seat struct {
	cpu  int
	kind string
}

// place pins a nest to the processor with the fewest nests of its kind. The
// sentry and the guest pass each system call back and forth: on one processor
// the exchange takes half the time of two, and programs of a batch leave no
// processor idle. A nest that computes gets all processors: see [ground.join].
func (ns *nests) place(n *nest) {
	all, err := processors()
	if err != nil || all.Count() < 2 {
		return
	}
	ns.mu.Lock()
	defer ns.mu.Unlock()
	for cpu := range numbers(all) {
		if n.on < 0 || cmp.Or(
			cmp.Compare(ns.on[seat{cpu, n.kind}], ns.on[seat{n.on, n.kind}]),
			cmp.Compare(ns.on[seat{cpu, ""}], ns.on[seat{n.on, ""}]),
		) < 0 {
			n.on = cpu
		}
	}
	ns.on[seat{n.on, ""}]++
	ns.on[seat{n.on, n.kind}]++
}

// lend makes a box in a nest, and takes over the nest.
func (t *Tier) lend(ctx context.Context, n *nest, spec tier.Spec) (_ tier.Box, err error) {
	l := &lease{nest: n, nests: t.nests}
	defer context.AfterFunc(ctx, l.Kill)()
	defer func() {
		if err != nil {
			l.Kill()
			err = errors.Join(err, l.Close())
		}
	}()
	if err := n.begin(); err != nil {
		return nil, err
	}
	turn := n.lent - 1
	lend := new(glove.Script)
	for i, f := range spec.Descriptors {
		if f == nil {
			continue
		}
		ours, err := tap.Duplicate(f)
		if err != nil {
			return nil, err
		}
		if n.outs[i] != nil {
			l.relays = append(l.relays, &relay{from: n.outs[i], to: ours})
			continue
		}
		l.inlet = &inlet{from: ours, to: n.ins[turn]}
		n.ins[turn] = nil
		if turn > 0 {
			lend.Call("close what was read", unix.SYS_CLOSE, firstIn+turn-1)
		}
	}
	deadline := time.Now().Add(patience)
	lend.Lend()
	if err := n.ends.Send(lend, deadline); err != nil {
		return nil, err
	}
	c := glove.Config{
		Tier: t.Name(), Spec: spec, Ends: n.ends, Ground: l, Within: true, Lent: true,
		Prologue: prologue(spec.Limits, true), Owner: true, HostTime: true, Controls: t.lentControls(),
	}
	s := new(glove.Script)
	n.settle(s, &spec, turn)
	c.Begin(s)
	if _, err := n.ends.Do(s, deadline); err != nil {
		return nil, err
	}
	b, err := glove.NewBox(c) // which closes the lease when it fails
	if err != nil {
		return nil, err
	}
	l.made = true
	if l.inlet != nil { // not before: a box that fails has read nothing
		l.inlet.start()
	}
	if n.lent == renewLent {
		t.nests.templates.want(n.kind, spec)
	}
	return &lentBox{Box: b, l: l}, nil
}

// begin makes the ground a new box's.
func (n *nest) begin() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	info, err := n.log.Stat()
	if err != nil {
		return err
	}
	n.logged, n.idle = info.Size(), 0
	if n.on >= 0 && !n.parted {
		n.parted = true
		var one unix.CPUSet
		one.Set(n.on)
		n.put(&one)
	}
	return nil
}

// lease is the ground of a box in a nest: the nest's, for as long as the box is.
type lease struct {
	*nest
	nests  *nests
	relays []*relay
	inlet  *inlet // or nil

	once   sync.Once
	err    error
	mu     sync.Mutex
	killed bool
	over   bool
	made   bool // the box
}

// Kill implements [glove.Ground]. It ends the nest.
func (l *lease) Kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.killed = true
		l.nest.Kill()
	}
}

// Sample implements [glove.Ground].
func (l *lease) Sample() (glove.Sample, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return glove.Sample{}, errors.New("the box is closed")
	}
	return l.nest.Sample()
}

// Evidence implements [glove.Ground].
func (l *lease) Evidence(peak glove.Sample) []glovebox.Hit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil
	}
	return l.nest.Evidence(peak)
}

// Close implements [glove.Ground]: it ends the box's glove, and gives the nest
// back.
func (l *lease) Close() error {
	l.once.Do(func() {
		// First: a reader may be waiting for end of file.
		for _, r := range l.relays {
			l.err = errors.Join(l.err, r.to.Close())
		}
		if l.inlet != nil {
			l.inlet.close()
		}
		why := l.end()
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.killed { // since then
			why = errors.Join(why, errKilled)
		}
		if !l.made {
			why = errors.Join(why, errors.New("it did not make the box"))
		}
		l.over = true
		l.err = errors.Join(l.err, l.nests.give(l.nest, why))
	})
	return l.err
}

var errKilled = errors.New("it was killed")

func (l *lease) end() error {
	l.mu.Lock()
	killed := l.killed
	l.mu.Unlock()
	if killed {
		return errKilled
	}
	s := new(glove.Script)
	s.Exit()
	deadline := time.Now().Add(l.nests.leaves)
	if err := l.ends.Send(s, deadline); err != nil {
		return err
	}
	if err := l.ends.Returned(deadline); err != nil {
		return err
	}
	return l.clean(l.nests.comesBack)
}

// relay copies the box's output on a descriptor to the descriptor of the spec.
type relay struct {
	from, to *os.File
	tap      *tap.Tap
}

// inlet copies the descriptor that a box reads to the box's own pipe in the
// nest, and closes the pipe at end of file: from the box's beginning to its
// end, because the program may read late.
type inlet struct {
	from, to *os.File
	ended    chan struct{} // nil before start
}

func (in *inlet) start() {
	in.ended = make(chan struct{})
	go func() {
		defer close(in.ended)
		defer in.to.Close()
		io.Copy(in.to, in.from)
	}()
}

func (in *inlet) close() {
	if in.ended != nil {
		in.from.SetReadDeadline(time.Now())
		in.to.SetWriteDeadline(time.Now())
		<-in.ended
	}
	in.from.Close()
	in.to.Close()
}

// lentBox is a box in a nest.
type lentBox struct {
	*glove.Box
	l    *lease
	turn sync.Mutex // a command's, until all that it wrote was moved
	once sync.Once
	err  error
}

// Run implements [tier.Box]. On return, all output has reached its reader.
func (b *lentBox) Run(ctx context.Context, cmd tier.Command) glovebox.Outcome {
	b.turn.Lock()
	defer b.turn.Unlock()
	if !b.Alive() { // what is read here may be the next box's
		return b.Box.Run(ctx, cmd)
	}
	for _, r := range b.l.relays {
		r.to.SetWriteDeadline(time.Time{})
		r.tap = tap.Open(r.from, r.to)
	}
	out := b.Box.Run(ctx, cmd)
	for _, r := range b.l.relays {
		r.to.SetWriteDeadline(time.Now().Add(b.l.nests.leaves)) // if nobody reads
		r.tap.Stop()
	}
	return out
}

// Close implements [tier.Box]. Where a command runs it ends the nest.
func (b *lentBox) Close() error {
	b.once.Do(func() {
		if b.turn.TryLock() {
			defer b.turn.Unlock()
		} else {
			b.l.Kill()
		}
		b.err = b.Box.Close()
	})
	return b.err
}
