package rootfs

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// format is part of every key: it changes when the same plan gives another
// tree or image than before.
const format = "rootfs 1"

// Key returns the key under which the store keeps the plan's root. It reads no
// content of a Source, only, of each, its real path with size, modification
// time and inode number, and for a directory the same of what is directly in
// it and not skipped. So a change deeper down is noticed if it adds, removes or
// renames something one level below the Source's entries, and not if it
// rewrites a file in place further down; after that, call [Store.Refresh].
func (s *Store) Key(p Plan) (string, error) {
	h := &hasher{sum: sha256.New(), dirs: map[string]string{}}
	h.text(format)
	generation, err := os.ReadFile(s.generation())
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	h.bytes(generation)
	for i := range p.Entries {
		e := &p.Entries[i]
		if err := e.valid(); err != nil {
			return "", err
		}
		h.text(e.Path)
		h.text(e.SkipKey)
		h.number(uint64(e.Mode))
		switch {
		case e.Source != "":
			h.text("source")
			if err := h.source(e); err != nil {
				return "", err
			}
		case e.Link != "":
			h.text("link")
			h.text(e.Link)
		case e.Dir:
			h.text("dir")
		default:
			h.text("data")
			h.bytes(e.Data)
		}
	}
	return hex.EncodeToString(h.sum.Sum(nil)[:16]), nil
}

// hasher feeds fields to a hash, each with its length, so that no two lists of
// fields look the same.
type hasher struct {
	sum interface {
		Write([]byte) (int, error)
		Sum([]byte) []byte
	}
	buf  [8]byte
	dirs map[string]string // real paths of the directories of sources
}

func (h *hasher) number(n uint64) {
	binary.LittleEndian.PutUint64(h.buf[:], n)
	h.sum.Write(h.buf[:])
}

func (h *hasher) bytes(b []byte) {
	h.number(uint64(len(b)))
	h.sum.Write(b)
}

func (h *hasher) text(s string) { h.bytes([]byte(s)) }

// real returns the real path of a source and what is there. Sources share
// directories, whose links are followed once.
func (h *hasher) real(p string) (string, *unix.Stat_t, error) {
	dir := h.dirs[filepath.Dir(p)]
	if dir == "" {
		var err error
		if dir, err = filepath.EvalSymlinks(filepath.Dir(p)); err != nil {
			return "", nil, err
		}
		h.dirs[filepath.Dir(p)] = dir
	}
	p = filepath.Join(dir, filepath.Base(p))
	var st unix.Stat_t
	err := unix.Lstat(p, &st)
	if err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			err = unix.Lstat(p, &st)
		}
	}
	if err != nil {
		return "", nil, &fs.PathError{Op: "stat", Path: p, Err: err}
	}
	return p, &st, nil
}

func (h *hasher) source(e *Entry) error {
	real, st, err := h.real(e.Source)
	if err != nil {
		return fmt.Errorf("root file system: %s: %w", e.Path, err)
	}
	h.text(real)
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		h.stat(st)
		return nil
	}
	if err := h.dir(e, real); err != nil {
		return fmt.Errorf("root file system: %s: %w", e.Path, err)
	}
	return nil
}

// dir feeds what is in a directory, but not its own time: what is skipped in
// it may come and go.
func (h *hasher) dir(e *Entry, real string) error {
	d, err := os.Open(real)
	if err != nil {
		return err
	}
	defer d.Close()
	list, err := d.ReadDir(-1)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, entry := range list {
		if e.skips(entry.Name(), entry) {
			continue
		}
		// Relative to the directory: half the price of a path.
		var st unix.Stat_t
		if err := unix.Fstatat(int(d.Fd()), entry.Name(), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(real, entry.Name()), err)
		}
		h.text(entry.Name())
		h.stat(&st)
	}
	h.text("")
	return nil
}

func (h *hasher) stat(st *unix.Stat_t) {
	h.number(uint64(st.Mode))
	if st.Mode&unix.S_IFMT != unix.S_IFDIR { // the size of a directory says nothing
		h.number(uint64(st.Size))
	}
	h.number(uint64(st.Mtim.Nano()))
	h.number(st.Ino)
}
