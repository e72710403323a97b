package image

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gloveboxhq/glovebox/internal/lock"
	"github.com/gloveboxhq/glovebox/internal/unpack"
)

// treeID names the tree of layers, by their unpacked digests and all further
// influences on the result.
func treeID(diffs []v1.Hash, dropSpecial bool) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s%v\n", indexFormat, dropSpecial)
	for _, d := range diffs {
		fmt.Fprintln(sum, d)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// tree returns the image's tree, made anew if missing or changed since. The
// caller holds the store's lock.
func (s *Store) tree(ctx context.Context, i *Image, diffs []v1.Hash) (*tree, error) {
	dir := filepath.Join(s.dir, "trees", treeID(diffs, i.ref.DropSpecial))
	s.mu.Lock()
	t := s.trees[dir]
	s.mu.Unlock()
	if t != nil {
		return t, nil
	}
	t, err := lockTree(ctx, dir)
	switch {
	case errors.Is(err, errIndex):
		if err := s.discard(dir); err != nil {
			return nil, err
		}
		fallthrough
	case errors.Is(err, fs.ErrNotExist):
		if err := s.makeTree(ctx, dir, i, diffs); err != nil {
			return nil, err
		}
		t, err = lockTree(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.trees[dir]; other != nil {
		t.close()
		return other, nil
	}
	s.trees[dir] = t
	return t, nil
}

// lockTree opens the tree in dir and locks it until Close. No process removes
// the tree before: removal takes the store's lock.
func lockTree(ctx context.Context, dir string) (*tree, error) {
	if _, err := os.Lstat(dir); err != nil {
		return nil, err
	}
	held, err := lockFile(ctx, dir+treeLock, lock.Shared)
	if err != nil {
		return nil, err
	}
	t, err := openTree(dir)
	if err != nil {
		held.Close()
		return nil, err
	}
	t.lock = held
	return t, nil
}

// makeTree applies the layers of an image and puts the tree at dir.
func (s *Store) makeTree(ctx context.Context, dir string, i *Image, diffs []v1.Hash) error {
	part, err := os.MkdirTemp(filepath.Join(s.dir, "tmp"), "tree-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	data, err := os.OpenFile(filepath.Join(part, treeData), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	defer data.Close()
	index, err := os.OpenFile(filepath.Join(part, treeIndex), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	defer index.Close()
	if err := s.flatten(ctx, i, diffs, data, index); err != nil {
		return err
	}
	if err := errors.Join(data.Sync(), index.Sync(), data.Close(), index.Close()); err != nil {
		return err
	}
	err = os.Rename(part, dir)
	if _, there := os.Lstat(filepath.Join(dir, treeIndex)); there == nil {
		return nil // or another process was faster
	}
	return err
}

// flatten applies the layers of an image, whose digests when unpacked must be
// diffs, and writes the tree's data and index.
func (s *Store) flatten(ctx context.Context, i *Image, diffs []v1.Hash, data, index io.Writer) error {
	out := bufio.NewWriterSize(data, 1<<20)
	f := newFlattener(s.Bounds, i.ref.DropSpecial, out)
	for n, d := range i.manifest.Layers {
		if err := s.applyLayer(ctx, f, d, diffs[n]); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	root, err := f.finish()
	if err != nil {
		return err
	}
	return writeIndex(index, root, f.dropped)
}

func (s *Store) applyLayer(ctx context.Context, f *flattener, d v1.Descriptor, diff v1.Hash) error {
	blob, err := s.openBlob(d)
	if err != nil {
		return err
	}
	defer blob.Close()
	p, err := packingOf(d.MediaType)
	if err != nil {
		return err
	}
	stream, err := unpack.Reader(bufio.NewReaderSize(blob, 1<<20), p)
	if err != nil {
		return fmt.Errorf("layer %s: %w", d.Digest, err)
	}
	defer stream.Close()
	sum := sha256.New()
	if err := f.apply(ctx, io.TeeReader(stream, sum), d.Size); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != diff.Hex {
		return fmt.Errorf("layer %s: unpacked it has the digest sha256:%s, not the %s of its configuration", d.Digest, got, diff)
	}
	return nil
}
