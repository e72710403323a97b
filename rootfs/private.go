package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// DefaultDir returns the directory in which Glovebox keeps what it can make
// again: $GLOVEBOX_CACHE, else $XDG_CACHE_HOME/glovebox, else
// ~/.cache/glovebox, else a private directory under [os.TempDir]. It exists,
// belongs to this user, and nobody else can plant anything in it; a place that
// cannot be had like that is passed over, except the one that the operator
// named with $GLOVEBOX_CACHE: that is an error.
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
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		tries = append(tries, filepath.Join(home, ".cache", "glovebox"))
	}
	tries = append(tries, filepath.Join(os.TempDir(), "glovebox-"+strconv.Itoa(os.Geteuid())))
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

// Private makes dir, with mode 0700, if it does not exist, and returns its
// real, absolute path. It fails unless dir belongs to this user, is closed to
// all others, and no directory above it lets another user replace it.
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
	} else if st := info.Sys().(*syscall.Stat_t); info.Mode()&fs.ModeSymlink != 0 && st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return "", fmt.Errorf("%s is a link of user %d", abs, st.Uid)
	}
	// The real path is what is checked and used: a link on the way may lead
	// to it, but nothing is decided by a link later on.
	abs, err = filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(abs)
	if err != nil {
		return "", err
	}
	switch st := info.Sys().(*syscall.Stat_t); {
	case !info.IsDir():
		return "", fmt.Errorf("%s is not a directory", abs)
	case int(st.Uid) != os.Geteuid():
		return "", fmt.Errorf("%s belongs to user %d, not to this one (%d)", abs, st.Uid, os.Geteuid())
	case info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("%s has mode %#o: it must be closed to others (chmod 700)", abs, info.Mode().Perm())
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

// checkParent fails if a user other than root and this one can replace what
// is in directory p.
func checkParent(p string) error {
	info, err := os.Lstat(p)
	if err != nil {
		return err
	}
	st := info.Sys().(*syscall.Stat_t)
	own := int(st.Uid) == os.Geteuid()
	switch mode := info.Mode(); {
	case st.Uid != 0 && !own:
		return fmt.Errorf("%s belongs to user %d, who could replace what is in it", p, st.Uid)
	case mode&fs.ModeSticky != 0:
		// Only the owner of an entry can rename it.
		return nil
	case mode.Perm()&0o002 != 0:
		return fmt.Errorf("%s has mode %#o: every user could replace what is in it", p, mode.Perm())
	case mode.Perm()&0o020 != 0 && st.Gid != 0 && !(own && st.Gid == st.Uid):
		// A group of the same number is the user's own, as umask 002 assumes.
		return fmt.Errorf("%s has mode %#o: group %d could replace what is in it", p, mode.Perm(), st.Gid)
	}
	return nil
}

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}
