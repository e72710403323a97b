//go:build linux

package process

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

// bootPlan holds the inputs to the scripts of one box.
type bootPlan struct {
	host    *machine
	spec    *tier.Spec
	without missing
	metered bool     // a control group meters the memory
	sent    *os.File // receives the listener of the gate; nil for none
	gated   bool     // a gate keeps the limit of processes, or
	deaf    error    // why there is none
	joins   int      // files from firstJoin on to enter the control group by
	apart   bool     // the glove is started in the box's network name space
	box     glove.Config
}

// has reports whether the box is to have a control.
func (p *bootPlan) has(control string) bool { return p.without[control] == nil }

// do makes calls under the name of a control, if the box is to have the
// control.
func (p *bootPlan) do(s *glove.Script, control string, calls func(call caller)) {
	if !p.has(control) {
		return
	}
	calls(func(what string, nr uintptr, args ...any) *glove.Ins {
		return s.Call(control+": "+what, nr, args...)
	})
}

type caller func(what string, nr uintptr, args ...any) *glove.Ins

// script returns the boot script. The first part is for the host's child
// process; the rest is for pid 1 of the box, started by the first part.
func (p *bootPlan) script() *glove.Script {
	s := new(glove.Script)
	if p.box.Within {
		p.inside(s)
		p.root(s)
	} else {
		p.outside(s, func() { p.root(s) })
	}
	p.user(s)
	p.dev(s)
	p.scratch(s)
	p.names(s)
	native.NoMorePrivileges(s)
	if p.has(tier.ControlLandlock) && p.host.landlock > 0 {
		native.Landlock(s, p.host.landlock, p.metered)
	}
	if p.sent != nil {
		native.SendListener(s, p.host.listen, seccomp.Makes(), seccomp.Size)
	}
	// The meter must open its files before the box drops privileges: afterwards
	// they are unreadable.
	if p.metered {
		p.box.Begin(s)
	}
	return s
}

// outside enters the control group, makes pid 1 of the box with all namespaces
// as a child of the host, reports the pid, and ends. Pid 1 makes the calls of
// early while the host maps the users.
func (p *bootPlan) outside(s *glove.Script, early func()) {
	s.Call("close", unix.SYS_CLOSE, native.FDImage)
	p.join(s)
	if p.host.root {
		s.Call(tier.ControlUser+": drop the groups", unix.SYS_SETGROUPS, 0, 0)
	}
	native.NoCoreHandler(s) // while root may still raise the limit
	native.FirstToGo(s)
	flags := unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP
	for control, flag := range map[string]int{tier.ControlNetwork: unix.CLONE_NEWNET, tier.ControlIPC: unix.CLONE_NEWIPC, tier.ControlHostname: unix.CLONE_NEWUTS} {
		if p.has(control) && !(flag == unix.CLONE_NEWNET && p.apart) {
			flags |= flag
		}
	}
	native.SucceedWith(s, tier.ControlNamespaces+": clone", flags, early)
}

// inside is the rest of outside for a copy of a parent, whose users are mapped
// already.
func (p *bootPlan) inside(s *glove.Script) {
	s.Call("setsid", unix.SYS_SETSID)
	p.join(s)
	// The current group becomes the root of the box's view.
	s.Call(tier.ControlNamespaces+": unshare", unix.SYS_UNSHARE, unix.CLONE_NEWCGROUP)
}

// join enters the control group.
func (p *bootPlan) join(s *glove.Script) {
	for fd := firstJoin; fd < firstJoin+p.joins; fd++ {
		s.Call("enter the control group", unix.SYS_WRITE, fd, "0", 1)
		s.Call("close", unix.SYS_CLOSE, fd)
	}
}

// fdDevice is the descriptor of the devices, as detached mounts, until /dev
// exists.
const fdDevice = native.FDRules + 1

// attr is a struct mount_attr that adds flags.
func attr(s *glove.Script, flags int) (glove.Ref, int) {
	return s.Words(flags, 0, unix.MS_PRIVATE, 0), 32
}

const (
	wallFlags = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	tmpFlags  = unix.MS_NOSUID | unix.MS_NODEV
)

// root makes the tree the root of everything. The directory around the tree is
// mounted, and the root is set to the tree inside: so the mount is absent from
// the box's mount table, and with it the path on the host.
//
// This part still runs as the host's user, in the inherited directory: the path
// to the directory may be closed to other users.
func (p *bootPlan) root(s *glove.Script) {
	p.do(s, tier.ControlFilesystem, func(call caller) {
		call("private mounts", unix.SYS_MOUNT, 0, "/", 0, unix.MS_REC|unix.MS_PRIVATE, 0)
		if !p.metered && p.has(tier.ControlNetwork) && !p.apart {
			native.KeepBuffersSmall(s) // by the host's /proc: the box's is read-only
		}
		home := s.Buffer(8)
		call("open_tree", unix.SYS_OPEN_TREE, unix.AT_FDCWD, ".", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC).To(home)
		wall, size := attr(s, wallFlags)
		s.CallOn(home, tier.ControlFilesystem+": mount_setattr", unix.SYS_MOUNT_SETATTR, "", unix.AT_EMPTY_PATH, wall, size)
		at := "."
		if p.box.Within {
			at = tier.Workspace // in the parent's root: "." is not below that
		}
		s.CallOn(home, tier.ControlFilesystem+": move_mount", unix.SYS_MOVE_MOUNT, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH)
		for i, name := range p.host.devices {
			dev := s.Buffer(8)
			s.Call(tier.ControlDevices+": open_tree "+name, unix.SYS_OPEN_TREE, unix.AT_FDCWD, "/dev/"+name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC).To(dev)
			s.Renumber(dev, fdDevice+i)
		}
		s.CallOn(home, tier.ControlFilesystem+": fchdir", unix.SYS_FCHDIR)
		s.CallOn(home, "close", unix.SYS_CLOSE)
		tree := filepath.Base(p.spec.Root.Tree)
		p.ownFiles(s, tree)
		// The kernel grants a new /proc only while another is visible.
		p.do(s, tier.ControlProc, func(call caller) {
			call("mount", unix.SYS_MOUNT, "proc", tree+"/proc", "proc", tmpFlags|unix.MS_NOEXEC|unix.MS_RDONLY, 0)
		})
		call("pivot_root", unix.SYS_PIVOT_ROOT, ".", ".")
		call("leave the host's", unix.SYS_UMOUNT2, ".", unix.MNT_DETACH)
		call("chroot", unix.SYS_CHROOT, tree)
		call("chdir", unix.SYS_CHDIR, "/")
	})
}

// ownFiles lays an overlay over the tree.
func (p *bootPlan) ownFiles(s *glove.Script, tree string) {
	p.do(s, tier.ControlOwnFiles, func(call caller) {
		empty := tree + "/sys"
		tmpfs(call, empty, tmpFlags|unix.MS_NOEXEC|unix.MS_RDONLY, "size=4k,nr_inodes=2,mode=555")
		overlay := native.OwnFiles(s, tree, empty)
		s.CallOn(overlay, tier.ControlOwnFiles+": move_mount", unix.SYS_MOVE_MOUNT, "", unix.AT_FDCWD, tree, unix.MOVE_MOUNT_F_EMPTY_PATH)
		s.CallOn(overlay, "close", unix.SYS_CLOSE)
	})
}

// user makes us a user of the box, and makes us die with the host.
func (p *bootPlan) user(s *glove.Script) {
	uid, gid := p.gloveUser()
	s.Call(tier.ControlUser+": setresgid", unix.SYS_SETRESGID, gid, gid, gid)
	s.Call(tier.ControlUser+": setresuid", unix.SYS_SETRESUID, uid, uid, uid)
	s.Call("die with the host", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, int(unix.SIGKILL), 0, 0, 0)
	s.Call("umask", unix.SYS_UMASK, 0)
}

func (p *bootPlan) gloveUser() (uid, gid int) {
	if p.host.root {
		return 0, 0
	}
	return tier.UID, tier.GID
}

func tmpfs(call caller, at string, flags int, options string) {
	call("mount "+at, unix.SYS_MOUNT, "tmpfs", at, "tmpfs", flags, options)
}

// dev makes a /dev with a few harmless devices and the usual links, and covers
// the files of /proc that describe the host: files with the empty device,
// directories with the empty /sys, and files that programs need with constant
// contents.
func (p *bootPlan) dev(s *glove.Script) {
	p.do(s, tier.ControlDevices, func(call caller) {
		tmpfs(call, "/dev", tmpFlags|unix.MS_NOEXEC, "size=4k,nr_inodes=32,mode=755")
		for i, name := range p.host.devices {
			at := "/dev/" + name
			call("make "+name, unix.SYS_MKNODAT, unix.AT_FDCWD, at, unix.S_IFREG|0o666, 0)
			call("place "+name, unix.SYS_MOVE_MOUNT, fdDevice+i, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH)
			s.Call("close", unix.SYS_CLOSE, fdDevice+i)
		}
		for name, to := range map[string]string{"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"} {
			call("link "+name, unix.SYS_SYMLINKAT, "/proc/self/fd"+to, unix.AT_FDCWD, "/dev/"+name)
		}
		call("make shm", unix.SYS_MKDIRAT, unix.AT_FDCWD, "/dev/shm", 0o755)
		flags, size := attr(s, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC)
		call("mount_setattr", unix.SYS_MOUNT_SETATTR, unix.AT_FDCWD, "/dev", unix.AT_RECURSIVE, flags, size)
	})
	p.do(s, tier.ControlProc, func(call caller) {
		tmpfs(call, "/sys", tmpFlags|unix.MS_NOEXEC|unix.MS_RDONLY, "size=4k,nr_inodes=2,mode=555")
		for _, m := range p.host.masked {
			cover := "/dev/null"
			if m.Dir {
				cover = "/sys"
			}
			call("cover "+m.Path, unix.SYS_MOUNT, cover, m.Path, 0, unix.MS_BIND, 0)
		}
		native.Still(s, p.spec.Limits.Memory)
	})
}

// scratch mounts the writable directories. If the glove is another user, the
// workspace is sticky, which protects the glove's files.
func (p *bootPlan) scratch(s *glove.Script) {
	l := p.spec.Limits
	bound := fmt.Sprintf("size=%d,nr_inodes=%d", l.Disk, l.Files+1)
	workspace := bound + fmt.Sprintf(",mode=755,uid=%d,gid=%d", tier.UID, tier.GID)
	if p.host.root {
		workspace = bound + ",mode=1777"
	}
	p.do(s, tier.ControlDisk, func(call caller) {
		tmpfs(call, tier.Workspace, tmpFlags, workspace)
		tmpfs(call, tier.Temp, tmpFlags, bound+",mode=1777")
		tmpfs(call, "/dev/shm", tmpFlags|unix.MS_NOEXEC, bound+",mode=1777")
	})
}

// names sets the host's name and brings the loopback up where it is down.
func (p *bootPlan) names(s *glove.Script) {
	p.do(s, tier.ControlHostname, func(call caller) {
		call("sethostname", unix.SYS_SETHOSTNAME, tier.Hostname, len(tier.Hostname))
		call("setdomainname", unix.SYS_SETDOMAINNAME, "", 0)
	})
	if p.has(tier.ControlNetwork) && !p.apart {
		native.RaiseLoopback(s)
	}
}

// command is what each command puts on.
func (p *bootPlan) command() native.Command {
	c := native.Command{
		Limits: p.spec.Limits, Become: p.host.root,
		Landlock: p.has(tier.ControlLandlock) && p.host.landlock > 0,
	}
	if p.has(tier.ControlSyscalls) {
		c.Filter, c.FilterSize = seccomp.Filter(seccomp.Policy{Metered: p.metered}), seccomp.Size
	}
	if !p.metered {
		c.Tasks = uint64(p.spec.Limits.Processes)
		if !p.host.root {
			c.Tasks += native.GloveTasks // the glove is the same user
		}
		if p.gated {
			c.Tasks += native.Beyond // the gate refuses, and says so
		}
	}
	return c
}
