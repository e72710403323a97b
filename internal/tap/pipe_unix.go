//go:build !windows

package tap

import (
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
