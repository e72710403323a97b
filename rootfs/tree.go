package rootfs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// pool is a directory with one name for each file of the host or of a [Files]
// with a copy in a tree. Trees share these read-only copies: after a change of
// our drivers, or of one package, only the changed files are copied again. A
// pool is of one boot; see [settled].
type pool struct{ dir string }

// pooled reports whether the node has a file in the pool.
func (n *node) pooled() bool { return n.source != "" || n.key != "" }

// name returns the pool's file for the node, different for any difference in
// contents, permissions or time.
func (p pool) name(n *node) string {
	h := &hasher{sum: sha256.New()}
	h.text(n.source)
	h.text(n.key)
	h.number(uint64(n.mode))
	h.number(uint64(n.size))
	h.number(uint64(n.mtime.UnixNano()))
	h.number(n.stamp.device)
	h.number(n.stamp.inode)
	h.number(n.stamp.changed)
	if n.patch != nil {
		h.bytes(n.patch.data)
	}
	return filepath.Join(p.dir, hex.EncodeToString(h.sum.Sum(nil)[:16]))
}

// sweep removes files that no tree uses any more.
func (p pool) sweep() {
	list, err := os.ReadDir(p.dir)
	if err != nil {
		return
	}
	for _, d := range list {
		if info, err := d.Info(); err == nil && !hasOtherNames(filepath.Join(p.dir, d.Name()), info) {
			_ = os.Remove(filepath.Join(p.dir, d.Name()))
		}
	}
}

// writeTree makes dir and writes the nodes into it.
func (p pool) writeTree(ctx context.Context, dir string, nodes []*node) error {
	if err := os.Mkdir(p.dir, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	var copied []*node
	for _, n := range nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		at, err := n.at(dir)
		if err != nil {
			return err
		}
		if n.pooled() {
			if os.Link(p.name(n), at) == nil {
				continue
			}
			copied = append(copied, n)
		}
		if err := writeNode(at, n); err != nil {
			return err
		}
	}
	// Directories change while they are filled.
	for _, n := range nodes {
		if !n.mode.IsDir() {
			continue
		}
		at, err := n.at(dir)
		if err != nil {
			return err
		}
		if err := os.Chmod(at, n.mode.Perm()); err != nil {
			return err
		}
		if err := os.Chtimes(at, n.mtime, n.mtime); err != nil {
			return err
		}
	}
	for _, n := range copied {
		// A file system without hard links shares nothing.
		if at, err := n.at(dir); err == nil {
			_ = os.Link(at, p.name(n))
		}
	}
	return nil
}

// at is the node's path in a tree. at fails if the host has no such name, or a
// different meaning for it, as for "a:b" on Windows.
func (n *node) at(dir string) (string, error) {
	if n.path == "/" || filepath.Separator == '/' {
		return filepath.Join(dir, n.path), nil // any bytes are a name there
	}
	local, err := filepath.Localize(n.path[1:])
	if err != nil {
		return "", fmt.Errorf("%s: this host cannot have a file of that name: %w", n.path, err)
	}
	return filepath.Join(dir, local), nil
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
		return fmt.Errorf("%s changed while it was copied: %d bytes of %d", cmp.Or(n.source, n.path), got, n.size)
	}
	return err
}
