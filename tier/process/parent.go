//go:build linux

package process

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// parent is a zygote: a standby command, ready outside of any box, with the
// glove (see [tier.Spec.Forks]). On the host's request it copies itself; a copy
// is born in all the namespaces of a new box, as the glove of the box.
//
// A parent runs our own code alone: it never receives a job's bytes or a
// secret, nor keeps its copies' pipes. It runs as a host user of its own,
// without a capability, and sees the root of its boxes, without a network. A
// copy is another user, in another pid namespace, and cannot reach the parent.
// The parent dies with its starting thread, alive as long as the host (see
// native.Start).
type parent struct {
	proc  *os.Process
	ends  glove.Ends
	sends *os.File // descriptors for its copies
	made  time.Time

	// Held while making a copy or ending the parent; guards the next two
	// fields.
	turn chan struct{}
	torn bool   // it ended, or a copy may be there that we were not told of: it makes no more
	last uint64 // the number of its last copy

	// Guarded by parents.mu.
	taken  int         // how often a box was to be a copy of it
	proven bool        // one was
	end    *time.Timer // at its age
}

// Descriptors of a parent, beside the glove's.
const (
	fdReceive = 34
	fdHome    = 35 // the directory around the tree
	// A copy's descriptors arrive at the lowest free numbers.
	firstSlot, lastSlot = 3, glove.FDScript - 1
)

// forks reports whether the box can be a copy of a parent: its users are made by
// the host.
func (t *Tier) forks(spec *tier.Spec) bool {
	return spec.Standby != nil && spec.Forks && t.host.root
}

// openParent makes the parent of boxes of a spec.
func (t *Tier) openParent(ctx context.Context, spec tier.Spec) (_ *parent, err error) {
	ends, inner, err := glove.Pipes()
	if err != nil {
		return nil, err
	}
	p := &parent{ends: ends, made: time.Now(), turn: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.sends, inner[fdReceive], err = native.ListenerPipe(); err == nil {
		if inner[0], err = os.Open(os.DevNull); err == nil {
			p.proc, err = native.Start(filepath.Dir(spec.Root.Tree), inner, nil)
		}
	}
	for fd, f := range inner {
		if f != nil {
			f.Close()
		}
		delete(inner, fd)
	}
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { p.proc.Kill() })
	defer stop()
	user, group, err := native.Unused(p.proc.Pid)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(bootPatience)
	if _, err := ends.Do(t.parentRoot(spec.Root.Tree), deadline); err != nil {
		return nil, err
	}
	ready := new(glove.Script)
	ready.Call("not dumpable", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	ready.Call("close", unix.SYS_CLOSE, native.FDImage)
	if err := ends.Become(spec.Standby, becomeParent(spec.Standby, user, group), ready, deadline); err != nil {
		return nil, err
	}
	return p, nil
}

// parentRoot is the script by which a parent's glove makes the parent's view.
// The lowest mount is the directory around the tree; a second mount of the same
// directory, on the tree, is where a copy begins (see [bootPlan.root]); and
// over all lies the tree, because a process whose root differs from the root of
// its mount namespace may not make namespaces.
func (t *Tier) parentRoot(tree string) *glove.Script {
	s := new(glove.Script)
	name := filepath.Base(tree)
	s.Call(tier.ControlUser+": drop the groups", unix.SYS_SETGROUPS, 0, 0)
	native.NoCoreHandler(s)
	native.FirstToGo(s)
	s.Call("unshare", unix.SYS_UNSHARE, unix.CLONE_NEWNS|unix.CLONE_NEWNET|unix.CLONE_NEWIPC|unix.CLONE_NEWUTS)
	s.Call("private mounts", unix.SYS_MOUNT, 0, "/", 0, unix.MS_REC|unix.MS_PRIVATE, 0)
	for i, dev := range t.host.devices {
		fd := s.Buffer(8)
		s.Call("open_tree "+dev, unix.SYS_OPEN_TREE, unix.AT_FDCWD, "/dev/"+dev, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC).To(fd)
		s.Renumber(fd, fdDevice+i)
	}
	// again mounts the object at a path once more, at a second path, and goes
	// there.
	again := func(what, at string, setAttr bool) {
		fd := s.Buffer(8)
		s.Call("open_tree", unix.SYS_OPEN_TREE, unix.AT_FDCWD, what, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC).To(fd)
		if setAttr {
			wall, size := attr(s, wallFlags)
			s.CallOn(fd, "mount_setattr", unix.SYS_MOUNT_SETATTR, "", unix.AT_EMPTY_PATH, wall, size)
		}
		s.CallOn(fd, "move_mount", unix.SYS_MOVE_MOUNT, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH)
		s.CallOn(fd, "fchdir", unix.SYS_FCHDIR)
		s.CallOn(fd, "close", unix.SYS_CLOSE)
	}
	again(".", ".", true)
	s.Call("pivot_root", unix.SYS_PIVOT_ROOT, ".", ".")
	s.Call("leave the host's", unix.SYS_UMOUNT2, ".", unix.MNT_DETACH)
	again(".", name, false)
	home := s.Buffer(8)
	s.Call("open home", unix.SYS_OPENAT, unix.AT_FDCWD, ".", unix.O_PATH|unix.O_DIRECTORY, 0).To(home)
	s.Renumber(home, fdHome)
	s.Call("keep it", unix.SYS_FCNTL, fdHome, unix.F_SETFD, 0)
	again(name, "/", false)
	s.Call("chroot", unix.SYS_CHROOT, ".")
	call := func(what string, nr uintptr, args ...any) *glove.Ins { return s.Call(what, nr, args...) }
	// A box gets its own /proc only if its maker sees one. In this /proc each
	// process sees only itself. A copy makes network settings through it.
	call("mount /proc", unix.SYS_MOUNT, "proc", "/proc", "proc", tmpFlags|unix.MS_NOEXEC, "hidepid=ptraceable")
	tmpfs(call, "/dev", tmpFlags|unix.MS_NOEXEC, "size=4k,nr_inodes=32,mode=755")
	for i, dev := range t.host.devices {
		at := "/dev/" + dev
		call("make "+dev, unix.SYS_MKNODAT, unix.AT_FDCWD, at, unix.S_IFREG|0o666, 0)
		call("place "+dev, unix.SYS_MOVE_MOUNT, fdDevice+i, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH)
		call("close", unix.SYS_CLOSE, fdDevice+i)
	}
	return s
}

// becomeParent is the script that gives up all privileges and becomes the
// command.
func becomeParent(cmd *tier.Command, user, group uint32) *glove.Script {
	s := new(glove.Script)
	native.NoMorePrivileges(s)
	s.Call("setresgid", unix.SYS_SETRESGID, group, group, group)
	s.Call("setresuid", unix.SYS_SETRESUID, user, user, user)
	native.DropCapabilities(s)
	native.DieWithHost(s)
	// The same memory layout as in a box that starts the command itself.
	var own unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_STACK, &own) == nil {
		s.Call("limit the stack", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_STACK, s.Words(min(native.Stack, own.Max), own.Max), 0)
	}
	// Close the descriptors inherited from our own parent process.
	s.Call("close", unix.SYS_CLOSE_RANGE, fdHome+1, tier.FDImage-1, 0)
	s.Call("close", unix.SYS_CLOSE_RANGE, tier.FDImage+1, uint32(1<<32-1), 0)
	s.Execute(cmd)
	return s
}

// forkPatience bounds the making of a copy, which takes some milliseconds.
const forkPatience = 2 * time.Second

// errBarren means a parent without a copy, or with a silent one.
var errBarren = errors.New("the parent makes no copy")

// fork makes a copy in the namespaces of a box. The copy has only files as
// descriptors, by number, and waits for scripts through these.
//
// A parent with a reply outstanding is never asked again: the late reply would
// be mistaken for the next copy's. A caller that gives up therefore ends the
// parent.
func (p *parent) fork(ctx context.Context, files map[int]*os.File) (*os.Process, error) {
	numbers := slices.Sorted(maps.Keys(files))
	// A number is never below its slot, so the copy can move descriptors from
	// the last on without overwriting one: see forkScript.
	i, _ := slices.BinarySearch(numbers, firstSlot)
	numbers = append(slices.Clone(numbers[i:]), numbers[:i]...)
	if len(numbers) > lastSlot-firstSlot+1 {
		return nil, fmt.Errorf("there are %d descriptors", len(numbers))
	}
	var fds []int
	for _, n := range numbers {
		fds = append(fds, int(files[n].Fd()))
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if p.torn {
		return nil, errBarren
	}
	p.last++
	script := forkScript(numbers, p.last)
	stop := context.AfterFunc(ctx, func() { p.proc.Kill() })
	box, err := p.copyBy(script, fds)
	if !stop() {
		err = errors.Join(err, context.Cause(ctx))
	}
	if p.torn = err != nil; p.torn {
		return nil, fmt.Errorf("%w: %w", errBarren, err)
	}
	return box, nil
}

// copyBy sends descriptors and the script for a copy with them.
func (p *parent) copyBy(script *glove.Script, fds []int) (*os.Process, error) {
	if err := unix.Sendmsg(int(p.sends.Fd()), []byte{1}, unix.UnixRights(fds...), nil, unix.MSG_DONTWAIT); err != nil {
		return nil, os.NewSyscallError("sendmsg", err)
	}
	report, err := p.ends.Do(script, time.Now().Add(forkPatience))
	if err != nil {
		return nil, err
	}
	if len(report) != 16 || binary.LittleEndian.Uint64(report[8:]) != p.last {
		return nil, fmt.Errorf("this is no reply of copy %d: %x", p.last, report)
	}
	return native.Successor(report[:8])
}

// forkScript takes the descriptors sent and makes a copy with them at these
// numbers. The reply is the copy's pid and our number of the copy.
func forkScript(numbers []int, ours uint64) *glove.Script {
	s := new(glove.Script)
	inside, failed, born := s.Label(), s.Label(), s.Label()
	s.Call("close", unix.SYS_CLOSE_RANGE, firstSlot, lastSlot, 0)
	// struct msghdr
	control := unix.CmsgSpace(4 * len(numbers))
	message := s.Words(0, 0, s.Words(s.Buffer(8), 8), 1, s.Buffer(control), control, 0)
	s.Call("receive", unix.SYS_RECVMSG, fdReceive, message, 0)
	s.Call("go home", unix.SYS_FCHDIR, fdHome)
	pid := s.Words(0, ours)
	const spaces = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	s.Fork("clone", spaces|unix.CLONE_PARENT, inside).To(pid)
	s.Call("close", unix.SYS_CLOSE_RANGE, firstSlot, lastSlot, 0)
	s.Reply(pid, s.Words(16))

	s.Place(inside)
	s.OnFail(failed)
	for slot, n := range slices.Backward(numbers) {
		if slot += firstSlot; slot != n {
			s.Call("renumber", unix.SYS_DUP3, slot, n, 0)
		}
	}
	// Close the gaps between the copy's descriptors.
	next := firstSlot
	for _, n := range append(slices.Sorted(slices.Values(numbers)), 1<<32-1) {
		if n >= next {
			if n > next {
				s.Call("close", unix.SYS_CLOSE_RANGE, next, uint32(n-1), 0)
			}
			next = n + 1
		}
	}
	s.Call("close", unix.SYS_CLOSE, 0)
	s.Jump(born)
	s.Place(failed)
	s.Call("exit", unix.SYS_EXIT_GROUP, 1)
	s.Place(born) // the script ends: it replies, by the box's pipe
	s.OnFail(nil)
	return s
}

// copy makes the box as a copy of a parent.
func (t *Tier) copy(ctx context.Context, p *bootPlan, from *parent, ends glove.Ends, inner glove.Inner, group *cgroup.Group, g *native.Ground) error {
	files, done, err := p.files(inner, group, false)
	if err != nil {
		inner.Close()
		return broken("open", err)
	}
	box, err := from.fork(ctx, files)
	done()
	inner.Close() // only the box holds its ends now
	if err != nil {
		return broken("copy the parent", err)
	}
	g.Adopt(box)
	deadline := time.Now().Add(bootPatience)
	p.hideCounts(box.Pid)
	if err = native.MapUsers(box.Pid, tier.UID); err == nil {
		_, err = ends.Next(new(glove.Script), deadline)
	}
	if err != nil {
		if ctx.Err() == nil { // else we killed it
			err = fmt.Errorf("%w: %w", errBarren, err)
		}
		return broken("boot", err)
	}
	if _, err := ends.Do(p.script(), deadline); err != nil {
		return lack(err)
	}
	return p.measure(box.Pid, g)
}

// close ends the parent. Its copies live on.
func (p *parent) close() error {
	errs := []error{p.ends.Close()}
	if p.sends != nil {
		errs = append(errs, p.sends.Close())
	}
	switch {
	case p.proc == nil:
	case p.torn:
		native.Abandon(p.proc) // with those of its process group
	default:
		p.proc.Kill()
		p.proc.Wait()
	}
	return errors.Join(errs...)
}
