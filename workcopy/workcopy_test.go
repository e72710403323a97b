//go:build !windows

package workcopy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// write makes files in a fresh folder; a name that ends with a slash is an
// empty folder.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		p := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(p, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t testing.TB, dir string, o Options) *Copy {
	t.Helper()
	c, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func read(t testing.TB, c *Copy, name string) string {
	t.Helper()
	data, err := c.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func reasons(list []glovebox.Refusal) map[string]string {
	m := map[string]string{}
	for _, r := range list {
		m[r.Name] = r.Reason
	}
	return m
}

func TestOpenListsRegularFiles(t *testing.T) {
	dir := write(t, map[string]string{
		"a.py": "a", "pkg/b.py": "bb", "run.sh": "#!/bin/sh\n", "empty/": "",
		".git/config": "x", "pkg/__pycache__/b.pyc": "x", "node_modules/m/i.js": "x",
		"env/pyvenv.cfg": "", "env/lib/x.py": "", "target/CACHEDIR.TAG": "", "target/debug/x": "",
		"big": strings.Repeat("x", 101), "bad\nname": "x",
	})
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"out": "/etc/passwd", "loop": ".", "pkg/up": "..", "dangling": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := open(t, dir, Options{MaxBytes: 100})
	if got, want := c.Paths(), []string{"a.py", "pkg/b.py", "run.sh"}; !slices.Equal(got, want) {
		t.Errorf("paths %q, want %q", got, want)
	}
	refused := reasons(c.Refused())
	for name, reason := range map[string]string{
		"out": "symbolic link", "loop": "symbolic link", "pkg/up": "symbolic link", "dangling": "symbolic link",
		"fifo": "not a regular file", "big": "101 bytes", "bad\nname": "control characters",
	} {
		if !strings.Contains(refused[name], reason) {
			t.Errorf("%q is refused with %q, want %q", name, refused[name], reason)
		}
	}
	skipped := reasons(c.Skipped())
	for _, name := range []string{".git", "pkg/__pycache__", "node_modules", "env", "target"} {
		if skipped[name] == "" {
			t.Errorf("%s is not skipped", name)
		}
	}
	if info, _ := c.Stat("run.sh"); !info.Executable || info.Size != 10 {
		t.Errorf("run.sh is %+v", info)
	}
	if _, ok := c.Stat("big"); ok {
		t.Error("a refused file has a Stat")
	}
	if _, err := c.Read("big"); !errors.Is(err, ErrLeftOut) {
		t.Errorf("reading a refused file: %v", err)
	}
}

func TestOpenUnreadableFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read every folder")
	}
	dir := write(t, map[string]string{"a": "1", "locked/b": "2", "c": "3"})
	if err := os.Chmod(filepath.Join(dir, "locked"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "locked"), 0o755) })
	if err := os.Chmod(filepath.Join(dir, "c"), 0); err != nil {
		t.Fatal(err)
	}
	c := open(t, dir, Options{})
	if got := reasons(c.Refused()); !strings.Contains(got["locked"], "permission denied") {
		t.Errorf("refused: %v", got)
	}
	if _, err := c.Read("c"); !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), dir) {
		t.Errorf("an unreadable file: %v", err)
	}
}

func TestOpenIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("d%d/f", i)] = ""
	}
	dir := write(t, files)
	if _, err := Open(dir, Options{MaxFiles: 39}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("40 entries with a bound of 39: %v", err)
	}
	if _, err := Open(dir, Options{MaxFiles: 40}); err != nil {
		t.Error(err)
	}
	deep := t.TempDir()
	if err := os.MkdirAll(filepath.Join(deep, strings.Repeat("d/", 40)), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := open(t, deep, Options{}).Refused(); len(got) != 1 || !strings.Contains(got[0].Reason, "levels deep") {
		t.Errorf("a folder of 40 levels: %v", got)
	}
	if _, err := Open(filepath.Join(dir, "d0", "f"), Options{}); err == nil {
		t.Error("a file was opened as a folder")
	}
}

func TestIgnore(t *testing.T) {
	dir := write(t, map[string]string{
		".gitignore": "# comment\n*.log\n!keep.log\n/build/\nsecret/**/key\n.env\ndocs/*.tmp\n\\#odd\nfoo?[ab]\n",
		"a.log":      "", "keep.log": "", "sub/b.log": "", "build/x": "", "sub/build/x": "", ".env": "",
		"secret/a/b/key": "", "secret/key": "", "secret/lock": "", "docs/a.tmp": "", "docs/sub/a.tmp": "",
		"#odd": "", "foo1a": "", "foo1c": "",
		"sub/.gitignore": "!b.log\nlocal\n", "sub/local/x": "", "local": "",
	})
	want := []string{".gitignore", "docs/sub/a.tmp", "foo1c", "keep.log", "local", "secret/lock", "sub/.gitignore", "sub/b.log", "sub/build/x"}
	if got := open(t, dir, Options{}).Paths(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := len(open(t, dir, Options{NoIgnore: true}).Paths()); got != 18 {
		t.Errorf("%d files without .gitignore", got)
	}
	many := write(t, map[string]string{".gitignore": strings.Repeat("a*a*a*a*b\n", maxPatterns+1), "aab": ""})
	c := open(t, many, Options{})
	if _, ok := c.Stat("aab"); !ok || len(c.Refused()) != 1 {
		t.Errorf("too many patterns: %v, refused %v", c.Paths(), c.Refused())
	}
}

// TestIgnoreAsGit compares with git, on what is easily read wrong.
func TestIgnoreAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "gitconfig"))
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	for name, text := range map[string]string{"gitconfig": "[core]\n\texcludesFile = " + filepath.Join(home, "mine") + "\n", "mine": "*.swp\n.envrc\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir := write(t, map[string]string{
		".gitignore": "\uFEFF*.[!o]\nsecret[[:digit:]]\n/only-here\nlogs/**\n!logs/keep.txt\n**/deep/*.key\nend \nkept\\ \nx[\n" +
			"a/**/b\n*.pem\r\n!public.pem\nout/\n\\!bang\n[^a-c]z\nUPPER\n",
		"a.c": "", "a.o": "", "secret1": "", "secretx": "", "only-here": "", "sub/only-here": "", "logs/a.txt": "", "logs/keep.txt": "",
		"deep/k.key": "", "p/q/deep/k.key": "", "end": "", "end ": "", "kept ": "", "kept": "", "x[": "", "a/b": "", "a/1/2/b": "",
		"k.pem": "", "public.pem": "", "out/x": "", "sub/out/y": "", "sub/out.d/y": "", "!bang": "", "az": "", "dz": "", "upper": "",
		"sub/.gitignore": "!only-here\n*.txt\n", "sub/t.txt": "", "sub/deeper/t.txt": "", "sub/.env": "", "e.swp": "", ".envrc": "",
		"excluded": "", "sub/excluded": "", "only-out": "",
	})
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("excluded\n/only-out\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"", "sub"} {
		want := strings.Split(strings.TrimSuffix(git("ls-files", "-z", "--others", "--exclude-standard", "--", filepath.Join(dir, at)), "\x00"), "\x00")
		got := open(t, filepath.Join(dir, at), Options{}).Paths()
		for i := range got {
			got[i] = path.Join(at, got[i])
		}
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("in %q\ngot  %q\nwant %q", at, got, want)
		}
	}
	// A folder that is left out, and named all the same.
	if got := open(t, filepath.Join(dir, "out"), Options{}).Paths(); !slices.Equal(got, []string{"x"}) {
		t.Errorf("a folder that git leaves out: %q", got)
	}
}

func TestChangesStayInMemory(t *testing.T) {
	dir := write(t, map[string]string{"a": "1", "d/b": "2", "d/c": "3"})
	c := open(t, dir, Options{})
	d := c.Clone()
	for _, err := range []error{
		c.Write("a", []byte("one")), c.Write("new/x", []byte("x")), c.Delete("d/b"), c.Chmod("d/c", true),
		d.Write("a", []byte("other")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, want := c.Paths(), []string{"a", "d/c", "new/x"}; !slices.Equal(got, want) {
		t.Errorf("paths %q", got)
	}
	if read(t, c, "a") != "one" || read(t, d, "a") != "other" || read(t, d, "d/b") != "2" {
		t.Error("clones are not apart")
	}
	if _, err := c.Read("d/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a deleted file: %v", err)
	}
	var kinds []string
	for _, ch := range c.Changes() {
		kinds = append(kinds, fmt.Sprintf("%s %s %q %q %v", ch.Kind, ch.Path, ch.Old, ch.New, ch.Executable))
	}
	if want := []string{`modified a "1" "one" false`, `deleted d/b "2" "" false`, `modified d/c "3" "3" true`, `added new/x "" "x" false`}; !slices.Equal(kinds, want) {
		t.Errorf("changes %q", kinds)
	}
	// What is put back is no change.
	for _, err := range []error{c.Write("a", []byte("1")), c.Delete("new/x"), c.Write("d/b", []byte("2")), c.Chmod("d/c", false)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Changes(); len(got) != 0 {
		t.Errorf("changes %v", got)
	}
	if disk, _ := os.ReadFile(filepath.Join(dir, "a")); string(disk) != "1" {
		t.Errorf("the folder was written: %q", disk)
	}
}

func TestWriteRefuses(t *testing.T) {
	dir := write(t, map[string]string{"f": "1", "d/x": "2", "d2/y": "3", ".gitignore": "*.log\n", "d3/a.log": ""})
	if err := os.Symlink("d", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	c := open(t, dir, Options{MaxBytes: 10})
	if err := c.Write("fresh/z", nil); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		path string
		data string
		want error
	}{
		{"f/x", "", ErrConflict},
		{"d", "", ErrConflict},
		{"fresh", "", ErrConflict},
		{"fresh/z/y", "", ErrConflict},
		{"d3", "", ErrConflict},
		{"d3/a.log", "", ErrLeftOut},
		{"link", "", ErrLeftOut},
		{"link/x", "", ErrLeftOut},
		{".git/hooks/pre-commit", "", ErrLeftOut},
		{"sub/.git/config", "", ErrLeftOut},
		{"big", "12345678901", ErrTooLarge},
	} {
		if err := c.Write(row.path, []byte(row.data)); !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", row.path, err, row.want)
		}
	}
	for _, path := range []string{"", "../x", "/etc/passwd", "a/../../x", "a\x00b", `a\b`} {
		if c.Write(path, nil) == nil {
			t.Errorf("%q was written", path)
		}
	}
	if err := c.Delete("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	// A folder that is empty by now can become a file.
	if err := errors.Join(c.Delete("d2/y"), c.Write("d2", []byte("f"))); err != nil {
		t.Error(err)
	}
	if err := errors.Join(c.Delete("fresh/z"), c.Write("fresh", nil)); err != nil {
		t.Error(err)
	}
	if got := len(c.Changes()); got != 3 {
		t.Errorf("%d changes", got)
	}
}

func TestTake(t *testing.T) {
	c := open(t, write(t, map[string]string{"a": "1"}), Options{})
	d := c.Clone()
	if err := errors.Join(c.Write("lost", nil), d.Write("a", []byte("2")), d.Write("d/x", nil)); err != nil {
		t.Fatal(err)
	}
	c.Take(d)
	if err := d.Write("a", []byte("3")); err != nil {
		t.Fatal(err)
	}
	if got := c.Paths(); !slices.Equal(got, []string{"a", "d/x"}) || read(t, c, "a") != "2" {
		t.Errorf("paths %q, a %q", got, read(t, c, "a"))
	}
	if err := c.Write("d", nil); !errors.Is(err, ErrConflict) {
		t.Errorf("a folder that was taken: %v", err)
	}
}

func TestReadSeesOtherPrograms(t *testing.T) {
	for name, change := range map[string]func(p string) error{
		"longer": func(p string) error { return os.WriteFile(p, []byte("12"), 0o644) },
		"same size": func(p string) error {
			return errors.Join(os.WriteFile(p, []byte("2"), 0o644), os.Chtimes(p, time.Time{}, time.Unix(1, 0)))
		},
		"gone":     os.Remove,
		"a pipe":   func(p string) error { return errors.Join(os.Remove(p), syscall.Mkfifo(p, 0o644)) },
		"a link":   func(p string) error { return errors.Join(os.Remove(p), os.Symlink("/etc/passwd", p)) },
		"a folder": func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o755)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{"a": "1", "b": "1"})
			c := open(t, dir, Options{})
			read(t, c, "b")
			for _, f := range []string{"a", "b"} {
				if err := change(filepath.Join(dir, f)); err != nil {
					t.Fatal(err)
				}
			}
			if data, err := c.Read("a"); err == nil || name != "a link" && !errors.Is(err, ErrChanged) {
				t.Errorf("read %q, %v", data, err)
			}
			if c.Write("a", nil) == nil {
				t.Error("a file that changed was written over")
			}
			if read(t, c, "b") != "1" {
				t.Error("what was read before is not kept")
			}
		})
	}
	t.Run("another folder", func(t *testing.T) {
		dir := write(t, map[string]string{"d/a": "1", "e/a": "1"})
		c := open(t, filepath.Join(dir, "d"), Options{})
		if err := errors.Join(os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "f")), os.Symlink("e", filepath.Join(dir, "d"))); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read("a"); !errors.Is(err, ErrChanged) {
			t.Error(err)
		}
	})
}

func TestFiles(t *testing.T) {
	c, err := New([]glovebox.File{{Path: "b/x.sh", Data: []byte("22"), Executable: true}, {Path: "./a", Data: []byte("1")}})
	if err != nil {
		t.Fatal(err)
	}
	files, err := c.Files(func(p string) bool { return p != "a" }, 2)
	if err != nil || len(files) != 1 || files[0].Path != "b/x.sh" || !files[0].Executable || string(files[0].Data) != "22" {
		t.Errorf("%+v, %v", files, err)
	}
	if _, err := c.Files(nil, 2); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if got := c.Paths(); !slices.Equal(got, []string{"a", "b/x.sh"}) {
		t.Error(got)
	}
	for _, bad := range [][]glovebox.File{{{Path: "a"}, {Path: "a"}}, {{Path: "a"}, {Path: "a/b"}}, {{Path: "../a"}}} {
		if _, err := New(bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestConcurrentClones(t *testing.T) {
	dir := write(t, map[string]string{"a": "1", "b": "2"})
	c := open(t, dir, Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		d := c.Clone()
		wg.Go(func() {
			for j := range 50 {
				text := fmt.Sprint(i, j)
				if err := errors.Join(d.Write("a", []byte(text)), c.Write(fmt.Sprint("n", i), nil)); err != nil {
					t.Error(err)
				}
				if got, err := d.Clone().Read("a"); err != nil || string(got) != text {
					t.Error(err)
				}
				d.Read("b")
				c.Paths()
			}
		})
	}
	wg.Wait()
	if got := len(c.Changes()); got != 8 {
		t.Errorf("%d changes", got)
	}
}

// BenchmarkOpen opens a folder of ten thousand files.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	for i := range 200 {
		sub := filepath.Join(dir, fmt.Sprint("d", i))
		if err := os.Mkdir(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 50 {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprint("f", j)), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		open(b, dir, Options{})
	}
}
