//go:build unix

package den

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDens(t *testing.T) {
	place := t.TempDir()
	h, err := Open(place, "boxes", 0)
	if err != nil {
		t.Fatal(err)
	}
	mine, err := h.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(mine.Dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// What a dead owner left has no lock.
	left := filepath.Join(h.Dir(), "left")
	if err := os.MkdirAll(filepath.Join(left, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	again, err := Open(place, "boxes", 0)
	if err != nil || again.Dir() != h.Dir() {
		t.Fatalf("%v, %v", again, err)
	}
	if err := again.Sweep(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what was left is there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(mine.Dir, "file")); err != nil {
		t.Errorf("a den in use was swept: %v", err)
	}
	if err := mine.Close(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(h.Dir()); err != nil || len(entries) > 0 {
		t.Errorf("%v are left, %v", entries, err)
	}
}

func TestPlaces(t *testing.T) {
	open := t.TempDir()
	if err := os.Mkdir(filepath.Join(open, fmt.Sprintf("boxes-%d", os.Geteuid())), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(open, fmt.Sprintf("boxes-%d", os.Geteuid())), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		place   string
		longest int
		want    string
	}{
		"open to others":     {open, 0, "closed to others"},
		"too long":           {t.TempDir(), 10, "too long for sockets"},
		"not absolute":       {"relative", 0, "absolute"},
		"nothing is a place": {"/proc/version/x", 0, "not a directory"},
	} {
		_, err := Open(tt.place, "boxes", tt.longest)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// Another user who takes our names where everybody may make files stops nobody.
func TestPlanted(t *testing.T) {
	planted, cache := t.TempDir(), t.TempDir()
	if err := os.Chmod(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("boxes-planted-%d", os.Getpid())
	for _, place := range []string{planted, "/tmp", "/var/tmp", "/dev/shm"} {
		dir := filepath.Join(place, fmt.Sprintf("%s-%d", name, os.Geteuid()))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o777); err != nil { // no more ours alone
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_RUNTIME_DIR", planted)
	t.Setenv("TMPDIR", planted)
	t.Setenv("GLOVEBOX_CACHE", cache)
	h, err := Open("", name, 0)
	if err != nil || filepath.Dir(h.Dir()) != cache {
		t.Errorf("%q, %v, want it in %s", h.Dir(), err, cache)
	}
}
