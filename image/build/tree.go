package build

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Bounds limit the contents of one image, including the base.
type Bounds struct {
	Bytes int64 // of all files together
	Files int   // files, directories and links
}

// DefaultBounds are the bounds of a build without its own.
var DefaultBounds = Bounds{Bytes: 8 << 30, Files: 400_000}

// epoch is the time of files without a time worth keeping. It is not 0, which
// means "unknown" to some archivers.
var epoch = time.Unix(1, 0).UTC()

// A tree is the image as it grows: the files of its base, and the additions of
// the build's steps. Every path goes through [tree.locate], so a package's
// /lib/x lands behind the /lib → usr/lib of the base, and nothing lands outside
// of the root.
type tree struct {
	bounds Bounds
	bytes  int64
	nodes  map[string]*node
	notes  []string
}

// node is one file, directory or symbolic link.
type node struct {
	path string
	mode fs.FileMode // type and permissions
	link string
	size int64
	time time.Time
	base bool // it is there already, in the base image
	// open returns the content of a file: exactly size bytes.
	open func() (io.ReadCloser, error)
	// from names the package that brought it.
	from string
}

func newTree(b Bounds) *tree {
	return &tree{bounds: b, nodes: map[string]*node{
		"/": {path: "/", mode: fs.ModeDir | 0o755, base: true},
	}}
}

// perm is what a file's permissions become: all may read, nobody's group or
// the world may write, set-id bits are gone. The owner is always root.
func perm(m fs.FileMode) fs.FileMode {
	if m&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// file adds a file at p.
func (t *tree) file(p, from string, mode fs.FileMode, mtime time.Time, size int64, open func() (io.ReadCloser, error)) error {
	return t.put(&node{path: p, mode: perm(mode), size: size, time: mtime, open: open, from: from})
}

// data adds a file that we write.
func (t *tree) data(p, from string, mode fs.FileMode, content string) error {
	return t.file(p, from, mode, epoch, int64(len(content)), func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	})
}

// dir adds a directory, unless present.
func (t *tree) dir(p, from string) error {
	return t.put(&node{path: p, mode: fs.ModeDir | 0o755, time: epoch, from: from})
}

// symlink adds a symbolic link to any target: links are followed within the
// root only, here and in a box.
func (t *tree) symlink(p, from, target string) error {
	if target == "" || len(target) > 4096 || strings.ContainsRune(target, 0) {
		return fmt.Errorf("%s: the link's target %.40q is not a path", p, target)
	}
	return t.put(&node{path: p, mode: fs.ModeSymlink | 0o777, link: target, time: epoch, from: from})
}

// put places n, behind the links of the directories on its way.
func (t *tree) put(n *node) error {
	if err := valid(n.path); err != nil {
		return err
	}
	at, err := t.locate(n.path, n.mode.IsDir())
	if err != nil {
		return err
	}
	n.path = at
	old := t.nodes[at]
	switch {
	case old == nil:
	case old.mode.IsDir() && n.mode.IsDir():
		return nil
	case old.mode.IsDir() || n.mode.IsDir():
		return fmt.Errorf("%s: it is a %s of %s and a %s of %s", at, kindOf(old.mode), old.origin(), kindOf(n.mode), n.origin())
	default:
		t.bytes -= old.size
		if old.from != n.from && !old.base {
			t.note("%s: the one of %s replaces that of %s", at, n.origin(), old.origin())
		}
	}
	return t.add(n)
}

// add counts n and keeps it.
func (t *tree) add(n *node) error {
	if n.size < 0 || n.size > t.bounds.Bytes-t.bytes {
		return fmt.Errorf("%s: the image would have more than %d bytes", n.path, t.bounds.Bytes)
	}
	t.bytes += n.size
	t.nodes[n.path] = n
	if len(t.nodes) > t.bounds.Files {
		return fmt.Errorf("%s: the image would have more than %d files", n.path, t.bounds.Files)
	}
	return nil
}

// maxNotes bounds the notes beside a build's result.
const maxNotes = 200

func (t *tree) note(format string, args ...any) {
	if len(t.notes) < maxNotes {
		t.notes = append(t.notes, fmt.Sprintf(format, args...))
	}
}

func (n *node) origin() string {
	if n.from == "" {
		return "the base"
	}
	return n.from
}

// valid fails for a path that no file of a package may have.
func valid(p string) error {
	switch {
	case !path.IsAbs(p) || path.Clean(p) != p || strings.ContainsAny(p, "\x00\\"):
		return fmt.Errorf("path %.200q is not absolute and clean", p)
	case len(p) > 4000 || strings.Count(p, "/") > 100:
		return fmt.Errorf("path %.60q… is too long", p)
	}
	for part := range strings.SplitSeq(p, "/") {
		if len(part) > 255 {
			return fmt.Errorf("path %.60q… is too long", p)
		}
		// A layer takes such a name for a command to remove a file.
		if strings.HasPrefix(part, ".wh.") {
			return fmt.Errorf("path %.200q: names that begin with .wh. mean something else in an image", p)
		}
	}
	return nil
}

// locate returns where p really is, following links within the root, that of
// the last element too if follow is set. It makes the directories that are
// missing.
func (t *tree) locate(p string, follow bool) (string, error) {
	at, rest := "/", parts(p)
	for hops := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		next := path.Join(at, part) // Join keeps ".." within the root
		n := t.nodes[next]
		switch last := len(rest) == 0; {
		case last && (n == nil || !follow || n.mode.Type() != fs.ModeSymlink):
			return next, nil
		case n == nil:
			if err := t.add(&node{path: next, mode: fs.ModeDir | 0o755, time: epoch}); err != nil {
				return "", err
			}
			at = next
		case n.mode.IsDir():
			at = next
		case n.mode.Type() == fs.ModeSymlink:
			if hops++; hops > 40 {
				return "", fmt.Errorf("%s: too many links", p)
			}
			if path.IsAbs(n.link) {
				at = "/"
			}
			rest = append(parts(n.link), rest...)
		default:
			return "", fmt.Errorf("%s is a file of %s, not a directory", next, n.origin())
		}
	}
	return at, nil
}

// stat returns the node at p, links followed, or nil. It makes nothing.
func (t *tree) stat(p string) *node {
	at, rest := "/", parts(p)
	for hops := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		rest = rest[1:]
		n := t.nodes[next]
		switch {
		case n == nil:
			return nil
		case n.mode.Type() == fs.ModeSymlink:
			if hops++; hops > 40 {
				return nil
			}
			if path.IsAbs(n.link) {
				at = "/"
			}
			rest = append(parts(n.link), rest...)
		default:
			at = next
		}
	}
	return t.nodes[at]
}

// parts are the elements of a path, without the empty ones.
func parts(p string) []string {
	return slices.DeleteFunc(strings.Split(p, "/"), func(s string) bool { return s == "" })
}

// write writes all nodes beyond the base's as a tar archive: the same nodes
// give the same bytes.
func (t *tree) write(ctx context.Context, w io.Writer) error {
	var nodes []*node
	for _, n := range t.nodes {
		if !n.base {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b *node) int { return strings.Compare(a.path, b.path) })
	out := tar.NewWriter(w)
	for _, n := range nodes {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := n.write(out); err != nil {
			return fmt.Errorf("%s: %w", n.path, err)
		}
	}
	return out.Close()
}

func (n *node) write(out *tar.Writer) error {
	h := &tar.Header{
		Name:     n.path[1:],
		Mode:     int64(n.mode.Perm()),
		ModTime:  n.time.Truncate(time.Second),
		Typeflag: tar.TypeReg,
		Size:     n.size,
	}
	switch n.mode.Type() {
	case fs.ModeDir:
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
	case fs.ModeSymlink:
		h.Typeflag, h.Linkname = tar.TypeSymlink, n.link
	}
	if err := out.WriteHeader(h); err != nil {
		return err
	}
	if n.open == nil {
		return nil
	}
	r, err := n.open()
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := io.CopyN(out, r, n.size); err != nil {
		if errors.Is(err, io.EOF) {
			return errors.New("it changed while it was read")
		}
		return err
	}
	return nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeSymlink != 0:
		return "link"
	case m.IsRegular():
		return "file"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
