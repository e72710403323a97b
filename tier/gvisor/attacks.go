package gvisor

import (
	"bytes"
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

// attack is a program that tries to get past one control of a box. It ends
// with the number of the error that stopped it.
type attack struct {
	control string
	what    string                 // what is tried
	limits  func(*glovebox.Limits) // of a box of its own, for attacks that spoil it
	program func(*glove.Script)
	// stopped tells whether the control held, and what was seen.
	stopped func(glovebox.Outcome, []byte) (bool, string)
}

// bait is what the attacks are after on the host.
type bait struct {
	file    string // that anybody may read
	service *net.TCPListener
	port    *net.TCPAddr // of the service, on the host's loopback
}

func newBait() (*bait, error) {
	f, err := os.CreateTemp("", "bait")
	if err != nil {
		return nil, err
	}
	b := &bait{file: f.Name()}
	if err := errors.Join(f.Chmod(0o644), f.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(b.file))
	}
	if b.service, err = net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		return nil, errors.Join(err, os.Remove(b.file))
	}
	b.port = b.service.Addr().(*net.TCPAddr)
	return b, nil
}

func (b *bait) Close() error { return errors.Join(b.service.Close(), os.Remove(b.file)) }

// attacks returns one attack, or some, for each control.
func attacks(b *bait) []attack {
	list := []attack{
		{control: "kernel", what: "uname",
			program: uname, stopped: otherKernel},
		{control: "root", what: "making a file in /",
			program: func(s *glove.Script) {
				s.Call("open", unix.SYS_OPENAT, unix.AT_FDCWD, "/attack", unix.O_CREAT|unix.O_WRONLY, 0o644)
			}, stopped: fails(unix.EROFS, unix.EACCES)},
		{control: "files of the host", what: "reading " + b.file + " of the host",
			program: opens(b.file, unix.O_RDONLY), stopped: fails(unix.ENOENT)},
		{control: "processes of the host", what: fmt.Sprintf("reading /proc/%d", os.Getpid()),
			program: opens(fmt.Sprintf("/proc/%d/cmdline", os.Getpid()), unix.O_RDONLY), stopped: fails(unix.ENOENT)},
		{control: "network", what: "connecting to " + b.port.String() + " of the host",
			program: connects(b.port), stopped: fails(unix.ECONNREFUSED)},
		{control: "network", what: "connecting to 192.0.2.1:80",
			program: connects(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}), stopped: fails(unix.ENETUNREACH)},
		{control: "hostname", what: "uname", program: uname, stopped: ownHostname},
		{control: "user", what: "setuid(0)",
			program: func(s *glove.Script) { s.Call("setuid", unix.SYS_SETUID, 0) }, stopped: fails(unix.EPERM)},
		{control: "capabilities", what: "mounting a file system",
			program: func(s *glove.Script) { s.Call("mount", unix.SYS_MOUNT, "x", tier.Temp, "tmpfs", 0, 0) }, stopped: fails(unix.EPERM)},
		{control: "no_new_privs", what: "asking for it",
			program: func(s *glove.Script) {
				s.Call("prctl", unix.SYS_PRCTL, unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0).IfEqual(1, exits(s, int(unix.EPERM)))
			}, stopped: fails(unix.EPERM)},
		{control: "namespaces", what: "making a user namespace",
			program: func(s *glove.Script) { s.Call("unshare", unix.SYS_UNSHARE, unix.CLONE_NEWUSER) }, stopped: fails(unix.EPERM)},
		{control: "descriptors", what: "using every descriptor from 3 to 300",
			program: useDescriptors, stopped: fails(unix.EBADF)},
		{control: "agent", what: "killing the agent",
			program: func(s *glove.Script) { s.Call("kill", unix.SYS_KILL, 1, unix.SIGKILL) }, stopped: fails(unix.EPERM)},
		{control: "agent", what: "opening the agent's memory", program: opens("/proc/1/mem", unix.O_RDWR), stopped: fails(unix.EACCES, unix.EPERM)},
	}
	return append(list, limitAttacks()...)
}

// fails is for attacks that one of the errors stops.
func fails(want ...unix.Errno) func(glovebox.Outcome, []byte) (bool, string) {
	return func(out glovebox.Outcome, _ []byte) (bool, string) {
		if out.Cause != glovebox.CauseExit || out.Signal != "" {
			return false, fmt.Sprintf("ended with %s %s", out.Cause, out.Signal)
		}
		for _, e := range want {
			if out.ExitCode == int(e) {
				return true, unix.ErrnoName(e)
			}
		}
		if out.ExitCode == 0 {
			return false, "it succeeded"
		}
		return false, unix.ErrnoName(unix.Errno(out.ExitCode))
	}
}

func opens(path string, flags int) func(*glove.Script) {
	return func(s *glove.Script) { s.Call("open", unix.SYS_OPENAT, unix.AT_FDCWD, path, flags, 0) }
}

func connects(to *net.TCPAddr) func(*glove.Script) {
	return func(s *glove.Script) {
		address := binary.LittleEndian.AppendUint16(nil, unix.AF_INET)
		address = binary.BigEndian.AppendUint16(address, uint16(to.Port))
		address = append(append(address, to.IP.To4()...), make([]byte, 8)...)
		connect := func(fd glove.Ref) {
			s.CallOn(fd, "connect", unix.SYS_CONNECT, s.Bytes(address), len(address))
		}
		fd := s.Buffer(8)
		s.Call("socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0).To(fd)
		connect(fd)
	}
}

// exits returns a label where the program ends with an exit code. It places
// the end where the script goes on, so the script must not fall into it.
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

// uname writes what the kernel says of itself.
func uname(s *glove.Script) {
	const size = 6 * 65
	buf := s.Buffer(size)
	s.Call("uname", unix.SYS_UNAME, buf)
	s.Call("write", unix.SYS_WRITE, 1, buf, size)
}

// unameFields are the system, the host name, the release and the version.
func unameFields(b []byte) [4]string {
	var f [4]string
	for i := range f {
		if len(b) >= (i+1)*65 {
			f[i], _, _ = strings.Cut(string(b[i*65:(i+1)*65]), "\x00")
		}
	}
	return f
}

func otherKernel(_ glovebox.Outcome, stdout []byte) (bool, string) {
	guest := unameFields(stdout)
	var host unix.Utsname
	if err := unix.Uname(&host); err != nil {
		return false, err.Error()
	}
	ours := unix.ByteSliceToString(host.Release[:]) + " " + unix.ByteSliceToString(host.Version[:])
	theirs := guest[2] + " " + guest[3]
	return guest[2] != "" && theirs != ours, fmt.Sprintf("the guest has %s, the host %s", theirs, ours)
}

func ownHostname(_ glovebox.Outcome, stdout []byte) (bool, string) {
	name := unameFields(stdout)[1]
	return name == tier.Hostname, name
}

// hits is for attacks that run into a limit.
func hits(cause glovebox.Cause, limit glovebox.LimitName) func(glovebox.Outcome, []byte) (bool, string) {
	return func(out glovebox.Outcome, _ []byte) (bool, string) {
		for _, h := range out.Hits {
			if h.Limit == limit {
				return out.Cause == cause, h.Evidence.Fact
			}
		}
		return false, fmt.Sprintf("ended with %s, exit code %d, and without the limit %s", out.Cause, out.ExitCode, limit)
	}
}

// forever repeats what body adds.
func forever(body func(*glove.Script)) func(*glove.Script) {
	return func(s *glove.Script) {
		again := s.Label()
		s.Place(again)
		body(s)
		s.Jump(again)
	}
}

// smallest leaves the limits as small as they are.
func smallest(*glovebox.Limits) {}

// limitAttacks run into each limit.
func limitAttacks() []attack {
	file := func(s *glove.Script) glove.Ref {
		fd := s.Buffer(8)
		s.Call("open", unix.SYS_OPENAT, unix.AT_FDCWD, tier.Workspace+"/big", unix.O_CREAT|unix.O_WRONLY, 0o644).To(fd)
		return fd
	}
	return []attack{
		{control: "limit wall", what: "sleeping",
			limits:  func(l *glovebox.Limits) { l.Wall = probeTime },
			program: func(s *glove.Script) { s.Call("pause", unix.SYS_PPOLL, 0, 0, 0, 0) },
			stopped: hits(glovebox.CauseWall, glovebox.LimitWall)},
		{control: "limit cpu", what: "an endless loop",
			limits:  func(l *glovebox.Limits) { l.CPU = probeTime },
			program: forever(func(*glove.Script) {}),
			stopped: hits(glovebox.CauseCPU, glovebox.LimitCPU)},
		{control: "limit memory", limits: smallest, what: "allocating without end",
			program: forever(func(s *glove.Script) {
				s.Call("mmap", unix.SYS_MMAP, 0, 4<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE, -1, 0)
			}), stopped: hits(glovebox.CauseMemory, glovebox.LimitMemory)},
		{control: "limit processes", limits: smallest, what: "forking without end",
			program: func(s *glove.Script) {
				child, again, pid := s.Label(), s.Label(), s.Buffer(8)
				s.Place(again)
				s.Call("fork", unix.SYS_CLONE, uint64(unix.SIGCHLD), 0, 0, 0, 0).To(pid)
				s.Load(pid).IfEqual(0, child)
				s.Jump(again)
				s.Place(child)
				s.Call("pause", unix.SYS_PPOLL, 0, 0, 0, 0)
			}, stopped: hits(glovebox.CauseExit, glovebox.LimitProcesses)},
		{control: "limit open_files", limits: smallest, what: "opening without end",
			program: forever(func(s *glove.Script) { s.Call("dup", unix.SYS_DUP, 1) }),
			stopped: hits(glovebox.CauseExit, glovebox.LimitOpenFiles)},
		{control: "limit file_size", limits: smallest, what: "a file that is too long",
			program: func(s *glove.Script) {
				s.CallOn(file(s), "ftruncate", unix.SYS_FTRUNCATE, int64(1)<<40)
			}, stopped: hits(glovebox.CauseExit, glovebox.LimitFileSize)},
		{control: "limit disk", what: "writing without end",
			limits: func(l *glovebox.Limits) { l.FileSize = 1 << 40 },
			program: func(s *glove.Script) {
				fd, data := file(s), s.Buffer(64<<10)
				forever(func(s *glove.Script) { s.CallOn(fd, "write", unix.SYS_WRITE, data, 64<<10) })(s)
			}, stopped: hits(glovebox.CauseExit, glovebox.LimitDisk)},
		{control: "limit files", limits: smallest, what: "making files without end",
			program: func(s *glove.Script) {
				name := s.Bytes(bytes.Repeat([]byte("a"), 16)) // the first eight count up
				s.Set(name.Plus(8), 0)
				forever(func(s *glove.Script) {
					s.Call("mkdir", unix.SYS_MKDIRAT, unix.AT_FDCWD, name, 0o755)
					s.AddTo(name, 1<<56)
					s.AddTo(name, 1<<40)
				})(s)
			}, stopped: hits(glovebox.CauseExit, glovebox.LimitFiles)},
		{control: "limit output", limits: smallest, what: "printing without end",
			program: func(s *glove.Script) {
				data := s.Buffer(4 << 10)
				forever(func(s *glove.Script) { s.Call("write", unix.SYS_WRITE, 1, data, 4<<10) })(s)
			}, stopped: hits(glovebox.CauseOutput, glovebox.LimitOutput)},
	}
}
