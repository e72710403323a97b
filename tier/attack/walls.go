package attack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// Bait holds decoys on the host as targets of the attacks.
type Bait struct {
	file string       // that anybody may read
	tcp  *net.TCPAddr // of a service on the host's loopback
	unix string       // of one in the abstract names
	held []interface{ Close() error }
}

// NewBait lays it out. It is there until Close.
func NewBait() (b *Bait, err error) {
	b = &Bait{}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	f, err := os.CreateTemp("", "glovebox-bait-")
	if err != nil {
		return b, err
	}
	b.file = f.Name()
	if err := errors.Join(f.Chmod(0o644), f.Close()); err != nil {
		return b, err
	}
	port, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return b, err
	}
	b.held = append(b.held, port)
	b.tcp = port.Addr().(*net.TCPAddr)
	b.unix = fmt.Sprintf("@glovebox-bait-%d", b.tcp.Port)
	name, err := net.Listen("unix", b.unix)
	if err != nil {
		return b, err
	}
	b.held = append(b.held, name)
	return b, nil
}

// Close takes it away.
func (b *Bait) Close() error {
	var errs []error
	for _, h := range b.held {
		errs = append(errs, h.Close())
	}
	if b.file != "" {
		errs = append(errs, os.Remove(b.file))
	}
	b.held, b.file = nil, ""
	return errors.Join(errs...)
}

// Walls are attacks on the controls of every tier.
func Walls(b *Bait) []Attack {
	outside := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} // of TEST-NET-1
	return []Attack{
		{Control: tier.ControlFilesystem, What: "making a file in /", Held: Fails(linux.EROFS, linux.EACCES),
			Program: opens("/attack", linux.O_CREAT|linux.O_WRONLY)},
		{Control: tier.ControlFilesystem, What: "reading a file of the host's", Held: Fails(linux.ENOENT),
			Program: opens(b.file, linux.O_RDONLY)},
		{Control: tier.ControlProc, What: "looking at our own process on the host", Held: Fails(linux.ENOENT),
			Program: opens(fmt.Sprintf("/proc/%d/cmdline", os.Getpid()), linux.O_RDONLY)},
		{Control: tier.ControlProc, What: "reading the kernel's command line", Held: Secret("/proc/cmdline"),
			Program: prints("/proc/cmdline")},
		{Control: tier.ControlProc, What: "writing the host's core pattern", Held: Fails(linux.EROFS, linux.EACCES, linux.ENOENT),
			Program: opens("/proc/sys/kernel/core_pattern", linux.O_WRONLY)},
		{Control: tier.ControlDevices, What: "making a device", Held: Fails(linux.EPERM, linux.EACCES),
			Program: call(linux.SYS_MKNODAT, linux.AT_FDCWD, tier.Temp+"/disk", linux.S_IFBLK|0o666, 8<<8)},
		{Control: tier.ControlDevices, What: "opening the kernel's log", Held: Fails(linux.ENOENT, linux.EACCES),
			Program: opens("/dev/kmsg", linux.O_RDONLY)},
		{Control: tier.ControlNetwork, What: "connecting to a service on the host's loopback", Held: Fails(linux.ECONNREFUSED),
			Program: connects(inet(b.tcp))},
		{Control: tier.ControlNetwork, What: "connecting to an abstract name of the host's", Held: Fails(linux.ECONNREFUSED, linux.EPERM),
			Program: connects(abstract(b.unix))},
		{Control: tier.ControlNetwork, What: "connecting to the world", Held: Fails(linux.ENETUNREACH),
			Program: connects(inet(outside))},
		{Control: tier.ControlHostname, What: "asking for the host's name", Held: ownName,
			Program: uname},
		{Control: tier.ControlUser, What: "becoming root", Held: Fails(linux.EPERM, linux.EINVAL),
			Program: call(linux.SYS_SETRESUID, 0, 0, 0)},
		{Control: tier.ControlCapabilities, What: "mounting", Held: Fails(linux.EPERM),
			Program: call(linux.SYS_MOUNT, "x", tier.Temp, "tmpfs", 0, 0)},
		{Control: tier.ControlNoNewPrivs, What: "asking for it", Held: Prints("\x01"),
			Program: func(s *glove.Script) {
				set := s.Buffer(8)
				s.Call("prctl", linux.SYS_PRCTL, linux.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0).To(set)
				s.Call("write", linux.SYS_WRITE, 1, set, 1)
			}},
		{Control: tier.ControlNamespaces, What: "making a user namespace", Held: Fails(linux.EPERM),
			Program: call(linux.SYS_UNSHARE, linux.CLONE_NEWUSER)},
		{Control: tier.ControlNamespaces, What: "making a process in a user namespace", Held: Fails(linux.EPERM),
			Program: call(linux.SYS_CLONE, linux.CLONE_NEWUSER|uint64(linux.SIGCHLD), 0, 0, 0, 0)},
		{Control: tier.ControlDescriptors, What: "using every descriptor from 3 to 300", Held: Fails(linux.EBADF),
			Program: useDescriptors},
		{Control: tier.ControlAgent, What: "killing the agent", Held: Prints("alive"),
			Program: func(s *glove.Script) {
				s.Call("kill", linux.SYS_KILL, 1, linux.SIGKILL).Ignore()
				s.Call("write", linux.SYS_WRITE, 1, "alive", 5)
			}},
		{Control: tier.ControlAgent, What: "limiting the agent's processor time", Held: Prints("alive"),
			Program: func(s *glove.Script) {
				for _, thread := range []int{1, 2} {
					s.Call("prlimit", linux.SYS_PRLIMIT64, thread, linux.RLIMIT_CPU, s.Words(0, 0), 0).Ignore()
				}
				s.Call("sleep", linux.SYS_NANOSLEEP, s.Words(0, int64(soon)), 0)
				s.Call("write", linux.SYS_WRITE, 1, "alive", 5)
			}},
		{Control: tier.ControlAgent, What: "opening the agent's memory", Held: Fails(linux.EACCES, linux.EPERM, linux.EROFS),
			Program: opens("/proc/1/mem", linux.O_RDWR)},
	}
}

// Kernel are attacks on the host's kernel, for tiers with a shared kernel.
func Kernel() []Attack {
	refused := func(what string, nr uintptr, args ...any) Attack {
		return Attack{Control: tier.ControlSyscalls, What: what, Held: Fails(linux.EPERM, linux.ENOSYS, linux.EAFNOSUPPORT), Program: call(nr, args...)}
	}
	return []Attack{
		refused("ptrace", linux.SYS_PTRACE, linux.PTRACE_ATTACH, 1, 0, 0),
		refused("process_vm_readv", linux.SYS_PROCESS_VM_READV, 1, 0, 0, 0, 0, 0),
		refused("bpf", linux.SYS_BPF, 0, 0, 0),
		refused("perf_event_open", linux.SYS_PERF_EVENT_OPEN, 0, 0, -1, -1, 0),
		refused("userfaultfd", linux.SYS_USERFAULTFD, 0),
		refused("io_uring", linux.SYS_IO_URING_SETUP, 1, make([]byte, 256)),
		refused("keys", linux.SYS_KEYCTL, 0, -3, 0, 0, 0),
		refused("open_by_handle_at", linux.SYS_OPEN_BY_HANDLE_AT, 0, 0, 0),
		refused("setns", linux.SYS_SETNS, 0, 0),
		refused("clone3", linux.SYS_CLONE3, make([]byte, 64), 64),
		refused("chroot", linux.SYS_CHROOT, "/"),
		refused("the new mount calls", linux.SYS_FSOPEN, "tmpfs", 0),
		refused("modules", linux.SYS_FINIT_MODULE, 0, "", 0),
		refused("reboot", linux.SYS_REBOOT, 0, 0, 0, 0),
		refused("the clock", linux.SYS_SETTIMEOFDAY, 0, 0),
		refused("vsock", linux.SYS_SOCKET, linux.AF_VSOCK, linux.SOCK_STREAM, 0),
		refused("raw packets", linux.SYS_SOCKET, linux.AF_PACKET, linux.SOCK_RAW, 0),
		refused("netfilter", linux.SYS_SOCKET, linux.AF_NETLINK, linux.SOCK_RAW, linux.NETLINK_NETFILTER),
		refused("the kernel's cryptography", linux.SYS_SOCKET, linux.AF_ALG, linux.SOCK_SEQPACKET, 0),
		refused("a lease on a file", linux.SYS_FCNTL, 1, linux.F_SETLEASE, 0),
		refused("notes of a directory", linux.SYS_FCNTL, 1, linux.F_NOTIFY, 1),
		refused("watching files", linux.SYS_INOTIFY_INIT1, 0),
		refused("which pages others have read", linux.SYS_MINCORE, 0, 0, 0),
		refused("pages in pipes", linux.SYS_VMSPLICE, 1, 0, 0, 0),
		refused("urgent data", linux.SYS_SENDTO, 1, "x", 1, linux.MSG_OOB, 0, 0),
		refused("programs in sockets", linux.SYS_SETSOCKOPT, 1, linux.SOL_SOCKET, linux.SO_ATTACH_FILTER, 0, 0),
		refused("core files", linux.SYS_PRLIMIT64, 0, linux.RLIMIT_CORE, make([]byte, 16), 0),
		coreHandler(),
		refused("typing into a terminal", linux.SYS_IOCTL, 0, linux.TIOCSTI, "x"),
	}
}

// coreHandler looks at the limit of core files, which is 1 where the host's handler
// is to leave a process alone (see native.NoCoreHandler).
func coreHandler() Attack {
	return Attack{
		Control: tier.ControlSyscalls, What: "crashing into the host's handler of core files",
		Program: func(s *glove.Script) {
			limit := s.Buffer(16)
			s.Call("prlimit", linux.SYS_PRLIMIT64, 0, linux.RLIMIT_CORE, 0, limit)
			s.Call("write", linux.SYS_WRITE, 1, limit, 16)
		},
		Held: func(_ glovebox.Outcome, stdout []byte) (bool, string) {
			if len(stdout) == 16 && binary.NativeEndian.Uint64(stdout) == 1 {
				return true, "a limit that keeps the handler away"
			}
			pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
			if err == nil && !strings.HasPrefix(string(pattern), "|") && !strings.HasPrefix(string(pattern), "@") {
				return true, "the host has none"
			}
			return false, "the limit of core files of whoever runs Glovebox is 0, and the host has a handler: raise the hard limit (ulimit -Hc 1)"
		},
	}
}

func call(nr uintptr, args ...any) func(*glove.Script) {
	return func(s *glove.Script) { s.Call("call", nr, args...) }
}

func opens(path string, flags int) func(*glove.Script) {
	return call(linux.SYS_OPENAT, linux.AT_FDCWD, path, flags, 0o644)
}

// prints writes the beginning of a file to stdout.
func prints(path string) func(*glove.Script) {
	return func(s *glove.Script) {
		fd, buf, n := s.Buffer(8), s.Buffer(4096), s.Buffer(8)
		s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, path, linux.O_RDONLY, 0).To(fd)
		s.CallOn(fd, "read", linux.SYS_READ, buf, 4096).To(n)
		count := s.Load(n)
		write := s.Call("write", linux.SYS_WRITE, 1, buf, 0)
		count.To(write.Arg(2))
	}
}

// Secret is for attacks that print a file of the host's kernel.
func Secret(path string) func(glovebox.Outcome, []byte) (bool, string) {
	return func(out glovebox.Outcome, stdout []byte) (bool, string) {
		if host, err := os.ReadFile(path); err == nil && len(host) > 0 && string(host) == string(stdout) {
			return false, "it is the host's"
		}
		return true, fmt.Sprintf("%d bytes, not the host's", len(stdout))
	}
}

func inet(to *net.TCPAddr) []byte {
	a := binary.NativeEndian.AppendUint16(nil, linux.AF_INET)
	a = binary.BigEndian.AppendUint16(a, uint16(to.Port))
	return append(append(a, to.IP.To4()...), make([]byte, 8)...)
}

func abstract(name string) []byte {
	return append(binary.NativeEndian.AppendUint16(nil, linux.AF_UNIX), "\x00"+name[1:]...)
}

func connects(address []byte) func(*glove.Script) {
	return func(s *glove.Script) {
		fd := s.Buffer(8)
		family := int(binary.NativeEndian.Uint16(address))
		s.Call("socket", linux.SYS_SOCKET, family, linux.SOCK_STREAM, 0).To(fd)
		s.CallOn(fd, "connect", linux.SYS_CONNECT, address, len(address))
	}
}

// exits returns a label where the program ends with an exit code.
func exits(s *glove.Script, code int) *glove.Label {
	end, on := s.Label(), s.Label()
	s.Jump(on)
	s.Place(end)
	s.Call("exit", linux.SYS_EXIT_GROUP, code)
	s.Place(on)
	return end
}

// useDescriptors ends with 0 as soon as a descriptor is open, or else with
// EBADF.
func useDescriptors(s *glove.Script) {
	leak := exits(s, 0)
	for fd := 3; fd <= 300; fd++ {
		s.Call("fcntl", linux.SYS_FCNTL, fd, linux.F_GETFD).IfOther(-int64(linux.EBADF), leak)
	}
	s.Call("exit", linux.SYS_EXIT_GROUP, int(linux.EBADF))
}

// Fields of struct utsname.
const (
	utsField = 65
	utsNode  = 1
	utsSize  = 6 * utsField
)

// uname writes the kernel's own description.
func uname(s *glove.Script) {
	buf := s.Buffer(utsSize)
	s.Call("uname", linux.SYS_UNAME, buf)
	s.Call("write", linux.SYS_WRITE, 1, buf, utsSize)
}

func ownName(_ glovebox.Outcome, stdout []byte) (bool, string) {
	if len(stdout) != utsSize {
		return false, fmt.Sprintf("%d bytes", len(stdout))
	}
	name, _, _ := strings.Cut(string(stdout[utsNode*utsField:]), "\x00")
	return name == tier.Hostname, name
}

// Landlock is an attack that only Landlock stops: by the device's mode and
// mount, every process may write to the host's random numbers.
func Landlock() Attack {
	return Attack{Control: tier.ControlLandlock, What: "writing to a device that is for reading", Held: Fails(linux.EACCES),
		Program: opens("/dev/random", linux.O_WRONLY)}
}
