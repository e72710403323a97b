package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// DefaultDir returns the directory for files that Glovebox can make again:
// $GLOVEBOX_CACHE, else $XDG_CACHE_HOME/glovebox, else glovebox in
// [os.UserCacheDir] (~/.cache on Linux), else a private directory under
// [os.TempDir]. The directory exists, belongs to this user, and no other user
// can plant files in it. Unsuitable directories are skipped, except
// $GLOVEBOX_CACHE, the operator's choice: an unsuitable one is an error.
func DefaultDir() (string, error) {
	if dir := os.Getenv("GLOVEBOX_CACHE"); dir != "" {
		dir, err := Private(dir)
		if err != nil {
			return "", fmt.Errorf("GLOVEBOX_CACHE: %w", err)
		}
		return dir, nil
	}
	var tries []string
	if dir := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		tries = append(tries, filepath.Join(dir, "glovebox"))
	}
	if dir, ok := userCache(); ok {
		tries = append(tries, filepath.Join(dir, "glovebox"))
	}
	tries = append(tries, filepath.Join(os.TempDir(), "glovebox-"+user()))
	var errs []error
	for _, dir := range tries {
		dir, err := Private(dir)
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("no private directory for the cache; name one with GLOVEBOX_CACHE: %w", errors.Join(errs...))
}

// Private makes dir, closed to others, if it does not exist, and returns its
// real, absolute path. Private fails unless dir belongs to this user, is closed
// to the rest, and cannot be replaced by another user through a directory
// above. Other users are: on Unix all but root, by owner and mode; on Windows
// all but the system and the administrators, by owner and access list.
func Private(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return "", err
	}
	// In a directory like /tmp another user's link may wait under our name.
	if info, err := os.Lstat(abs); err != nil {
		return "", err
	} else if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
		if err := checkLink(abs, info); err != nil {
			return "", err
		}
	}
	// The real path is checked and used: links on the way have no effect later
	// on.
	abs, err = filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(abs)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", abs)
	}
	if err := checkOwn(abs, info); err != nil {
		return "", err
	}
	for p := filepath.Dir(abs); ; p = filepath.Dir(p) {
		if err := checkParent(p); err != nil {
			return "", err
		}
		if p == filepath.Dir(p) {
			return abs, nil
		}
	}
}

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}
