//go:build linux

// Package cgroup bounds and measures boxes with the kernel's control groups,
// version 1 and version 2.
//
// A [Parent] is the directory where this process may make groups; [Find] looks
// for it. A [Group] belongs to one box. A Group has limits, processes enter it,
// it reports their use and the limits hit, and finally it is removed.
//
// A group belongs to its maker for as long as the maker holds a lock on the
// group's directory. The kernel drops the lock of a dead process, so
// [Parent.Sweep] recognizes abandoned groups, without a registry and across pid
// namespaces.
package cgroup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Controller is a capability of a group.
type Controller string

// The controllers that we use.
const (
	Memory Controller = "memory"
	Pids   Controller = "pids"
	// CPU measures processor time: cpuacct of version 1; every group of
	// version 2 does it.
	CPU Controller = "cpu"
)

// prefix begins the names of all our groups; a random text follows, so no
// foreign group is mistaken for ours.
const prefix = "glovebox-box-"

func newName() string { return prefix + rand.Text() }

func isName(name string) bool {
	random, ok := strings.CutPrefix(name, prefix)
	return ok && len(random) == len(rand.Text()) && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// Limits are what a group enforces. Zero means none.
type Limits struct {
	// Memory is the most bytes, the page cache and memory file systems
	// included, swap excluded: there is none.
	Memory int64
	// Tasks is the most processes and threads.
	Tasks int64
}

// Parent is the location where the process may make groups: a directory in one
// hierarchy, or in several with version 1.
type Parent struct {
	hierarchies []hierarchy
}

// hierarchy is one mounted tree of groups.
type hierarchy struct {
	v2          bool
	root        string // where it is mounted
	dir         string // where our groups go
	controllers []Controller
}

// Has reports whether the groups have c.
func (p *Parent) Has(c Controller) bool {
	return slices.ContainsFunc(p.hierarchies, func(h hierarchy) bool { return h.has(c) })
}

func (h hierarchy) has(c Controller) bool { return slices.Contains(h.controllers, c) }

// String names each version with its controllers, such as "cgroup v1: memory,
// pids, cpu".
func (p *Parent) String() string {
	by := map[bool][]string{}
	for _, h := range p.hierarchies {
		for _, c := range h.controllers {
			by[h.v2] = append(by[h.v2], string(c))
		}
	}
	var parts []string
	for version, v2 := range []bool{false, true} {
		if len(by[v2]) > 0 {
			parts = append(parts, fmt.Sprintf("cgroup v%d: %s", version+1, strings.Join(by[v2], ", ")))
		}
	}
	return strings.Join(parts, "; ")
}

// New makes a group. A limit without its controller is an error.
func (p *Parent) New(l Limits) (*Group, error) {
	if l.Memory > 0 && !p.Has(Memory) {
		return nil, errors.New("there is no memory controller")
	}
	if l.Tasks > 0 && !p.Has(Pids) {
		return nil, errors.New("there is no pids controller")
	}
	g := &Group{}
	name := newName()
	for _, h := range p.hierarchies {
		n, err := h.create(name)
		if err == nil {
			g.nodes = append(g.nodes, n)
			err = n.limit(l)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("make a control group: %w", err), g.Close())
		}
	}
	return g, nil
}

// node is a group in one hierarchy. Its lock is held while the descriptor is
// open.
type node struct {
	hierarchy
	path string
	fd   *os.File
}

// create makes and locks a directory. A sweeper may see and remove the
// directory before it is locked: then create makes it once more.
func (h hierarchy) create(name string) (node, error) {
	path := filepath.Join(h.dir, name)
	for {
		if err := os.Mkdir(path, 0o755); err != nil && !os.IsExist(err) {
			return node{}, err
		}
		f, err := os.Open(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return node{}, errors.Join(err, os.Remove(path))
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
			f.Close()
			return node{}, errors.Join(err, os.Remove(path))
		}
		if same(f, path) {
			return node{hierarchy: h, path: path, fd: f}, nil
		}
		f.Close()
	}
}

func same(f *os.File, path string) bool {
	a, err1 := f.Stat()
	b, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// limit sets the limits of the node's controllers.
func (n node) limit(l Limits) error {
	if l.Tasks > 0 && n.has(Pids) {
		if err := n.write("pids.max", l.Tasks); err != nil {
			return err
		}
	}
	if l.Memory <= 0 || !n.has(Memory) {
		return nil
	}
	if n.v2 {
		err := n.write("memory.max", l.Memory)
		// A kernel without swap accounting lacks the file: there is no swap to
		// forbid, or no means.
		return errors.Join(err, n.writeIfThere("memory.swap.max", 0))
	}
	return errors.Join(
		n.writeIfThere("memory.swappiness", 0),
		n.write("memory.limit_in_bytes", l.Memory),
		n.writeIfThere("memory.memsw.limit_in_bytes", l.Memory),
	)
}

func (n node) write(file string, v int64) error {
	return n.writeString(file, strconv.FormatInt(v, 10))
}

func (n node) writeIfThere(file string, v int64) error {
	if err := n.write(file, v); !errors.Is(err, unix.ENOENT) {
		return err
	}
	return nil
}

// The files of a group are opened below its descriptor: the path may be long,
// and belongs to a different group if ours was removed.
func (n node) open(file string, flags int) (*os.File, error) {
	fd, err := unix.Openat(int(n.fd.Fd()), file, flags|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: file, Err: err}
	}
	return os.NewFile(uintptr(fd), file), nil
}

func (n node) writeString(file, v string) error {
	f, err := n.open(file, unix.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.WriteString(v)
	return errors.Join(err, f.Close())
}

func (n node) read(file string) (string, error) {
	f, err := n.open(file, unix.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var buf [4096]byte
	k, err := f.Read(buf[:])
	if k == 0 && err != nil {
		return "", err
	}
	return strings.TrimSpace(string(buf[:k])), nil
}

// number reads a file that holds one number.
func (n node) number(file string) (int64, error) {
	s, err := n.read(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(s, 10, 64)
}

// field reads the number after a name in a file of lines "name number". A
// missing name is an error.
func (n node) field(file, name string) (int64, error) {
	s, err := n.read(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(s) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), " "); ok && k == name {
			return strconv.ParseInt(v, 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", file, name)
}
