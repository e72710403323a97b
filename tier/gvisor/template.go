//go:build linux

package gvisor

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/tap"
	"github.com/gloveboxhq/glovebox/tier"
)

// Warm boxes of one kind hold nothing of a job: they are interchangeable, and
// expensive. So one is booted and checkpointed, and further boxes of the kind
// are restored from the checkpoint (template). The first box of a kind is made
// the long way, as is any box without a possible original.

// template is the state of a box whose standby command waits.
type template struct {
	state   *os.File // sealed
	waiting int64    // the process of the standby command
	size    int64    // in bytes
	made    time.Time
	copies  int
}

// Some values are equal in all copies of a template, such as the seed of an
// interpreter's hash tables and the addresses of its code. Code in one copy can
// learn them. So few boxes share a template, for a short time, and the
// successor is made early.
const (
	maxCopies   = 64
	renewCopies = 48
	maxAge      = 10 * time.Minute
	renewAge    = 5 * time.Minute
)

// Bounds on the templates of a tier.
const (
	maxTemplates     = 16
	maxTemplateBytes = 256 << 20
	maxKinds         = 256
)

// A kind whose templates fail has none for a while.
const (
	maxFailures = 3
	pause       = time.Minute
)

// templates keeps the templates of a tier.
type templates struct {
	make func(ctx context.Context, spec tier.Spec) (*template, error)
	stop context.CancelFunc
	ctx  context.Context // of those that are being made
	turn chan struct{}   // one is made at a time
	all  sync.WaitGroup  // those that make them

	mu    sync.Mutex
	clock int64
	kinds map[string]*shelf
	done  bool
}

// shelf is the entry of a kind.
type shelf struct {
	template *template // nil: none
	making   bool
	failures int       // in a row
	rest     time.Time // until then none is made
	used     int64     // when, by templates.clock
}

func newTemplates(maker func(context.Context, tier.Spec) (*template, error)) *templates {
	ts := &templates{make: maker, turn: make(chan struct{}, 1), kinds: map[string]*shelf{}}
	ts.ctx, ts.stop = context.WithCancel(context.Background())
	return ts
}

// origin is where a box comes from.
type origin struct {
	kind     string
	template *template // nil: it is going to be one
	state    *os.File  // the template's, opened for this box alone
}

// waiting is the process of the standby command waiting in the box from the
// beginning, or 0.
func (o *origin) waiting() int64 {
	if o == nil || o.template == nil {
		return 0
	}
	return o.template.waiting
}

// kindMark is an annotation compared by gVisor on restore, with the rest of a
// guest's description: a box cannot be a copy from a different kind.
const kindMark = "dev.gvisor.glovebox.kind"

// mark writes the kind into a guest's description.
func (o *origin) mark(guest *specs.Spec) *specs.Spec {
	if o != nil {
		guest.Annotations[kindMark] = o.kind
	}
	return guest
}

// take returns an origin for copies of a kind, or nil.
func (ts *templates) take(kind string) *origin {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	s := ts.kinds[kind]
	if s == nil || s.template == nil {
		return nil
	}
	t := s.template
	if t.copies >= maxCopies || time.Since(t.made) > maxAge {
		s.drop()
		return nil
	}
	state, err := reopen(t.state)
	if err != nil {
		s.drop()
		return nil
	}
	t.copies++
	return &origin{kind, t, state}
}

// copy has open make a copy of the kind's template, and reports success. The
// only error is that of ctx: after any failure but this the long way is left.
func (ts *templates) copy(ctx context.Context, kind string, open func(*origin) error) (done bool, err error) {
	from := ts.take(kind)
	if from == nil {
		return false, nil
	}
	err = open(from)
	from.state.Close()
	if err != nil && ctx.Err() != nil {
		return false, errors.Join(ctx.Err(), err)
	}
	ts.tell(from, err)
	return err == nil, nil
}

// tell says what came of a copy.
func (ts *templates) tell(c *origin, err error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	s := ts.kinds[c.kind]
	switch {
	case s == nil || s.template != c.template:
	case err == nil:
		s.failures = 0
	default:
		if s.failures++; s.failures >= maxFailures {
			s.fail()
		}
	}
}

// want has a template made for the further boxes of a kind, unless one exists.
// It returns at once.
func (ts *templates) want(kind string, spec tier.Spec) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.done {
		return
	}
	s := ts.kinds[kind]
	if s == nil {
		s = &shelf{}
		ts.kinds[kind] = s
	}
	ts.clock++
	s.used = ts.clock
	if t := s.template; s.making || time.Now().Before(s.rest) ||
		t != nil && t.copies < renewCopies && time.Since(t.made) < renewAge {
		return
	}
	spec, closeSpec, err := stripped(spec)
	if err != nil {
		s.fail()
		return
	}
	s.making = true
	ts.all.Go(func() {
		defer closeSpec()
		t, err := ts.takeTurn(spec)
		ts.mu.Lock()
		defer ts.mu.Unlock()
		s.making = false
		if err != nil {
			s.fail()
			return
		}
		s.drop()
		s.template, s.failures = t, 0
		ts.bound()
	})
}

func (ts *templates) takeTurn(spec tier.Spec) (*template, error) {
	select {
	case ts.turn <- struct{}{}:
	case <-ts.ctx.Done():
		return nil, ts.ctx.Err()
	}
	defer func() { <-ts.turn }()
	return ts.make(ts.ctx, spec)
}

// bound drops the least recently used templates, where there are too many.
func (ts *templates) bound() {
	for {
		var n, size int64
		var oldest, stale string
		for kind, s := range ts.kinds {
			if s.template == nil {
				if !s.making && (stale == "" || s.used < ts.kinds[stale].used) {
					stale = kind
				}
				continue
			}
			n, size = n+1, size+s.template.size
			if oldest == "" || s.used < ts.kinds[oldest].used {
				oldest = kind
			}
		}
		switch {
		case n > maxTemplates || size > maxTemplateBytes:
			ts.kinds[oldest].drop()
		case len(ts.kinds) > maxKinds && stale != "":
			delete(ts.kinds, stale)
		default:
			return
		}
	}
}

// close drops all templates, and returns when none is in the making. No more
// are made.
func (ts *templates) close() {
	ts.mu.Lock()
	ts.done = true
	ts.stop()
	ts.mu.Unlock()
	ts.all.Wait()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, s := range ts.kinds {
		s.drop()
	}
	clear(ts.kinds)
}

func (s *shelf) drop() {
	if s.template != nil {
		s.template.state.Close()
		s.template = nil
	}
}

func (s *shelf) fail() {
	s.drop()
	s.failures, s.rest = 0, time.Now().Add(pause)
}

// kindOf names the common properties of a box and its original. The executable
// is equal: no template outlives the process.
func kindOf(spec tier.Spec) (string, error) {
	var image unix.Stat_t
	if err := unix.Stat(spec.Root.Image, &image); err != nil {
		return "", err
	}
	var access []int
	for _, f := range spec.Descriptors {
		a, err := accessOf(f)
		if err != nil {
			return "", err
		}
		access = append(access, a)
	}
	l := spec.Limits
	l.Wall, l.CPU, l.Output = 0, 0, 0 // these are the supervisor's
	h := sha256.New()
	// Quoted, to keep different lists of strings distinct.
	fmt.Fprintf(h, "%q %q %v %+v %v %q %q %q %q", spec.Root.Key, spec.Root.Image,
		[]int64{int64(image.Dev), int64(image.Ino), image.Size, image.Mtim.Nano(), image.Ctim.Nano()},
		l, access, spec.Standby.Args, spec.Standby.Env, spec.Standby.Dir, spec.Batch)
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// none is the access of an absent descriptor; otherwise O_RDONLY or O_WRONLY.
const none = -1

func accessOf(f *os.File) (int, error) {
	if f == nil {
		return none, nil
	}
	flags, err := statusOf(f)
	if err != nil {
		return 0, err
	}
	if flags &= syscall.O_ACCMODE; flags != os.O_RDONLY && flags != os.O_WRONLY {
		return 0, errors.New("a pipe that is read and written")
	}
	return flags, nil
}

// statusOf is a descriptor's status flags.
func statusOf(f *os.File) (int, error) {
	return tap.Ask(f, func(fd uintptr) (int, error) { return unix.FcntlInt(fd, unix.F_GETFL, 0) })
}

// stripped is spec without all parts of a single job, the descriptors replaced
// by unused pipes.
func stripped(spec tier.Spec) (_ tier.Spec, closeAll func(), err error) {
	var files []*os.File
	closeAll = func() {
		for _, f := range files {
			f.Close()
		}
	}
	root, standby := *spec.Root, *spec.Standby
	bare := tier.Spec{Root: &root, Limits: spec.Limits, Allow: slices.Clone(spec.Allow), Batch: spec.Batch, Standby: &tier.Command{
		Args: slices.Clone(standby.Args), Env: slices.Clone(standby.Env), Dir: standby.Dir,
	}}
	for _, f := range spec.Descriptors {
		access, err := accessOf(f)
		if err == nil && access != none {
			var r, w *os.File
			if r, w, err = tap.Pipe(); err == nil {
				files = append(files, r, w)
				f = map[int]*os.File{os.O_RDONLY: r, os.O_WRONLY: w}[access]
			}
		}
		if err != nil {
			closeAll()
			return tier.Spec{}, nil, err
		}
		bare.Descriptors = append(bare.Descriptors, f)
	}
	return bare, closeAll, nil
}

// makeTemplate makes the template of a stripped spec.
func (t *Tier) makeTemplate(ctx context.Context, spec tier.Spec) (*template, error) {
	return writeDown(ctx, spec, func(o *origin) (*ground, int64, io.Closer, error) {
		box, g, err := t.open(ctx, spec, o)
		if err != nil {
			return nil, 0, nil, err
		}
		return g, box.Waiting(), box, nil
	})
}

// writeDown makes a template of the box from open.
func writeDown(ctx context.Context, spec tier.Spec, open func(*origin) (*ground, int64, io.Closer, error)) (_ *template, err error) {
	kind, err := kindOf(spec)
	if err != nil {
		return nil, err
	}
	state, err := newState()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			state.Close()
		}
	}()
	g, waiting, opened, err := open(&origin{kind: kind})
	if err != nil {
		return nil, err
	}
	made := &template{state: state, waiting: waiting, made: time.Now()}
	err = g.save(ctx, state)
	if err = errors.Join(err, opened.Close()); err != nil {
		return nil, err
	}
	// No writer is left.
	if made.size, err = seal(state); err != nil {
		return nil, err
	}
	if made.size > maxTemplateBytes {
		return nil, fmt.Errorf("a template of %d bytes", made.size)
	}
	return made, nil
}

// openStandby makes a box with a standby command, as a copy if possible.
func (t *Tier) openStandby(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	kind, err := kindOf(spec)
	if err != nil { // it can be no copy
		return box(t.open(ctx, spec, nil))
	}
	var b tier.Box
	copied, err := t.templates.copy(ctx, kind, func(from *origin) (err error) {
		b, err = box(t.open(ctx, spec, from))
		return err
	})
	if !copied && err == nil {
		b, err = box(t.open(ctx, spec, nil))
	}
	if err == nil {
		t.templates.want(kind, spec)
	}
	return b, err
}
