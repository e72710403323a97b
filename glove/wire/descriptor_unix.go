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
