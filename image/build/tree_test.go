package build

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPathsFollowLinksWithinTheRoot(t *testing.T) {
	tr := newTree(testBounds)
	for _, l := range [][2]string{
		{"/lib", "usr/lib"}, {"/abs", "/usr/lib"}, {"/up", "../../../../etc"}, {"/usr/loop", "loop"}, {"/chain", "lib"},
	} {
		if err := tr.symlink(l[0], "base", l[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ path, at, err string }{
		{"/lib/a", "/usr/lib/a", ""},
		{"/abs/b", "/usr/lib/b", ""},
		{"/chain/c", "/usr/lib/c", ""},
		{"/up/passwd", "/etc/passwd", ""},
		{"/usr/loop/x", "", "too many links"},
		{"/lib/a/below", "", "is a file"},
		{"/../x", "", "not absolute and clean"},
		{"x", "", "not absolute and clean"},
		{"/a//b", "", "not absolute and clean"},
		{"/a\\b", "", "not absolute and clean"},
		{"/a\x00b", "", "not absolute and clean"},
		{"/d/.wh.x", "", ".wh."},
		{"/" + strings.Repeat("n", 256), "", "too long"},
		{strings.Repeat("/n", 101), "", "too long"},
	} {
		err := tr.data(c.path, "test", 0o644, "x")
		switch {
		case c.err != "":
			wantError(t, err, c.err)
		case err != nil:
			t.Errorf("%s: %v", c.path, err)
		case tr.nodes[c.at] == nil:
			t.Errorf("%s did not land at %s", c.path, c.at)
		}
	}
	for p := range tr.nodes {
		if !clean(p) {
			t.Errorf("%s is in the tree", p)
		}
	}
}

func TestTreeIsBounded(t *testing.T) {
	tr := newTree(Bounds{Bytes: 10, Files: 5})
	if err := tr.data("/a", "", 0o644, "123456"); err != nil {
		t.Fatal(err)
	}
	wantError(t, tr.data("/b", "", 0o644, "12345"), "more than 10 bytes")
	// What is replaced counts no more.
	if err := tr.data("/a", "", 0o644, "1234567890"); err != nil {
		t.Error(err)
	}
	wantError(t, tr.dir("/1/2/3/4/5/6", ""), "more than 5 files")
}

func TestFilesAndDirectoriesDoNotReplaceEachOther(t *testing.T) {
	tr := newTree(testBounds)
	if err := tr.data("/d/f", "one", 0o644, ""); err != nil {
		t.Fatal(err)
	}
	wantError(t, tr.data("/d", "two", 0o644, ""), "directory")
	wantError(t, tr.dir("/d/f", "two"), "a file of one")
	if err := tr.data("/d/f", "two", 0o644, "other"); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(tr.notes, func(s string) bool { return strings.Contains(s, "two") && strings.Contains(s, "one") }) {
		t.Errorf("notes %q do not say that a file was replaced", tr.notes)
	}
}

func TestLayerIsTheSameAlways(t *testing.T) {
	files := []string{"/b", "/a/2", "/a/1", "/usr/bin/x", "/c"}
	make := func(order []string) []byte {
		tr := newTree(testBounds)
		tr.add(&node{path: "/usr", mode: 0o755 | 1<<31, base: true})
		for _, f := range order {
			if err := tr.file(f, "", 0o4777, time.Unix(99, 999), 1, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil }); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := tr.write(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	one := make(files)
	slices.Reverse(files)
	if !bytes.Equal(one, make(files)) {
		t.Error("another order gives other bytes")
	}
	var names []string
	for in := tar.NewReader(bytes.NewReader(one)); ; {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Mode&^0o755 != 0 || h.ModTime.Nanosecond() != 0 {
			t.Errorf("%s: owner %d:%d, mode %o, time %v", h.Name, h.Uid, h.Gid, h.Mode, h.ModTime)
		}
		names = append(names, h.Name)
	}
	if got := strings.Join(names, " "); got != "a/ a/1 a/2 b c usr/bin/ usr/bin/x" {
		t.Errorf("the layer holds %s: the base's own directory must not be in it", got)
	}
}
