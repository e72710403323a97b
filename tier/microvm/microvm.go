//go:build linux

// Package microvm is the tier whose boxes are virtual machines: each has a
// kernel of its own behind the processor's walls, or behind those of an
// emulated processor where the operator allows emulation.
//
// # How a box is made
//
// A machine boots the prepared kernel (package kernel) with an initramfs of
// only the kernel modules, the relay (package wire) and the glove; its root is
// an EROFS image, as a read-only drive. The host has one byte stream to the
// glove and a serial console, for reading only. There is no network device.
//
// Scripts to the glove do the rest, in two parts. The first (template.go) makes
// the common part of all boxes: the namespaces, the root, /proc, /dev, the
// guest's control group. Then the machine is stopped and its state is written
// to a file, once; each box is a machine restored from this checkpoint
// (template, snapshot.go), and is used once. The second part (job.go) gives the
// machine its own values: first random numbers and the time, then memory file
// systems and limits.
//
// The guest's kernel reports the limits that were hit, and the glove asks for
// the report. Commands run as another user of the guest, in namespaces of their
// own, and under a filter of system calls, so they reach neither the glove nor
// the kernel's report. A guest whose kernel has fallen can lie about itself and
// no other.
//
// # What it does not protect
//
// The monitor is the host's program that serves the guest's devices: a bug in
// the monitor is a way to an ordinary user of the host, without a network and
// behind a filter of system calls. The timing of a processor shared between
// machines can be observed. All machines of one template have the same layout
// of kernel memory. Emulation is slow, and QEMU does not call its emulation of
// the processor a security boundary.
package microvm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove/wire"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
	"github.com/gloveboxhq/glovebox/tier/den"
	"github.com/gloveboxhq/glovebox/tier/microvm/kernel"
	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
	"github.com/gloveboxhq/glovebox/tier/microvm/qemu"
)

// Options are the operator's choices. The zero value is the safe default.
type Options struct {
	// Monitor runs the machines; nil means the QEMU on PATH.
	Monitor monitor.Monitor
	// AllowEmulation allows an emulated processor where the host's KVM does not
	// work. It is some ten times slower.
	AllowEmulation bool
	// EmulationOnly does not try KVM. It needs AllowEmulation.
	EmulationOnly bool
	// KernelDir is where the guest's kernel was prepared; empty means
	// [kernel.DefaultDir].
	KernelDir string
	// Cache is a private directory for snapshots; empty means a place in
	// [rootfs.DefaultDir].
	Cache string
	// Dir is a private directory for the sockets of monitors; empty means a
	// place in $XDG_RUNTIME_DIR or the directory for temporary files.
	Dir string
	// NoSnapshots boots each box from the start.
	NoSnapshots bool
	// VCPUs is how many processors a guest has; 0 means one.
	VCPUs int
	// Warn receives errors with a remedy, such as an unusable snapshot. Nil
	// discards.
	Warn func(error)
}

// Tier is the microvm tier. It implements [tier.Tier].
type Tier struct {
	o      Options
	home   den.Home
	groups *cgroup.Parent // nil where there are none
	cache  *cache
	starts chan struct{} // bounds the machines that start at once

	mu    sync.Mutex
	guest *guest // once it was made
	accel monitor.Accel
}

// New returns the tier, after removing the remains of dead processes. It also
// succeeds on hosts unable to run machines: there [Tier.Open] returns the
// reason.
func New(o Options) (*Tier, error) {
	t := &Tier{o: o, starts: make(chan struct{}, 2*runtime.NumCPU())}
	if t.o.VCPUs == 0 {
		t.o.VCPUs = 1
	}
	if t.o.Warn == nil {
		t.o.Warn = func(error) {}
	}
	var err error
	if t.home, err = den.Open(o.Dir, "glovebox-machines", 0); err == nil {
		err = t.home.Sweep()
	}
	if err == nil {
		t.cache, err = openCache(o.Cache)
	}
	if err != nil {
		return nil, broken("prepare a directory", err)
	}
	if t.groups, err = cgroup.Ready(); errors.Is(err, cgroup.ErrNone) {
		err = nil
	}
	if err != nil {
		return nil, broken("sweep control groups", err)
	}
	return t, nil
}

// Name implements [tier.Tier].
func (t *Tier) Name() glovebox.TierName { return glovebox.TierMicroVM }

// Open implements [tier.Tier].
func (t *Tier) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	if err := check(spec); err != nil {
		return nil, &tier.Error{Tier: glovebox.TierMicroVM, Op: "open", Kind: tier.KindInvalid, Err: err}
	}
	b, err := t.open(ctx, spec)
	if err == nil {
		return b, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, broken("open", errors.Join(cause, err))
	}
	var known *tier.Error
	switch {
	case errors.As(err, &known):
		return nil, err
	case errors.Is(err, monitor.ErrNoUsers):
		return nil, lacks(tier.ControlUser, "run as an ordinary user, or as root with at least 32768 ids in its user namespace", err)
	}
	return nil, broken("open", err)
}

func check(spec tier.Spec) error {
	if err := spec.Check(); err != nil {
		return err
	}
	if spec.Root.Image == "" {
		return errors.New("the root file system has no EROFS image")
	}
	return wire.Check(spec.Descriptors)
}

func broken(op string, err error) *tier.Error {
	return &tier.Error{Tier: glovebox.TierMicroVM, Op: op, Kind: tier.KindBroken, Err: err}
}

// lacks is the error for something missing on the host.
func lacks(what, fix string, err error) *tier.Error {
	return &tier.Error{Tier: glovebox.TierMicroVM, Op: "prepare", Kind: tier.KindUnsupported, Control: what, Fix: fix, Err: err}
}

// prepare finds, once, the common needs of all machines. Failures are retried
// at the next call: the operator may have fixed the cause.
func (t *Tier) prepare(ctx context.Context) (*guest, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.guest != nil {
		return t.guest, nil
	}
	m := t.o.Monitor
	if m == nil {
		q, err := qemu.Find("")
		if err != nil {
			return nil, lacks("virtual machines", "install QEMU (Debian: apt-get install qemu-system-x86; Fedora: dnf install qemu-system-x86-core)", err)
		}
		m = q
	}
	k, err := kernel.Find(t.o.KernelDir)
	if err != nil {
		return nil, lacks("virtual machines", "", err) // it says what to run
	}
	identity, err := m.Identity(ctx)
	if err != nil {
		return nil, err
	}
	g, err := newGuest(m, k, t.cache)
	if err != nil {
		return nil, fmt.Errorf("make the guest's initramfs: %w", err)
	}
	g.identity = identity
	t.guest = g
	return g, nil
}
