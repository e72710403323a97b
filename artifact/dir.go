package artifact

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Dir is a Store in a directory of the file system, which should be private,
// and one process's at a time. A content appears under its id on completion.
type Dir struct{ root *os.Root }

// OpenDir opens the store in dir, which must exist, and removes half-written
// files of a crash.
func OpenDir(dir string) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	parts, err := fs.Glob(root.FS(), idPrefix+"*"+partSuffix)
	for _, p := range parts {
		err = errors.Join(err, root.Remove(p))
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return &Dir{root: root}, nil
}

const partSuffix = ".part"

// Close closes the store; its contents stay.
func (d *Dir) Close() error { return d.root.Close() }

// validID reports whether id has the form of ours, and so is a harmless file
// name.
func validID(id string) bool {
	rest, ok := strings.CutPrefix(id, idPrefix)
	return ok && rest != "" && len(id) <= 64 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// Create implements [Store].
func (d *Dir) Create(id string) (Blob, error) {
	if !validID(id) {
		return nil, fmt.Errorf("artifact %.64q: %w", id, fs.ErrInvalid)
	}
	if _, err := d.root.Lstat(id); err == nil {
		return nil, fmt.Errorf("artifact %s: %w", id, fs.ErrExist)
	}
	f, err := d.root.OpenFile(id+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &dirBlob{d: d, id: id, f: f}, nil
}

// Open implements [Store].
func (d *Dir) Open(id string) (io.ReadCloser, error) {
	if !validID(id) {
		return nil, fmt.Errorf("artifact %.64q: %w", id, fs.ErrNotExist)
	}
	return d.root.Open(id)
}

// Delete implements [Store].
func (d *Dir) Delete(id string) error {
	if !validID(id) {
		return nil
	}
	if err := d.root.Remove(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

type dirBlob struct {
	d    *Dir
	id   string
	f    *os.File
	done bool
}

func (b *dirBlob) Write(p []byte) (int, error) { return b.f.Write(p) }

func (b *dirBlob) Close() error {
	if b.done {
		return fs.ErrClosed
	}
	b.done = true
	// A content reported as stored must survive a power cut.
	err := errors.Join(b.f.Sync(), b.f.Close())
	if err == nil {
		err = b.d.root.Rename(b.id+partSuffix, b.id)
	}
	if err != nil {
		return errors.Join(err, b.d.root.Remove(b.id+partSuffix))
	}
	return nil
}

func (b *dirBlob) Discard() error {
	if b.done {
		return nil
	}
	b.done = true
	return errors.Join(b.f.Close(), b.d.root.Remove(b.id+partSuffix))
}
