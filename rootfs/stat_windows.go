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

// asFound are flags to open what was found at a path, not what a link there
// leads to.
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

// lstatIn returns the facts of what is in a directory under a name.
func lstatIn(dir *os.File, name string) (facts, error) { return lstat(filepath.Join(dir.Name(), name)) }

// stampOf takes the times of writing and of making, which a program can set: a
// Source here is in a private directory.
func stampOf(info fs.FileInfo) stamp {
	st := info.Sys().(*syscall.Win32FileAttributeData)
	return stamp{inode: uint64(st.CreationTime.Nanoseconds()), changed: uint64(st.LastWriteTime.Nanoseconds())}
}

// timeForImage is nothing: the image writer knows no times of this host's, and
// the files in an image are of 1970.
func timeForImage(time.Time) any { return nil }

// hasOtherNames tells whether a file has more than one name; what cannot be
// told has.
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

// removeHome removes a directory whose lock is held, and lets go of it. A file
// that is open cannot be removed here, so the lock goes last, and stays where
// somebody has opened it since.
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
