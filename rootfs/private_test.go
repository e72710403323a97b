//go:build !windows

package rootfs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrivate(t *testing.T) {
	const other = 12345
	asRoot := func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("needs root: gives a directory to another user")
		}
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		make func(t *testing.T, dir string) string // returns what to open
		want string
	}{
		{name: "new", make: func(t *testing.T, dir string) string { return filepath.Join(dir, "a", "b") }},
		{name: "own link", make: func(t *testing.T, dir string) string {
			must(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
			must(t, os.Symlink("real", filepath.Join(dir, "link")))
			return filepath.Join(dir, "link")
		}},
		{name: "open to others", want: "closed to others", make: func(t *testing.T, dir string) string {
			must(t, os.Chmod(dir, 0o755))
			return dir
		}},
		{name: "a file", want: "not a directory", make: func(t *testing.T, dir string) string {
			must(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o600))
			return filepath.Join(dir, "f")
		}},
		{name: "another user's", want: "belongs to user 12345", make: func(t *testing.T, dir string) string {
			asRoot(t)
			must(t, os.Chown(dir, other, 0))
			return dir
		}},
		{name: "another user's link", want: "is a link of user 12345", make: func(t *testing.T, dir string) string {
			asRoot(t)
			must(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
			must(t, os.Symlink("real", filepath.Join(dir, "link")))
			must(t, os.Lchown(filepath.Join(dir, "link"), other, 0))
			return filepath.Join(dir, "link")
		}},
		{name: "below another user's", want: "belongs to user 12345", make: func(t *testing.T, dir string) string {
			asRoot(t)
			must(t, os.Mkdir(filepath.Join(dir, "mine"), 0o700))
			must(t, os.Chown(dir, other, 0))
			return filepath.Join(dir, "mine")
		}},
		{name: "below one that all may write", want: "every user could replace", make: func(t *testing.T, dir string) string {
			must(t, os.Chmod(dir, 0o777))
			return filepath.Join(dir, "mine")
		}},
		{name: "below one that a group may write", want: "could replace", make: func(t *testing.T, dir string) string {
			asRoot(t)
			must(t, os.Chown(dir, 0, other))
			must(t, os.Chmod(dir, 0o770))
			return filepath.Join(dir, "mine")
		}},
		{name: "below one with the sticky bit", make: func(t *testing.T, dir string) string {
			must(t, os.Chmod(dir, 0o777|os.ModeSticky))
			return filepath.Join(dir, "mine")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "d")
			must(t, os.Mkdir(dir, 0o700))
			got, err := Private(tt.make(t, dir))
			if tt.want == "" {
				must(t, err)
				if info, err := os.Lstat(got); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
					t.Errorf("%v %v", info, err)
				}
			} else if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestDefaultDir(t *testing.T) {
	base := t.TempDir()
	open := filepath.Join(base, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name                     string
		glovebox, xdg, home, tmp string
		want                     string // below base
		fails                    bool
	}{
		{name: "named", glovebox: "g", xdg: "x", home: "h", tmp: "t", want: "g"},
		{name: "named, not private", glovebox: "open/g", xdg: "x", fails: true},
		{name: "XDG", xdg: "x", home: "h", tmp: "t", want: "x/glovebox"},
		{name: "home", home: "h", tmp: "t", want: "h/.cache/glovebox"},
		{name: "XDG not private", xdg: "open", home: "h", tmp: "t", want: "h/.cache/glovebox"},
		{name: "no home", home: "open", tmp: "t", want: "t/glovebox-"},
		{name: "nowhere", home: "open", tmp: "open", fails: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, v := range map[string]string{"GLOVEBOX_CACHE": tt.glovebox, "XDG_CACHE_HOME": tt.xdg, "HOME": tt.home, "TMPDIR": tt.tmp} {
				if v != "" {
					v = filepath.Join(base, v)
				}
				t.Setenv(name, v)
			}
			got, err := DefaultDir()
			real, _ := filepath.EvalSymlinks(base)
			if tt.fails != (err != nil) || !tt.fails && !strings.HasPrefix(got, filepath.Join(real, tt.want)) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}
