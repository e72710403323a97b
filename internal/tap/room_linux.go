package tap

import (
	"os"

	"golang.org/x/sys/unix"
)

// Room is how many bytes a pipe holds, of either end; 0 where that is not known. An
// ordinary user's pipes are small where he has a thousand.
func Room(f *os.File) int {
	n, err := Ask(f, func(fd uintptr) (int, error) { return unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0) })
	if err != nil {
		return 0
	}
	return n
}

// Shrink makes an empty pipe hold a page, of which an ordinary user may have 16
// thousand. It is no harm where it fails.
func Shrink(f *os.File) {
	_, _ = Ask(f, func(fd uintptr) (int, error) { return unix.FcntlInt(fd, unix.F_SETPIPE_SZ, os.Getpagesize()) })
}
