//go:build linux

package microvm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gloveboxhq/glovebox/internal/lock"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// home is the private directory of this user's machines. Each has a directory
// in it, which its owner holds a lock on: the kernel drops the lock of a dead
// process, so what nobody holds is nobody's.
type home struct{ dir string }

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
		dir, err := rootfs.Private(filepath.Join(place, fmt.Sprintf("glovebox-machines-%d", os.Geteuid())))
		if err == nil {
			return home{dir}, nil
		}
		errs = append(errs, err)
	}
	return home{}, errors.Join(errs...)
}

// den is one machine's directory.
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
		f, err := os.Open(dir)
		if errors.Is(err, os.ErrNotExist) {
			continue // a sweeper was faster
		}
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		held, err := lock.Try(f, lock.Exclusive)
		if err == nil && held && same(f, dir) {
			return &den{dir, f}, nil
		}
		if f.Close(); err != nil {
			return nil, err
		}
	}
}

func same(f *os.File, path string) bool {
	a, err1 := f.Stat()
	b, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// Close removes the directory.
func (d *den) Close() error { return errors.Join(os.RemoveAll(d.dir), d.lock.Close()) }

// sweep removes what dead owners left. A monitor dies with its owner.
func (h home) sweep() error {
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		dir := filepath.Join(h.dir, e.Name())
		f, err := os.Open(dir)
		if err != nil {
			continue // another sweeper was faster
		}
		if held, err := lock.Try(f, lock.Exclusive); err == nil && held {
			errs = append(errs, os.RemoveAll(dir))
		}
		f.Close()
	}
	return errors.Join(errs...)
}
