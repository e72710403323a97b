package image

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// tree is the layers of an image as one tree: names in memory, contents in one
// file of the store. tree is a [rootfs.Files].
type tree struct {
	root    *node
	dropped Dropped
	key     string
	data    *os.File
	lock    *os.File // held shared: nobody removes the tree
}

// Names of the files of a tree, and the suffix of the lock beside it.
const (
	treeIndex = "index"
	treeData  = "data"
	treeLock  = ".lock"
)

// openTree reads the tree in dir. The caller locks it.
func openTree(dir string) (*tree, error) {
	data, err := os.Open(filepath.Join(dir, treeData))
	if err != nil {
		return nil, err
	}
	t, err := readTree(dir, data)
	if err != nil {
		data.Close()
		return nil, err
	}
	return t, nil
}

func readTree(dir string, data *os.File) (*tree, error) {
	info, err := data.Stat()
	if err != nil {
		return nil, err
	}
	index, err := os.ReadFile(filepath.Join(dir, treeIndex))
	if err != nil {
		return nil, err
	}
	root, dropped, err := readIndex(index, info.Size())
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(index)
	return &tree{root: root, dropped: dropped, key: hex.EncodeToString(sum[:]), data: data}, nil
}

func (t *tree) close() {
	t.data.Close()
	if t.lock != nil {
		t.lock.Close()
	}
}

// Key implements [rootfs.Files].
func (t *tree) Key() string { return t.key }

// Walk implements [rootfs.Files].
func (t *tree) Walk(fn func(rootfs.File) error) error {
	return t.root.walk("", func(p string, n *node) error {
		f := rootfs.File{Path: p, Mode: n.mode()}
		switch n.kind {
		case kindLink:
			f.Link = n.link
		case kindFile:
			f.Size, f.Modified = n.size, n.modified()
			f.Key = hex.EncodeToString(n.sum[:])
			f.Open = func() (io.ReadCloser, error) { return io.NopCloser(t.content(n)), nil }
		}
		return fn(f)
	})
}

// content returns the content of a file.
func (t *tree) content(n *node) *io.SectionReader { return io.NewSectionReader(t.data, n.at, n.size) }

// mode returns the type and the permissions that a box sees.
func (n *node) mode() fs.FileMode {
	switch {
	case n.kind == kindDir:
		return fs.ModeDir | 0o755
	case n.kind == kindLink:
		return fs.ModeSymlink | 0o777
	case n.exec:
		return 0o555
	}
	return 0o444
}

func (n *node) modified() time.Time {
	if n.kind != kindFile {
		return time.Unix(1, 0)
	}
	return time.Unix(n.seconds, 0)
}
