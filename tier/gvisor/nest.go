//go:build linux

package gvisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/tap"
	"github.com/gloveboxhq/glovebox/tier"
)

// nest is a sentry reused by the boxes of a batch, one after the other. Process
// 1 of the guest is the standby command, ready, which holds the glove and lends
// itself to each box (see [glove.Script.Lend]): the box's glove is pid 1 of new
// pid, mount, net, ipc and uts namespaces of the guest, with new file systems,
// which end with the glove. Process 1 runs our own code alone, and no program
// sees it.
type nest struct {
	ends glove.Ends
	*ground
	outs []*os.File // where what the guest writes to each descriptor of a box is read
	ins  []*os.File // where what each box is to read is written, by its turn
	base usage      // when it had made no box yet
	made time.Time
	lent int    // boxes so far
	on   int    // the processor it is on, or -1
	kind string // of its boxes
}

// usage is the memory of a sentry, in bytes.
type usage struct{ guest, own int64 }

// lentNamespaces are those of each box.
const lentNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// openNest makes a nest for boxes of a spec, as a copy if possible.
func (t *Tier) openNest(ctx context.Context, kind string, spec tier.Spec) (*nest, error) {
	var n *nest
	copied, err := t.nests.templates.copy(ctx, kind, func(from *origin) (err error) {
		n, err = t.bootNest(ctx, spec, from)
		return err
	})
	if copied || err != nil {
		return n, err
	}
	return t.bootNest(ctx, spec, nil)
}

// makeNestTemplate makes the template of nests for boxes of a spec.
func (t *Tier) makeNestTemplate(ctx context.Context, spec tier.Spec) (*template, error) {
	return writeDown(ctx, spec, func(o *origin) (*ground, int64, io.Closer, error) {
		n, err := t.bootNest(ctx, spec, o)
		if err != nil {
			return nil, 0, nil, err
		}
		return n.ground, 1, closer(n.close), nil
	})
}

type closer func() error

func (c closer) Close() error { return c() }

// bootNest makes a nest, for a template or, given an origin, as a copy of one.
func (t *Tier) bootNest(ctx context.Context, spec tier.Spec, from *origin) (_ *nest, err error) {
	n := &nest{made: time.Now(), on: -1}
	bare := tier.Spec{Root: spec.Root, Limits: spec.Limits, Batch: spec.Batch}
	defer func() {
		for _, f := range bare.Descriptors {
			if f != nil {
				f.Close()
			}
		}
		if err != nil {
			err = errors.Join(err, n.close())
		}
	}()
	if bare.Descriptors, err = n.pipes(&spec); err != nil {
		return nil, err
	}
	if n.ends, n.ground, err = t.boot(ctx, bare, from); err != nil {
		return nil, err
	}
	if from.waiting() != 0 {
		n.base, err = n.usage()
		return n, err
	}
	defer context.AfterFunc(ctx, n.Kill)()
	s := new(glove.Script)
	s.Call("close the image", unix.SYS_CLOSE, tier.FDImage)
	boundCapabilities(s)
	s.Lender(lentNamespaces)
	if err := n.ends.Become(spec.Standby, becomeLender(spec.Standby), s, time.Now().Add(patience)); err != nil {
		return nil, err
	}
	n.base, err = n.usage()
	return n, err
}

// pipes makes the nest's own descriptors in place of a spec's, and returns the
// guest's ends. The host reads the output of a box before the next box starts,
// but input has an end, and may be left unread: each box gets a new pipe for
// input.
func (n *nest) pipes(spec *tier.Spec) (inner []*os.File, err error) {
	inner = make([]*os.File, len(spec.Descriptors), firstIn-firstDescriptor+maxRead)
	n.outs = make([]*os.File, len(spec.Descriptors))
	for i, f := range spec.Descriptors {
		access, err := accessOf(f)
		switch {
		case err != nil:
		case access == os.O_WRONLY:
			n.outs[i], inner[i], err = tap.Pipe()
		case access == os.O_RDONLY:
			n.ins = make([]*os.File, maxRead)
		}
		if err != nil {
			return inner, err
		}
	}
	if n.ins != nil {
		inner = inner[:cap(inner)]
	}
	for i := range n.ins {
		if inner[firstIn-firstDescriptor+i], n.ins[i], err = tap.Pipe(); err != nil {
			return inner, err
		}
		tap.Shrink(n.ins[i])
	}
	return inner, nil
}

// turns is how many boxes the nest serves.
func (n *nest) turns() int {
	if n.ins != nil {
		return len(n.ins)
	}
	return maxLent
}

const (
	firstDescriptor = 3  // of a box
	firstIn         = 64 // the nest's: what the box of each turn is to read
)

// becomeLender is the script that turns a guest's first glove into the standby
// command.
func becomeLender(cmd *tier.Command) *glove.Script {
	s := new(glove.Script)
	image := s.Buffer(8)
	s.Call("open the image", unix.SYS_OPENAT, unix.AT_FDCWD, glove.Path, unix.O_RDONLY|unix.O_CLOEXEC, 0).To(image)
	s.CallOn(image, "give it its number", unix.SYS_DUP3, tier.FDImage, 0)
	s.Execute(cmd)
	return s
}

// settle appends a glove's calls for making the nest's turn-th box.
func (n *nest) settle(s *glove.Script, spec *tier.Spec, turn int) {
	mount := func(at, kind string, flags int, options string) {
		s.Call("mount "+at, unix.SYS_MOUNT, kind, at, kind, unix.MS_NOSUID|unix.MS_NODEV|flags, options)
	}
	mount("/proc", "proc", unix.MS_NOEXEC, "")
	for _, at := range memoryDirs {
		mount(at, "tmpfs", 0, memoryOptions(spec.Limits))
	}
	// A program's changes to an open file, such as a lock or non-blocking mode,
	// would persist for the next one.
	anew := func(n int) {
		fd := s.Buffer(8)
		s.Call("open a stream anew", unix.SYS_OPENAT, unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", n), unix.O_WRONLY|unix.O_CLOEXEC, 0).To(fd)
		s.CallOn(fd, "give it its number", unix.SYS_DUP3, n, 0)
		s.CallOn(fd, "close", unix.SYS_CLOSE)
	}
	anew(1)
	anew(2)
	for i, f := range spec.Descriptors {
		switch {
		case f == nil:
		case n.outs[i] != nil:
			anew(firstDescriptor + i)
		default:
			s.Call("take what it reads", unix.SYS_DUP3, firstIn+turn, firstDescriptor+i, 0)
		}
	}
	s.Call("close those of other turns", unix.SYS_CLOSE_RANGE, firstIn, uint32(1<<32-1), 0)
	// The same capabilities as the glove of any box.
	var has uint64
	for _, c := range gloveCapabilityNumbers {
		has |= 1 << c
	}
	const version = 0x20080522 // _LINUX_CAPABILITY_VERSION_3
	s.Call("give up a capability", unix.SYS_CAPSET, s.Words(version), s.Words(has|has<<32, 0, 0))
}

// usage measures what the nest holds.
func (n *nest) usage() (u usage, err error) {
	u.guest, err = n.memorySize()
	u.own = ownMemory(n.sentry.Process.Pid)
	return u, err
}

// A nest goes on only if a box has left at most this much.
const (
	mayKeep    = hoardMost + 8<<20 // of the guest's
	mayKeepOwn = 24 << 20          // of the sentry's own
)

// clean fails unless the nest is as before the last box, which has ended.
// Memory comes back some time later: clean waits at most wait.
func (n *nest) clean(wait time.Duration) error {
	n.mu.Lock()
	limited := n.grown != nil || n.group != nil && len(n.group.Evidence()) > 0
	n.mu.Unlock()
	switch {
	case n.isDead():
		return errors.New("the sentry has ended")
	case limited:
		return errors.New("it hit a limit, and what says so stays")
	case n.spoilt():
		return errors.New("a program had a terminal")
	}
	for _, f := range append([]*os.File{n.ends.Script, n.ends.Kill, n.ends.Reply, n.ends.Stdout, n.ends.Stderr}, n.outs...) {
		if f == nil {
			continue
		}
		if left, err := unread(f); err != nil || left > 0 {
			return errors.Join(fmt.Errorf("a pipe holds %d bytes", left), err)
		}
	}
	for begin := time.Now(); ; time.Sleep(hoardEvery / 4) {
		u, err := n.usage()
		grown := usage{u.guest - n.base.guest, u.own - n.base.own}
		switch {
		case err != nil:
			return err
		case grown.guest <= mayKeep && grown.own <= mayKeepOwn:
			return nil
		case time.Since(begin) > wait:
			return fmt.Errorf("it holds %d bytes more than at the beginning, and %d in the sentry", grown.guest, grown.own)
		}
	}
}

// unread is how many bytes are in a pipe.
func unread(f *os.File) (n int, err error) {
	return tap.Ask(f, func(fd uintptr) (int, error) { return unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
}

// close ends the nest.
func (n *nest) close() error {
	var errs []error
	if n.ground != nil { // else there are no ends
		errs = append(errs, n.ground.Close(), n.ends.Close())
	}
	for _, f := range slices.Concat(n.outs, n.ins) {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
