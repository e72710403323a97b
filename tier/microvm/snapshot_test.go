//go:build linux

package microvm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/lock"
)

// TestCheck: a snapshot that is not what it was is none.
func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name   string
		good   bool
		damage func(home, state string) error
	}{
		{"nothing", true, func(_, _ string) error { return nil }},
		{"a byte is another", false, func(_, state string) error { return rewrite(state, []byte("The state")) }},
		{"shorter", false, func(_, state string) error { return rewrite(state, []byte("the")) }},
		{"others may write it", false, func(_, state string) error { return os.Chmod(state, 0o666) }},
		{"a link to the like", false, func(_, state string) error {
			return errors.Join(os.Rename(state, state+"2"), os.Rename(state+"2", filepath.Join(filepath.Dir(filepath.Dir(state)), "away")), os.Symlink("../away", state))
		}},
		{"a directory", false, func(_, state string) error { return errors.Join(os.Remove(state), os.Mkdir(state, 0o500)) }},
		{"one file more", false, func(_, state string) error { return os.WriteFile(state+"2", []byte("x"), 0o400) }},
		{"no file", false, func(_, state string) error { return os.Remove(state) }},
		{"a crash before the manifest", false, func(home, _ string) error { return os.Remove(filepath.Join(home, "manifest")) }},
		{"no manifest of ours", false, func(home, _ string) error { return rewrite(filepath.Join(home, "manifest"), []byte("{")) }},
		{"a manifest of nothing", false, func(home, _ string) error { return rewrite(filepath.Join(home, "manifest"), []byte("{}")) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := openCache(privateDir(t))
			if err != nil {
				t.Fatal(err)
			}
			home := filepath.Join(c.dir, "key")
			if err := os.MkdirAll(filepath.Join(home, "part"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, "part", "state"), []byte("the state"), 0o400); err != nil {
				t.Fatal(err)
			}
			if err := c.seal(home); err != nil {
				t.Fatal(err)
			}
			again, err := openCache(c.dir) // as another process
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(c.check(home), again.check(home)); err != nil {
				t.Fatal(err)
			}
			if err := tc.damage(home, filepath.Join(home, "state", "state")); err != nil {
				t.Fatal(err)
			}
			fresh, err := openCache(c.dir)
			if err != nil {
				t.Fatal(err)
			}
			for who, c := range map[string]*cache{"who made it": c, "who has seen it": again, "a fresh one": fresh} {
				if err := c.check(home); (err == nil) != tc.good {
					t.Errorf("%s: %v", who, err)
				}
			}
		})
	}
}

// TestUselessSnapshot: one that QEMU does not take is not the end of a box, and
// the next makes another.
func TestUselessSnapshot(t *testing.T) {
	o := emulated
	o.Cache = privateDir(t)
	tr, w := newTier(t, o)
	p := newPlan(t, tr)
	home := filepath.Join(tr.cache.dir, p.key())
	if err := os.MkdirAll(filepath.Join(home, "part"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "part", "state"), []byte(strings.Repeat("no snapshot", 1000)), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := tr.cache.seal(home); err != nil {
		t.Fatal(err)
	}
	b := open(t, tr, newSpec(t, tr))
	run(t, b, func(*glove.Script) {})
	if how := b.Controls()[0].How; !strings.Contains(how, "could not be used") {
		t.Errorf("the box says nothing of it: %s", how)
	}
	if err := errors.Join(w.all...); err == nil || !strings.Contains(err.Error(), "boots from the start") {
		t.Errorf("it warned of %v", err)
	}
	if err := tr.cache.check(home); err == nil {
		t.Error("the snapshot is still there")
	}
}

func rewrite(path string, data []byte) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o400)
}

// TestCrashedSnapshot: what a crash left in the making goes with the next start,
// and what another process is making stays.
func TestCrashedSnapshot(t *testing.T) {
	dir := privateDir(t)
	c, err := openCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, home := range []string{"crashed", "busy"} {
		if err := os.MkdirAll(filepath.Join(dir, home, "part"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	f, err := c.tryLock(filepath.Join(dir, "busy"), lock.Exclusive)
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	defer f.Close()
	if _, err := openCache(dir); err != nil {
		t.Fatal(err)
	}
	for home, want := range map[string]bool{"crashed": false, "busy": true} {
		if _, err := os.Stat(filepath.Join(dir, home, "part")); (err == nil) != want {
			t.Errorf("%s: %v", home, err)
		}
	}
}

// TestPrune: the cache is bounded, and what is in use stays.
func TestPrune(t *testing.T) {
	dir := privateDir(t)
	c, err := openCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"used", "old", "young", "new"} {
		home := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(home, "state"), 0o700); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(home, "state", "state"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(cacheSize * 2 / 5); err != nil { // a hole
			t.Fatal(err)
		}
		f.Close()
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(home, at, at); err != nil {
			t.Fatal(err)
		}
	}
	f, err := c.tryLock(filepath.Join(dir, "used"), lock.Shared)
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	defer f.Close()
	at := time.Now().Add(-10 * time.Hour) // the lock's file has made it new
	if err := os.Chtimes(filepath.Join(dir, "used"), at, at); err != nil {
		t.Fatal(err)
	}
	c.prune(filepath.Join(dir, "new"))
	left, _ := filepath.Glob(filepath.Join(dir, "*", "state"))
	for i := range left {
		left[i] = filepath.Base(filepath.Dir(left[i]))
	}
	if got := strings.Join(left, " "); got != "new used" {
		t.Errorf("left are %s", got)
	}
}
