package attack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// Bait is what the attacks are after on the host.
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

// Walls are attacks on the controls that every tier has.
func Walls(b *Bait) []Attack {
	outside := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} // of TEST-NET-1
	return []Attack{
		{Control: tier.ControlFilesystem, What: "making a file in /", Held: Fails(unix.EROFS, unix.EACCES),
			Program: opens("/attack", unix.O_CREAT|unix.O_WRONLY)},
		{Control: tier.ControlFilesystem, What: "reading a file of the host's", Held: Fails(unix.ENOENT),
			Program: opens(b.file, unix.O_RDONLY)},
		{Control: tier.ControlProc, What: "looking at our own process on the host", Held: Fails(unix.ENOENT),
			Program: opens(fmt.Sprintf("/proc/%d/cmdline", os.Getpid()), unix.O_RDONLY)},
		{Control: tier.ControlProc, What: "reading the kernel's command line", Held: Secret("/proc/cmdline"),
			Program: prints("/proc/cmdline")},
		{Control: tier.ControlProc, What: "writing the host's core pattern", Held: Fails(unix.EROFS, unix.EACCES, unix.ENOENT),
			Program: opens("/proc/sys/kernel/core_pattern", unix.O_WRONLY)},
		{Control: tier.ControlDevices, What: "making a device", Held: Fails(unix.EPERM, unix.EACCES),
			Program: call(unix.SYS_MKNODAT, unix.AT_FDCWD, tier.Temp+"/disk", unix.S_IFBLK|0o666, 8<<8)},
		{Control: tier.ControlDevices, What: "opening the kernel's log", Held: Fails(unix.ENOENT, unix.EACCES),
			Program: opens("/dev/kmsg", unix.O_RDONLY)},
		{Control: tier.ControlNetwork, What: "connecting to a service on the host's loopback", Held: Fails(unix.ECONNREFUSED),
			Program: connects(inet(b.tcp))},
		{Control: tier.ControlNetwork, What: "connecting to an abstract name of the host's", Held: Fails(unix.ECONNREFUSED, unix.EPERM),
			Program: connects(abstract(b.unix))},
		{Control: tier.ControlNetwork, What: "connecting to the world", Held: Fails(unix.ENETUNREACH),
			Program: connects(inet(outside))},
		{Control: tier.ControlHostname, What: "asking for the host's name", Held: ownName,
			Program: uname},
		{Control: tier.ControlUser, What: "becoming root", Held: Fails(unix.EPERM, unix.EINVAL),
			Program: call(unix.SYS_SETRESUID, 0, 0, 0)},
		{Control: tier.ControlCapabilities, What: "mounting", Held: Fails(unix.EPERM),
			Program: call(unix.SYS_MOUNT, "x", tier.Temp, "tmpfs", 0, 0)},
		{Control: tier.ControlNoNewPrivs, What: "asking for it", Held: Prints("\x01"),
			Program: func(s *glove.Script) {
				set := s.Buffer(8)
				s.Call("prctl", unix.SYS_PRCTL, unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0).To(set)
				s.Call("write", unix.SYS_WRITE, 1, set, 1)
			}},
		{Control: tier.ControlNamespaces, What: "making a user namespace", Held: Fails(unix.EPERM),
			Program: call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)},
		{Control: tier.ControlNamespaces, What: "making a process in a user namespace", Held: Fails(unix.EPERM),
			Program: call(unix.SYS_CLONE, unix.CLONE_NEWUSER|uint64(unix.SIGCHLD), 0, 0, 0, 0)},
		{Control: tier.ControlDescriptors, What: "using every descriptor from 3 to 300", Held: Fails(unix.EBADF),
			Program: useDescriptors},
		{Control: tier.ControlAgent, What: "killing the agent", Held: Prints("alive"),
			Program: func(s *glove.Script) {
				s.Call("kill", unix.SYS_KILL, 1, unix.SIGKILL).Ignore()
				s.Call("write", unix.SYS_WRITE, 1, "alive", 5)
			}},
		{Control: tier.ControlAgent, What: "limiting the agent's processor time", Held: Prints("alive"),
			Program: func(s *glove.Script) {
				for _, thread := range []int{1, 2} {
					s.Call("prlimit", unix.SYS_PRLIMIT64, thread, unix.RLIMIT_CPU, s.Words(0, 0), 0).Ignore()
				}
				s.Call("sleep", unix.SYS_NANOSLEEP, s.Words(0, int64(soon)), 0)
				s.Call("write", unix.SYS_WRITE, 1, "alive", 5)
			}},
		{Control: tier.ControlAgent, What: "opening the agent's memory", Held: Fails(unix.EACCES, unix.EPERM, unix.EROFS),
			Program: opens("/proc/1/mem", unix.O_RDWR)},
	}
}

// Kernel are attacks on the host's kernel, for tiers whose boxes share it.
func Kernel() []Attack {
	refused := func(what string, nr uintptr, args ...any) Attack {
		return Attack{Control: tier.ControlSyscalls, What: what, Held: Fails(unix.EPERM, unix.ENOSYS, unix.EAFNOSUPPORT), Program: call(nr, args...)}
	}
	return []Attack{
		refused("ptrace", unix.SYS_PTRACE, unix.PTRACE_ATTACH, 1, 0, 0),
		refused("process_vm_readv", unix.SYS_PROCESS_VM_READV, 1, 0, 0, 0, 0, 0),
		refused("bpf", unix.SYS_BPF, 0, 0, 0),
		refused("perf_event_open", unix.SYS_PERF_EVENT_OPEN, 0, 0, -1, -1, 0),
		refused("userfaultfd", unix.SYS_USERFAULTFD, 0),
		refused("io_uring", unix.SYS_IO_URING_SETUP, 1, make([]byte, 256)),
		refused("keys", unix.SYS_KEYCTL, 0, -3, 0, 0, 0),
		refused("open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT, 0, 0, 0),
		refused("setns", unix.SYS_SETNS, 0, 0),
		refused("clone3", unix.SYS_CLONE3, make([]byte, 64), 64),
		refused("chroot", unix.SYS_CHROOT, "/"),
		refused("the new mount calls", unix.SYS_FSOPEN, "tmpfs", 0),
		refused("modules", unix.SYS_FINIT_MODULE, 0, "", 0),
		refused("reboot", unix.SYS_REBOOT, 0, 0, 0, 0),
		refused("the clock", unix.SYS_SETTIMEOFDAY, 0, 0),
		refused("vsock", unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0),
		refused("raw packets", unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW, 0),
		refused("netfilter", unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER),
		refused("the kernel's cryptography", unix.SYS_SOCKET, unix.AF_ALG, unix.SOCK_SEQPACKET, 0),
		refused("typing into a terminal", unix.SYS_IOCTL, 0, unix.TIOCSTI, "x"),
	}
}

func call(nr uintptr, args ...any) func(*glove.Script) {
	return func(s *glove.Script) { s.Call("call", nr, args...) }
}

func opens(path string, flags int) func(*glove.Script) {
	return call(unix.SYS_OPENAT, unix.AT_FDCWD, path, flags, 0o644)
}

// prints writes the beginning of a file to stdout.
func prints(path string) func(*glove.Script) {
	return func(s *glove.Script) {
		fd, buf, n := s.Buffer(8), s.Buffer(4096), s.Buffer(8)
		s.Call("open", unix.SYS_OPENAT, unix.AT_FDCWD, path, unix.O_RDONLY, 0).To(fd)
		s.CallOn(fd, "read", unix.SYS_READ, buf, 4096).To(n)
		count := s.Load(n)
		write := s.Call("write", unix.SYS_WRITE, 1, buf, 0)
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
	a := binary.NativeEndian.AppendUint16(nil, unix.AF_INET)
	a = binary.BigEndian.AppendUint16(a, uint16(to.Port))
	return append(append(a, to.IP.To4()...), make([]byte, 8)...)
}

func abstract(name string) []byte {
	return append(binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX), "\x00"+name[1:]...)
}

func connects(address []byte) func(*glove.Script) {
	return func(s *glove.Script) {
		fd := s.Buffer(8)
		family := int(binary.NativeEndian.Uint16(address))
		s.Call("socket", unix.SYS_SOCKET, family, unix.SOCK_STREAM, 0).To(fd)
		s.CallOn(fd, "connect", unix.SYS_CONNECT, address, len(address))
	}
}

// exits returns a label where the program ends with an exit code.
func exits(s *glove.Script, code int) *glove.Label {
	end, on := s.Label(), s.Label()
	s.Jump(on)
	s.Place(end)
	s.Call("exit", unix.SYS_EXIT_GROUP, code)
	s.Place(on)
	return end
}

// useDescriptors ends with 0 as soon as one of them is open, or else with
// EBADF.
func useDescriptors(s *glove.Script) {
	leak := exits(s, 0)
	for fd := 3; fd <= 300; fd++ {
		s.Call("fcntl", unix.SYS_FCNTL, fd, unix.F_GETFD).IfOther(-int64(unix.EBADF), leak)
	}
	s.Call("exit", unix.SYS_EXIT_GROUP, int(unix.EBADF))
}

// Fields of struct utsname.
const (
	utsField = 65
	utsNode  = 1
	utsSize  = 6 * utsField
)

// uname writes what the kernel says of itself.
func uname(s *glove.Script) {
	buf := s.Buffer(utsSize)
	s.Call("uname", unix.SYS_UNAME, buf)
	s.Call("write", unix.SYS_WRITE, 1, buf, utsSize)
}

func ownName(_ glovebox.Outcome, stdout []byte) (bool, string) {
	if len(stdout) != utsSize {
		return false, fmt.Sprintf("%d bytes", len(stdout))
	}
	name, _, _ := strings.Cut(string(stdout[utsNode*utsField:]), "\x00")
	return name == tier.Hostname, name
}
