//go:build linux

// Package process is the tier that isolates with the means of an ordinary Linux
// kernel: user, pid, mount, network, ipc, uts and cgroup namespaces, a
// read-only root, a seccomp filter, Landlock, resource limits and control
// groups. It needs no installed program, and no root.
//
// # How a box is made
//
// The glove (package glove) is started as an ordinary process and receives one
// script, the boot script (boot.go). With it the glove enters the box's control
// group and makes, in a single clone, its own successor in all the new
// namespaces. The successor waits until the host has mapped its users, builds
// the walls and is pid 1 of the box. The first process is gone by then. Nothing
// of a box is on the host's disk.
//
// A box whose standby command can be copied is a copy of a parent (parent.go):
// born in all the namespaces, it builds the same walls.
//
// Each command is a child of pid 1 that puts on its own walls before it is
// executed.
//
// Where no control group is writable, the host meters the box: the kernel asks
// the host before each new process and thread, and before a process ends.
//
// # What it does not protect
//
// All boxes share the host's kernel: a kernel bug within reach of the filtered
// system calls is a way out. Timing and load of the host can be observed. Where
// no control group is writable, the supervisor meters memory fifty times a
// second or more, so a box can overshoot its limit for some milliseconds, and
// the kernel's own memory for the box is counted at its upper bound.
package process

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// Options are the operator's choices. The zero value is the safe default.
type Options struct {
	// NoControlGroups ignores control groups even where they are writable; the
	// supervisor meters in their place.
	NoControlGroups bool
}

// Tier is the process tier. It implements [tier.Tier].
type Tier struct {
	host    machine
	groups  *cgroup.Parent // nil where there are none
	noGroup error          // why
	parents *parents
}

// New returns the tier, after removing the remains of dead processes.
func New(o Options) (*Tier, error) {
	t := &Tier{host: lookAtHost()}
	t.parents = newParents(t.openParent)
	if o.NoControlGroups {
		t.noGroup = errors.New("control groups are switched off")
		return t, nil
	}
	var err error
	if t.groups, t.noGroup, err = cgroup.Meters(); err != nil {
		return nil, broken("sweep", err)
	}
	return t, nil
}

// Name implements [tier.Tier].
func (t *Tier) Name() glovebox.TierName { return glovebox.TierProcess }

// bootPatience bounds the boot of a box.
const bootPatience = 20 * time.Second

// Open implements [tier.Tier].
func (t *Tier) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	if err := check(spec); err != nil {
		return nil, &tier.Error{Tier: glovebox.TierProcess, Op: "open", Kind: tier.KindInvalid, Err: err}
	}
	if t.forks(&spec) {
		if box := t.openCopy(ctx, spec); box != nil {
			return box, nil
		}
		if err := context.Cause(ctx); err != nil {
			return nil, broken("open", err)
		}
	}
	without := missing{}
	for {
		box, err := t.open(ctx, spec, without, nil)
		var lack *tier.Error
		if err == nil || !errors.As(err, &lack) || lack.Kind != tier.KindUnsupported {
			return box, err
		}
		// The operator may have allowed the box to do without.
		if !slices.Contains(spec.Allow, lack.Control) || !slices.Contains(tier.Optional, lack.Control) || without[lack.Control] != nil ||
			lack.Control == tier.ControlProc && t.groups == nil { // the meter reads it
			return nil, err
		}
		without[lack.Control] = lack.Err
	}
}

func check(spec tier.Spec) error {
	switch err := spec.Check(); {
	case err != nil:
		return err
	case !filepath.IsAbs(spec.Root.Tree) || filepath.Dir(spec.Root.Tree) == "/":
		return errors.New("the root must be a tree in a directory of its own")
	case len(spec.Descriptors) > glove.MaxDescriptors:
		return fmt.Errorf("there are %d descriptors: at most %d", len(spec.Descriptors), glove.MaxDescriptors)
	}
	return nil
}

func broken(op string, err error) *tier.Error {
	return &tier.Error{Tier: glovebox.TierProcess, Op: op, Kind: tier.KindBroken, Err: err}
}

// open boots a box without the controls known to be missing: as a copy of a
// parent, or from nothing where from is nil.
func (t *Tier) open(ctx context.Context, spec tier.Spec, without missing, from *parent) (box tier.Box, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, broken("open", err)
	}
	ends, inner, err := glove.Pipes()
	if err != nil {
		return nil, broken("make the pipes", err)
	}
	var group *cgroup.Group
	if t.groups != nil {
		group, err = t.groups.New(cgroup.Limits{Memory: spec.Limits.Memory, Tasks: spec.Limits.Processes + native.GloveTasks})
		if err != nil {
			return nil, broken("open", errors.Join(err, inner.Close(), ends.Close()))
		}
	}
	g := native.NewGround(spec.Limits, group)
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close(), ends.Close())
			if cause := context.Cause(ctx); cause != nil {
				err = broken("open", errors.Join(cause, err))
			}
		}
	}()
	plan := bootPlan{host: &t.host, spec: &spec, without: without, metered: group != nil, deaf: t.host.deaf}
	if group == nil && plan.deaf == nil {
		if plan.sent, inner[native.FDListener], err = native.ListenerPipe(); err != nil {
			inner.Close()
			return nil, broken("open", err)
		}
		defer plan.sent.Close()
	}
	plan.box = glove.Config{Tier: glovebox.TierProcess, Spec: spec, Ends: ends, Ground: g, Owner: t.host.root, Within: from != nil}
	// A kill that comes before pid 1 exists is kept for pid 1.
	stop := context.AfterFunc(ctx, g.Kill)
	defer stop()
	if from != nil {
		err = t.copy(ctx, &plan, from, ends, inner, group, g)
	} else {
		err = t.bootNew(&plan, ends, inner, group, g)
	}
	if err != nil {
		return nil, err
	}
	controls := t.controls(&plan, without)
	plan.box.Prologue, plan.box.Controls = plan.command().Prologue, controls
	b, err := glove.NewBox(plan.box)
	if err != nil {
		return nil, err
	}
	if !stop() {
		return nil, context.Cause(ctx) // it is being killed
	}
	if plan.apart {
		native.Ahead()
	}
	return b, nil
}

// bootNew makes the box from nothing.
func (t *Tier) bootNew(p *bootPlan, ends glove.Ends, inner glove.Inner, group *cgroup.Group, g *native.Ground) error {
	first, script, err := t.start(p, inner, group)
	// From now on only the box holds the inner ends: so a death of the box
	// shows at ours.
	inner.Close()
	if err != nil {
		return broken("start the glove", err)
	}
	return t.boot(p, ends, first, script, g)
}

// firstJoin is the first file for the glove's entry into its control group.
const firstJoin = native.FDImage + 1

// start starts the glove as a process of the host, with only the wanted
// descriptors, and returns the boot script.
func (t *Tier) start(p *bootPlan, inner glove.Inner, group *cgroup.Group) (first *os.Process, script *glove.Script, err error) {
	files, done, err := p.files(inner, group, true)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	change := func(*syscall.SysProcAttr) {}
	if group != nil {
		change = group.Spawn
	}
	dir := filepath.Dir(p.spec.Root.Tree)
	p.apart = p.has(tier.ControlNetwork) && native.Apart()
	apart := p.apart
	started := make(chan struct{})
	go func() {
		defer close(started)
		if apart {
			first, apart, err = native.StartApart(dir, files, !p.metered, change)
		}
		if !apart {
			first, err = native.Start(dir, files, change)
		}
	}()
	script = p.script() // meanwhile
	<-started
	if apart != p.apart {
		p.apart = apart
		script = p.script()
	}
	return first, script, err
}

// files returns the descriptors of the glove by number. done is called once the
// glove has them. spawned means that the glove is started within the group
// where possible.
func (p *bootPlan) files(inner glove.Inner, group *cgroup.Group, spawned bool) (files map[int]*os.File, done func(), err error) {
	files = maps.Clone(inner)
	for i, f := range p.spec.Descriptors {
		if f != nil {
			files[3+i] = f
		}
	}
	var joins []*os.File
	if group != nil {
		if joins, err = group.Join(spawned); err != nil {
			return nil, nil, err
		}
	}
	for i, f := range joins {
		files[firstJoin+i] = f
	}
	p.joins = len(joins)
	return files, func() {
		for _, f := range joins {
			f.Close()
		}
	}, nil
}

// boot sends the boot script and does the host's part of the boot.
func (t *Tier) boot(p *bootPlan, ends glove.Ends, first *os.Process, script *glove.Script, g *native.Ground) error {
	deadline := time.Now().Add(bootPatience)
	report, err := ends.Do(script, deadline)
	var box *os.Process
	if err == nil {
		box, err = native.Successor(report)
	}
	if err != nil {
		native.Abandon(first)
		return lack(err)
	}
	g.Adopt(box)
	unmapped := native.MapUsers(box.Pid, tier.UID)
	if unmapped == nil {
		p.hideCounts(box.Pid)
		ends.Kill.SetWriteDeadline(deadline)
		_, err = ends.Kill.Write([]byte{1})
	}
	_, waited := first.Wait() // it has ended by now
	switch {
	case unmapped != nil:
		return &tier.Error{Tier: glovebox.TierProcess, Op: "map the users", Kind: tier.KindUnsupported,
			Control: tier.ControlUser, Fix: fixes[tier.ControlUser], Err: unmapped}
	case err != nil:
		return broken("boot", err)
	case waited != nil:
		return broken("wait for the first process", waited)
	}
	if _, err := ends.Next(script, deadline); err != nil {
		return lack(err)
	}
	return p.measure(box.Pid, g)
}

// hideCounts hides the host kernel's counts of all networks, where permitted.
// SECURITY.md lists what stays visible elsewhere.
func (p *bootPlan) hideCounts(pid int) {
	if p.host.root && p.has(tier.ControlNetwork) {
		_ = native.HideCounts(pid)
	}
}

// measure begins to measure a box whose walls stand, where no control group
// does.
func (p *bootPlan) measure(pid int, g *native.Ground) (err error) {
	if p.metered {
		return nil
	}
	if err := g.Measure(pid); err != nil {
		return broken("measure the box", err)
	}
	if p.sent == nil {
		return nil
	}
	p.deaf, err = g.Ask(p.sent, pid)
	if err != nil {
		return broken("open the gate", err)
	}
	p.gated = p.deaf == nil
	return nil
}

// lack turns the fault of a call of the boot script into the control behind the
// call: call names begin with the control.
func lack(err error) error {
	var f *glove.Fault
	if !errors.As(err, &f) {
		return broken("boot", err)
	}
	control, _, ok := strings.Cut(f.Call, ": ")
	if !ok || fixes[control] == "" {
		return broken("boot", err)
	}
	return &tier.Error{Tier: glovebox.TierProcess, Op: "boot", Kind: tier.KindUnsupported, Control: control, Fix: fixes[control], Err: f}
}
