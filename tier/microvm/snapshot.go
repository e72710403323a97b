//go:build linux

package microvm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/lock"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// cache is the private directory of snapshots, with a directory for each:
//
//	KEY/lock      locked shared by a restorer, exclusively by a maker
//	KEY/part      one in the making; remains of a crash are removed
//	KEY/state     the monitor's files, and
//	KEY/manifest  their sizes and hashes, written last
//
// Beside them are the initramfs of the guest, and the results of trying KVM.
type cache struct {
	dir string

	mu      sync.Mutex
	checked map[string]string // key of a snapshot to the stamp that was checked
}

// cacheSize bounds the kept snapshots, in bytes; the least recently used go
// first.
const cacheSize = 2 << 30

// openCache opens the cache and removes the remains of crashes.
func openCache(dir string) (*cache, error) {
	if dir == "" {
		above, err := rootfs.DefaultDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(above, "machines")
	}
	dir, err := rootfs.Private(dir)
	if err != nil {
		return nil, err
	}
	c := &cache{dir: dir, checked: map[string]string{}}
	homes, err := filepath.Glob(filepath.Join(dir, "*", "part"))
	if err != nil {
		return nil, err
	}
	for _, part := range homes {
		if f, err := c.tryLock(filepath.Dir(part), lock.Exclusive); err == nil && f != nil {
			os.RemoveAll(part)
			f.Close()
		}
	}
	for _, pattern := range []string{".new-*", "*/.new-*"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, f := range files {
			if info, err := os.Lstat(f); err == nil && time.Since(info.ModTime()) > time.Hour {
				os.Remove(f)
			}
		}
	}
	return c, nil
}

// keep writes a file readable by all, unless present already.
func (c *cache) keep(name string, data []byte) (string, error) {
	path := filepath.Join(c.dir, name)
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, data) {
		return path, nil
	}
	return c.replace(name, data)
}

// replace writes a file at once.
func (c *cache) replace(name string, data []byte) (string, error) {
	path := filepath.Join(c.dir, name)
	f, err := os.CreateTemp(c.dir, ".new-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o444), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return path, nil
}

func same(f *os.File, path string) bool {
	a, err1 := f.Stat()
	b, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// tryLock locks a snapshot's directory. It returns nil where another has it.
func (c *cache) tryLock(home string, how lock.Kind) (*os.File, error) {
	name := filepath.Join(home, "lock")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if held, err := lock.Try(f, how); err != nil || !held || !same(f, name) {
		f.Close()
		return nil, err
	}
	return f, nil
}

// wait locks a snapshot's directory as soon as possible.
func (c *cache) wait(ctx context.Context, home string, how lock.Kind) (*os.File, error) {
	for {
		if err := os.Mkdir(home, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		f, err := c.tryLock(home, how)
		if f != nil || err != nil && !errors.Is(err, fs.ErrNotExist) { // pruned in between
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// snapshot may be restored until released.
type snapshot struct {
	dir   string
	home  string
	lock  *os.File
	cache *cache
}

func (s *snapshot) release() { s.lock.Close() }

// spoil marks the snapshot as unusable.
func (s *snapshot) spoil() error {
	err := os.Remove(filepath.Join(s.home, "manifest"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// snapshot finds the snapshot of a plan, or makes it.
func (t *Tier) snapshot(ctx context.Context, p plan) (*snapshot, error) {
	c := t.cache
	home := filepath.Join(c.dir, p.key())
	for {
		f, err := c.wait(ctx, home, lock.Shared)
		if err != nil {
			return nil, err
		}
		err = c.check(home)
		if err == nil {
			now := time.Now()
			os.Chtimes(home, now, now) // for prune
			return &snapshot{dir: filepath.Join(home, "state"), home: home, lock: f, cache: c}, nil
		}
		f.Close()
		if !errors.Is(err, fs.ErrNotExist) {
			t.o.Warn(fmt.Errorf("microvm: a snapshot is made anew: %w", err))
		}
		if err := t.take(ctx, p, home); err != nil {
			return nil, err
		}
		c.prune(home)
	}
}

// take makes a snapshot, unless a different process has done so meanwhile.
func (t *Tier) take(ctx context.Context, p plan, home string) error {
	f, err := t.cache.wait(ctx, home, lock.Exclusive)
	if err != nil {
		return err
	}
	defer f.Close()
	if t.cache.check(home) == nil {
		return nil
	}
	part, state := filepath.Join(home, "part"), filepath.Join(home, "state")
	for _, old := range []string{part, filepath.Join(home, "manifest"), state} {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	if err := os.Mkdir(part, 0o700); err != nil {
		return err
	}
	g, err := t.boot(ctx, p, nil, bootPatience)
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	if err = g.wipe(); err == nil {
		err = g.link.Settle(ctx)
	}
	if err == nil {
		err = g.instance.Snapshot(ctx, part)
	}
	if err = g.discard(err); err == nil {
		err = t.cache.seal(home)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return nil
}

// wipe fills the guest's free memory with zeros, which take no room.
func (g *ground) wipe() error {
	deadline := time.Now().Add(bootPatience)
	raw, err := g.link.Ends().Do(freeScript(), deadline)
	if err != nil {
		return err
	}
	if len(raw) != 8 {
		return fmt.Errorf("the guest said %d bytes of its free memory", len(raw))
	}
	n := min(int64(binary.LittleEndian.Uint64(raw))-unwiped, mostWiped) &^ (1<<20 - 1)
	if n <= 0 {
		return nil
	}
	_, err = g.link.Ends().Do(wipeScript(n), deadline)
	return err
}

// file is a manifest's entry for a file.
type file struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// seal makes what was written a snapshot.
func (c *cache) seal(home string) error {
	part, state := filepath.Join(home, "part"), filepath.Join(home, "state")
	list, err := describe(part)
	if err != nil {
		return err
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := os.Rename(part, state); err != nil {
		return err
	}
	now, err := stamp(state)
	if err != nil {
		return err
	}
	if _, err := (&cache{dir: home}).replace("manifest", data); err != nil {
		return err
	}
	c.remember(home, now+string(data))
	return nil
}

// remember notes that a snapshot was checked and found intact.
func (c *cache) remember(home, stamp string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checked[home] = stamp
}

// describe hashes the files of a directory.
func describe(dir string) (map[string]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	list := map[string]file{}
	for _, e := range entries {
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDONLY|unix.O_NOFOLLOW, 0)
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		n, err := io.Copy(h, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		list[e.Name()] = file{n, hex.EncodeToString(h.Sum(nil))}
	}
	return list, nil
}

// check fails unless a snapshot is intact: by its hashes the first time, by the
// file system's metadata from then on.
func (c *cache) check(home string) error {
	data, err := os.ReadFile(filepath.Join(home, "manifest"))
	if err != nil {
		return err
	}
	now, err := stamp(filepath.Join(home, "state"))
	if err != nil {
		return err
	}
	now += string(data)
	c.mu.Lock()
	known := c.checked[home] == now
	c.mu.Unlock()
	if known {
		return nil
	}
	var want map[string]file
	if err := json.Unmarshal(data, &want); err != nil {
		return fmt.Errorf("%s: manifest: %w", home, err)
	}
	have, err := describe(filepath.Join(home, "state"))
	if err != nil {
		return err
	}
	if len(want) == 0 || len(have) != len(want) {
		return fmt.Errorf("%s: it has %d files, not %d", home, len(have), len(want))
	}
	for name, f := range want {
		if have[name] != f {
			return fmt.Errorf("%s: %s is not what it was", home, name)
		}
	}
	c.remember(home, now)
	return nil
}

// stamp changes when a file of a directory does.
func stamp(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, e := range entries {
		var st unix.Stat_t
		if err := unix.Lstat(filepath.Join(dir, e.Name()), &st); err != nil {
			return "", err
		}
		if st.Mode&unix.S_IFMT != unix.S_IFREG || int(st.Uid) != os.Geteuid() || st.Mode&0o222 != 0 {
			return "", fmt.Errorf("%s: is not a file of ours that nobody writes to", filepath.Join(dir, e.Name()))
		}
		fmt.Fprintln(&all, e.Name(), st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim)
	}
	return all.String(), nil
}

// prune removes the least recently used snapshots, except but, until the rest
// fits. Snapshots in use stay.
func (c *cache) prune(but string) {
	type kept struct {
		home string
		size int64
		used time.Time
	}
	var all []kept
	var total int64
	states, _ := filepath.Glob(filepath.Join(c.dir, "*", "state"))
	for _, s := range states {
		k := kept{home: filepath.Dir(s)}
		if info, err := os.Stat(k.home); err == nil {
			k.used = info.ModTime()
		}
		files, _ := filepath.Glob(filepath.Join(s, "*"))
		for _, f := range files {
			if info, err := os.Stat(f); err == nil {
				k.size += info.Size()
			}
		}
		total += k.size
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range all {
		if total <= cacheSize {
			return
		}
		if k.home == but {
			continue
		}
		if f, err := c.tryLock(k.home, lock.Exclusive); err == nil && f != nil {
			if os.RemoveAll(k.home) == nil {
				total -= k.size
			}
			f.Close()
		}
	}
}
