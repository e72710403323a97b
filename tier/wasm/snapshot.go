package wasm

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// files sends the contents of a directory of the box.
func (l *lane) files(n *node, prefix string) error {
	for name, c := range n.children {
		// Names that the host would refuse stay in the box.
		if clean, err := glovebox.CleanPath(path.Join(prefix, name)); err != nil || clean != path.Join(prefix, name) {
			continue
		}
		e := entry{Path: path.Join(prefix, name), Dir: c.mode.IsDir(), Exec: c.mode&0o111 != 0, Size: int64(len(c.data)), Time: time.Unix(0, c.mtime)}
		if err := l.tell(kindEntry, e); err != nil {
			return err
		}
		err := l.bytes(kindData, c.data)
		if err == nil && e.Dir {
			err = l.files(c, e.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readSnapshot reads the workspace of a box's process, which may lie: no name
// leaves the workspace, and files and bytes stay within the limits.
func readSnapshot(r io.Reader, limits glovebox.Limits) (*snapshot, error) {
	s := &snapshot{files: map[string]*memory{".": {entry: entry{Path: ".", Dir: true}}}}
	var last *memory
	var bytes int64
	for {
		k, payload, err := receive(r, maxFrame)
		if err != nil {
			return nil, err
		}
		if k != kindData && last != nil && int64(len(last.data)) != last.Size {
			return nil, fmt.Errorf("%s: %d of %d bytes came", last.Path, len(last.data), last.Size)
		}
		switch k {
		case kindEnd:
			return s, nil
		case kindEntry:
			last = &memory{}
			if err := json.Unmarshal(payload, &last.entry); err != nil {
				return nil, err
			}
			if err := s.add(last, limits); err != nil {
				return nil, err
			}
		case kindData:
			if bytes += int64(len(payload)); last == nil || last.Dir || bytes > limits.Disk || int64(len(last.data)+len(payload)) > last.Size {
				return nil, fmt.Errorf("more bytes came than the workspace may have")
			}
			last.data = append(last.data, payload...)
		default:
			return nil, fmt.Errorf("a frame of kind %q in the workspace", k)
		}
	}
}

// snapshot is a workspace as it was. It implements fs.FS.
type snapshot struct{ files map[string]*memory }

// memory is a file or directory of a snapshot.
type memory struct {
	entry
	data  []byte
	names []string
}

func (s *snapshot) add(m *memory, limits glovebox.Limits) error {
	name, err := glovebox.CleanPath(m.Path)
	switch {
	case err != nil:
		return err
	case name != m.Path:
		return fmt.Errorf("file name %q is not clean", m.Path)
	case s.files[name] != nil:
		return fmt.Errorf("file name %q came twice", name)
	case int64(len(s.files)) > limits.Files:
		return fmt.Errorf("more than %d files", limits.Files)
	case m.Size < 0 || m.Size > limits.Disk || m.Dir && m.Size != 0:
		return fmt.Errorf("%s has %d bytes", name, m.Size)
	}
	parent := s.files[path.Dir(name)]
	if parent == nil || !parent.Dir {
		return fmt.Errorf("%s is in no directory", name)
	}
	parent.names = append(parent.names, name)
	s.files[name] = m
	return nil
}

// Open implements fs.FS.
func (s *snapshot) Open(name string) (fs.File, error) {
	m := s.files[name]
	if !fs.ValidPath(name) || m == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &reader{memory: m, of: s, Reader: strings.NewReader(string(m.data))}, nil
}

// reader is an open file or directory of a snapshot.
type reader struct {
	*memory
	*strings.Reader
	of *snapshot
	at int
}

func (r *reader) Stat() (fs.FileInfo, error) { return info{r.memory}, nil }
func (r *reader) Close() error               { return nil }

func (r *reader) Read(b []byte) (int, error) {
	if r.Dir {
		return 0, &fs.PathError{Op: "read", Path: r.Path, Err: fs.ErrInvalid}
	}
	return r.Reader.Read(b)
}

// ReadDir implements fs.ReadDirFile.
func (r *reader) ReadDir(n int) ([]fs.DirEntry, error) {
	if !r.Dir {
		return nil, &fs.PathError{Op: "readdir", Path: r.Path, Err: fs.ErrInvalid}
	}
	slices.Sort(r.names)
	left := r.names[r.at:]
	if n > 0 && len(left) == 0 {
		return nil, io.EOF
	}
	if n > 0 && n < len(left) {
		left = left[:n]
	}
	r.at += len(left)
	var entries []fs.DirEntry
	for _, name := range left {
		entries = append(entries, fs.FileInfoToDirEntry(info{r.of.files[name]}))
	}
	return entries, nil
}

// info tells of a file of a snapshot.
type info struct{ m *memory }

func (i info) Name() string       { return path.Base(i.m.Path) }
func (i info) Size() int64        { return int64(len(i.m.data)) }
func (i info) ModTime() time.Time { return i.m.Time }
func (i info) IsDir() bool        { return i.m.Dir }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	switch {
	case i.m.Dir:
		return fs.ModeDir | 0o755
	case i.m.Exec:
		return 0o755
	}
	return 0o644
}
