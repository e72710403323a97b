package rootfs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"
)

// nodeFS shows nodes as a file system, for the image writer: it opens each file
// only on demand.
type nodeFS struct {
	ctx      context.Context
	nodes    map[string]*node
	children map[string][]fs.DirEntry
}

// newNodeFS takes nodes in the order of resolve.
func newNodeFS(ctx context.Context, nodes []*node) *nodeFS {
	f := &nodeFS{ctx: ctx, nodes: map[string]*node{}, children: map[string][]fs.DirEntry{}}
	for _, n := range nodes {
		f.nodes[n.path] = n
		if n.path != "/" {
			dir := path.Dir(n.path)
			f.children[dir] = append(f.children[dir], nodeInfo{n})
		}
	}
	return f
}

// node returns the node of a name in the form of package fs.
func (f *nodeFS) node(name string) (*node, error) {
	if err := context.Cause(f.ctx); err != nil {
		return nil, err
	}
	n := f.nodes[path.Join("/", name)]
	if n == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

// Open implements [fs.FS].
func (f *nodeFS) Open(name string) (fs.File, error) {
	n, err := f.node(name)
	if err != nil {
		return nil, err
	}
	return &nodeFile{ctx: f.ctx, n: n}, nil
}

// Stat implements [fs.StatFS].
func (f *nodeFS) Stat(name string) (fs.FileInfo, error) {
	n, err := f.node(name)
	if err != nil {
		return nil, err
	}
	return nodeInfo{n}, nil
}

// ReadDir implements [fs.ReadDirFS].
func (f *nodeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.node(name)
	if err != nil {
		return nil, err
	}
	return f.children[n.path], nil
}

// ReadLink implements part of [fs.ReadLinkFS].
func (f *nodeFS) ReadLink(name string) (string, error) {
	n, err := f.node(name)
	if err != nil {
		return "", err
	}
	return n.link, nil
}

// nodeInfo is a node as a file information and a directory entry.
type nodeInfo struct{ n *node }

func (i nodeInfo) Name() string               { return path.Base(i.n.path) }
func (i nodeInfo) Size() int64                { return i.n.size }
func (i nodeInfo) Mode() fs.FileMode          { return i.n.mode }
func (i nodeInfo) Type() fs.FileMode          { return i.n.mode.Type() }
func (i nodeInfo) ModTime() time.Time         { return i.n.mtime }
func (i nodeInfo) IsDir() bool                { return i.n.mode.IsDir() }
func (i nodeInfo) Info() (fs.FileInfo, error) { return i, nil }

// Sys has the only fact used by the image writer: the time. The owner is root,
// as the box sees it.
func (i nodeInfo) Sys() any { return timeForImage(i.n.mtime) }

// nodeFile is the content of a file node: exactly its size.
type nodeFile struct {
	ctx  context.Context
	n    *node
	r    io.ReadCloser // opened by the first Read
	read int64
}

func (f *nodeFile) Stat() (fs.FileInfo, error) { return nodeInfo{f.n}, nil }

func (f *nodeFile) Read(p []byte) (int, error) {
	if err := context.Cause(f.ctx); err != nil {
		return 0, err
	}
	if f.r == nil {
		r, err := f.n.open()
		if err != nil {
			return 0, err
		}
		f.r = r
	}
	n, err := f.r.Read(p)
	if f.read += int64(n); err == io.EOF && f.read < f.n.size {
		err = fmt.Errorf("%s changed while it was copied: %d bytes of %d", cmp.Or(f.n.source, f.n.path), f.read, f.n.size)
	}
	return n, err
}

func (f *nodeFile) Close() error {
	if f.r == nil {
		return nil
	}
	return f.r.Close()
}
