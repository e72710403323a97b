package rootfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// writeTree makes dir and writes the nodes into it.
func writeTree(ctx context.Context, dir string, nodes []*node) error {
	for _, n := range nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeNode(filepath.Join(dir, n.path), n); err != nil {
			return err
		}
	}
	// Directories change while they are filled.
	for _, n := range nodes {
		if !n.mode.IsDir() {
			continue
		}
		at := filepath.Join(dir, n.path)
		if err := os.Chmod(at, n.mode.Perm()); err != nil {
			return err
		}
		if err := os.Chtimes(at, n.mtime, n.mtime); err != nil {
			return err
		}
	}
	// After a power cut the tree must not be there half empty.
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return unix.Syncfs(int(d.Fd()))
}

func writeNode(at string, n *node) error {
	switch n.mode.Type() {
	case fs.ModeDir:
		return os.Mkdir(at, 0o700)
	case fs.ModeSymlink:
		return os.Symlink(n.link, at)
	}
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := n.copyTo(f); err != nil {
		return err
	}
	if err := f.Chmod(n.mode.Perm()); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Chtimes(at, n.mtime, n.mtime)
}

// copyTo writes the content of a file node: exactly its size.
func (n *node) copyTo(w io.Writer) error {
	r, err := n.open()
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := io.CopyN(w, r, n.size)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s changed while it was copied: %d bytes of %d", n.source, got, n.size)
	}
	return err
}
