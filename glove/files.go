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

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// chunk is how many bytes of files one script carries.
const chunk = 4 << 20

// manyCalls is how many instructions of staging one script has, at the most.
const manyCalls = 10_000

// stager puts files into the workspace. Small ones share a script, and the last
// script is the caller's to go on with.
type stager struct {
	b     *Box // nil where there is only one script
	s     *Script
	owner bool
	made  map[string]bool // directories
}

func (b *Box) stager() *stager {
	return &stager{b: b, s: new(Script), owner: b.c.Owner, made: map[string]bool{".": true}}
}

// flush runs what there is so far.
func (st *stager) flush() error {
	if st.b == nil {
		return errors.New("the files do not fit into one script")
	}
	_, err := st.b.do(st.s)
	st.s = new(Script)
	return err
}

// room makes room for so many bytes.
func (st *stager) room(n int) error {
	if len(st.s.ins) > 0 && (len(st.s.data)+n > chunk || len(st.s.ins) > manyCalls) {
		return st.flush()
	}
	return nil
}

// files writes files into the workspace.
func (st *stager) files(files []glovebox.File) error {
	for _, f := range files {
		name, err := glovebox.CleanPath(f.Path)
		if err == nil {
			err = st.dir(path.Dir(name))
		}
		if err == nil {
			err = st.file(name, f)
		}
		if err != nil {
			return fmt.Errorf("stage %s: %w", name, err)
		}
	}
	return nil
}

func (st *stager) file(name string, f glovebox.File) error {
	mode := 0o644
	if f.Executable {
		mode = 0o755
	}
	if f.ReadOnly {
		mode &^= 0o222
	}
	// The first chunk makes the file, the others append to it.
	data, flags := f.Data, linux.O_CREAT|linux.O_EXCL
	for last := false; !last; flags = 0 {
		part := data[:min(len(data), chunk)]
		data = data[len(part):]
		last = len(data) == 0
		if err := st.room(len(part)); err != nil {
			return err
		}
		s := st.s
		dir := walk(s, path.Dir(name), linux.O_PATH)
		if flags != 0 {
			s.CallOn(dir, "remove the old file", linux.SYS_UNLINKAT, path.Base(name), 0).Ignore()
		}
		fd := s.Buffer(8)
		s.CallOn(dir, "stage "+name+": open", linux.SYS_OPENAT, path.Base(name), linux.O_WRONLY|linux.O_APPEND|linux.O_NOFOLLOW|linux.O_CLOEXEC|flags, 0o600).To(fd)
		s.CallOn(dir, "close", linux.SYS_CLOSE)
		s.CallOn(fd, "stage "+name+": write", linux.SYS_WRITE, part, len(part)).IfOther(int64(len(part)), s.failure())
		if last {
			s.CallOn(fd, "stage "+name+": fchmod", linux.SYS_FCHMOD, mode)
			if st.owner && !f.ReadOnly {
				s.CallOn(fd, "stage "+name+": fchown", linux.SYS_FCHOWN, tier.UID, tier.GID)
			}
		}
		s.CallOn(fd, "close", linux.SYS_CLOSE)
		if last && f.ReadOnly && !st.owner {
			// The box is quiet and the walk met no link, so the path is the file.
			at := path.Join(tier.Workspace, name)
			s.Call("bind", linux.SYS_MOUNT, at, at, 0, linux.MS_BIND, 0)
			s.Call("bind read-only", linux.SYS_MOUNT, 0, at, 0, linux.MS_REMOUNT|linux.MS_BIND|linux.MS_RDONLY|linux.MS_NOSUID|linux.MS_NODEV, 0)
		}
	}
	return nil
}

// dir makes a directory and those above it, in a way that commands can make
// files there but not take the read-only files away: where the glove is another
// user than the commands, the directory is sticky; else it is a mount point,
// which nobody can rename.
func (st *stager) dir(name string) error {
	if st.made[name] {
		return nil
	}
	if err := st.dir(path.Dir(name)); err != nil {
		return err
	}
	st.made[name] = true
	mode := 0o755
	if st.owner {
		mode = 0o1777
	}
	if err := st.room(0); err != nil {
		return err
	}
	s := st.s
	parent := walk(s, path.Dir(name), linux.O_PATH)
	s.CallOn(parent, "mkdir", linux.SYS_MKDIRAT, path.Base(name), mode).Ignore()
	s.CallOn(parent, "close", linux.SYS_CLOSE)
	if at := path.Join(tier.Workspace, name); !st.owner {
		s.Call("bind", linux.SYS_MOUNT, at, at, 0, linux.MS_BIND|linux.MS_REC, 0)
	}
	return nil
}

// stdin makes descriptor fdStdin a file in memory that holds data. A standby
// command has that file already.
func (st *stager) stdin(data []byte) error {
	switch waits := st.b.standby != 0; {
	case waits && len(data) == 0:
		return nil
	case waits:
	case len(data) == 0:
		open := st.s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, "/dev/null", linux.O_RDONLY|linux.O_CLOEXEC, 0)
		moveFD(st.s, open, fdStdin)
		return nil
	default:
		openStdin(st.s)
	}
	for len(data) > 0 {
		part := data[:min(len(data), chunk)]
		data = data[len(part):]
		if err := st.room(len(part)); err != nil {
			return fmt.Errorf("stage stdin: %w", err)
		}
		st.s.Call("stage stdin", linux.SYS_WRITE, fdStdin, part, len(part)).IfOther(int64(len(part)), st.s.failure())
	}
	st.s.Call("rewind stdin", linux.SYS_LSEEK, fdStdin, 0, 0)
	return nil
}

// openStdin makes descriptor fdStdin an empty file in memory.
func openStdin(s *Script) {
	moveFD(s, s.Call("memfd_create", linux.SYS_MEMFD_CREATE, "stdin", linux.MFD_CLOEXEC), fdStdin)
}

// moveFD gives the descriptor that open returns the number to.
func moveFD(s *Script, open *Ins, to int) {
	fd := s.Buffer(8)
	open.To(fd)
	s.Renumber(fd, to)
}

// workspace reads the workspace of a quiet box. Each component of a path is
// opened by itself and never through a link.
type workspace struct{ b *Box }

// openScript begins a script that leaves a descriptor of name in the word that
// it returns.
func (w *workspace) openScript(op, name string, flags int) (*Script, Ref, error) {
	if !fs.ValidPath(name) || strings.ContainsRune(name, 0) {
		return nil, Ref{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	s := new(Script)
	return s, walk(s, name, flags), nil
}

// walk opens name in the workspace, with flags, and returns the word that has
// its descriptor. It never asks for a directory: with O_DIRECTORY, gVisor
// follows a link in spite of O_NOFOLLOW. What is no directory leads nowhere.
func walk(s *Script, name string, flags int) Ref {
	const way = linux.O_PATH | linux.O_NOFOLLOW | linux.O_CLOEXEC
	fd, next := s.Buffer(8), s.Buffer(8)
	if name == "." {
		s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, tier.Workspace, flags|linux.O_NOFOLLOW|linux.O_CLOEXEC, 0).To(fd)
		return fd
	}
	s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, tier.Workspace, way, 0).To(fd)
	// A failure on the way must not leave the descriptor above it open.
	failed, there := s.Label(), s.Label()
	parts := strings.Split(name, "/")
	for i, part := range parts {
		how := way
		if i == len(parts)-1 {
			how = flags | linux.O_NOFOLLOW | linux.O_CLOEXEC
		}
		s.CallOn(fd, "open", linux.SYS_OPENAT, part, how, 0).To(next).IfError(failed)
		s.CallOn(fd, "close", linux.SYS_CLOSE)
		s.Load(next).To(fd)
	}
	s.Jump(there)
	s.Place(failed)
	s.CallOn(fd, "close", linux.SYS_CLOSE).Ignore()
	s.Jump(s.failure())
	s.Place(there)
	return fd
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
		return &file{w: w, name: name, info: info}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("is a %s, not a regular file", kind(info.Mode()))}
}

// Lstat implements [fs.ReadLinkFS] as far as it is wanted: links are never
// followed.
func (w *workspace) Lstat(name string) (fs.FileInfo, error) {
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
		for len(raw) >= 19 {
			length := int(binary.LittleEndian.Uint16(raw[16:]))
			if length < 20 || length > len(raw) {
				return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("a directory entry is malformed")}
			}
			offset = int64(binary.LittleEndian.Uint64(raw[8:]))
			entry, _, _ := bytes.Cut(raw[19:length], []byte{0})
			if n := string(entry); n != "." && n != ".." {
				all = append(all, &dirEntry{w: w, dir: name, name: n, mode: dirType(raw[18])})
			}
			raw = raw[length:]
		}
		if int64(len(all)) > maxEntries {
			return nil, &fs.PathError{Op: "readdir", Path: name, Err: fmt.Errorf("has more than %d entries", maxEntries)}
		}
		if end {
			return all, nil
		}
	}
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
