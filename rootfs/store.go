package rootfs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/lock"
)

// Bounds limit the contents of one root file system.
type Bounds struct {
	Bytes int64 // of all files together
	Files int   // files, directories and links
}

// DefaultBounds are the bounds of a [Store] without its own.
var DefaultBounds = Bounds{Bytes: 4 << 30, Files: 400_000}

// DefaultKeep is the Keep of a [Store] without its own.
const DefaultKeep = 16 << 30

// Store builds roots from plans and keeps them in a private directory, under
// the plan's key. Many processes may share the directory: each root is built
// once, by one of them, and appears complete or not at all. A root stays until
// the end of the requesting process, even if others prune.
//
// Each root is a directory, <key>.tree or <key>.image, with the root as "root"
// and files "lock", "size" and "boot". During the build it is called "part";
// the next Open sweeps the remains of a crash. Trees share files, by hard
// links.
type Store struct {
	// Bounds and Keep may be set before the first use.
	Bounds Bounds
	// Keep is the number of bytes of roots to keep: a build prunes the least
	// recently used.
	Keep int64

	dir   string
	mu    sync.Mutex
	roots map[string]*slot
}

// slot is a root in use or in the making by this process. The holder of busy
// owns the remaining fields.
type slot struct {
	busy chan struct{}
	lock *os.File // locked shared while the root is in use
}

// kind is the form of a root, and the suffix of its directory.
type kind string

const (
	kindTree  kind = "tree"
	kindImage kind = "image"
)

// Open opens the store in dir, made if missing; empty means [DefaultDir]. Open
// fails if another user could write into the store; see [Private].
func Open(dir string) (*Store, error) {
	var err error
	if dir == "" {
		dir, err = DefaultDir()
	} else {
		dir, err = Private(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("root file system cache: %w", err)
	}
	dir, err = Private(filepath.Join(dir, "roots"))
	if err != nil {
		return nil, fmt.Errorf("root file system cache: %w", err)
	}
	s := &Store{Bounds: DefaultBounds, Keep: DefaultKeep, dir: dir, roots: map[string]*slot{}}
	s.sweep()
	_ = s.dropPools(s.pool().dir) // those of earlier boots
	return s, nil
}

func (s *Store) pool() pool {
	boot, _ := bootID()
	return pool{filepath.Join(s.dir, "files-"+boot)}
}

func (s *Store) generation() string { return filepath.Join(s.dir, "generation") }

// Tree returns the plan's root as a directory, building it if need be.
func (s *Store) Tree(ctx context.Context, p Plan) (*Root, error) {
	key, path, err := s.root(ctx, p, kindTree, s.pool().writeTree)
	if err != nil {
		return nil, err
	}
	return &Root{Key: key, Tree: path}, nil
}

// Image returns the plan's root as an EROFS image, building it if need be.
func (s *Store) Image(ctx context.Context, p Plan) (*Root, error) {
	key, path, err := s.root(ctx, p, kindImage, writeImage)
	if err != nil {
		return nil, err
	}
	return &Root{Key: key, Image: path}, nil
}

// Refresh makes the store forget every root: each plan is built anew at its
// next use. Call Refresh after a change of the host unnoticed by [Store.Key].
// Running boxes keep their roots.
func (s *Store) Refresh() error {
	part, err := os.CreateTemp(s.dir, "generation-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	if _, err := part.WriteString(rand.Text()); err != nil {
		part.Close()
		return err
	}
	if err := part.Close(); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), s.generation()); err != nil {
		return err
	}
	return s.dropPools("") // the trees keep their files
}

// dropPools removes the pools but one.
func (s *Store) dropPools(but string) error {
	pools, err := filepath.Glob(filepath.Join(s.dir, "files-*"))
	for _, p := range pools {
		if p != but {
			err = errors.Join(err, os.RemoveAll(p))
		}
	}
	return err
}

type writer func(ctx context.Context, path string, nodes []*node) error

// root returns the key and the path of the plan's root of kind k.
func (s *Store) root(ctx context.Context, p Plan, k kind, write writer) (key, path string, err error) {
	key, err = s.Key(p)
	if err != nil {
		return "", "", err
	}
	home := filepath.Join(s.dir, key+"."+string(k))
	path = filepath.Join(home, "root")

	s.mu.Lock()
	sl := s.roots[home]
	if sl == nil {
		sl = &slot{busy: make(chan struct{}, 1)}
		s.roots[home] = sl
	}
	s.mu.Unlock()
	select {
	case sl.busy <- struct{}{}:
		defer func() { <-sl.busy }()
	case <-ctx.Done():
		return "", "", context.Cause(ctx)
	}

	if sl.lock != nil {
		if exists(path) {
			return key, path, nil
		}
		// Somebody removed the cache from under us: build it again.
		sl.lock.Close()
		sl.lock = nil
	}
	if _, err := Private(s.dir); err != nil {
		return "", "", fmt.Errorf("root file system cache: %w", err)
	}
	for {
		held, err := lockHome(ctx, home, lock.Shared)
		if errors.Is(err, syscall.EROFS) {
			sl.lock, err = s.finished(home)
			return key, path, err
		}
		if err != nil {
			return "", "", err
		}
		if settled(home) {
			now := time.Now()
			_ = os.Chtimes(held.Name(), now, now) // for Prune
			// It may be of an older store, or closed by our umask.
			if info, err := os.Stat(home); err == nil && info.Mode().Perm() != homeMode {
				_ = os.Chmod(home, homeMode)
			}
			sl.lock = held
			return key, path, nil
		}
		held.Close()
		if held, err = lockHome(ctx, home, lock.Exclusive); err != nil {
			return "", "", err
		}
		if !settled(home) {
			err = s.build(ctx, p, home, write)
		}
		held.Close()
		if err != nil {
			return "", "", err
		}
	}
}

// ErrReadOnly is the error for a root missing from a read-only cache: a retry
// will not build it.
var ErrReadOnly = errors.New("the cache is read-only and this root is not in it")

// finished locks a root in a read-only cache, for example baked into a
// container image. The roots are whole: each was renamed when complete, and no
// half-written root can appear any more.
func (s *Store) finished(home string) (*os.File, error) {
	unfit := func(err error) error {
		return fmt.Errorf("%s: %w (%v): run the same once while it can be written, or name another directory with GLOVEBOX_CACHE",
			filepath.Dir(s.dir), ErrReadOnly, err)
	}
	held, err := os.OpenFile(filepath.Join(home, "lock"), os.O_RDONLY|asFound, 0)
	if err != nil {
		return nil, unfit(err)
	}
	if locked, err := tryLock(held, lock.Shared); err != nil || !locked {
		return nil, unfit(errors.Join(err, held.Close()))
	}
	if _, err := os.Lstat(filepath.Join(home, "root")); err != nil {
		return nil, unfit(errors.Join(err, held.Close()))
	}
	return held, nil
}

// build makes the root in home, whose lock the caller holds.
func (s *Store) build(ctx context.Context, p Plan, home string, write writer) (err error) {
	part, root := filepath.Join(home, "part"), filepath.Join(home, "root")
	for _, old := range []string{part, root} {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(part)
		}
	}()
	nodes, err := resolve(ctx, p, s.Bounds)
	if err != nil {
		return err
	}
	if err := write(ctx, part, nodes); err != nil {
		return fmt.Errorf("root file system: %w", err)
	}
	var size int64
	for _, n := range nodes {
		size += n.size + 4096
	}
	if err := os.WriteFile(filepath.Join(home, "size"), strconv.AppendInt(nil, size, 10), 0o600); err != nil {
		return err
	}
	if err := mark(home); err != nil {
		return err
	}
	if err := os.Rename(part, root); err != nil {
		return err
	}
	// This root stays, protected by its lock. Failures to prune can wait for
	// the next build.
	_, _ = s.Prune(ctx, s.Keep)
	return nil
}

// homeMode is the mode of a home: a tier's process under a user of its own
// finds the root through the given directory. Others do not get here: the store
// is private.
const homeMode = 0o711

// lockHome makes the directory home and locks it, shared or exclusively. The
// lock ends with the file, and with the process.
func lockHome(ctx context.Context, home string, how lock.Kind) (*os.File, error) {
	name := filepath.Join(home, "lock")
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		if err := os.Mkdir(home, homeMode); err != nil && !os.IsExist(err) {
			return nil, err
		}
		f, err := lock.Open(name)
		if os.IsNotExist(err) {
			continue // pruned in between
		}
		if err != nil {
			return nil, err
		}
		if locked, err := tryLock(f, how); err != nil || locked {
			return f, err
		}
		f.Close()
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// tryLock locks f if f is free and still at its name.
func tryLock(f *os.File, how lock.Kind) (bool, error) {
	if ok, err := lock.Try(f, how); err != nil {
		f.Close()
		return false, err
	} else if !ok {
		return false, nil
	}
	held, err := f.Stat()
	if err != nil {
		f.Close()
		return false, err
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(held, named), nil
}

// sweep removes the remains of crashed builds. Failures are left for the next
// sweep; the remains do no harm.
func (s *Store) sweep() {
	homes, _ := filepath.Glob(filepath.Join(s.dir, "*.*"))
	for _, home := range homes {
		part := filepath.Join(home, "part")
		if !exists(part) {
			continue
		}
		if held, ok := tryHome(home); ok {
			_ = os.RemoveAll(part)
			held.Close()
		}
	}
}

// tryHome locks home exclusively if it is unused.
func tryHome(home string) (*os.File, bool) {
	f, err := os.OpenFile(filepath.Join(home, "lock"), os.O_RDWR|asFound, 0)
	if err != nil {
		return nil, false
	}
	if ok, err := tryLock(f, lock.Exclusive); err != nil || !ok {
		f.Close()
		return nil, false
	}
	return f, true
}

// Prune removes the least recently used roots until the remaining ones hold at
// most keep bytes, and returns the number of bytes removed. Files shared by
// trees are counted in each. Roots in use, by any process, stay.
func (s *Store) Prune(ctx context.Context, keep int64) (int64, error) {
	type root struct {
		home string
		used time.Time
		size int64
	}
	var all []root
	var total, freed int64
	homes, err := filepath.Glob(filepath.Join(s.dir, "*.*"))
	if err != nil {
		return 0, err
	}
	for _, home := range homes {
		info, err := os.Lstat(filepath.Join(home, "lock"))
		if err != nil {
			continue
		}
		text, _ := os.ReadFile(filepath.Join(home, "size"))
		size, _ := strconv.ParseInt(string(text), 10, 64)
		all = append(all, root{home, info.ModTime(), size})
		total += size
	}
	slices.SortFunc(all, func(a, b root) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.home, b.home)) })
	for _, r := range all {
		if total <= keep {
			break
		}
		if err := ctx.Err(); err != nil {
			return freed, err
		}
		held, ok := tryHome(r.home)
		if !ok {
			continue
		}
		if err := removeHome(r.home, held); err != nil {
			return freed, err
		}
		total -= r.size
		freed += r.size
	}
	if freed > 0 {
		s.pool().sweep()
	}
	return freed, nil
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}
