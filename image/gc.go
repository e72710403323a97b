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
	// InUse is the number of nameless trees still in use by a process.
	InUse int `json:"in_use"`
}

// GC removes the blobs and trees of images without a name, and the remains of
// unfinished pulls. GC waits for processes that add to the store, and vice
// versa. Killed at any moment, it has removed only superfluous files.
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

// reachable returns the digests of the blobs, and the trees, of all images with
// a name. An unreadable record stops the collection: the image may need the
// files to be removed.
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

// removeTree removes an unused tree, or its remaining lock.
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
	// A tree's lock is taken under the store's lock, which is ours now.
	held.Close()
	return os.Remove(held.Name())
}

// discard removes the file or directory at a name, atomically as seen by
// others.
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
