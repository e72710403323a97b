//go:build linux

// Package gvisor is the tier whose boxes have a kernel of their own: gVisor,
// linked into our own executable as a Go module. The tier needs no installed
// program, and no privilege.
//
// # How a box is made
//
// To open a box, a program starts itself again as the sentry: gVisor's kernel.
// The sentry serves the system calls of the guest's processes, and is itself
// confined by namespaces, an empty root and a seccomp filter. The guest's root
// is a read-only EROFS image; the guest's writes stay in memory. Process 1 of
// the guest is the glove.
//
// The init function of this package recognizes these processes by argv[0]:
// programs need no call in main. See sentry.go.
//
// # Who dies with whom
//
// The kernel kills the sentry at any end of the owner. The guest's processes
// are in a PID namespace ending with the sentry. The directory and the control
// group of a killed owner are swept by the next [New].
package gvisor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
	"github.com/gloveboxhq/glovebox/tier/den"
)

// Tier makes boxes with gVisor.
type Tier struct {
	home   den.Home
	groups *cgroup.Parent // nil where this process may make none

	prepare sync.Once
	exe     *os.File
	exeDen  *den.Den // holds a copy of the executable, if one was needed
	exeErr  error

	templates *templates
	nests     *nests
}

// Config says how to make a Tier. Its zero value is ready to use.
type Config struct {
	// Dir is where the private directory of this user's boxes is made; empty
	// means XDG_RUNTIME_DIR, or else the directory for temporary files.
	Dir string
}

// longestHome keeps the path of a box's control socket within the 108 bytes of
// a socket address; else gVisor would put the socket in a public directory.
const longestHome = 52

// New makes a Tier, and sweeps the remains of dead processes.
func New(c Config) (*Tier, error) {
	t := &Tier{}
	var err error
	if t.home, err = den.Open(c.Dir, "glovebox-boxes", longestHome); err == nil {
		err = t.home.Sweep()
	}
	if err != nil {
		return nil, t.fail("prepare a directory for boxes", err)
	}
	// Without control groups the tier meters the guest itself.
	if t.groups, err = cgroup.Ready(); errors.Is(err, cgroup.ErrNone) {
		err = nil
	}
	if err != nil {
		return nil, t.fail("sweep control groups", err)
	}
	t.templates = newTemplates(t.makeTemplate)
	t.nests = newNests(t)
	return t, nil
}

// Close drops the tier's stock for making boxes. No box may be in the making,
// and no more can be made.
func (t *Tier) Close() error {
	t.templates.close()
	errs := []error{t.nests.close()}
	t.prepare.Do(func() {})
	if t.exe != nil {
		errs = append(errs, t.exe.Close())
	}
	if t.exeDen != nil {
		errs = append(errs, t.exeDen.Close())
	}
	t.exe, t.exeDen, t.exeErr = nil, nil, os.ErrClosed
	return errors.Join(errs...)
}

// Name implements [tier.Tier].
func (t *Tier) Name() glovebox.TierName { return glovebox.TierGVisor }

// Open implements [tier.Tier].
func (t *Tier) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	switch err := spec.Check(); {
	case err != nil:
		return nil, t.invalid(err)
	case spec.Root.Image == "":
		return nil, t.invalid(errors.New("the root file system has no EROFS image"))
	case len(spec.Descriptors) > glove.MaxDescriptors:
		return nil, t.invalid(fmt.Errorf("%d descriptors: at most %d", len(spec.Descriptors), glove.MaxDescriptors))
	}
	if b := t.openLent(ctx, spec); b != nil {
		return b, nil
	}
	spec.Batch = "" // it shares nothing
	if spec.Standby == nil {
		return box(t.open(ctx, spec, nil))
	}
	return t.openStandby(ctx, spec)
}

// box keeps a nil pointer out of the interface.
func box(b *glove.Box, _ *ground, err error) (tier.Box, error) {
	if err != nil {
		return nil, err
	}
	return b, nil
}

// open makes a box, for a template or, given an origin, as a copy of one.
func (t *Tier) open(ctx context.Context, spec tier.Spec, from *origin) (*glove.Box, *ground, error) {
	ends, g, err := t.boot(ctx, spec, from)
	if err != nil {
		return nil, nil, err
	}
	b, err := glove.NewBox(glove.Config{
		Tier: t.Name(), Spec: spec, Ends: ends, Ground: g, Waiting: from.waiting(),
		Prologue: prologue(spec.Limits, false), Owner: true, HostTime: true, Controls: t.controls(),
	})
	if err == nil && spec.Standby != nil {
		g.settle = time.AfterFunc(waitsFor, g.part)
	}
	return b, g, err
}

// boot makes a box whose glove waits for a script.
func (t *Tier) boot(ctx context.Context, spec tier.Spec, from *origin) (_ glove.Ends, _ *ground, err error) {
	t.prepare.Do(func() { t.exe, t.exeDen, t.exeErr = executable(t.home) })
	if t.exeErr != nil {
		return glove.Ends{}, nil, t.fail("find the executable", t.exeErr)
	}
	ends, inner, err := glove.Pipes()
	if err != nil {
		return glove.Ends{}, nil, t.fail("make pipes", err)
	}
	defer func() {
		err = errors.Join(err, inner.Close())
		if err != nil {
			err = errors.Join(err, ends.Close())
		}
	}()
	if inner[0], err = os.Open(os.DevNull); err != nil {
		return ends, nil, t.fail("open the null device", err)
	}
	given := maps.Clone(inner)
	for i, f := range spec.Descriptors {
		if f != nil {
			given[3+i] = f
		}
	}

	g := &ground{limits: spec.Limits}
	if g.den, err = t.home.New(); err != nil {
		return ends, nil, t.fail("make a directory", err)
	}
	ids, err := newIdentity()
	if err != nil {
		return ends, nil, t.fail("choose a user", errors.Join(err, g.Close()))
	}
	if t.groups != nil {
		if g.group, err = t.groups.New(groupLimits(t.groups, spec.Limits)); err != nil {
			return ends, nil, t.fail("make a control group", errors.Join(err, g.Close()))
		}
	}
	guest := guest{
		spec: from.mark(guestSpec(&spec)), image: spec.Root.Image,
		memory: spec.Limits.Memory, ids: ids, inner: given, from: from,
	}
	if err := g.start(ctx, t.exe, guest); err != nil {
		if ctx.Err() != nil {
			return ends, nil, errors.Join(ctx.Err(), err)
		}
		return ends, nil, t.fail("boot", err)
	}
	return ends, g, nil
}

// The sentry's own needs, beside the guest's.
const (
	sentryMemorySize = 96 << 20
	sentryTasks      = 512
	tasksPerTask     = 4 // host threads for each of the guest's, at the most
)

// groupLimits bound the whole box on the host. They are the last resort: the
// guest's own limits are hit before.
func groupLimits(p *cgroup.Parent, l glovebox.Limits) cgroup.Limits {
	var g cgroup.Limits
	if p.Has(cgroup.Memory) {
		g.Memory = l.Memory + sentryMemorySize
	}
	if p.Has(cgroup.Pids) {
		g.Tasks = sentryTasks + tasksPerTask*l.Processes
	}
	return g
}

// fail makes err an [*tier.Error] that names the operation.
func (t *Tier) fail(op string, err error) error {
	var known *tier.Error
	if errors.As(err, &known) {
		return err
	}
	e := &tier.Error{Tier: t.Name(), Op: op, Kind: tier.KindBroken, Err: err}
	var power *noPrivilege
	if errors.As(err, &power) {
		e.Kind, e.Control = tier.KindUnsupported, "user namespaces"
		e.Fix = tier.FixNamespaces
	}
	return e
}

func (t *Tier) invalid(err error) error {
	return &tier.Error{Tier: t.Name(), Op: "open", Kind: tier.KindInvalid, Err: err}
}

// identity is the host's user and group of the guest's kernel, without power
// over anything on the host.
type identity struct {
	user, group int
	apart       bool // nobody else's; else the caller's
}

// newIdentity draws a user for one box, different from other sentries' users:
// among a thousand live boxes, two share a user with a chance of one in five
// hundred.
func newIdentity() (identity, error) {
	if os.Geteuid() != 0 || !native.HasIDs(native.FreeUsers, native.FreeUsersCount) {
		return identity{os.Geteuid(), os.Getegid(), false}, nil // there is no other
	}
	n, err := rand.Int(rand.Reader, big.NewInt(native.FreeUsersCount))
	if err != nil {
		return identity{}, err
	}
	id := native.FreeUsers + int(n.Int64())
	return identity{id, id, true}, nil
}
