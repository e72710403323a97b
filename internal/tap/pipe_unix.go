//go:build !windows

package tap

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Pipe is [os.Pipe], with deadlines on every host.
func Pipe() (r, w *os.File, err error) { return os.Pipe() }

// readNow reads what is in the pipe: nothing, where it is empty.
func readNow(from *os.File, buf []byte) (n int, err error) {
	raw, err := from.SyscallConn()
	if err != nil {
		return 0, err
	}
	if failed := raw.Read(func(fd uintptr) bool {
		n, err = unix.Read(int(fd), buf)
		return true
	}); failed != nil {
		return 0, failed
	}
	return n, err
}

// Duplicate returns a copy of a pipe's end whose Close ends a Read or a Write.
func Duplicate(f *os.File) (own *os.File, err error) {
	n, err := Ask(f, func(fd uintptr) (int, error) { return unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(n, true); err != nil {
		unix.Close(n)
		return nil, err
	}
	return os.NewFile(uintptr(n), f.Name()), nil
}

// Ask asks the kernel for a number about a descriptor.
func Ask(f *os.File, how func(fd uintptr) (int, error)) (n int, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	inner := conn.Control(func(fd uintptr) { n, err = how(fd) })
	return n, errors.Join(inner, err)
}
