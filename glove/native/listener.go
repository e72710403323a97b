//go:build linux

package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
)

// listener is the host's end of a filter that asks: see seccomp_unotify(2).
// Only the host has it. Pid 1 of a box makes it and sends it here before anything
// else runs in the box, and keeps no copy.
type listener struct{ file *os.File }

// notification is struct seccomp_notif.
type notification struct {
	id     uint64
	thread uint32 // as our pid namespace calls it
	_      uint32
	call   uint32
	_      [12]byte
	args   [6]uint64
}

// response is struct seccomp_notif_resp.
type response struct {
	id    uint64
	_     int64
	errno int32
	flags uint32
}

// Listens returns the flags by which this kernel makes a filter with a listener,
// or why it does not.
func Listens() (flags int, err error) {
	call := func(op, flags int, arg unsafe.Pointer) syscall.Errno {
		_, _, e := unix.Syscall(unix.SYS_SECCOMP, uintptr(op), uintptr(flags), uintptr(arg))
		return e
	}
	var sizes struct{ notification, response, data uint16 }
	if e := call(unix.SECCOMP_GET_NOTIF_SIZES, 0, unsafe.Pointer(&sizes)); e != 0 {
		return 0, e
	}
	if uintptr(sizes.notification) != unsafe.Sizeof(notification{}) || uintptr(sizes.response) != unsafe.Sizeof(response{}) {
		return 0, fmt.Errorf("notifications have %d bytes", sizes.notification)
	}
	// With the second flag, since Linux 5.19, a signal does not make a call that
	// we know of ask again. To set no filter is a fault, if the flags are good.
	for _, flags := range []int{unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER} {
		e := call(unix.SECCOMP_SET_MODE_FILTER, flags, nil)
		if e == unix.EFAULT {
			return flags, nil
		}
		err = e
	}
	return 0, err
}

// FDListener is the socket by which pid 1 of a box sends the listener.
const FDListener = 38

// ListenerPipe makes the ends of FDListener.
func ListenerPipe() (host, box *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "host"), os.NewFile(uintptr(fds[1]), "box"), nil
}

// SendListener appends the calls by which pid 1 of a box puts a filter that asks
// on itself, and so on all that it is going to make, and sends its listener by
// [FDListener]; where that cannot be, it sends the error's number. flags are those
// of [Listens], size is the bytes of an instruction of the filter.
func SendListener(s *glove.Script, flags int, filter []byte, size int) {
	fd, failed, sent := s.Buffer(8), s.Label(), s.Label()
	s.Call("ask", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		s.Words(len(filter)/size, s.Bytes(filter))).To(fd).IfError(failed)
	// struct cmsghdr with a descriptor, and struct msghdr.
	rights := s.Words(unix.SizeofCmsghdr+4, unix.SOL_SOCKET|unix.SCM_RIGHTS<<32, 0)
	s.Load(fd).To(rights.Plus(unix.SizeofCmsghdr))
	s.Call("send the listener", unix.SYS_SENDMSG, FDListener, s.Words(0, 0, s.Words(fd, 8), 1, rights, 24, 0), 0)
	s.CallOn(fd, "close", unix.SYS_CLOSE)
	s.Jump(sent)
	s.Place(failed)
	s.Call("send the error", unix.SYS_WRITE, FDListener, fd, 8)
	s.Place(sent)
	s.Call("close", unix.SYS_CLOSE, FDListener)
}

// receiveListener takes what pid 1 has sent: the listener, or why there is none.
func receiveListener(host *os.File) (l *listener, none syscall.Errno, err error) {
	number, control := make([]byte, 8), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(int(host.Fd()), number, control, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, 0, os.NewSyscallError("recvmsg", err)
	}
	if n == 0 {
		return nil, syscall.Errno(-int64(binary.LittleEndian.Uint64(number))), nil
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil {
		return nil, 0, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, 0, err
	}
	// Go's poller takes what does not block; else it has no deadlines.
	err = unix.SetNonblock(fds[0], true)
	file := os.NewFile(uintptr(fds[0]), "listener")
	if err = errors.Join(err, file.SetReadDeadline(time.Time{})); err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return &listener{file}, 0, nil
}

// serve asks decide about each call, until the last process of the box has ended or the listener is closed. An
// error means that the box cannot go on.
func (l *listener) serve(decide func(*notification) bool) error {
	conn, err := l.file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	// It fails only when the listener is closed.
	conn.Read(func(fd uintptr) bool {
		var more bool
		more, failed = answer(int(fd), decide)
		return !more || failed != nil
	})
	return failed
}

// answer answers all who ask now, and tells whether somebody may ask later.
func answer(fd int, decide func(*notification) bool) (more bool, err error) {
	for {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		switch _, err := unix.Poll(poll, 0); {
		case err == unix.EINTR:
			continue
		case err != nil:
			return false, os.NewSyscallError("poll", err)
		case poll[0].Revents&unix.POLLIN == 0:
			return poll[0].Revents == 0, nil
		}
		// It does not block even if who asked has died since: the kernel counts
		// questions, not who waits for the answers.
		var ask notification
		switch e := ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&ask)); e {
		case 0:
		case unix.ENOENT:
			continue
		default:
			return false, os.NewSyscallError("receive a notification", e)
		}
		reply := response{id: ask.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if !decide(&ask) {
			reply = response{id: ask.id, errno: -int32(unix.EAGAIN)}
		}
		switch e := ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&reply)); e {
		case 0, unix.ENOENT: // it has died, or was interrupted and asks again
		default:
			return false, os.NewSyscallError("answer a notification", e)
		}
	}
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) syscall.Errno {
	for {
		_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg))
		if e != unix.EINTR {
			return e
		}
	}
}
