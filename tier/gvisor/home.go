package gvisor

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// home is the private directory of this user's boxes. Each box has a directory
// in it, named after the process that owns it, so that what a dead owner left
// is known for what it is.
type home struct{ dir string }

// longestHome keeps the path of a box's control socket within the 108 bytes of
// a socket address; else gVisor would put the socket in a public directory.
const longestHome = 48

// openHome finds or makes the directory in dir, or in the first usable place
// where dir is empty.
func openHome(dir string) (home, error) {
	places := []string{dir}
	if dir == "" {
		places = []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"}
	}
	var errs []error
	for _, place := range places {
		if place == "" {
			continue
		}
		h := home{filepath.Join(place, fmt.Sprintf("glovebox-%d", os.Getuid()))}
		if err := h.claim(); err != nil {
			errs = append(errs, err)
			continue
		}
		return h, nil
	}
	return home{}, errors.Join(errs...)
}

// claim makes the directory, or takes it where it is ours alone: in a public
// directory anybody may have made it.
func (h home) claim() error {
	if len(h.dir) > longestHome {
		return fmt.Errorf("%s: the path is longer than %d bytes, too long for a socket in it", h.dir, longestHome)
	}
	if err := os.Mkdir(h.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(h.dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || info.Mode().Perm() != 0o700 || int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s: is not a directory of this user with mode 0700: remove it", h.dir)
	}
	return nil
}

// newBox makes a box's directory.
func (h home) newBox() (string, error) {
	owner, err := startTime(os.Getpid())
	if err != nil {
		return "", err
	}
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return "", err
	}
	dir := filepath.Join(h.dir, fmt.Sprintf("%d.%d.%x", os.Getpid(), owner, binary.BigEndian.Uint64(id[:])))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(dir, rootDir), 0o700); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// rootDir is an empty directory in a box's own, which the OCI spec wants.
const rootDir = "root"

// sweep removes what dead owners left. Their processes are gone: a helper ends
// with its owner, and the sentry with its helper.
func (h home) sweep() error {
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		part := strings.Split(e.Name(), ".")
		if len(part) != 3 {
			continue
		}
		pid, err := strconv.Atoi(part[0])
		if err != nil {
			continue
		}
		if born, err := startTime(pid); err == nil && strconv.FormatUint(born, 10) == part[1] {
			continue
		}
		if err := os.RemoveAll(filepath.Join(h.dir, e.Name())); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// startTime returns when a process started, in clock ticks since boot. With it
// a process id names one process for good.
func startTime(pid int) (uint64, error) {
	s, err := readStat(pid)
	return s.start, err
}
