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

// Shrink shrinks an empty pipe to a page, of which an ordinary user may have 16
// thousand. A failure does no harm.
func Shrink(f *os.File) {
	_, _ = Ask(f, func(fd uintptr) (int, error) { return unix.FcntlInt(fd, unix.F_SETPIPE_SZ, os.Getpagesize()) })
}
