package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/lock"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Store keeps images in a private directory, which many processes may share.
// Its methods are safe for concurrent use.
type Store struct {
	// Bounds may be set before the first use.
	Bounds Bounds

	dir   string
	mu    sync.Mutex
	trees map[string]*tree // those that this process uses
}

// Open opens the store in dir, made if missing; empty means the directory
// "images" in [rootfs.DefaultDir]. It fails where another user could write into
// the store. Remains of killed processes are removed.
func Open(dir string) (*Store, error) {
	if dir == "" {
		cache, err := rootfs.DefaultDir()
		if err != nil {
			return nil, fmt.Errorf("image store: %w", err)
		}
		dir = filepath.Join(cache, "images")
	}
	dir, err := rootfs.Private(dir)
	if err != nil {
		return nil, fmt.Errorf("image store: %w", err)
	}
	for _, sub := range []string{"blobs/sha256", "refs", "trees", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("image store: %w", err)
		}
	}
	s := &Store{Bounds: DefaultBounds, dir: dir, trees: map[string]*tree{}}
	s.sweep()
	return s, nil
}

// Close gives up the images in use by this process: other processes may remove
// them, and the plans and files become unreadable.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.trees {
		t.close()
	}
	clear(s.trees)
	return nil
}

// adding locks the store for adding: until the lock is closed nothing is
// removed, and files in tmp are in use.
func (s *Store) adding(ctx context.Context) (*os.File, error) { return s.locked(ctx, lock.Shared) }

// removing locks the store for removing.
func (s *Store) removing(ctx context.Context) (*os.File, error) { return s.locked(ctx, lock.Exclusive) }

func (s *Store) locked(ctx context.Context, k lock.Kind) (*os.File, error) {
	f, err := lockFile(ctx, filepath.Join(s.dir, "lock"), k)
	if err != nil {
		return nil, fmt.Errorf("image store: %w", err)
	}
	return f, nil
}

// sweep removes the remains of killed processes from tmp, if no process is at
// work. Else a later sweep does; the remains do no harm.
func (s *Store) sweep() {
	f, err := lock.Open(filepath.Join(s.dir, "lock"))
	if err != nil {
		return
	}
	defer f.Close()
	if ok, err := lock.Try(f, lock.Exclusive); err != nil || !ok {
		return
	}
	left, _ := filepath.Glob(filepath.Join(s.dir, "tmp", "*"))
	for _, p := range left {
		_ = os.RemoveAll(p)
	}
}

// temp makes a file for unfinished work. Its caller holds the lock.
func (s *Store) temp(what string) (*os.File, error) {
	return os.CreateTemp(filepath.Join(s.dir, "tmp"), what+"-")
}

// replace puts b at name, whole or not at all.
func (s *Store) replace(name string, b []byte) error {
	f, err := s.temp("file")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
