package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lock"
)

// Collected is what [Store.GC] removed.
type Collected struct {
	Blobs int   `json:"blobs"`
	Trees int   `json:"trees"`
	Bytes int64 `json:"bytes"`
	// InUse is how many trees stay, although they have no name any more,
	// because a process uses them.
	InUse int `json:"in_use"`
}

// GC removes the blobs and trees of images that have no name any more, and
// what unfinished pulls left. It waits for those who add to the store, as they
// wait for it. Killed at any moment, it has removed only what it should.
func (s *Store) GC(ctx context.Context) (Collected, error) {
	lock, err := s.removing(ctx)
	if err != nil {
		return Collected{}, err
	}
	defer lock.Close()
	c, err := s.collect(ctx)
	if err != nil {
		return c, fmt.Errorf("image store: %w", err)
	}
	return c, nil
}

func (s *Store) collect(ctx context.Context) (Collected, error) {
	var c Collected
	blobs, trees, err := s.reachable()
	if err != nil {
		return c, err
	}
	list, err := os.ReadDir(filepath.Join(s.dir, "blobs", "sha256"))
	if err != nil {
		return c, err
	}
	for _, d := range list {
		if err := context.Cause(ctx); err != nil {
			return c, err
		}
		if !blobs["sha256:"+d.Name()] {
			info, err := d.Info()
			if err == nil {
				err = os.Remove(filepath.Join(s.dir, "blobs", "sha256", d.Name()))
			}
			if err != nil {
				return c, err
			}
			c.Blobs++
			c.Bytes += info.Size()
		}
	}
	if list, err = os.ReadDir(filepath.Join(s.dir, "trees")); err != nil {
		return c, err
	}
	for _, d := range list {
		if err := context.Cause(ctx); err != nil {
			return c, err
		}
		name, isLock := strings.CutSuffix(d.Name(), treeLock)
		if _, err := os.Lstat(filepath.Join(s.dir, "trees", name)); !trees[name] && (err != nil || !isLock) {
			if err := s.removeTree(name, &c); err != nil {
				return c, err
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(s.dir, "tmp", "*"))
	for _, p := range left {
		err = errors.Join(err, os.RemoveAll(p))
	}
	return c, err
}

// reachable returns the digests of the blobs, and the trees, of all images
// that have a name. What cannot be read stops the collection: it may need what
// we would remove.
func (s *Store) reachable() (blobs, trees map[string]bool, err error) {
	blobs, trees = map[string]bool{}, map[string]bool{}
	refs, err := s.List()
	if err != nil {
		return nil, nil, err
	}
	for _, r := range refs {
		i, diffs, err := s.describe(r)
		if err != nil {
			return nil, nil, fmt.Errorf("%w; pull it again, or remove its name %q", err, r.Name)
		}
		trees[treeID(diffs, r.DropSpecial)] = true
		for _, d := range append(i.manifest.Layers, i.manifest.Config) {
			blobs[d.Digest.String()] = true
		}
		for _, of := range append(r.Signatures, r.Digest, r.Index) {
			blobs[of] = true
		}
		for _, of := range r.Signatures {
			digest, err := parseDigest(of)
			if err != nil {
				continue
			}
			b, err := s.readBlob(digest, maxManifest)
			if err != nil {
				continue // an image without its signatures is still an image
			}
			payloads, _ := signaturesIn(b)
			for _, d := range payloads {
				blobs[d.Digest.String()] = true
			}
		}
	}
	return blobs, trees, nil
}

// removeTree removes a tree that no process uses, or what is left of it: its
// lock.
func (s *Store) removeTree(name string, c *Collected) error {
	dir := filepath.Join(s.dir, "trees", name)
	held, err := lock.Open(dir + treeLock)
	if err != nil {
		return err
	}
	defer held.Close()
	if ok, err := lock.Try(held, lock.Exclusive); err != nil || !ok {
		c.InUse++
		return err
	}
	var bytes int64
	for _, f := range []string{treeData, treeIndex} {
		if info, err := os.Lstat(filepath.Join(dir, f)); err == nil {
			bytes += info.Size()
		}
	}
	if err := s.discard(dir); err != nil {
		return err
	}
	if bytes > 0 {
		c.Trees++
		c.Bytes += bytes
	}
	// Who wants a tree's lock holds the store's, which is ours now.
	held.Close()
	return os.Remove(held.Name())
}

// discard removes what is at a name, at once as far as others see.
func (s *Store) discard(name string) error {
	away, err := os.MkdirTemp(filepath.Join(s.dir, "tmp"), "gone-")
	if err != nil {
		return err
	}
	if err := os.Rename(name, filepath.Join(away, "it")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(away)
}
