//go:build linux

package microvm

import (
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
)

// Descriptors of the glove: the files of the guest's control group, which has
// no path in the box. Package wire has the lower numbers until the first script
// of a box; no command has any of them.
const (
	fdJoin = 70 + iota
	fdMemoryMax
	fdPidsMax
	fdMemoryEvents
	fdPidsEvents
	fdMemoryPeak
)

// groupFiles are the files of the group, with their open flags.
var groupFiles = []struct {
	fd    int
	name  string
	flags int
}{
	{fdJoin, "cgroup.procs", unix.O_WRONLY},
	{fdMemoryMax, "memory.max", unix.O_WRONLY},
	{fdPidsMax, "pids.max", unix.O_WRONLY},
	{fdMemoryEvents, "memory.events", unix.O_RDONLY},
	{fdPidsEvents, "pids.events", unix.O_RDONLY},
	{fdMemoryPeak, "memory.peak", unix.O_RDONLY},
}

// templateScript brings a freshly booted guest to the state common to all
// boxes. The state holds nothing of any job.
func templateScript() *glove.Script {
	s := new(glove.Script)
	controlGroup(s)
	namespaces(s)
	root(s)
	dev(s)
	s.Call("set the host's name", unix.SYS_SETHOSTNAME, tier.Hostname, len(tier.Hostname))
	s.Call("set the domain's name", unix.SYS_SETDOMAINNAME, "", 0)
	native.RaiseLoopback(s)
	native.NoMorePrivileges(s)
	return s
}

// controlGroup makes the group of the commands. The glove stays outside: it
// must not suffer from shortages caused by commands.
func controlGroup(s *glove.Script) {
	const group = "/" + groupDir + "/box"
	writeFile(s, "/"+groupDir+"/cgroup.subtree_control", "+memory +pids")
	s.Call("make the control group", unix.SYS_MKDIRAT, unix.AT_FDCWD, group, 0o700)
	// On lack of memory the whole group ends, not a single process.
	writeFile(s, group+"/memory.oom.group", "1")
	for _, f := range groupFiles {
		fd := s.Buffer(8)
		s.Call("open "+f.name, unix.SYS_OPENAT, unix.AT_FDCWD, group+"/"+f.name, f.flags|unix.O_CLOEXEC, 0).To(fd)
		s.CallOn(fd, "dup3", unix.SYS_DUP3, f.fd, unix.O_CLOEXEC)
		s.CallOn(fd, "close", unix.SYS_CLOSE)
	}
}

func writeFile(s *glove.Script, path, text string) {
	fd := s.Buffer(8)
	s.Call("open "+path, unix.SYS_OPENAT, unix.AT_FDCWD, path, unix.O_WRONLY|unix.O_CLOEXEC, 0).To(fd)
	s.CallOn(fd, "write "+path, unix.SYS_WRITE, text, len(text))
	s.CallOn(fd, "close", unix.SYS_CLOSE)
}

// namespaces makes the glove's successor, process 1 of the box, where the
// script continues. The first glove stays, without a descriptor, as long as its
// successor: the relay waits for it.
func namespaces(s *glove.Script) {
	const flags = unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP
	pid, inside := s.Buffer(8), s.Label()
	s.Call("clone", unix.SYS_CLONE, flags|int(unix.SIGCHLD), 0, 0, 0, 0).To(pid)
	s.Load(pid).IfEqual(0, inside)
	s.Call("close descriptors", unix.SYS_CLOSE_RANGE, 0, uint32(1<<32-1), 0)
	s.CallOn(pid, "wait", unix.SYS_WAIT4, 0, 0, 0)
	s.Call("exit", unix.SYS_EXIT_GROUP, 0)
	s.Place(inside)
}

// root makes the drive the root of everything. The initramfs stays below, out
// of reach for processes without a way to change the root: pivot_root does not
// work in the box.
func root(s *glove.Script) {
	s.Call("private mounts", unix.SYS_MOUNT, 0, "/", 0, unix.MS_REC|unix.MS_PRIVATE, 0)
	s.Call("leave the control groups", unix.SYS_UMOUNT2, "/"+groupDir, unix.MNT_DETACH)
	s.Call("leave /dev", unix.SYS_UMOUNT2, "/dev", unix.MNT_DETACH)
	s.Call("chdir", unix.SYS_CHDIR, "/"+rootDir)
	s.Call("move the root", unix.SYS_MOUNT, ".", "/", 0, unix.MS_MOVE, 0)
	s.Call("chroot", unix.SYS_CHROOT, ".")
	s.Call("chdir", unix.SYS_CHDIR, "/")
	s.Call("mount /proc", unix.SYS_MOUNT, "proc", "/proc", "proc", tmpFlags|unix.MS_NOEXEC|unix.MS_RDONLY, 0)
	s.Call("mount /sys", unix.SYS_MOUNT, "tmpfs", "/sys", "tmpfs", tmpFlags|unix.MS_NOEXEC|unix.MS_RDONLY, "size=4k,nr_inodes=2,mode=555")
}

const tmpFlags = unix.MS_NOSUID | unix.MS_NODEV

// devices are the devices of a box, by number, all without state.
var devices = []struct {
	name  string
	minor int
}{{"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8}, {"urandom", 9}}

// dev makes a /dev with a few harmless devices and the usual links.
func dev(s *glove.Script) {
	s.Call("umask", unix.SYS_UMASK, 0)
	s.Call("mount /dev", unix.SYS_MOUNT, "tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "size=4k,nr_inodes=32,mode=755")
	for _, d := range devices {
		const memory = 1 // the devices' major number
		s.Call("make "+d.name, unix.SYS_MKNODAT, unix.AT_FDCWD, "/dev/"+d.name, unix.S_IFCHR|0o666, memory<<8|d.minor)
	}
	for _, l := range [][2]string{{"fd", ""}, {"stdin", "/0"}, {"stdout", "/1"}, {"stderr", "/2"}} {
		s.Call("link "+l[0], unix.SYS_SYMLINKAT, "/proc/self/fd"+l[1], unix.AT_FDCWD, "/dev/"+l[0])
	}
	s.Call("make shm", unix.SYS_MKDIRAT, unix.AT_FDCWD, "/dev/shm", 0o755)
	// The guest's kernel is the box's own, and the information no secret; but
	// no program needs it. A kernel has some of the paths, as files or
	// directories.
	for _, name := range native.Maskable {
		for _, cover := range []string{"/dev/null", "/sys"} {
			s.Call("cover /proc/"+name, unix.SYS_MOUNT, cover, "/proc/"+name, 0, unix.MS_BIND, 0).Ignore()
		}
	}
	s.Call("close /dev", unix.SYS_MOUNT, 0, "/dev", 0, unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NOEXEC, 0)
}

// The most that a guest wipes before a snapshot, and the part left alone.
const (
	mostWiped = 512 << 20
	unwiped   = 24 << 20
)

// freeScript asks the guest's kernel for the free memory: the sixth word of
// struct sysinfo, in bytes.
func freeScript() *glove.Script {
	s := new(glove.Script)
	info := s.Buffer(128)
	s.Call("sysinfo", unix.SYS_SYSINFO, info)
	s.Reply(info.Plus(5*8), s.Words(8))
	return s
}

// wipeScript fills n bytes of free memory with zeros: old contents, such as the
// kernel's compressed image, must not be kept in a snapshot and loaded with
// each box.
func wipeScript(n int64) *glove.Script {
	s := new(glove.Script)
	at := s.Words(0)
	s.Call("mmap", unix.SYS_MMAP, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE, -1, 0).To(at)
	s.CallOn(at, "munmap", unix.SYS_MUNMAP, n)
	return s
}
