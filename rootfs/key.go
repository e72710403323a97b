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
)

// format is part of every key: it changes with any change in the tree or image
// of the same plan.
const format = "rootfs 1"

// linking is part of the keys of plans with Linked entries: it changes with
// their treatment.
const linking = "linked 2"

// Key returns the key under which the store keeps the plan's root. Files have a
// key of their own. Key reads no content of a Source. Of each Source, Key reads
// the real path with size, modification time and inode number, and of a
// directory also the same facts of direct, unskipped entries. So Key notices
// additions, removals and renames one level below the Source's entries, but no
// rewrite in place further down; after a rewrite, call [Store.Refresh].
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
			if e.Linked {
				h.text(linking)
			}
			if err := h.source(e); err != nil {
				return "", err
			}
		case e.Files != nil:
			h.text("files")
			h.text(e.Files.Key())
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

// hasher feeds fields to a hash, each with its length, to keep different lists
// of fields distinct.
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

// real returns the real path of a source and the facts of its file. Sources
// share directories: links of each are followed once.
func (h *hasher) real(p string) (string, facts, error) {
	dir := h.dirs[filepath.Dir(p)]
	if dir == "" {
		var err error
		if dir, err = filepath.EvalSymlinks(filepath.Dir(p)); err != nil {
			return "", facts{}, err
		}
		h.dirs[filepath.Dir(p)] = dir
	}
	p = filepath.Join(dir, filepath.Base(p))
	f, err := lstat(p)
	if err == nil && f.link {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			f, err = lstat(p)
		}
	}
	return p, f, err
}

func (h *hasher) source(e *Entry) error {
	real, f, err := h.real(e.Source)
	if err != nil {
		return fmt.Errorf("root file system: %s: %w", e.Path, err)
	}
	h.text(real)
	if !f.dir {
		h.facts(f)
		return nil
	}
	if err := h.dir(e, real); err != nil {
		return fmt.Errorf("root file system: %s: %w", e.Path, err)
	}
	return nil
}

// dir feeds the contents of a directory, but not its own time: skipped entries
// may come and go.
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
		f, err := lstatIn(d, entry.Name())
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(real, entry.Name()), err)
		}
		h.text(entry.Name())
		h.facts(f)
	}
	h.text("")
	return nil
}

// facts are the part of a file, directory or link of the host that goes into a
// key.
type facts struct {
	dir, link                  bool
	mode, size, changed, inode uint64 // inode is 0 where the host has none
}

func (h *hasher) facts(f facts) {
	h.number(f.mode)
	if !f.dir { // the size of a directory says nothing
		h.number(f.size)
	}
	h.number(f.changed)
	h.number(f.inode)
}
