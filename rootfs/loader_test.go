//go:build linux

package rootfs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestTellLoader: which roots have a cache, and what is in it.
func TestTellLoader(t *testing.T) {
	if cacheOf(runtime.GOARCH, nil) == nil {
		t.Skipf("no loader of %s takes a cache of ours", runtime.GOARCH)
	}
	dir := t.TempDir()
	const libc, libz, python = "libc.so.6", "libz.so.1", "python3"
	write(t, dir, libc, libz, python)
	linked := func(to, name string) Entry { return Entry{Path: to, Source: filepath.Join(dir, name), Linked: true} }
	const d = "/usr/lib/x86_64-linux-gnu/"
	for name, c := range map[string]struct {
		entries []Entry
		want    []string // paths in the cache; nil: there is none
	}{
		"glibc":            {[]Entry{linked(d+libc, libc), linked(d+libz, libz), linked("/usr/bin/python3", python)}, []string{d + libc, d + libz}},
		"musl":             {[]Entry{linked("/usr/lib/libc.musl-x86_64.so.1", libc), linked(d+libz, libz)}, nil},
		"no libraries":     {[]Entry{linked("/usr/bin/python3", python)}, nil},
		"two C libraries":  {[]Entry{linked(d+libc, libc), linked("/nix/lib/"+libc, libc), linked(d+libz, libz)}, nil},
		"one placed twice": {[]Entry{linked(d+libc, libc), linked(d+libc, libc)}, []string{d + libc}},
		"two of one name":  {[]Entry{linked(d+libc, libc), linked(d+libz, libz), linked("/nix/lib/"+libz, libz)}, []string{d + libc}},
		"behind a link":    {[]Entry{{Path: "/lib", Link: "usr/lib"}, linked("/lib/"+libc, libc)}, []string{"/usr/lib/" + libc}},
		"replaced":         {[]Entry{linked(d+libc, libc), {Path: d + libc, Data: []byte("x")}}, nil},
		"as they are":      {[]Entry{{Path: d + libc, Source: filepath.Join(dir, libc)}, {Path: d + libz, Source: filepath.Join(dir, libz)}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := os.ReadFile(filepath.Join(build(t, Plan{Entries: c.entries}), loaderCache))
			switch {
			case c.want == nil && !errors.Is(err, fs.ErrNotExist):
				t.Errorf("there is a cache, %q, %v", got, err)
			case c.want != nil && !bytes.Equal(got, cacheOf(runtime.GOARCH, c.want)):
				t.Errorf("it has %q, %v", got, err)
			}
		})
	}
	own := Entry{Path: loaderCache, Data: []byte("own")}
	got, err := os.ReadFile(filepath.Join(build(t, Plan{Entries: []Entry{linked(d+libc, libc), own}}), loaderCache))
	if string(got) != "own" {
		t.Errorf("a plan's own cache became %q, %v", got, err)
	}
}

func build(t *testing.T, p Plan) (dir string) {
	t.Helper()
	root, err := openStore(t).Tree(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return root.Tree
}
