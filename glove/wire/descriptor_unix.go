//go:build unix

package wire

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// directionOf tells which way the box uses its end of a pipe.
func directionOf(f *os.File) (d direction, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return closed, err
	}
	inner := conn.Control(func(fd uintptr) {
		var flags int
		if flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0); err != nil {
			return
		}
		switch flags & unix.O_ACCMODE {
		case unix.O_RDONLY:
			d = toBox
		case unix.O_WRONLY:
			d = fromBox
		default:
			err = fmt.Errorf("it is open both ways")
		}
	})
	return d, errors.Join(inner, err)
}

// duplicate returns a copy of a descriptor whose Close ends a Read or a Write.
func duplicate(f *os.File) (own *os.File, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	inner := conn.Control(func(fd uintptr) {
		var n int
		if n, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0); err != nil {
			return
		}
		if err = unix.SetNonblock(n, true); err != nil {
			unix.Close(n)
			return
		}
		own = os.NewFile(uintptr(n), f.Name())
	})
	return own, errors.Join(inner, err)
}
