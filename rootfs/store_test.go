//go:build linux

package rootfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/erofs/go-erofs"
	gvisor "gvisor.dev/gvisor/pkg/erofs"
)

func openStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sample is a plan with every kind of entry, and files around every size that
// the image format treats in a way of its own.
func sample(t *testing.T) Plan {
	dir := t.TempDir()
	for _, n := range []int{0, 1, 31, 100, 2000, 4000, 4032, 4095, 4096, 4097, 8191, 8192, 100_000} {
		write(t, dir, fmt.Sprintf("sizes/%d=%s", n, strings.Repeat("0123456789abcdef", n/16+1)[:n]))
	}
	for i := range 300 { // more than a block of names
		write(t, dir, fmt.Sprintf("many/a file with a long name, number %d=%d", i, i))
	}
	write(t, dir, "links/f=F", "links/l=-> f", "links/out=-> ../run", "run=x:#!/bin/sh\n", "deep/a/b/c/d/e=E")
	p := Base()
	p.Add(in(dir, []Entry{
		{Path: "/opt/s", Source: "DIR"},
		{Path: "/lib/x.so", Data: []byte("behind a link")},
		{Path: "/opt/long", Link: strings.Repeat("x/", 1500) + "y"},
	}).Entries...)
	return p
}

// TestTreeAndImageAgree reads both forms back, the image by two readers, and
// has the kernel's own tools check it.
func TestTreeAndImageAgree(t *testing.T) {
	s := openStore(t)
	p := sample(t)
	tree, err := s.Tree(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	image, err := s.Image(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Key != image.Key || tree.Image != "" || image.Tree != "" {
		t.Errorf("%+v, %+v", tree, image)
	}
	f, err := os.Open(image.Image)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := erofs.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	sentry, err := gvisor.OpenImage(f)
	if err != nil {
		t.Fatal(err)
	}

	count := func(fsys fs.FS) (n int) {
		err := fs.WalkDir(fsys, ".", func(string, fs.DirEntry, error) error { n++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if a, b := count(os.DirFS(tree.Tree)), count(img); a != b || a < 350 {
		t.Errorf("the tree has %d entries, the image %d", a, b)
	}
	err = fs.WalkDir(img, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at := filepath.Join(tree.Tree, name)
		want, err := os.Lstat(at)
		if err != nil {
			return err
		}
		got, err := d.Info()
		if err != nil {
			return err
		}
		// As text: the reader's Mode has bits beyond those of package fs.
		if got.Mode().String() != want.Mode().String() || !got.ModTime().Equal(want.ModTime()) && got.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s: %v %v, the tree has %v %v", name, got.Mode(), got.ModTime(), want.Mode(), want.ModTime())
		}
		if got.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 || got.Mode()&fs.ModeSymlink == 0 && got.Mode().Perm()&0o022 != 0 {
			t.Errorf("%s has mode %v", name, got.Mode())
		}
		inode, err := sentry.Inode(uint64(got.Sys().(*erofs.Stat).Ino))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch {
		case d.Type() == fs.ModeSymlink:
			a, err := fs.ReadLink(img, name)
			b, err2 := os.Readlink(at)
			if a != b || err != nil || err2 != nil {
				t.Errorf("%s leads to %q, in the tree to %q (%v, %v)", name, a, b, err, err2)
			}
		case d.Type().IsRegular():
			a, err := fs.ReadFile(img, name)
			if err != nil {
				return err
			}
			b, err := os.ReadFile(at)
			if err != nil {
				return err
			}
			// gVisor maps a file only if its content is in blocks of its own.
			offset, err := inode.DataOffset()
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			c := make([]byte, len(b))
			if _, err := f.ReadAt(c, int64(offset)); err != nil {
				return err
			}
			if !bytes.Equal(a, b) || !bytes.Equal(a, c) {
				t.Errorf("%s: the contents differ", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}

	for _, tool := range [][]string{{"fsck.erofs"}, {"dump.erofs", "-s"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			t.Logf("skipped: %s is not installed (Debian: erofs-utils)", tool[0])
			continue
		}
		out, err := exec.Command(tool[0], append(tool[1:], image.Image)...).CombinedOutput()
		if err != nil || bytes.Contains(out, []byte("<E>")) {
			t.Errorf("%s: %v\n%s", tool[0], err, out)
		}
	}
}

func TestKey(t *testing.T) {
	skip := func(rel string, _ fs.DirEntry) bool { return rel == "skipped" }
	source := []Entry{{Path: "/s", Source: "DIR", Skip: skip, SkipKey: "1"}}
	tests := []struct {
		name    string
		before  []Entry
		after   []Entry // nil: the same
		change  func(dir string) error
		noticed bool
	}{
		{name: "nothing", before: source},
		{name: "path", before: []Entry{{Path: "/a"}}, after: []Entry{{Path: "/b"}}, noticed: true},
		{name: "data", before: []Entry{{Path: "/a", Data: []byte("1")}}, after: []Entry{{Path: "/a", Data: []byte("2")}}, noticed: true},
		{name: "mode", before: []Entry{{Path: "/a"}}, after: []Entry{{Path: "/a", Mode: 0o755}}, noticed: true},
		{name: "link or data", before: []Entry{{Path: "/a", Data: []byte("x")}}, after: []Entry{{Path: "/a", Link: "x"}}, noticed: true},
		{name: "skip", before: source, after: []Entry{{Path: "/s", Source: "DIR", Skip: skip, SkipKey: "2"}}, noticed: true},
		{name: "fields that run together", before: []Entry{{Path: "/a", Link: "b"}, {Path: "/c"}}, after: []Entry{{Path: "/a", Link: "bc"}, {Path: "/"}}, noticed: true},
		{name: "a file rewritten", before: source, noticed: true, change: func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "f"), []byte("other"), 0o644)
		}},
		{name: "a file replaced by one of the same size and time", before: source, noticed: true, change: func(dir string) error {
			f := filepath.Join(dir, "f")
			info, err := os.Stat(f)
			if err != nil {
				return err
			}
			n := filepath.Join(dir, "d", "n")
			if err := os.WriteFile(n, []byte("G"), info.Mode()); err != nil {
				return err
			}
			if err := os.Chtimes(n, info.ModTime(), info.ModTime()); err != nil {
				return err
			}
			return os.Rename(n, f)
		}},
		{name: "a file added", before: source, noticed: true, change: func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "n"), nil, 0o644)
		}},
		{name: "a file added one level down", before: source, noticed: true, change: func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "d", "n"), nil, 0o644)
		}},
		{name: "a file made executable", before: source, noticed: true, change: func(dir string) error {
			return os.Chmod(filepath.Join(dir, "f"), 0o755)
		}},
		{name: "what is skipped", before: source, change: func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "skipped"), nil, 0o644)
		}},
		{name: "a file rewritten in place, deep down", before: source, change: func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "d", "g"), []byte("x"), 0o644)
		}},
	}
	s := openStore(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "f=F", "d/g=G")
			old := time.Now().Add(-time.Hour)
			for _, p := range []string{"f", "d/g", "d"} {
				if err := os.Chtimes(filepath.Join(dir, p), old, old); err != nil {
					t.Fatal(err)
				}
			}
			before, err := s.Key(in(dir, tt.before))
			if err != nil {
				t.Fatal(err)
			}
			if tt.change != nil {
				if err := tt.change(dir); err != nil {
					t.Fatal(err)
				}
			}
			if tt.after == nil {
				tt.after = tt.before
			}
			after, err := s.Key(in(dir, tt.after))
			if err != nil {
				t.Fatal(err)
			}
			if noticed := before != after; noticed != tt.noticed {
				t.Errorf("noticed: %v", noticed)
			}
		})
	}
}

func TestRefresh(t *testing.T) {
	s := openStore(t)
	p := Plan{Entries: []Entry{{Path: "/a"}}}
	a, err := s.Tree(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Refresh(); err != nil {
		t.Fatal(err)
	}
	b, err := s.Tree(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if a.Key == b.Key || !exists(a.Tree) || !exists(b.Tree) {
		t.Errorf("%+v, %+v", a, b)
	}
}

// TestBuiltOnce has many goroutines of many processes ask for the same root.
func TestBuiltOnce(t *testing.T) {
	const ask = "GLOVEBOX_TEST_ASK"
	plan := Plan{Entries: []Entry{{Path: "/a", Data: bytes.Repeat([]byte("x"), 1<<20)}}}
	if dir := os.Getenv(ask); dir != "" {
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for _, get := range []func(context.Context, Plan) (*Root, error){s.Tree, s.Image} {
					r, err := get(t.Context(), plan)
					if err != nil {
						t.Error(err)
						return
					}
					info, err := os.Stat(r.Tree + r.Image)
					if err != nil {
						t.Error(err)
						return
					}
					fmt.Printf("asked %s %v %s\n", filepath.Base(filepath.Dir(r.Tree+r.Image)), info.ModTime().UnixNano(), statOf(t, r.Tree+r.Image))
				}
			})
		}
		wg.Wait()
		return
	}
	dir := filepath.Join(t.TempDir(), "cache")
	var wg sync.WaitGroup
	answers := make(chan string, 64)
	for range 4 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestBuiltOnce$")
			cmd.Env = append(os.Environ(), ask+"="+dir)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			for line := range strings.Lines(string(out)) {
				if strings.HasPrefix(line, "asked ") {
					answers <- line
				}
			}
		})
	}
	wg.Wait()
	close(answers)
	distinct, n := map[string]bool{}, 0
	for a := range answers {
		distinct[a] = true
		n++
	}
	if n != 32 || len(distinct) != 2 {
		t.Errorf("%d answers, %d different: %v", n, len(distinct), distinct)
	}
}

func statOf(t *testing.T, p string) string {
	t.Helper()
	info, err := os.Stat(p)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(info.Sys())
}

func TestCrashedBuildIsSwept(t *testing.T) {
	s := openStore(t)
	p := Plan{Entries: []Entry{{Path: "/a", Data: []byte("A")}}}
	key, err := s.Key(p)
	if err != nil {
		t.Fatal(err)
	}
	crashed := filepath.Join(s.dir, key+".tree")
	working := filepath.Join(s.dir, "0123.tree")
	for _, home := range []string{crashed, working} {
		write(t, home, "part/half=x", "lock=")
	}
	lock, ok := tryHome(working)
	if !ok {
		t.Fatal("no lock")
	}
	defer lock.Close()
	if s, err = Open(filepath.Dir(s.dir)); err != nil {
		t.Fatal(err)
	}
	if exists(filepath.Join(crashed, "part")) {
		t.Error("a crashed build was not swept")
	}
	if !exists(filepath.Join(working, "part")) {
		t.Error("a build that runs was swept")
	}
	write(t, crashed, "part/half=x")
	root, err := s.Tree(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if exists(filepath.Join(root.Tree, "half")) || exists(filepath.Join(crashed, "part")) {
		t.Error("a crashed build got into the root")
	}
}

func TestFailedBuildLeavesNothing(t *testing.T) {
	s := openStore(t)
	for name, get := range map[string]func(context.Context, Plan) (*Root, error){"tree": s.Tree, "image": s.Image} {
		s.Bounds = Bounds{Bytes: 10, Files: 100}
		if _, err := get(t.Context(), sample(t)); err == nil {
			t.Errorf("%s: built past its bounds", name)
		}
		s.Bounds = DefaultBounds
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := get(ctx, sample(t)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", name, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(s.dir, "*", "[^l]*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

func TestRemovedFromUnderUs(t *testing.T) {
	s := openStore(t)
	p := Plan{Entries: []Entry{{Path: "/a"}}}
	for range 2 {
		r, err := s.Tree(t.Context(), p)
		if err != nil || !exists(filepath.Join(r.Tree, "a")) {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Dir(filepath.Dir(s.dir))); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTreesShare: a second tree has the files of the first, and not those that
// changed; and a file goes when no tree has it.
func TestTreesShare(t *testing.T) {
	s := openStore(t)
	dir := t.TempDir()
	write(t, dir, "a=A", "run=x:R", "changes=1")
	build := func(extra string) string {
		t.Helper()
		p := in(dir, []Entry{{Path: "/s", Source: "DIR"}, {Path: "/data", Data: []byte(extra)}})
		r, err := s.Tree(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return r.Tree
	}
	one := build("one")
	if err := os.WriteFile(filepath.Join(dir, "changes"), []byte("2"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "changes"), time.Now(), time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	two := build("two")
	for name, shared := range map[string]bool{"s/a": true, "s/run": true, "s/changes": false, "data": false} {
		a, err := os.Lstat(filepath.Join(one, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.Lstat(filepath.Join(two, name))
		if err != nil {
			t.Fatal(err)
		}
		if os.SameFile(a, b) != shared {
			t.Errorf("%s is shared: %v", name, !shared)
		}
	}
	if b, err := os.ReadFile(filepath.Join(two, "s/changes")); string(b) != "2" {
		t.Errorf("got %q, %v", b, err)
	}
	// A file that is made executable is another file: the trees that have it
	// as it was stay as they are.
	if err := os.Chmod(filepath.Join(dir, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	three := build("three")
	for tree, want := range map[string]fs.FileMode{one: 0o444, three: 0o555} {
		if info, err := os.Lstat(filepath.Join(tree, "s/a")); err != nil || info.Mode() != want {
			t.Errorf("%v %v", info.Mode(), err)
		}
	}

	for _, sl := range s.roots {
		sl.lock.Close() // as if the process had ended
	}
	if _, err := s.Prune(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(s.pool().dir); err != nil || len(left) > 0 {
		t.Errorf("left in the pool: %v, %v", left, err)
	}
}

// TestAfterAReboot: a root of another boot is used only if the kernel had time
// to write it.
func TestAfterAReboot(t *testing.T) {
	if _, err := bootID(); err != nil {
		t.Skip(err)
	}
	const lost = "lost in the crash"
	for _, tt := range []struct {
		name, boot string
		old, whole bool
	}{
		{name: "the same boot", whole: true},
		{name: "the same boot, long ago", old: true, whole: true},
		{name: "another boot", boot: "another"},
		{name: "a name that was lost too", boot: "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := openStore(t)
			p := Plan{Entries: []Entry{{Path: "/a", Data: []byte("A")}}}
			r, err := s.Tree(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			mark := filepath.Join(filepath.Dir(r.Tree), "boot")
			if tt.boot != "" {
				write(t, filepath.Dir(r.Tree), "boot="+strings.TrimSpace(tt.boot))
				write(t, filepath.Dir(r.Tree), "root/"+lost+"=")
			}
			if tt.old {
				then := time.Now().Add(-time.Hour)
				if err := os.Chtimes(mark, then, then); err != nil {
					t.Fatal(err)
				}
			}
			for _, sl := range s.roots {
				sl.lock.Close() // as if the process had ended
			}
			if s, err = Open(filepath.Dir(s.dir)); err != nil {
				t.Fatal(err)
			}
			before := statOf(t, r.Tree)
			if r, err = s.Tree(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if whole := statOf(t, r.Tree) == before; whole != tt.whole || exists(filepath.Join(r.Tree, lost)) {
				t.Errorf("it was used as it was: %v", whole)
			}
			if exists(mark) == tt.old {
				t.Errorf("it is marked: %v", !tt.old)
			}
		})
	}
}

func TestBuildPrunes(t *testing.T) {
	s := openStore(t)
	s.Keep = 1
	var last *Root
	for i := range 3 {
		r, err := s.Tree(t.Context(), Plan{Entries: []Entry{{Path: fmt.Sprintf("/%d", i)}}})
		if err != nil {
			t.Fatal(err)
		}
		if last != nil && exists(last.Tree) {
			t.Errorf("root %d is still there", i-1)
		}
		if !exists(r.Tree) {
			t.Errorf("root %d is not there", i)
		}
		s.roots[filepath.Dir(r.Tree)].lock.Close() // as if its process had ended
		last = r
	}
}

func TestPrune(t *testing.T) {
	s := openStore(t)
	var roots []*Root
	for i := range 4 {
		r, err := s.Tree(t.Context(), Plan{Entries: []Entry{{Path: fmt.Sprintf("/%d", i), Data: make([]byte, 1000)}}})
		if err != nil {
			t.Fatal(err)
		}
		home := filepath.Dir(r.Tree)
		used := time.Unix(int64(1000+(i+2)%4), 0) // the order of use is 2, 3, 0, 1
		if err := os.Chtimes(filepath.Join(home, "lock"), used, used); err != nil {
			t.Fatal(err)
		}
		if i != 2 { // as if the processes that used them had ended
			s.roots[home].lock.Close()
		}
		roots = append(roots, r)
	}
	size := int64(1000 + 2*4096)
	freed, err := s.Prune(t.Context(), 2*size)
	if err != nil {
		t.Fatal(err)
	}
	if freed != 2*size {
		t.Errorf("freed %d, want %d", freed, 2*size)
	}
	for i, want := range []bool{false, true, true, false} {
		if got := exists(roots[i].Tree); got != want {
			t.Errorf("root %d is there: %v", i, got)
		}
	}
}
