package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Verify reads an image again: every blob must have its digest, and the tree
// must equal the result of the layers. A defective part is removed, to be
// replaced by the next pull or import, and is an error.
func (s *Store) Verify(ctx context.Context, text string) error {
	lock, err := s.adding(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	refs, err := s.refs(text)
	if err != nil {
		return err
	}
	for _, r := range refs {
		if err := s.verify(ctx, r); err != nil {
			return fmt.Errorf("verify %s: %w", text, err)
		}
	}
	return nil
}

func (s *Store) verify(ctx context.Context, r Ref) error {
	var damaged []error
	for _, of := range append(r.Signatures, r.Index, r.Digest) {
		if digest, err := parseDigest(of); err == nil {
			damaged = append(damaged, s.verifyBlob(ctx, v1.Descriptor{Digest: digest, Size: -1}))
		}
	}
	if err := errors.Join(damaged...); err != nil {
		return err
	}
	i, diffs, err := s.describe(r)
	if err != nil {
		return err
	}
	for _, d := range append(i.manifest.Layers, i.manifest.Config) {
		damaged = append(damaged, s.verifyBlob(ctx, d))
	}
	if err := errors.Join(damaged...); err != nil {
		return err
	}
	return s.verifyTree(ctx, i, diffs)
}

// verifyBlob reads a blob again; a size of -1 may be any.
func (s *Store) verifyBlob(ctx context.Context, d v1.Descriptor) error {
	f, err := s.openBlob(d)
	if err != nil {
		return err
	}
	defer f.Close()
	if d.Size < 0 {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		d.Size = info.Size()
	}
	_, err = copyBlob(ctx, io.Discard, d, f)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return errors.Join(err, os.Remove(f.Name()))
}

// verifyTree compares the tree with the result of the layers.
func (s *Store) verifyTree(ctx context.Context, i *Image, diffs []v1.Hash) error {
	dir := filepath.Join(s.dir, "trees", treeID(diffs, i.ref.DropSpecial))
	if _, err := os.Lstat(dir); os.IsNotExist(err) {
		return nil // it is made when it is wanted
	}
	var want bytes.Buffer
	if err := s.flatten(ctx, i, diffs, io.Discard, &want); err != nil {
		return err
	}
	err := sameTree(ctx, dir, want.Bytes())
	if err == nil || ctx.Err() != nil {
		return err
	}
	s.mu.Lock()
	delete(s.trees, dir) // whoever reads it keeps what is open
	s.mu.Unlock()
	return errors.Join(err, s.discard(dir))
}

// sameTree fails for a tree with a different index, or with content different
// from the index.
func sameTree(ctx context.Context, dir string, index []byte) error {
	have, err := os.ReadFile(filepath.Join(dir, treeIndex))
	if err != nil {
		return err
	}
	if !bytes.Equal(have, index) {
		return errors.New("the tree has other names than the layers")
	}
	t, err := openTree(dir)
	if err != nil {
		return err
	}
	defer t.close()
	return t.root.walk("", func(p string, n *node) error {
		if n.kind != kindFile {
			return nil
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, &contextReader{ctx, t.content(n)}); err != nil {
			return err
		}
		if got := sum.Sum(nil); !bytes.Equal(got, n.sum[:]) {
			return fmt.Errorf("the tree has %q with the digest %s, the layers have it with %s", p, hex.EncodeToString(got), hex.EncodeToString(n.sum[:]))
		}
		return nil
	})
}
