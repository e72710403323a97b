//go:build !windows

package lock

import (
	"os"

	"golang.org/x/sys/unix"
)

const noFollow = unix.O_NOFOLLOW

func try(f *os.File, k Kind) (bool, error) {
	err := unix.Flock(int(f.Fd()), k.how()|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK || err == unix.EINTR {
		return false, nil
	}
	return err == nil, err
}

func wait(f *os.File, k Kind) error {
	for {
		if err := unix.Flock(int(f.Fd()), k.how()); err != unix.EINTR {
			return err
		}
	}
}

func (k Kind) how() int {
	if k == Exclusive {
		return unix.LOCK_EX
	}
	return unix.LOCK_SH
}
