package lock

import (
	"os"

	"golang.org/x/sys/windows"
)

// noFollow opens a link itself, which then is no file that can be locked.
const noFollow = windows.O_FILE_FLAG_OPEN_REPARSE_POINT

// try locks one byte far behind the end of any file: Windows denies others the
// bytes that are locked, and the content is to be read.
func try(f *os.File, k Kind) (bool, error) {
	err := lockFile(f, k, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return false, nil
	}
	return err == nil, err
}

func wait(f *os.File, k Kind) error { return lockFile(f, k, 0) }

func lockFile(f *os.File, k Kind, flags uint32) error {
	if k == Exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
}
