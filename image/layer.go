package image

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// A flattener applies the layers of an image, in sequence, to a tree in memory,
// and writes the contents of the files, in sequence, to data. It follows the
// OCI image specification, "Image Layer Filesystem Changeset". Where the
// specification leaves room, the flattener refuses: an entry through a link, of
// any layer, is an error.
type flattener struct {
	bounds      Bounds
	dropSpecial bool
	data        io.Writer

	root     *node
	at       int64 // length of data
	unpacked int64 // bytes of all layers
	layer    int   // the one that is applied, from 1
	entries  int
	text     int64 // bytes of all names
	dropped  Dropped
	hash     hash.Hash
	buf      []byte
}

func newFlattener(b Bounds, dropSpecial bool, data io.Writer) *flattener {
	return &flattener{bounds: b, dropSpecial: dropSpecial, data: data, root: newDir(0), hash: sha256.New(), buf: make([]byte, 64<<10)}
}

// Names by which a layer hides parts of the layers below.
const (
	whiteout       = ".wh."
	whiteoutMeta   = ".wh..wh." // of the file system that invented them
	whiteoutOpaque = ".wh..wh..opq"
)

// apply adds a layer. packed is the size of the stored form of the tar stream,
// in bytes.
func (f *flattener) apply(ctx context.Context, stream io.Reader, packed int64) error {
	f.layer++
	if f.layer > f.bounds.Layers {
		return fmt.Errorf("more than %d layers", f.bounds.Layers)
	}
	l := &layer{flattener: f, most: ratioFloor + packed*f.bounds.Ratio}
	// Sparse files hold more than the stream: both are counted.
	r := &meter{l: l, ctx: ctx, r: stream}
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("layer %d: %w", f.layer, err)
		}
		if err := l.entry(h, t); err != nil {
			return fmt.Errorf("layer %d: %.200q: %w", f.layer, h.Name, err)
		}
	}
	// Bytes after the archive count for the layer's digest.
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, f.buf); err != nil {
		return fmt.Errorf("layer %d: %w", f.layer, err)
	}
	return nil
}

// ratioFloor is the permitted size of any layer, however small its compressed
// form.
const ratioFloor = 64 << 20

// meter refuses a stream that grows too long, alone or with all layers.
type meter struct {
	l   *layer
	ctx context.Context
	r   io.Reader
	n   int64
}

func (m *meter) Read(p []byte) (int, error) {
	if err := context.Cause(m.ctx); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.n += int64(n)
	m.l.unpacked += int64(n)
	if m.n > m.l.most {
		return n, tooBig(m.l.most, m.l.bounds)
	}
	if m.l.unpacked > m.l.bounds.Bytes {
		return n, tooBig(m.l.bounds.Bytes, m.l.bounds)
	}
	return n, err
}

// tooBig says which bound it was.
func tooBig(most int64, b Bounds) error {
	if most >= b.Bytes {
		return fmt.Errorf("more than %d MiB unpacked", b.Bytes>>20)
	}
	return fmt.Errorf("it unpacks to more than %d times its size: a decompression bomb", b.Ratio)
}

// layer holds the counts of one layer.
type layer struct {
	*flattener
	bytes, most int64
}

func (l *layer) entry(h *tar.Header, content io.Reader) error {
	if err := l.count(h.Name, h.Linkname); err != nil {
		return err
	}
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil // comments of whoever packed it
	}
	name, err := elements(h.Name)
	if err != nil {
		return err
	}
	if len(name) == 0 {
		if h.Typeflag != tar.TypeDir {
			return errors.New("the root is not a directory")
		}
		return nil
	}
	last := name[len(name)-1]
	switch {
	case last == whiteoutOpaque:
		dir, err := l.dir(name[:len(name)-1])
		if err == nil {
			l.clear(dir)
		}
		return err
	case strings.HasPrefix(last, whiteoutMeta):
		return nil
	case strings.HasPrefix(last, whiteout):
		return l.hide(name[:len(name)-1], last[len(whiteout):])
	}
	n, err := l.node(h, name)
	if n == nil || err != nil {
		return err
	}
	dir, err := l.dir(name[:len(name)-1])
	if err != nil {
		return err
	}
	if h.Typeflag == tar.TypeReg {
		if err := l.store(n, content); err != nil {
			return err
		}
	}
	return l.put(dir, last, n)
}

// count counts an entry, or a directory made for an entry.
func (l *layer) count(texts ...string) error {
	if l.entries++; l.entries > l.bounds.Files {
		return fmt.Errorf("more than %d entries", l.bounds.Files)
	}
	for _, t := range texts {
		l.text += int64(len(t))
	}
	if l.text > maxText {
		return fmt.Errorf("more than %d MiB of names", maxText>>20)
	}
	return nil
}

// elements splits a name of an entry and holds it to the bounds.
func elements(s string) ([]string, error) {
	name, up := split(s)
	switch {
	case up:
		return nil, errors.New(`".." in the name: it leads out of the tree`)
	case len(s) > maxPath || len(name) > maxDepth:
		return nil, fmt.Errorf("the name is longer than %d bytes, or deeper than %d directories", maxPath, maxDepth)
	case strings.IndexByte(s, 0) >= 0:
		return nil, errors.New("NUL in the name")
	}
	for _, e := range name {
		if len(e) > maxName {
			return nil, fmt.Errorf("an element of the name is longer than %d bytes", maxName)
		}
	}
	return name, nil
}

// node returns the node of an entry, or nil for an omitted one.
func (l *layer) node(h *tar.Header, name []string) (*node, error) {
	const setID, regularBits = 0o7000, 0o111
	n := &node{layer: l.layer}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "SCHILY.xattr.") || strings.HasPrefix(key, "LIBARCHIVE.xattr.") {
			l.dropped.Attributes++
			break
		}
	}
	switch h.Typeflag {
	case tar.TypeDir:
		n.kind, n.children = kindDir, map[string]*node{}
	case tar.TypeReg:
		if h.Mode&setID != 0 {
			l.dropped.SetID++
		}
		n.kind, n.size, n.exec = kindFile, h.Size, h.Mode&regularBits != 0
		n.seconds = min(max(h.ModTime.Unix(), 1), 1<<33)
	case tar.TypeSymlink:
		if h.Linkname == "" || len(h.Linkname) > maxLink || strings.IndexByte(h.Linkname, 0) >= 0 {
			return nil, fmt.Errorf("the target of the link is empty or longer than %d bytes", maxLink)
		}
		n.kind, n.link = kindLink, strings.Clone(h.Linkname)
	case tar.TypeLink:
		to, err := l.linked(h.Linkname)
		if err != nil {
			return nil, err
		}
		*n = *to
		n.layer = l.layer
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		if name[0] != "dev" && !l.dropSpecial {
			return nil, fmt.Errorf("a %s: a tree holds files, directories and links only", map[byte]string{tar.TypeChar: "character device", tar.TypeBlock: "block device", tar.TypeFifo: "named pipe"}[h.Typeflag])
		}
		l.dropped.Devices++
		return nil, nil
	default:
		return nil, fmt.Errorf("an entry of the unknown type %q", h.Typeflag)
	}
	return n, nil
}

// linked returns the target of a hard link: a node in the tree, by a name on
// which no link is followed.
func (l *layer) linked(target string) (*node, error) {
	name, err := elements(target)
	if err != nil {
		return nil, fmt.Errorf("hard link to %.200q: %w", target, err)
	}
	n := l.root
	for i, e := range name {
		if n.kind == kindLink {
			return nil, fmt.Errorf("hard link to %.200q: %q is a symbolic link", target, name[i-1])
		}
		if n = n.children[e]; n == nil {
			return nil, fmt.Errorf("hard link to %.200q, which is not there", target)
		}
	}
	if n.kind == kindDir {
		return nil, fmt.Errorf("hard link to %.200q, a directory", target)
	}
	return n, nil
}

// dir returns a directory, made where the layer does not name it.
func (l *layer) dir(name []string) (*node, error) {
	n := l.root
	for i, e := range name {
		c := n.children[e]
		if c == nil {
			if err := l.count(); err != nil {
				return nil, err
			}
			c = newDir(l.layer)
			n.children[e] = c
		}
		if c.kind != kindDir {
			return nil, fmt.Errorf("it leads through %q, which is a %s", strings.Join(name[:i+1], "/"), c.kind)
		}
		n = c
	}
	return n, nil
}

// put places n over what is there.
func (l *layer) put(dir *node, name string, n *node) error {
	old := dir.children[name]
	switch {
	case old == nil || old.kind != kindDir:
	case n.kind == kindDir:
		old.layer = l.layer
		return nil
	case l.has(old):
		return errors.New("one layer has it as a directory and as something else")
	}
	dir.children[name] = n
	return nil
}

// has reports whether the layer added to the directory.
func (l *layer) has(dir *node) bool {
	for _, c := range dir.children {
		if c.layer == l.layer || l.has(c) {
			return true
		}
	}
	return false
}

// hide removes the contents of the layers below at a name.
func (l *layer) hide(in []string, name string) error {
	if name == "" || name == "." || name == ".." {
		return errors.New("a whiteout of no name")
	}
	dir, err := l.dir(in)
	if err != nil {
		return err
	}
	c := dir.children[name]
	if c == nil || c.layer == l.layer && c.kind != kindDir {
		return nil
	}
	l.clear(c)
	if c.layer < l.layer && len(c.children) == 0 {
		delete(dir.children, name)
	}
	return nil
}

// clear removes the contents of the layers below in a directory.
func (l *layer) clear(dir *node) {
	if dir.cleared == l.layer {
		return // and since then only this layer has added to it
	}
	dir.cleared = l.layer
	for name, c := range dir.children {
		l.clear(c)
		if c.layer < l.layer && len(c.children) == 0 {
			delete(dir.children, name)
		}
	}
}

// store writes the content of a file to the data.
func (l *layer) store(n *node, content io.Reader) error {
	if n.size < 0 {
		return errors.New("a negative size")
	}
	if l.bytes += n.size; n.size > l.most || l.bytes > l.most {
		return tooBig(l.most, l.bounds)
	}
	if n.size > l.bounds.Bytes-l.at {
		return tooBig(l.bounds.Bytes, l.bounds)
	}
	n.at = l.at
	l.hash.Reset()
	got, err := io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(l.data, l.hash)}, io.LimitReader(content, n.size), l.buf)
	l.at += got
	if err == nil && got != n.size {
		err = io.ErrUnexpectedEOF
	}
	l.hash.Sum(n.sum[:0])
	return err
}

// finish removes from the tree whatever would be in the place of a box's own
// files, and returns the tree.
func (f *flattener) finish() (*node, error) {
	for _, r := range reserved {
		f.reserve(r)
	}
	// Hard links give many names to few bytes; a tree on a disk without hard
	// links stores all of them.
	if _, bytes := f.root.count(); bytes > f.bounds.Bytes {
		return nil, tooBig(f.bounds.Bytes, f.bounds)
	}
	return f.root, nil
}

func (f *flattener) reserve(r reservation) {
	name, _ := split(r.path)
	dir := f.root
	for i, e := range name {
		c := dir.children[e]
		last := i == len(name)-1
		switch {
		case c == nil:
			return
		case c.kind != kindDir && !(last && r.file):
			// A link, or a file, in place of a required directory.
			f.dropped.Reserved++
			delete(dir.children, e)
			return
		case last && (r.empty || r.file && c.kind == kindDir):
			files, _ := c.count()
			f.dropped.Reserved += files
			delete(dir.children, e)
			return
		}
		dir = c
	}
}
