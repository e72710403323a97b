// Package den keeps a private directory for each box of a process. Its owner
// holds a lock on it: the kernel drops the lock of a dead process, so an
// unlocked directory is abandoned, and is swept.
package den

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gloveboxhq/glovebox/internal/lock"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Home is the user's private directory of dens of one kind.
type Home struct{ dir string }

// Open finds or makes the home called name in place. If place is empty, it
// takes the first usable one of XDG_RUNTIME_DIR, the directories for temporary
// files, /dev/shm, which exists where all else is read-only, and last the
// cache: everywhere else another user may have taken the name. A path longer
// than longest bytes is skipped, because sockets in the home must fit into a
// socket's address; 0 means any length.
func Open(place, name string, longest int) (Home, error) {
	if place != "" {
		return open(place, name, longest)
	}
	var errs []error
	for _, place := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp", "/var/tmp", "/dev/shm"} {
		if place == "" {
			continue
		}
		h, err := open(place, name, longest)
		if err == nil {
			return h, nil
		}
		errs = append(errs, err)
	}
	cache, err := rootfs.DefaultDir()
	if err != nil {
		return Home{}, errors.Join(append(errs, err)...)
	}
	h, err := open(cache, name, longest)
	if err != nil {
		return Home{}, errors.Join(append(errs, err)...)
	}
	return h, nil
}

// open finds or makes a home in one place.
func open(place, name string, longest int) (Home, error) {
	if !filepath.IsAbs(place) {
		return Home{}, fmt.Errorf("%s is not an absolute path", place)
	}
	dir, err := rootfs.Private(filepath.Join(place, fmt.Sprintf("%s-%d", name, os.Geteuid())))
	if err != nil {
		return Home{}, err
	}
	if err := writable(dir); err != nil {
		return Home{}, err
	}
	if longest > 0 && len(dir) > longest {
		return Home{}, fmt.Errorf("%s: longer than %d bytes, so too long for sockets in it", dir, longest)
	}
	return Home{dir}, nil
}

// writable fails for a directory in which nothing can be made: an earlier run's
// directory may be on a file system that is read-only by now.
func writable(dir string) error {
	try, err := os.MkdirTemp(dir, "")
	if err != nil {
		return err
	}
	if err := os.Remove(try); err != nil && !errors.Is(err, os.ErrNotExist) { // a sweeper was faster
		return err
	}
	return nil
}

// Dir is the home's path.
func (h Home) Dir() string { return h.dir }

// Den is one box's directory.
type Den struct {
	Dir  string
	lock *os.File
}

// New makes a directory and locks it.
func (h Home) New() (*Den, error) {
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
			return &Den{dir, f}, nil
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
func (d *Den) Close() error { return errors.Join(os.RemoveAll(d.Dir), d.lock.Close()) }

// Sweep removes what dead owners left.
func (h Home) Sweep() error {
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
