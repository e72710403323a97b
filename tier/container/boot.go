//go:build linux

package container

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

// bootScript is the first script of the glove in the container: for work that a
// bundle cannot express, or where runtimes differ.
func (p *plan) bootScript() *glove.Script {
	s := new(glove.Script)
	first := s.Label()
	s.Call("getpid", unix.SYS_GETPID).IfEqual(1, first)
	s.Call(tier.ControlNamespaces+": be process 1", unix.SYS_CLOSE, -1) // fails
	s.Place(first)
	p.descriptors(s)
	if p.tier.runtime.guest {
		p.guestMounts(s)
		native.NoMorePrivileges(s)
		p.keep(s)
		return s
	}
	if p.joins > 0 {
		// The group just entered becomes the root of the visible groups.
		s.Call("unshare the control group", unix.SYS_UNSHARE, unix.CLONE_NEWCGROUP)
	}
	s.Call("setdomainname", unix.SYS_SETDOMAINNAME, "", 0)
	native.RaiseLoopback(s)
	for _, name := range native.Counts {
		if name == "sockstat" && !p.metered && !p.tier.root {
			continue // the meter reads it, and is the same user
		}
		// The network name space is the box's, and the kernel may lack the
		// file.
		s.Call("hide /proc/net/"+name, unix.SYS_FCHMODAT, unix.AT_FDCWD, "/proc/self/net/"+name, 0).Ignore()
	}
	p.scratch(s)
	p.dev(s)
	p.user(s) // who has another root than its mounts makes no user name space
	p.hide(s)
	native.Still(s, p.spec.Limits.Memory)
	readOnly(s, "/proc")
	native.NoMorePrivileges(s)
	if p.tier.landlock > 0 {
		native.Landlock(s, p.tier.landlock, p.metered)
	}
	p.keep(s)
	if p.sent != nil {
		native.SendListener(s, p.tier.listen, seccomp.Makes(), seccomp.Size)
	}
	return s
}

// descriptors gives the glove its streams, enters the control group, and closes
// the fillers of the range.
func (p *plan) descriptors(s *glove.Script) {
	for from, to := range map[int]int{fdStdout: 1, fdStderr: 2} {
		s.Call("dup3", unix.SYS_DUP3, from, to, 0)
		s.Call("close", unix.SYS_CLOSE, from)
	}
	if p.tier.runtime.guest {
		return // it was given no more
	}
	for _, n := range p.fillers {
		s.Call("close", unix.SYS_CLOSE, n)
	}
	for n := fdJoin; n < fdJoin+p.joins; n++ {
		s.Call("enter the control group", unix.SYS_WRITE, n, "0", 1)
		s.Call("close", unix.SYS_CLOSE, n)
	}
	// A runtime may have left more descriptors than it received.
	s.Call("close the rest", unix.SYS_CLOSE_RANGE, p.last()+1, uint32(1<<32-1), 0)
}

// hide takes the tree's path on the host out of the box's mount table. The
// runtime has made the tree itself the root, as a mount whose entry shows the
// path. In its place comes the directory around the tree, and the root is set
// to the overlay of the tree inside, which shows no path; the remaining mounts
// are moved.
func (p *plan) hide(s *glove.Script) {
	call := func(what string, nr uintptr, args ...any) *glove.Ins {
		return s.Call(tier.ControlFilesystem+": "+what, nr, args...)
	}
	call("private mounts", unix.SYS_MOUNT, 0, "/", 0, unix.MS_REC|unix.MS_PRIVATE, 0)
	places := []string{"/proc", "/dev", "/sys", tier.Temp, tier.Workspace}
	mounts := make([]glove.Ref, len(places))
	for i, at := range places {
		mounts[i] = s.Buffer(8)
		call("open_tree "+at, unix.SYS_OPEN_TREE, unix.AT_FDCWD, at, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE).To(mounts[i])
	}
	// The path may be closed to us, so avoid look-ups in it.
	home := fmt.Sprintf("/proc/self/fd/%d", fdHome)
	call("move_mount", unix.SYS_MOVE_MOUNT, fdHome, "", unix.AT_FDCWD, "/", unix.MOVE_MOUNT_F_EMPTY_PATH)
	tree := native.OwnFiles(s, fmt.Sprintf("/proc/self/fd/%d", fdTree), "/sys")
	s.CallOn(tree, tier.ControlOwnFiles+": move_mount", unix.SYS_MOVE_MOUNT, "", fdTree, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
	s.Renumber(tree, fdTree)
	for i, at := range places {
		s.CallOn(mounts[i], tier.ControlFilesystem+": move_mount "+at, unix.SYS_MOVE_MOUNT, "", fdTree, at[1:], unix.MOVE_MOUNT_F_EMPTY_PATH)
		s.CallOn(mounts[i], "close", unix.SYS_CLOSE)
	}
	call("pivot_root", unix.SYS_PIVOT_ROOT, home, home)
	call("leave the runtime's", unix.SYS_UMOUNT2, "/", unix.MNT_DETACH)
	call("fchdir", unix.SYS_FCHDIR, fdTree)
	call("chroot", unix.SYS_CHROOT, ".")
	s.Call("close", unix.SYS_CLOSE, fdHome)
	s.Call("close", unix.SYS_CLOSE, fdTree)
}

// scratch sets the modes of writable directories: runc copies the modes of the
// directories below. If the glove is another user, the workspace is sticky,
// which protects the glove's files.
func (p *plan) scratch(s *glove.Script) {
	workspace := 0o755
	if p.owner() {
		workspace = 0o1777
	}
	for at, mode := range map[string]int{tier.Workspace: workspace, tier.Temp: 0o1777, "/dev/shm": 0o1777} {
		s.Call("chmod "+at, unix.SYS_FCHMODAT, unix.AT_FDCWD, at, mode)
	}
}

// dev removes from /dev the files without use for commands, and makes /dev
// read-only.
func (p *plan) dev(s *glove.Script) {
	for _, name := range []string{"/dev/tty", "/dev/console"} {
		s.Call("umount", unix.SYS_UMOUNT2, name, unix.MNT_DETACH).Ignore()
	}
	for _, name := range []string{"/dev/tty", "/dev/console", "/dev/ptmx", "/dev/core"} {
		s.Call("unlink", unix.SYS_UNLINKAT, unix.AT_FDCWD, name, 0).Ignore()
	}
	readOnly(s, "/dev")
}

func readOnly(s *glove.Script, at string) {
	flags, size := attr(s, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC)
	s.Call("make "+at+" read-only", unix.SYS_MOUNT_SETATTR, unix.AT_FDCWD, at, 0, flags, size)
}

// user gives the glove its final user. If the caller is the only user, the
// glove was root of the container so far, as runtimes require, and from now on
// is the box's user, in one more user name space.
func (p *plan) user(s *glove.Script) {
	if p.tier.root {
		return
	}
	s.Call(tier.ControlUser+": unshare", unix.SYS_UNSHARE, unix.CLONE_NEWUSER|unix.CLONE_NEWNS)
	for _, f := range []struct{ name, text string }{{"setgroups", "deny"}, {"gid_map", "1000 0 1"}, {"uid_map", "1000 0 1"}} {
		fd := s.Buffer(8)
		s.Call(tier.ControlUser+": open "+f.name, unix.SYS_OPENAT, unix.AT_FDCWD, "/proc/self/"+f.name, unix.O_WRONLY|unix.O_CLOEXEC, 0).To(fd)
		s.CallOn(fd, tier.ControlUser+": write "+f.name, unix.SYS_WRITE, f.text, len(f.text))
		s.CallOn(fd, "close", unix.SYS_CLOSE)
	}
}

// keep gives up all capabilities except those for staging files and for
// starting and ending commands.
func (p *plan) keep(s *glove.Script) {
	kept := []int{unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_KILL, unix.CAP_SETUID, unix.CAP_SETGID}
	if !p.owner() {
		kept = append(kept, unix.CAP_SYS_ADMIN) // read-only files are mounts
	}
	var set uint64
	for _, c := range kept {
		set |= 1 << c
	}
	// struct __user_cap_data_struct, twice: effective, permitted, inheritable.
	low, high := set&(1<<32-1), set>>32
	data := s.Words(low|low<<32, high<<32, high)
	s.Call("keep few capabilities", unix.SYS_CAPSET, s.Words(uint64(unix.LINUX_CAPABILITY_VERSION_3)), data)
}

// owner reports whether glove and commands are different users. A guest has all
// users, whoever the guest's kernel is on the host.
func (p *plan) owner() bool { return p.tier.root || p.tier.runtime.guest }

// command is what each command puts on: the walls of the process tier.
func (p *plan) command() native.Command {
	guest := p.tier.runtime.guest
	c := native.Command{
		Limits: p.spec.Limits, Become: p.owner(), Guest: guest, Landlock: p.tier.landlock > 0 && !guest,
		Filter: seccomp.Filter(seccomp.Policy{Metered: p.metered || guest}), FilterSize: seccomp.Size,
	}
	if !p.metered || guest {
		c.Tasks = uint64(p.spec.Limits.Processes)
		if !p.owner() {
			c.Tasks += native.GloveTasks // the glove is the same user
		}
		if p.gated {
			c.Tasks += native.Beyond // the gate refuses, and says so
		}
	}
	return c
}
