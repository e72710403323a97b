// Package workcopy holds a folder's files with changes in memory. The folder
// itself is never written: a candidate's changes are visible in the candidate's
// own [Copy] alone and leave as a patch. So no clean-up is necessary, and many
// candidates work on clones of one copy at once.
//
// [Open] lists a folder and reads no content. Only regular files are taken:
// links, devices, pipes, sockets, unreadable files, excessively large files and
// files without a decent name are listed by [Copy.Refused] and never followed
// or opened. Files that no patch should touch (see [DefaultSkip]) and files
// left out by a .gitignore are listed by [Copy.Skipped]. A path of either kind
// cannot be written, nor a path below: the folder has contents unknown to the
// copy.
//
// A file's content is read on demand. If the size or the modification time has
// changed since the folder was opened, the result is [ErrChanged]: a copy is of
// one state of the folder, or an error.
package workcopy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox"
)

// The kinds of errors, for errors.Is; a missing path is [fs.ErrNotExist].
var (
	// ErrChanged: a file has changed since the folder was opened.
	ErrChanged = errors.New("the file changed on disk after the folder was opened")
	// ErrTooLarge: a file, or a set of files, is over its bound.
	ErrTooLarge = errors.New("too large")
	// ErrLeftOut: the path, or a folder above it, was refused or skipped.
	ErrLeftOut = errors.New("not part of the working copy")
	// ErrConflict: a file would stand where a folder is, or below a file.
	ErrConflict = errors.New("a file and a folder cannot have one name")
)

// Copy is a folder's files with changes in memory. A Copy is safe for
// concurrent use, and so are its clones.
type Copy struct {
	base *base

	mu    sync.RWMutex
	edits map[string]*edit // by path; the edits themselves never change
	// made counts the added files by folder.
	made map[string]int
}

// edit is the changed state of one path. The old content is kept from the
// moment of the first change, so the list of changes cannot fail.
type edit struct {
	was, is *content // nil: no file
}

// content is a file's state.
type content struct {
	data       []byte
	executable bool
}

func (c *content) equal(d *content) bool {
	if c == nil || d == nil {
		return c == d
	}
	return c.executable == d.executable && bytes.Equal(c.data, d.data)
}

// Info describes a file without its content.
type Info struct {
	Size       int64
	Executable bool
}

// New makes a copy of files in memory. The copy keeps the files' data, which
// must not be changed any more. Their names pass [glovebox.CleanPath].
func New(files []glovebox.File) (*Copy, error) {
	b := newBase(Options{}.withDefaults())
	for _, f := range files {
		p, err := glovebox.CleanPath(f.Path)
		if err != nil {
			return nil, err
		}
		if b.files[p] != nil {
			return nil, fmt.Errorf("there are two files named %q", p)
		}
		if int64(len(f.Data)) > b.opt.MaxBytes {
			return nil, fmt.Errorf("%s has %d bytes, at most %d: %w", p, len(f.Data), b.opt.MaxBytes, ErrTooLarge)
		}
		b.add(p, &file{size: int64(len(f.Data)), executable: f.Executable, data: f.Data, held: true})
	}
	if len(b.files) > b.opt.MaxFiles {
		return nil, fmt.Errorf("%d files, at most %d: %w", len(b.files), b.opt.MaxFiles, ErrTooLarge)
	}
	b.finish()
	for _, p := range b.paths {
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if b.files[d] != nil {
				return nil, fmt.Errorf("%s and %s: %w", d, p, ErrConflict)
			}
		}
	}
	return newCopy(b), nil
}

func newCopy(b *base) *Copy {
	return &Copy{base: b, edits: map[string]*edit{}, made: map[string]int{}}
}

// Clone returns an independent copy with the same files. The cost is
// proportional to the number of changed files.
func (c *Copy) Clone() *Copy {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return &Copy{base: c.base, edits: maps.Clone(c.edits), made: maps.Clone(c.made)}
}

// Refused lists the entries of the folder outside the copy, with reasons, by
// path.
func (c *Copy) Refused() []glovebox.Refusal { return slices.Clone(c.base.refused) }

// Skipped lists the entries left out by name or by a .gitignore, by path.
func (c *Copy) Skipped() []glovebox.Refusal { return slices.Clone(c.base.skipped) }

// Paths returns the paths of all files, sorted.
func (c *Copy) Paths() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := make([]string, 0, len(c.base.paths)+len(c.edits))
	for _, p := range c.base.paths {
		if _, ok := c.edits[p]; !ok {
			all = append(all, p)
		}
	}
	unchanged := len(all)
	for p, e := range c.edits {
		if e.is != nil {
			all = append(all, p)
		}
	}
	if len(all) > unchanged {
		slices.Sort(all)
	}
	return all
}

// Stat describes a file; ok is false where there is none.
func (c *Copy) Stat(name string) (info Info, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if e, ok := c.edits[name]; ok {
		if e.is == nil {
			return Info{}, false
		}
		return Info{Size: int64(len(e.is.data)), Executable: e.is.executable}, true
	}
	if f := c.base.files[name]; f != nil {
		return Info{Size: f.size, Executable: f.executable}, true
	}
	return Info{}, false
}

// Read returns a file's content, which must not be changed. A missing file is
// [fs.ErrNotExist]; a file changed by another program is [ErrChanged].
func (c *Copy) Read(name string) ([]byte, error) {
	c.mu.RLock()
	e, changed := c.edits[name]
	c.mu.RUnlock()
	f := c.base.files[name]
	switch {
	case changed && e.is != nil:
		return e.is.data, nil
	case changed || f == nil:
		return nil, c.missing(name)
	}
	return c.base.read(name, f)
}

// missing explains the absence of a file.
func (c *Copy) missing(name string) error {
	if why := c.base.left(name); why != nil {
		return fmt.Errorf("%s: %w: %s: %s", name, ErrLeftOut, why.Name, why.Reason)
	}
	return fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// Write sets a file's content; the file keeps its executable bit, and a new one
// has none. The copy keeps a clone of data.
func (c *Copy) Write(name string, data []byte) error {
	return c.change(name, func(is *content) (*content, error) {
		next := &content{data: bytes.Clone(data)}
		if next.data == nil {
			next.data = []byte{}
		}
		if is != nil {
			next.executable = is.executable
		}
		return next, nil
	})
}

// Chmod sets a file's executable bit.
func (c *Copy) Chmod(name string, executable bool) error {
	return c.change(name, func(is *content) (*content, error) {
		if is == nil {
			return nil, c.missing(name)
		}
		return &content{data: is.data, executable: executable}, nil
	})
}

// Delete removes a file.
func (c *Copy) Delete(name string) error {
	return c.change(name, func(is *content) (*content, error) {
		if is == nil {
			return nil, c.missing(name)
		}
		return nil, nil
	})
}

// change replaces the state of one path by the result of to.
func (c *Copy) change(name string, to func(is *content) (*content, error)) error {
	name, err := glovebox.CleanPath(name)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.edits[name]
	if e == nil {
		e = &edit{}
		if f := c.base.files[name]; f != nil {
			data, err := c.base.read(name, f)
			if err != nil {
				return err
			}
			e.was = &content{data: data, executable: f.executable}
			e.is = e.was
		}
	}
	next, err := to(e.is)
	if err != nil {
		return err
	}
	if next != nil {
		if int64(len(next.data)) > c.base.opt.MaxBytes {
			return fmt.Errorf("%s would have %d bytes, at most %d: %w", name, len(next.data), c.base.opt.MaxBytes, ErrTooLarge)
		}
		if e.is == nil {
			if err := c.room(name); err != nil {
				return err
			}
		}
	}
	if e.was == nil && (e.is == nil) != (next == nil) {
		c.count(name, next != nil)
	}
	if next.equal(e.was) {
		delete(c.edits, name)
	} else {
		c.edits[name] = &edit{was: e.was, is: next}
	}
	return nil
}

// count adds a file to the counts of the folders above, or removes it.
func (c *Copy) count(name string, in bool) {
	for d := path.Dir(name); d != "."; d = path.Dir(d) {
		if in {
			c.made[d]++
		} else if c.made[d]--; c.made[d] == 0 {
			delete(c.made, d)
		}
	}
}

// room tells why a new file cannot have the name.
func (c *Copy) room(name string) error {
	if why := c.base.left(name); why != nil {
		return fmt.Errorf("%s: %w: %s: %s", name, ErrLeftOut, why.Name, why.Reason)
	}
	if why := c.base.skips(name); why != "" {
		return fmt.Errorf("%s: %w: %s", name, ErrLeftOut, why)
	}
	exists := func(p string) bool {
		if e, ok := c.edits[p]; ok {
			return e.is != nil
		}
		return c.base.files[p] != nil
	}
	for d := path.Dir(name); d != "."; d = path.Dir(d) {
		if exists(d) {
			return fmt.Errorf("%s: %s is a file: %w", name, d, ErrConflict)
		}
	}
	if c.made[name] > 0 {
		return fmt.Errorf("%s is a folder: %w", name, ErrConflict)
	}
	below := name + "/"
	for i := sort.SearchStrings(c.base.paths, below); i < len(c.base.paths) && strings.HasPrefix(c.base.paths[i], below); i++ {
		if exists(c.base.paths[i]) {
			return fmt.Errorf("%s is a folder: %w", name, ErrConflict)
		}
	}
	if c.base.leftBelow(name) {
		return fmt.Errorf("%s is a folder with files that are %w: %w", name, ErrLeftOut, ErrConflict)
	}
	return nil
}

// Files returns the files whose paths keep accepts (nil: all), in order, for a
// Job. Their data must not be changed. More than max bytes together (0: no
// bound) is [ErrTooLarge].
func (c *Copy) Files(keep func(path string) bool, max int64) ([]glovebox.File, error) {
	var files []glovebox.File
	var total int64
	for _, p := range c.Paths() {
		if keep != nil && !keep(p) {
			continue
		}
		info, ok := c.Stat(p)
		if total += info.Size; max > 0 && total > max {
			return nil, fmt.Errorf("the files have more than %d bytes together: %w", max, ErrTooLarge)
		}
		if !ok {
			continue // deleted meanwhile
		}
		data, err := c.Read(p)
		if err != nil {
			return nil, err
		}
		files = append(files, glovebox.File{Path: p, Data: data, Executable: info.Executable})
	}
	return files, nil
}

// Take takes over the changes of d, a clone of c or a copy with the same base,
// all at once. Changes of c since then are lost.
func (c *Copy) Take(d *Copy) {
	if c.base != d.base {
		panic("workcopy: Take of a copy of another folder")
	}
	d = d.Clone()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.edits, c.made = d.edits, d.made
}
