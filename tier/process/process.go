// Package process is the tier that isolates with what an ordinary Linux kernel
// has: user, pid, mount, network, ipc, uts and cgroup namespaces, a read-only
// root, a seccomp filter, Landlock, resource limits and control groups. It
// needs no installed program, and no root.
//
// # How a box is made
//
// The glove (package glove) is started as an ordinary process and sent one
// script, the boot script (boot.go). With it the glove enters the box's control
// group and makes, in a single clone, its own successor in all the new
// namespaces; the successor waits until the host has mapped its users, builds
// the walls and is pid 1 of the box. The first process is gone by then. Nothing
// of a box is on the host's disk.
//
// Each command is a child of pid 1 that puts on its own walls (prologue.go)
// before it is executed.
//
// Where no control group is writable, the host meters the box (meter.go) and is
// asked by the kernel before each process and thread (gate.go, listener.go).
//
// # What it does not protect
//
// All boxes share the host's kernel: a bug in it that the filtered system calls
// still reach is a way out. Timing and load of the host can be observed. Where
// no control group is writable, memory is metered by the supervisor some fifty
// times a second, so a box can overshoot its limit for some milliseconds, and
// what the kernel itself holds for it (socket and pipe buffers) is bounded by
// the number of descriptors only.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// Options are the operator's choices. The zero value is the safe default.
type Options struct {
	// NoControlGroups makes no use of control groups even where they are
	// writable; the supervisor meters in their place.
	NoControlGroups bool
}

// Tier is the process tier. It implements [tier.Tier].
type Tier struct {
	host    machine
	groups  *cgroup.Parent // nil where there are none
	noGroup error          // why
}

// New returns the tier, after it has removed what dead processes left behind.
func New(o Options) (*Tier, error) {
	t := &Tier{host: lookAtHost()}
	if o.NoControlGroups {
		t.noGroup = errors.New("control groups are switched off")
		return t, nil
	}
	groups, err := cgroup.Find()
	if err != nil {
		t.noGroup = err
		return t, nil
	}
	if err := groups.Sweep(); err != nil {
		return nil, broken("sweep", err)
	}
	if !groups.Has(cgroup.Memory) || !groups.Has(cgroup.Pids) || !groups.Has(cgroup.CPU) {
		t.noGroup = fmt.Errorf("only some control groups are writable: %s", groups)
		return t, nil
	}
	t.groups = groups
	return t, nil
}

// Name implements [tier.Tier].
func (t *Tier) Name() glovebox.TierName { return glovebox.TierProcess }

// The tasks of the glove itself, which count against the limit of processes:
// pid 1 and its second thread.
const gloveTasks = 2

// bootPatience bounds the boot of a box.
const bootPatience = 20 * time.Second

// Open implements [tier.Tier].
func (t *Tier) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	if err := check(spec); err != nil {
		return nil, &tier.Error{Tier: glovebox.TierProcess, Op: "open", Kind: tier.KindInvalid, Err: err}
	}
	without := missing{}
	for {
		box, err := t.open(ctx, spec, without)
		var lack *tier.Error
		if err == nil || !errors.As(err, &lack) || lack.Kind != tier.KindUnsupported {
			return box, err
		}
		// The operator may have said that the box may do without.
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

// open boots a box without the controls that are known to be missing.
func (t *Tier) open(ctx context.Context, spec tier.Spec, without missing) (box tier.Box, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, broken("open", err)
	}
	ends, inner, err := glove.Pipes()
	if err != nil {
		return nil, broken("make the pipes", err)
	}
	g := &ground{dead: make(chan struct{}), limits: spec.Limits}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close(), ends.Close())
			if cause := context.Cause(ctx); cause != nil {
				err = broken("open", errors.Join(cause, err))
			}
		}
	}()
	if t.groups != nil {
		g.group, err = t.groups.New(cgroup.Limits{Memory: spec.Limits.Memory, Tasks: spec.Limits.Processes + gloveTasks})
		if err != nil {
			inner.Close()
			return nil, broken("open", err)
		}
	}
	plan := bootPlan{host: &t.host, spec: &spec, without: without, metered: g.group != nil}
	if g.deaf = t.host.deaf; g.group == nil && g.deaf == nil {
		if plan.sent, inner[fdListener], err = listenerPipe(); err != nil {
			inner.Close()
			return nil, broken("open", err)
		}
		defer plan.sent.Close()
	}
	first, joins, err := t.start(&plan, inner, g.group)
	// Only the box holds its ends now: when it dies, they are seen to end.
	inner.Close()
	if err != nil {
		return nil, broken("start the glove", err)
	}
	plan.joins = joins
	// Before there is a pid 1 to kill, the wish to kill it is kept.
	stop := context.AfterFunc(ctx, g.Kill)
	defer stop()
	if err := t.boot(&plan, ends, first, g); err != nil {
		return nil, err
	}
	controls := t.controls(g, without)
	b, err := glove.NewBox(glove.Config{
		Tier: glovebox.TierProcess, Spec: spec, Ends: ends, Ground: g,
		Prologue: plan.prologue, Owner: t.host.root, Controls: controls,
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Descriptors of the glove before it is in the box: its own image, and the
// files by which it enters its control group. Package glove has the lower ones.
const (
	fdImage   = 39
	firstJoin = 40
)

// start starts the glove as a process of the host, with the wanted descriptors
// and no other, and returns how many files it is to join its group by.
func (t *Tier) start(p *bootPlan, inner glove.Inner, group *cgroup.Group) (*os.Process, int, error) {
	image, err := gloveFile()
	if err != nil {
		return nil, 0, err
	}
	attr := &os.ProcAttr{
		Dir:   filepath.Dir(p.spec.Root.Tree),
		Env:   []string{},
		Files: make([]*os.File, firstJoin),
		Sys:   &syscall.SysProcAttr{Setsid: true},
	}
	for fd, f := range inner {
		attr.Files[fd] = f
	}
	for i, f := range p.spec.Descriptors {
		attr.Files[3+i] = f
	}
	joins := 0
	if group != nil {
		files, err := group.Join(true, true)
		if err != nil {
			return nil, 0, err
		}
		defer func() {
			for _, f := range files {
				f.Close()
			}
		}()
		attr.Files = append(attr.Files, files...)
		joins = len(files)
		group.Spawn(attr.Sys)
	}
	attr.Files[fdImage] = image
	path := fmt.Sprintf("/proc/self/fd/%d", fdImage) // in the child
	var proc *os.Process
	onSpawner(func() { proc, err = os.StartProcess(path, []string{"glove"}, attr) })
	return proc, joins, err
}

// gloveFile is the glove as an unchangeable file in memory.
var gloveFile = sync.OnceValues(func() (*os.File, error) {
	const mfdExec = 0x10 // since Linux 6.3, where it may be needed
	flags := unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate("glove", flags|mfdExec)
	if err == unix.EINVAL {
		fd, err = unix.MemfdCreate("glove", flags)
	}
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	w := os.NewFile(uintptr(fd), "glove")
	defer w.Close()
	if _, err := w.Write(glove.Image()); err != nil {
		return nil, err
	}
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(w.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return nil, fmt.Errorf("seal the glove: %w", err)
	}
	// A file that is open for writing cannot be executed.
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", fd))
})

// spawner runs functions on one thread that lives as long as this process. The
// kernel kills a box when the thread that started it ends, and the threads of
// Go come and go.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

func onSpawner(f func()) {
	done := make(chan struct{})
	spawner() <- func() { defer close(done); f() }
	<-done
}

// boot sends the boot script and does the host's part of it.
func (t *Tier) boot(p *bootPlan, ends glove.Ends, first *os.Process, g *ground) error {
	deadline := time.Now().Add(bootPatience)
	script := p.script()
	pid, err := ends.Do(script, deadline)
	if err == nil {
		err = g.adopt(pid)
	}
	if err != nil {
		abandon(first)
		return lack(err)
	}
	if _, err := first.Wait(); err != nil {
		return broken("wait for the first process", err)
	}
	if err := t.host.mapUsers(g.pid); err != nil {
		return err
	}
	ends.Kill.SetWriteDeadline(deadline)
	if _, err := ends.Kill.Write([]byte{1}); err != nil {
		return broken("boot", err)
	}
	if _, err := ends.Next(script, deadline); err != nil {
		return lack(err)
	}
	if g.group == nil {
		err = g.openMeter()
	}
	if err == nil && p.sent != nil {
		err = g.openGate(p.sent)
		p.gated = g.gate != nil
	}
	return err
}

// abandon kills and reaps the first process, and pid 1 of the box if it was made
// and we were not told: it is our child, and in the first one's process group.
func abandon(first *os.Process) {
	unix.Kill(-first.Pid, unix.SIGKILL)
	first.Wait()
	for {
		if _, err := unix.Wait4(-first.Pid, nil, 0, nil); err != nil && err != unix.EINTR {
			return
		}
	}
}

// lack turns the fault of a call of the boot script into the control that it
// stands for: the names of the calls begin with it.
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
