package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// asFound are flags to open the file found at a path rather than a link's
// target.
const asFound = windows.O_FILE_FLAG_OPEN_REPARSE_POINT

// lstat returns the facts of p itself.
func lstat(p string) (facts, error) {
	info, err := os.Lstat(p)
	if err != nil {
		return facts{}, err
	}
	return facts{
		dir: info.IsDir(), link: info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0,
		mode: uint64(info.Mode()), size: uint64(info.Size()), changed: uint64(info.ModTime().UnixNano()),
	}, nil
}

// lstatIn returns the facts of a named entry of a directory.
func lstatIn(dir *os.File, name string) (facts, error) { return lstat(filepath.Join(dir.Name(), name)) }

// stampOf takes the times of writing and of creation, both settable by a
// program: a Source on Windows is in a private directory.
func stampOf(info fs.FileInfo) stamp {
	st := info.Sys().(*syscall.Win32FileAttributeData)
	return stamp{inode: uint64(st.CreationTime.Nanoseconds()), changed: uint64(st.LastWriteTime.Nanoseconds())}
}

// timeForImage is nothing: the image writer knows no times of this host's, and
// the files in an image are of 1970.
func timeForImage(time.Time) any { return nil }

// hasOtherNames reports whether a file has more than one name; in doubt it
// does.
func hasOtherNames(p string, _ fs.FileInfo) bool {
	f, err := os.OpenFile(p, os.O_RDONLY|asFound, 0)
	if err != nil {
		return true
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	err = windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info)
	return err != nil || info.NumberOfLinks > 1
}

// removeHome removes a locked directory, and releases the lock. An open file
// cannot be removed on Windows, so the lock file goes last, and stays if opened
// by another process since.
func removeHome(home string, lock *os.File) error {
	list, err := os.ReadDir(home)
	for _, d := range list {
		if p := filepath.Join(home, d.Name()); p != lock.Name() {
			err = errors.Join(err, os.RemoveAll(p))
		}
	}
	err = errors.Join(err, lock.Close())
	if os.Remove(lock.Name()) == nil {
		_ = os.Remove(home)
	}
	return err
}
