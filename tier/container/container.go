//go:build linux

// Package container is the tier that isolates with an OCI runtime of the host:
// runc, crun, a runtime with the same command line, or runsc, whose containers
// have a kernel of their own (guest.go).
//
// # How a box is made
//
// The runtime is trusted as little as possible. Each box has a stage
// (stage.go): a process of ours, in name spaces of its own, with the whole host
// read-only and without a network. The stage lays out the bundle (bundle.go) in
// memory and executes the runtime, which is root of nothing but the stage. The
// runtime makes the container, starts the glove (package glove) as process 1
// with the inherited pipes, and ends. The glove finishes the walls (boot.go),
// and each command puts on its own before it is executed, the same as in the
// process tier: these hold even where a runtime's walls are weak.
//
// # Who dies with whom
//
// The stage is pid 1 of a pid name space around everything of the box, whatever
// the runtime leaves running: on a kill of the stage, the kernel kills all the
// rest before the stage is reaped. The stage dies with its owner, and with the
// container. The bundle, the runtime's state and its mounts are in the stage's
// mount name space and vanish with it: nothing of a box is on the host's disk.
// The control group of a dead owner is swept by the next [New].
//
// # What it does not protect
//
// The same as the process tier: all boxes share the host's kernel, except those
// of runsc.
package container

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// Options are the operator's choices. The zero value is the safe default.
type Options struct {
	// Runtime is the name or the path of the OCI runtime; a name is looked for
	// on PATH and where administrators have their programs. Empty takes the
	// first of crun and runc.
	Runtime string
	// NoControlGroups ignores control groups even where they are writable; the
	// supervisor meters in their place.
	NoControlGroups bool
}

// Tier makes boxes with an OCI runtime. It implements [tier.Tier].
type Tier struct {
	runtime   ociRuntime
	noRuntime error          // why there is none
	groups    *cgroup.Parent // nil where there are none
	noGroup   error          // why
	root      bool           // we may give a box users that are nobody's on the host
	landlock  int            // the version of its interface, 0 for none
	listen    int            // the flags of a filter that asks
	deaf      error          // why there is none
	masks     []native.Mask
	patience  time.Duration // bounds what the runtime is waited for
}

// New returns the tier, after removing the remains of dead processes. On a host
// without a runtime New succeeds and Open fails. A requested runtime that is
// missing is an error.
func New(o Options) (*Tier, error) {
	t := &Tier{
		root: os.Geteuid() == 0, landlock: native.LandlockVersion(), masks: native.Masks(),
		patience: 30 * time.Second,
	}
	t.listen, t.deaf = native.Listens()
	var err error
	t.runtime, err = findRuntime(o.Runtime)
	if err != nil && o.Runtime != "" {
		return nil, &tier.Error{Tier: t.Name(), Op: "find the runtime", Kind: tier.KindInvalid, Err: err}
	}
	t.noRuntime = err
	if o.NoControlGroups {
		t.noGroup = errors.New("control groups are switched off")
		return t, nil
	}
	if t.groups, t.noGroup, err = cgroup.Meters(); err != nil {
		return nil, broken("sweep", err)
	}
	return t, nil
}

// Name implements [tier.Tier].
func (t *Tier) Name() glovebox.TierName { return glovebox.TierContainer }

// TreeRoot implements [tier.TreeRoot]: the runtime starts the glove from the
// root file system.
func (t *Tier) TreeRoot() rootfs.Plan {
	return rootfs.Plan{Entries: []rootfs.Entry{{Path: glove.Path, Data: glove.Image(), Mode: 0o755}}}
}

func broken(op string, err error) *tier.Error {
	return &tier.Error{Tier: glovebox.TierContainer, Op: op, Kind: tier.KindBroken, Err: err}
}

// Open implements [tier.Tier].
func (t *Tier) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	if err := t.check(spec); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, broken("open", err)
	}
	b, err := t.open(ctx, spec)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, broken("open", errors.Join(cause, err))
		}
		return nil, err
	}
	return b, nil
}

func (t *Tier) check(spec tier.Spec) error {
	err := spec.Check()
	switch {
	case err != nil:
	case !filepath.IsAbs(spec.Root.Tree) || filepath.Dir(spec.Root.Tree) == "/":
		err = errors.New("the root must be a tree in a directory of its own")
	case len(spec.Descriptors) > glove.MaxDescriptors:
		err = fmt.Errorf("there are %d descriptors: at most %d", len(spec.Descriptors), glove.MaxDescriptors)
	}
	if err != nil {
		return &tier.Error{Tier: t.Name(), Op: "open", Kind: tier.KindInvalid, Err: err}
	}
	if t.noRuntime != nil {
		return &tier.Error{Tier: t.Name(), Op: "open", Kind: tier.KindUnsupported, Control: tier.ControlNamespaces,
			Fix: "install runc or crun", Err: t.noRuntime}
	}
	return nil
}

func (t *Tier) open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	p := &plan{tier: t, spec: &spec, metered: t.groups != nil, deaf: t.deaf}
	ends, g, err := p.make(ctx)
	if err != nil {
		return nil, err
	}
	b, err := glove.NewBox(glove.Config{
		Tier: t.Name(), Spec: spec, Ends: ends, Ground: g,
		Prologue: p.command().Prologue, Owner: p.owner(), HostTime: t.runtime.guest, Controls: p.controls(),
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// plan holds the inputs to the bundle and the scripts of one box.
type plan struct {
	tier    *Tier
	spec    *tier.Spec
	metered bool  // a control group meters the memory
	joins   int   // files to enter the control group by
	fillers []int // descriptors that only fill the range
	log     *log  // what the runtime says; nil before it is started

	sent  *os.File // receives the listener of the gate; nil for none
	gated bool     // a gate keeps the limit of processes, or
	deaf  error    // why there is none
}

// make makes a box whose walls stand. On failure everything is undone.
func (p *plan) make(ctx context.Context) (ends glove.Ends, g *native.Ground, err error) {
	limits := p.spec.Limits
	var group *cgroup.Group
	if p.metered {
		bounds := cgroup.Limits{Memory: limits.Memory, Tasks: limits.Processes + native.GloveTasks}
		if p.tier.runtime.guest {
			bounds = guestLimits(limits)
		}
		group, err = p.tier.groups.New(bounds)
		if err != nil {
			return ends, nil, broken("open", err)
		}
	}
	g = native.NewGround(limits, group)
	defer func() {
		if err != nil {
			undo := errors.Join(g.Close(), ends.Close())
			if said := p.log.text(); said != "" {
				err = fmt.Errorf("%w; the runtime says %q", err, said)
			}
			err = errors.Join(err, undo)
		}
		p.log.close()
		if p.sent != nil {
			p.sent.Close()
		}
	}()
	// A kill that comes before the stage exists is kept for the stage.
	stop := context.AfterFunc(ctx, g.Kill)
	defer stop()
	ends, stage, err := p.perform(g, group)
	if err != nil {
		return ends, g, err
	}
	if _, err := ends.Do(p.bootScript(), time.Now().Add(p.tier.patience)); err != nil {
		var f *glove.Fault
		if !errors.As(err, &f) {
			err = fmt.Errorf("%s made no box that answers: %w", p.tier.runtime.path, err)
		}
		return ends, g, p.tier.lack("boot", err)
	}
	if err := p.measure(g, stage); err != nil {
		return ends, g, broken("measure the box", err)
	}
	if !stop() {
		return ends, g, broken("open", context.Cause(ctx)) // it is being killed
	}
	return ends, g, nil
}

// measure prepares to measure a box without a control group for measuring.
func (p *plan) measure(g *native.Ground, stage int) error {
	if p.tier.runtime.guest {
		m, err := meterGuest(stage, p.spec.Limits.Memory, g.Kill)
		if err == nil {
			g.MeasureBy(m)
		}
		return err
	}
	if p.metered {
		return nil
	}
	pid, err := processOne(stage)
	if err == nil {
		err = g.Measure(pid)
	}
	if err != nil || p.sent == nil {
		return err
	}
	p.deaf, err = g.Ask(p.sent, pid)
	p.gated = err == nil && p.deaf == nil
	return err
}

// lack turns the fault of a call of a script into the control behind the call:
// call names begin with the control.
func (t *Tier) lack(op string, err error) error {
	var f *glove.Fault
	if errors.As(err, &f) {
		control, _, ok := strings.Cut(f.Call, ": ")
		if ok && fixes[control] != "" {
			return &tier.Error{Tier: t.Name(), Op: op, Kind: tier.KindUnsupported, Control: control, Fix: fixes[control], Err: f}
		}
	}
	return broken(op, err)
}
