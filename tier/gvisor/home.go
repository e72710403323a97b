//go:build linux

package gvisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// home is the private directory of this user's boxes. Each box has a directory
// in it, which its owner holds a lock on: the kernel drops the lock of a dead
// process, so what nobody holds is nobody's.
type home struct{ dir string }

// longestHome keeps the path of a box's control socket within the 108 bytes of
// a socket address; else gVisor would put the socket in a public directory.
const longestHome = 52

// openHome finds or makes the directory in place, or in the first usable one
// where place is empty.
func openHome(place string) (home, error) {
	places := []string{place}
	if place == "" {
		places = []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"}
	}
	var errs []error
	for _, place := range places {
		if !filepath.IsAbs(place) {
			continue
		}
		dir := filepath.Join(place, fmt.Sprintf("glovebox-boxes-%d", os.Geteuid()))
		dir, err := rootfs.Private(dir)
		switch {
		case err != nil:
			errs = append(errs, err)
		case len(dir) > longestHome:
			errs = append(errs, fmt.Errorf("%s: longer than %d bytes, so too long for sockets in it", dir, longestHome))
		default:
			return home{dir}, nil
		}
	}
	return home{}, errors.Join(errs...)
}

// den is one box's directory.
type den struct {
	dir  string
	lock *os.File
}

// newDen makes a directory and locks it.
func (h home) newDen() (*den, error) {
	for {
		dir, err := os.MkdirTemp(h.dir, "")
		if err != nil {
			return nil, err
		}
		lock, err := os.Open(dir)
		if errors.Is(err, os.ErrNotExist) {
			continue // a sweeper was faster
		}
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || !same(lock, dir) {
			lock.Close()
			continue
		}
		return &den{dir, lock}, nil
	}
}

func same(f *os.File, path string) bool {
	a, err1 := f.Stat()
	b, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// Close removes the directory.
func (d *den) Close() error { return errors.Join(os.RemoveAll(d.dir), d.lock.Close()) }

// sweep removes what dead owners left. No process is left with it: a helper
// ends with its owner, and the sentry with its helper.
func (h home) sweep() error {
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		dir := filepath.Join(h.dir, e.Name())
		lock, err := os.Open(dir)
		if err != nil {
			continue // another sweeper was faster
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			errs = append(errs, os.RemoveAll(dir))
		}
		lock.Close()
	}
	return errors.Join(errs...)
}
