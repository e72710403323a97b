package glove

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/linux"
)

// workspace reads the workspace of a quiet box. Each component of a path is
// opened by itself and never through a link.
type workspace struct {
	b     *Box
	look  *look // nil where there is none, or it was used
	ahead map[string]*peek
}

// openScript begins a script that leaves a descriptor of name in the word that
// it returns.
func (w *workspace) openScript(op, name string, flags int) (*Script, Ref, error) {
	if !fs.ValidPath(name) || strings.ContainsRune(name, 0) {
		return nil, Ref{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	s := new(Script)
	return s, walk(s, name, flags), nil
}

// Open implements [fs.FS]. It opens directories and regular files only.
func (w *workspace) Open(name string) (fs.File, error) {
	info, err := w.Lstat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return &dir{w: w, name: name, info: info}, nil
	case info.Mode().IsRegular():
		return &file{w: w, name: name, info: info, ahead: w.ahead[name]}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("is a %s, not a regular file", kind(info.Mode()))}
}

// Lstat implements [fs.ReadLinkFS] as far as it is wanted: links are never
// followed.
func (w *workspace) Lstat(name string) (fs.FileInfo, error) {
	if p := w.ahead[name]; p != nil {
		return &info{name: path.Base(name), st: p.st}, nil
	}
	s, fd, err := w.openScript("stat", name, linux.O_PATH)
	if err != nil {
		return nil, err
	}
	var st linux.Stat
	buf := s.Scratch(binary.Size(st))
	s.CallOn(fd, "fstat", linux.SYS_FSTAT, buf)
	s.CallOn(fd, "close", linux.SYS_CLOSE)
	s.Reply(buf, s.Words(binary.Size(st)))
	raw, err := w.b.do(s)
	if err == nil {
		_, err = binary.Decode(raw, binary.LittleEndian, &st)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return &info{name: path.Base(name), st: st}, nil
}

// ReadDir implements [fs.ReadDirFS]. Entries come in the directory's order.
func (w *workspace) ReadDir(name string) ([]fs.DirEntry, error) {
	w.ahead = map[string]*peek{} // of one directory: there may be many
	if l := w.look; l != nil && name == "." && l.list() != nil {
		w.look = nil
		all, _, err := w.entries(name, l.list())
		if err == nil {
			w.ahead, err = l.files()
		}
		if err == nil {
			err = w.peek(name, all)
		}
		return all, err
	}
	var all []fs.DirEntry
	const size = 256 << 10
	for offset := int64(0); ; {
		s, fd, err := w.openScript("readdir", name, linux.O_RDONLY|linux.O_NONBLOCK)
		if err != nil {
			return nil, err
		}
		buf, n := s.Scratch(size), s.Buffer(8)
		s.CallOn(fd, "lseek", linux.SYS_LSEEK, offset, 0)
		s.CallOn(fd, "getdents", linux.SYS_GETDENTS64, buf, size).To(n)
		s.CallOn(fd, "close", linux.SYS_CLOSE)
		s.Reply(buf, n)
		raw, err := w.b.do(s)
		if err != nil {
			return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
		}
		// The kernel fills the buffer while there are entries that fit.
		end := len(raw) < size-maxEntry
		some, last, err := w.entries(name, raw)
		if err != nil {
			return nil, err
		}
		if all = append(all, some...); len(raw) >= 19 {
			offset = last
		}
		if int64(len(all)) > maxEntries {
			return nil, &fs.PathError{Op: "readdir", Path: name, Err: fmt.Errorf("has more than %d entries", maxEntries)}
		}
		if end {
			return all, w.peek(name, all)
		}
	}
}

// entries reads what getdents said of a directory, and where the next begins.
func (w *workspace) entries(dir string, raw []byte) (all []fs.DirEntry, next int64, err error) {
	for len(raw) >= 19 {
		length := int(binary.LittleEndian.Uint16(raw[16:]))
		if length < 20 || length > len(raw) {
			return nil, 0, &fs.PathError{Op: "readdir", Path: dir, Err: errors.New("a directory entry is malformed")}
		}
		next = int64(binary.LittleEndian.Uint64(raw[8:]))
		entry, _, _ := bytes.Cut(raw[19:length], []byte{0})
		if n := string(entry); n != "." && n != ".." {
			all = append(all, &dirEntry{w: w, dir: dir, name: n, mode: dirType(raw[18])})
		}
		raw = raw[length:]
	}
	return all, next, nil
}

// peek reads the first files of a directory ahead, where they are not yet.
func (w *workspace) peek(dir string, entries []fs.DirEntry) error {
	var names []string
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); e.Type().IsRegular() && fs.ValidPath(name) && w.ahead[name] == nil && len(names) < peekFiles {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil
	}
	s, fd, err := w.openScript("readdir", dir, linux.O_PATH)
	if err != nil {
		return err
	}
	all := s.Scratch(len(names) * peekSlot)
	s.peekAt(fd, all, names)
	s.CallOn(fd, "close", linux.SYS_CLOSE)
	s.Reply(all, s.Words(len(names)*peekSlot))
	raw, err := w.b.do(s)
	if err == nil {
		err = readPeeks(w.ahead, raw, dir, names)
	}
	if err != nil {
		return &fs.PathError{Op: "readdir", Path: dir, Err: err}
	}
	return nil
}

// maxEntry is more than one entry has: 19 bytes and a name of at most 255.
const maxEntry = 512

// maxEntries bounds the entries of one directory that the host takes in.
const maxEntries = 1 << 18

func dirType(t byte) fs.FileMode {
	switch t {
	case linux.DT_DIR:
		return fs.ModeDir
	case linux.DT_LNK:
		return fs.ModeSymlink
	case linux.DT_REG:
		return 0
	case linux.DT_FIFO:
		return fs.ModeNamedPipe
	case linux.DT_SOCK:
		return fs.ModeSocket
	case linux.DT_CHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case linux.DT_BLK:
		return fs.ModeDevice
	}
	return fs.ModeIrregular
}

func kind(m fs.FileMode) string {
	switch m.Type() {
	case fs.ModeSymlink:
		return "symbolic link"
	case fs.ModeNamedPipe:
		return "named pipe"
	case fs.ModeSocket:
		return "socket"
	case fs.ModeDir:
		return "directory"
	}
	return "special file"
}

type dirEntry struct {
	w         *workspace
	dir, name string
	mode      fs.FileMode
}

func (e *dirEntry) Name() string               { return e.name }
func (e *dirEntry) IsDir() bool                { return e.mode.IsDir() }
func (e *dirEntry) Type() fs.FileMode          { return e.mode }
func (e *dirEntry) Info() (fs.FileInfo, error) { return e.w.Lstat(path.Join(e.dir, e.name)) }

type info struct {
	name string
	st   linux.Stat
}

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return i.st.Size }
func (i *info) IsDir() bool        { return i.Mode().IsDir() }
func (i *info) ModTime() time.Time { return time.Unix(int64(i.st.Mtim.Sec), int64(i.st.Mtim.Nsec)) }
func (i *info) Sys() any           { return nil }
func (i *info) Mode() fs.FileMode {
	return dirType(byte(i.st.Mode>>12)) | fs.FileMode(i.st.Mode&0o777)
}

type dir struct {
	w    *workspace
	name string
	info fs.FileInfo
	read bool
}

func (d *dir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *dir) Close() error               { return nil }
func (d *dir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errors.New("is a directory")}
}

// ReadDir implements [fs.ReadDirFile]; it returns all entries the first time.
func (d *dir) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.read {
		if n > 0 {
			return nil, io.EOF
		}
		return nil, nil
	}
	d.read = true
	return d.w.ReadDir(d.name)
}

// file reads a regular file a piece at a time; nothing of it stays open in the
// box between two pieces.
type file struct {
	w      *workspace
	name   string
	info   fs.FileInfo
	ahead  *peek // nil where it was not read
	offset int64
	ended  bool
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

func (f *file) Read(p []byte) (int, error) {
	switch {
	case len(p) == 0:
		return 0, nil
	case f.ended:
		return 0, io.EOF
	}
	if f.ahead != nil {
		n := copy(p, f.ahead.data[f.offset:])
		f.offset += int64(n)
		if n == 0 {
			return 0, io.EOF
		}
		return n, nil
	}
	s, fd, err := f.w.openScript("read", f.name, linux.O_RDONLY|linux.O_NONBLOCK)
	if err != nil {
		return 0, err
	}
	size := min(len(p), 512<<10)
	buf, n := s.Scratch(size), s.Buffer(8)
	s.CallOn(fd, "pread", linux.SYS_PREAD64, buf, size, f.offset).To(n)
	s.CallOn(fd, "close", linux.SYS_CLOSE)
	s.Reply(buf, n)
	raw, err := f.w.b.do(s)
	if err != nil {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: err}
	}
	if len(raw) == 0 {
		return 0, io.EOF
	}
	f.offset += int64(len(raw))
	f.ended = len(raw) < size // nobody writes to it now
	return copy(p, raw), nil
}
