package tap

import (
	"os"

	"golang.org/x/sys/unix"
)

// Room is how many bytes a pipe holds, of either end; 0 where that is not known. An
// ordinary user's pipes are small where he has a thousand.
func Room(f *os.File) int {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	var n int
	if conn.Control(func(fd uintptr) { n, err = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0) }) != nil || err != nil {
		return 0
	}
	return n
}

// Shrink makes an empty pipe hold a page, of which an ordinary user may have 16
// thousand. It is no harm where it fails.
func Shrink(f *os.File) {
	if conn, err := f.SyscallConn(); err == nil {
		conn.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, os.Getpagesize()) })
	}
}
