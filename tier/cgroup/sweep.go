//go:build linux

package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// maxDepth bounds how deep a sweep looks for groups.
const maxDepth = 8

// Sweep removes the groups of dead processes of ours, everywhere in the
// hierarchies, and kills the processes in them. Groups with living owners are
// left alone, and groups without write permission for us.
func (p *Parent) Sweep() error {
	var errs []error
	for _, h := range p.hierarchies {
		err := filepath.WalkDir(h.root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !d.IsDir():
				return nil // it went away, or is not for us
			case isName(d.Name()):
				errs = append(errs, h.sweep(path))
				return fs.SkipDir
			case strings.Count(path[len(h.root):], "/") >= maxDepth:
				return fs.SkipDir
			}
			return nil
		})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// sweep removes one group, if its lock is free.
func (h hierarchy) sweep(path string) error {
	if unix.Access(filepath.Dir(path), unix.W_OK) != nil {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	n := node{hierarchy: h, path: path, fd: f}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || !same(f, path) {
		return f.Close()
	}
	return n.remove()
}
