//go:build !windows

package rootfs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// user names this user in the name of a directory.
func user() string { return strconv.Itoa(os.Geteuid()) }

// userCache is the usual directory for files that the user's programs can make
// again.
func userCache() (string, bool) {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return "", false
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Caches"), true
	}
	return filepath.Join(home, ".cache"), true
}

// checkLink fails where the link at p is another user's.
func checkLink(p string, info fs.FileInfo) error {
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s is a link of user %d", p, st.Uid)
	}
	return nil
}

// checkOwn fails unless the directory p is the user's and private.
func checkOwn(p string, info fs.FileInfo) error {
	switch st := info.Sys().(*syscall.Stat_t); {
	case int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to user %d, not to this one (%d)", p, st.Uid, os.Geteuid())
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s has mode %#o: it must be closed to others (chmod 700)", p, info.Mode().Perm())
	}
	return nil
}

// overflowID is how Linux shows an owner that has no number in our user
// namespace.
const overflowID = 65534

// unmapped reports whether an owner is outside our user namespace. All files of
// the host's root look like this where only the caller is mapped: in `unshare
// -r`, in bubblewrap. A user of this kind could replace files in a directory of
// their own, and so can root.
func unmapped(uid uint32) bool {
	if uid != overflowID {
		return false
	}
	text, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		var inside, outside, n int64
		if _, err := fmt.Sscan(line, &inside, &outside, &n); err != nil || inside <= overflowID && overflowID < inside+n {
			return false // it is a user
		}
	}
	return true
}

// checkParent fails if a user besides root and the present one can replace
// entries of directory p.
func checkParent(p string) error {
	info, err := os.Lstat(p)
	if err != nil {
		return err
	}
	st := info.Sys().(*syscall.Stat_t)
	own := int(st.Uid) == os.Geteuid()
	switch mode := info.Mode(); {
	case st.Uid != 0 && !own && !unmapped(st.Uid):
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
