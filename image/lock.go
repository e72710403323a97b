package image

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A lock is held on an open file, so it ends with the process at the latest.

// lockFile opens the file at name, making it, and locks it as how says,
// unix.LOCK_SH or LOCK_EX, when that can be had.
func lockFile(ctx context.Context, name string, how int) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		ok, err := tryLock(f, how)
		if err == nil && !ok {
			select {
			case <-ctx.Done():
				err = fmt.Errorf("%s is locked by another process: %w", name, context.Cause(ctx))
			case <-time.After(wait):
				continue
			}
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		return f, nil
	}
}

// tryLock locks f if that can be done at once.
func tryLock(f *os.File, how int) (bool, error) {
	switch err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); err {
	case nil:
		return true, nil
	case unix.EWOULDBLOCK, unix.EINTR:
		return false, nil
	default:
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
}
