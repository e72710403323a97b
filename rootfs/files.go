package rootfs

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// Files is a tree of files not from the host, such as the tree of an OCI
// image: its links are text, never resolved on the host.
type Files interface {
	// Key names the content: two trees with one key are equal.
	Key() string
	// Walk calls fn for each file, directory and link of the tree, directories
	// before their contents, until a call fails.
	Walk(fn func(File) error) error
}

// File is one file, directory or link of a [Files].
type File struct {
	// Path is the file's path in the tree, absolute and clean.
	Path string
	// Mode is the type: 0, [fs.ModeDir] or [fs.ModeSymlink]; of a file, any
	// execute bit makes it executable. The remaining bits are ignored.
	Mode fs.FileMode
	// Link is the target of a symbolic link.
	Link string
	// Size is the length of a file in bytes.
	Size int64
	// Modified is the time of a file, for checks whether a cache is stale.
	Modified time.Time
	// Key names the content of a file: files with one key have equal content.
	Key string
	// Open returns the content of a file.
	Open func() (io.ReadCloser, error)
}

// files places a tree as it is.
func (r *resolver) files(e *Entry) error {
	return e.Files.Walk(func(f File) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if !path.IsAbs(f.Path) || path.Clean(f.Path) != f.Path || strings.ContainsRune(f.Path, 0) {
			return fmt.Errorf("path %q is not absolute and clean", f.Path)
		}
		n := &node{path: path.Join(e.Path, f.Path), mtime: epoch}
		switch f.Mode.Type() {
		case 0:
			n.mode = 0o444
			if f.Mode.Perm()&0o111 != 0 {
				n.mode = 0o555
			}
			n.key, n.content, n.size, n.mtime = f.Key, f.Open, f.Size, f.Modified
		case fs.ModeDir:
			n.mode = fs.ModeDir | 0o755
		case fs.ModeSymlink:
			n.mode, n.link = fs.ModeSymlink|0o777, f.Link
		default:
			return fmt.Errorf("%s is a %s: a root file system holds files, directories and links only", f.Path, kindOf(f.Mode))
		}
		return r.put(n)
	})
}
