//go:build !windows

package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// asFound are flags to open the file found at a path rather than a link's
// target, and not to wait for the writer of a pipe.
const asFound = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lstat returns the facts of p itself.
func lstat(p string) (facts, error) {
	var st unix.Stat_t
	if err := unix.Lstat(p, &st); err != nil {
		return facts{}, &fs.PathError{Op: "stat", Path: p, Err: err}
	}
	return factsOf(&st), nil
}

// lstatIn returns the facts of a named entry of a directory: half the price of
// a path.
func lstatIn(dir *os.File, name string) (facts, error) {
	var st unix.Stat_t
	err := unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return factsOf(&st), err
}

func factsOf(st *unix.Stat_t) facts {
	return facts{
		dir: st.Mode&unix.S_IFMT == unix.S_IFDIR, link: st.Mode&unix.S_IFMT == unix.S_IFLNK,
		mode: uint64(st.Mode), size: uint64(st.Size), changed: uint64(st.Mtim.Nano()), inode: st.Ino,
	}
}

// hasOtherNames reports whether a file has more than one name.
func hasOtherNames(_ string, info fs.FileInfo) bool { return info.Sys().(*syscall.Stat_t).Nlink > 1 }

// removeHome removes a directory whose lock is held, and releases the lock.
func removeHome(home string, lock *os.File) error {
	return errors.Join(os.RemoveAll(home), lock.Close())
}
