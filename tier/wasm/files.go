package wasm

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	esys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// The files of a box are in the memory of its process: a read-only copy of the
// root, a writable workspace and /tmp, and a few devices. A module's requests
// for files go to this code, never to the host.

// Bounds of a root. The whole root is read when a box is opened.
const (
	maxRootBytes = 256 << 20
	maxRootFiles = 1 << 16
)

// area is a part of the tree with limits of its own. The root's is nil.
type area struct {
	files, bytes int64
	limits       glovebox.Limits
	budget       *budget
}

// grow accounts for files and bytes more, or fewer.
func (a *area) grow(files, bytes int64) bool {
	switch {
	case files > 0 && a.files+files > a.limits.Files:
		a.budget.hits.note(glovebox.LimitFiles, "a file more than %d was refused", a.limits.Files)
		return false
	case bytes > 0 && a.bytes+bytes > a.limits.Disk:
		a.budget.hits.note(glovebox.LimitDisk, "%d bytes more than %d of %d were refused", bytes, a.bytes, a.limits.Disk)
		return false
	case !a.budget.take(bytes, "a file"):
		return false
	}
	a.files += files
	a.bytes += bytes
	return true
}

// node is a file, a directory, a link or a device.
type node struct {
	name     string
	mode     fs.FileMode
	data     []byte
	link     string
	children map[string]*node
	parent   *node
	area     *area
	fixed    bool // cannot be changed, moved or removed
	device   func(flag esys.Oflag) (esys.File, esys.Errno)
	ino      sys.Inode
	mtime    int64
	opens    int  // how often it is open
	gone     bool // removed, and still open: its bytes count until it is closed
}

// tree is all files of a box.
type tree struct {
	root  *node
	inos  sys.Inode
	now   func() int64
	open  int64 // files that are open
	limit glovebox.Limits
	hits  hits
}

func newTree(limits glovebox.Limits, b *budget, now func() int64) *tree {
	t := &tree{now: now, limit: limits, hits: b.hits}
	t.root = t.newNode("", fs.ModeDir|0o755)
	t.root.parent = t.root
	for _, dir := range []string{tier.Workspace, tier.Temp} {
		n := t.mkdirs(dir)
		n.area = &area{limits: limits, budget: b}
	}
	return t
}

func (t *tree) newNode(name string, mode fs.FileMode) *node {
	t.inos++
	n := &node{name: name, mode: mode, ino: t.inos, mtime: t.now()}
	if mode.IsDir() {
		n.children = map[string]*node{}
	}
	return n
}

func (n *node) add(child *node) *node {
	child.parent = n
	n.children[child.name] = child
	if child.area == nil {
		child.area = n.area
	}
	return child
}

// mkdirs makes the directories of a path and returns the last.
func (t *tree) mkdirs(name string) *node {
	at := t.root
	for part := range strings.SplitSeq(strings.Trim(name, "/"), "/") {
		next := at.children[part]
		if next == nil || !next.mode.IsDir() {
			next = at.add(t.newNode(part, fs.ModeDir|0o755))
		}
		at = next
	}
	return at
}

// load reads a directory of the host into the root. It is trusted, and read
// before any code of the box runs.
func (t *tree) load(dir string) error {
	var files, bytes int64
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		if files++; files > maxRootFiles {
			return fmt.Errorf("the root has more than %d files", maxRootFiles)
		}
		if d.IsDir() {
			t.mkdirs(rel)
			return nil
		}
		n := t.newNode(path.Base(rel), d.Type()|0o555)
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			n.link, err = os.Readlink(name)
		case d.Type().IsRegular():
			n.data, err = os.ReadFile(name)
		default:
			return nil
		}
		if bytes += int64(len(n.data)); bytes > maxRootBytes {
			return fmt.Errorf("the root has more than %d bytes", maxRootBytes)
		}
		t.mkdirs(path.Dir("/" + rel)).add(n)
		return err
	})
}

// stage writes a file into the workspace, for the host. Its limits hold.
func (t *tree) stage(f glovebox.File) error {
	name, err := glovebox.CleanPath(f.Path)
	if err != nil {
		return err
	}
	at := t.mkdirs(tier.Workspace)
	parts := strings.Split(name, "/")
	for _, part := range parts[:len(parts)-1] {
		next := at.children[part]
		if next == nil {
			if !at.area.grow(1, 0) {
				return fmt.Errorf("stage %s: the workspace is full", name)
			}
			next = at.add(t.newNode(part, fs.ModeDir|0o755))
		}
		if !next.mode.IsDir() {
			return fmt.Errorf("stage %s: %s is a file", name, part)
		}
		at = next
	}
	old := at.children[path.Base(name)]
	if old != nil && (old.mode.IsDir() || old.fixed) {
		return fmt.Errorf("stage %s: it is there and cannot be replaced", name)
	}
	if old != nil {
		t.remove(old)
	}
	n := t.newNode(path.Base(name), 0o644)
	if f.Executable {
		n.mode = 0o755
	}
	if !at.area.grow(1, int64(len(f.Data))) {
		return fmt.Errorf("stage %s: the workspace is full", name)
	}
	n.data, n.fixed = slices.Clone(f.Data), f.ReadOnly
	at.add(n)
	return nil
}

func (t *tree) remove(n *node) {
	delete(n.parent.children, n.name)
	n.parent.mtime = t.now()
	n.gone = true
	n.forget()
}

// forget gives back the space of a removed file, once no descriptor is open.
func (n *node) forget() {
	if n.gone && n.opens == 0 {
		n.area.grow(-1, -int64(len(n.data)))
		n.data = nil
	}
}

// holdsFixed reports whether a file that must stay is in n.
func (n *node) holdsFixed() bool {
	if n.fixed {
		return true
	}
	for _, c := range n.children {
		if c.holdsFixed() {
			return true
		}
	}
	return false
}

const maxLinks = 16

// walk finds a path from a directory. The results are the directory of the last
// part, the last part, and the node, possibly nil.
func (t *tree) walk(from *node, name string, follow bool) (dir *node, last string, n *node, errno esys.Errno) {
	links := 0
	return t.step(from, name, follow, &links)
}

func (t *tree) step(at *node, name string, follow bool, links *int) (*node, string, *node, esys.Errno) {
	if strings.HasPrefix(name, "/") {
		at = t.root
	}
	parts := slices.DeleteFunc(strings.Split(name, "/"), func(p string) bool { return p == "" || p == "." })
	n, last := at, "."
	for i, part := range parts {
		if len(part) > 255 {
			return nil, "", nil, esys.ENAMETOOLONG
		}
		final := i == len(parts)-1
		if n == nil {
			return nil, "", nil, esys.ENOENT
		}
		if !n.mode.IsDir() {
			return nil, "", nil, esys.ENOTDIR
		}
		at, last = n, part
		if part == ".." {
			n = n.parent
			continue
		}
		n = at.children[part]
		if n != nil && n.mode&fs.ModeSymlink != 0 && (!final || follow) {
			if *links++; *links > maxLinks {
				return nil, "", nil, esys.ELOOP
			}
			var errno esys.Errno
			if at, last, n, errno = t.step(at, n.link, true, links); errno != 0 {
				return nil, "", nil, errno
			}
		}
	}
	return at, last, n, 0
}

func (n *node) stat() sys.Stat_t {
	size := int64(len(n.data))
	if n.link != "" {
		size = int64(len(n.link))
	}
	return sys.Stat_t{Dev: 1, Ino: n.ino, Mode: n.mode, Nlink: 1, Size: size, Atim: n.mtime, Mtim: n.mtime, Ctim: n.mtime}
}

// view is the tree as a module sees it from a directory. view implements
// wazero's file system.
//
// A module has no working directory: C libraries resolve relative paths in the
// root. So a first name missing from the root is looked for, and made, in the
// directory.
type view struct {
	esys.UnimplementedFS
	*tree
	from *node
}

func (v view) walk(name string, follow bool) (dir *node, last string, n *node, errno esys.Errno) {
	at := v.from
	first, _, _ := strings.Cut(strings.TrimLeft(name, "/"), "/")
	if first == "" || first == "." || v.root.children[first] != nil {
		at = v.root
	}
	return v.tree.walk(at, strings.TrimLeft(name, "/"), follow)
}

// find is walk for a path that must exist.
func (v view) find(name string, follow bool) (*node, esys.Errno) {
	_, _, n, errno := v.walk(name, follow)
	if errno == 0 && n == nil {
		errno = esys.ENOENT
	}
	return n, errno
}

// place is walk for a path that must not exist yet, in a writable directory.
func (v view) place(name string) (dir *node, last string, errno esys.Errno) {
	dir, last, n, errno := v.walk(name, false)
	switch {
	case errno != 0:
		return nil, "", errno
	case n != nil:
		return nil, "", esys.EEXIST
	case dir.area == nil:
		return nil, "", esys.EROFS
	}
	return dir, last, 0
}

// movable is find for a path to be removed, moved or replaced.
func (v view) movable(name string) (*node, esys.Errno) {
	n, errno := v.find(name, false)
	switch {
	case errno != 0:
		return nil, errno
	case n.area == nil || n.parent.area == nil:
		return nil, esys.EROFS
	case n.holdsFixed():
		return nil, esys.EPERM
	}
	return n, 0
}

func (v view) OpenFile(name string, flag esys.Oflag, perm fs.FileMode) (esys.File, esys.Errno) {
	if v.open >= v.limit.OpenFiles {
		v.hits.note(glovebox.LimitOpenFiles, "a file more than %d was not opened", v.limit.OpenFiles)
		return nil, esys.EAGAIN
	}
	dir, last, n, errno := v.walk(name, flag&esys.O_NOFOLLOW == 0)
	writes := flag&(esys.O_RDWR|esys.O_WRONLY) != 0 || flag&(esys.O_TRUNC|esys.O_APPEND) != 0
	switch {
	case errno != 0:
		return nil, errno
	case n == nil && flag&esys.O_CREAT == 0:
		return nil, esys.ENOENT
	case n == nil && dir.area == nil:
		return nil, esys.EROFS
	case n == nil:
		if !dir.area.grow(1, 0) {
			return nil, esys.EIO
		}
		n = dir.add(v.newNode(last, perm&0o777|0o200))
	case flag&esys.O_CREAT != 0 && flag&esys.O_EXCL != 0:
		return nil, esys.EEXIST
	case n.device != nil:
		return n.device(flag)
	case n.mode&fs.ModeSymlink != 0:
		return nil, esys.ELOOP
	case n.mode.IsDir() && writes:
		return nil, esys.EISDIR
	case !n.mode.IsDir() && flag&esys.O_DIRECTORY != 0:
		return nil, esys.ENOTDIR
	case writes && n.area == nil:
		return nil, esys.EROFS
	case writes && n.fixed:
		return nil, esys.EACCES
	}
	f := &file{tree: v.tree, n: n, writes: writes, append: flag&esys.O_APPEND != 0}
	f.size = func() int64 { return int64(len(n.data)) }
	if flag&esys.O_TRUNC != 0 && !n.mode.IsDir() {
		if errno := f.Truncate(0); errno != 0 {
			return nil, errno
		}
	}
	v.tree.open++
	n.opens++
	return f, 0
}

func (v view) Lstat(name string) (sys.Stat_t, esys.Errno) { return v.statOf(name, false) }
func (v view) Stat(name string) (sys.Stat_t, esys.Errno)  { return v.statOf(name, true) }

func (v view) statOf(name string, follow bool) (sys.Stat_t, esys.Errno) {
	n, errno := v.find(name, follow)
	if errno != 0 {
		return sys.Stat_t{}, errno
	}
	return n.stat(), 0
}

func (v view) Readlink(name string) (string, esys.Errno) {
	n, errno := v.find(name, false)
	if errno == 0 && n.mode&fs.ModeSymlink == 0 {
		errno = esys.EINVAL
	}
	if errno != 0 {
		return "", errno
	}
	return n.link, 0
}

func (v view) Mkdir(name string, perm fs.FileMode) esys.Errno {
	dir, last, errno := v.place(name)
	if errno != 0 {
		return errno
	}
	if !dir.area.grow(1, 0) {
		return esys.EIO
	}
	dir.add(v.newNode(last, fs.ModeDir|perm&0o777|0o700))
	return 0
}

func (v view) Unlink(name string) esys.Errno {
	n, errno := v.movable(name)
	if errno == 0 && n.mode.IsDir() {
		errno = esys.EISDIR
	}
	if errno == 0 {
		v.remove(n)
	}
	return errno
}

func (v view) Rmdir(name string) esys.Errno {
	n, errno := v.movable(name)
	switch {
	case errno != 0:
		return errno
	case !n.mode.IsDir():
		return esys.ENOTDIR
	case len(n.children) > 0:
		return esys.ENOTEMPTY
	}
	v.remove(n)
	return 0
}

// Rename works within the workspace and within /tmp: the two have limits of
// their own.
func (v view) Rename(from, to string) esys.Errno {
	n, errno := v.movable(from)
	if errno != 0 {
		return errno
	}
	dir, last, old, errno := v.walk(to, false)
	switch {
	case errno != 0:
		return errno
	case dir.area != n.area:
		return esys.ENOTSUP
	case last == "." || last == "..":
		return esys.EINVAL
	case old == n:
		return 0
	}
	for up := dir; up != v.root; up = up.parent {
		if up == n {
			return esys.EINVAL // into itself
		}
	}
	if old != nil {
		switch {
		case old.holdsFixed():
			return esys.EPERM
		case old.mode.IsDir() && !n.mode.IsDir():
			return esys.EISDIR
		case !old.mode.IsDir() && n.mode.IsDir():
			return esys.ENOTDIR
		case len(old.children) > 0:
			return esys.ENOTEMPTY
		}
		v.remove(old)
	}
	delete(n.parent.children, n.name)
	n.name = last
	dir.add(n)
	return 0
}

func (v view) Utimens(name string, _, mtim int64) esys.Errno {
	n, errno := v.movable(name)
	if errno == 0 {
		n.mtime = mtim
	}
	return errno
}

func (v view) Chmod(name string, perm fs.FileMode) esys.Errno {
	n, errno := v.movable(name)
	if errno == 0 {
		n.mode = n.mode&^0o777 | perm&0o777
	}
	return errno
}

// unimplemented has the methods that a file does not implement.
type unimplemented struct{ esys.UnimplementedFile }

// position is where a file is read and written. It is generic only because go
// vet takes every Seek of an int64 for io.Seeker's.
type position[offset int64] struct {
	at   offset
	size func() int64
}

func (p *position[offset]) Seek(to offset, whence int) (offset, esys.Errno) {
	switch whence {
	case io.SeekCurrent:
		to += p.at
	case io.SeekEnd:
		to += offset(p.size())
	}
	if to < 0 {
		return 0, esys.EINVAL
	}
	p.at = to
	return to, 0
}

// file is an open file or directory.
type file struct {
	unimplemented
	position[int64]
	tree           *tree
	n              *node
	writes, append bool
	closed         bool
	names          []*node // what Readdir has left
}

func (f *file) Dev() (uint64, esys.Errno)        { return 1, 0 }
func (f *file) Ino() (sys.Inode, esys.Errno)     { return f.n.ino, 0 }
func (f *file) IsDir() (bool, esys.Errno)        { return f.n.mode.IsDir(), 0 }
func (f *file) IsAppend() bool                   { return f.append }
func (f *file) SetAppend(on bool) esys.Errno     { f.append = on; return 0 }
func (f *file) Stat() (sys.Stat_t, esys.Errno)   { return f.n.stat(), 0 }
func (f *file) Sync() esys.Errno                 { return 0 }
func (f *file) Datasync() esys.Errno             { return 0 }
func (f *file) Utimens(_, mtim int64) esys.Errno { f.n.mtime = mtim; return 0 }

func (f *file) Close() esys.Errno {
	if !f.closed {
		f.closed = true
		f.tree.open--
		f.n.opens--
		f.n.forget()
	}
	return 0
}

func (f *file) Read(buf []byte) (int, esys.Errno) {
	n, errno := f.Pread(buf, f.at)
	f.at += int64(n)
	return n, errno
}

func (f *file) Pread(buf []byte, off int64) (int, esys.Errno) {
	switch {
	case f.n.mode.IsDir():
		return 0, esys.EISDIR
	case off < 0:
		return 0, esys.EINVAL
	case off >= int64(len(f.n.data)):
		return 0, 0
	}
	return copy(buf, f.n.data[off:]), 0
}

func (f *file) Write(buf []byte) (int, esys.Errno) {
	if f.append {
		f.at = int64(len(f.n.data))
	}
	n, errno := f.Pwrite(buf, f.at)
	f.at += int64(n)
	return n, errno
}

func (f *file) Pwrite(buf []byte, off int64) (int, esys.Errno) {
	if !f.writes {
		return 0, esys.EBADF
	}
	if off < 0 || off > int64(len(f.n.data))+f.tree.limit.FileSize {
		return 0, esys.EINVAL
	}
	if errno := f.resize(max(int64(len(f.n.data)), off+int64(len(buf)))); errno != 0 {
		return 0, errno
	}
	return copy(f.n.data[off:], buf), 0
}

func (f *file) Truncate(size int64) esys.Errno {
	if !f.writes {
		return esys.EBADF
	}
	if size < 0 {
		return esys.EINVAL
	}
	return f.resize(size)
}

// resize makes the file size bytes long, with zeros where it grew.
func (f *file) resize(size int64) esys.Errno {
	n := f.n
	more := size - int64(len(n.data))
	switch {
	case size > f.tree.limit.FileSize:
		f.tree.hits.note(glovebox.LimitFileSize, "%s was not made longer than %d bytes", n.name, f.tree.limit.FileSize)
		return esys.EIO
	case more != 0 && !n.area.grow(0, more):
		return esys.EIO
	case more <= 0:
		n.data = n.data[:size:size]
	default:
		old := len(n.data)
		n.data = slices.Grow(n.data, int(more))[:size]
		clear(n.data[old:])
	}
	n.mtime = f.tree.now()
	return 0
}

func (f *file) Readdir(count int) ([]esys.Dirent, esys.Errno) {
	if !f.n.mode.IsDir() {
		return nil, esys.ENOTDIR
	}
	if f.at == 0 {
		f.at = 1
		f.names = slices.SortedFunc(maps.Values(f.n.children), func(a, b *node) int { return cmp.Compare(a.name, b.name) })
	}
	if count < 0 || count > len(f.names) {
		count = len(f.names)
	}
	var entries []esys.Dirent
	for _, n := range f.names[:count] {
		entries = append(entries, esys.Dirent{Ino: n.ino, Name: n.name, Type: n.mode.Type()})
	}
	f.names = f.names[count:]
	return entries, 0
}
