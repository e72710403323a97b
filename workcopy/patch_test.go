//go:build !windows

package workcopy

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// state is the files of a folder: content, with "x:" before that of an
// executable one.
type state map[string]string

func (s state) files() []glovebox.File {
	var all []glovebox.File
	for name, data := range s {
		text, executable := strings.CutPrefix(data, "x:")
		all = append(all, glovebox.File{Path: name, Data: []byte(text), Executable: executable})
	}
	return all
}

// turn makes a copy of the first state and changes it to the second.
func turn(t testing.TB, from, to state) *Copy {
	t.Helper()
	c, err := New(from.files())
	if err != nil {
		t.Fatal(err)
	}
	for name := range from {
		if _, ok := to[name]; !ok {
			if err := c.Delete(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, f := range to.files() {
		if err := c.Write(f.Path, f.Data); err != nil {
			t.Fatal(err)
		}
		if err := c.Chmod(f.Path, f.Executable); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// git runs git apart from the user's settings and from any repository around.
func git(t testing.TB, dir string, stdin []byte, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir), "LC_ALL=C"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s\n%s", strings.Join(args, " "), err, out, stdin)
	}
}

func needGit(t testing.TB) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

func TestPatchAppliesWithGit(t *testing.T) {
	needGit(t)
	long := func(mark string) string {
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, "line %d\n", i)
			if i%50 == 7 {
				b.WriteString(mark)
			}
		}
		return b.String()
	}
	allBytes := make([]byte, 256)
	for i := range allBytes {
		allBytes[i] = byte(i)
	}
	for _, row := range []struct {
		name     string
		from, to state
	}{
		{"one line", state{"a": "1\n2\n3\n"}, state{"a": "1\ntwo\n3\n"}},
		{"new file", state{"a": "1\n"}, state{"a": "1\n", "d/e/new.py": "x = 1\n"}},
		{"new empty file", state{"a": "1\n"}, state{"a": "1\n", "pkg/__init__.py": ""}},
		{"deleted", state{"a": "1\n", "d/b": "2\n3\n"}, state{"a": "1\n"}},
		{"deleted empty", state{"a": "1\n", "b": ""}, state{"a": "1\n"}},
		{"emptied", state{"a": "1\n"}, state{"a": ""}},
		{"filled", state{"a": ""}, state{"a": "1\n"}},
		{"no line end before", state{"a": "1\n2"}, state{"a": "1\n2\n"}},
		{"no line end after", state{"a": "1\n2\n"}, state{"a": "1\n2"}},
		{"no line end in both", state{"a": "1\n2"}, state{"a": "1\n3"}},
		{"no line end in context", state{"a": "1\n2\n3"}, state{"a": "0\n2\n3"}},
		{"new without line end", state{"b": ""}, state{"b": "", "a": "x"}},
		{"deleted without line end", state{"b": "", "a": "x"}, state{"b": ""}},
		{"carriage returns", state{"a": "1\r\n2\r\n"}, state{"a": "1\r\n3\r\n"}},
		{"made executable", state{"a": "1\n"}, state{"a": "x:1\n"}},
		{"made executable and changed", state{"a": "1\n"}, state{"a": "x:2\n"}},
		{"executable changed", state{"a": "x:1\n"}, state{"a": "x:2\n"}},
		{"executable new", state{"b": ""}, state{"b": "", "run": "x:#!/bin/sh\n"}},
		{"executable deleted", state{"b": "", "run": "x:#!/bin/sh\n"}, state{"b": ""}},
		{"names with spaces", state{"my file.txt": "1\n", "a dir/b c": "1\n"}, state{"my file.txt": "2\n", "a dir/b c": "2\n", "new one": "x\n"}},
		{"names with quotes", state{`a"b`: "1\n", "ü/ñ.py": "1\n", "日本": "x\n"}, state{`a"b`: "2\n", "ü/ñ.py": "2\n", "Ω x": "3\n"}},
		{"names like git's", state{"a/b/c": "1\n", "b/a": "1\n", "dev/null": "1\n"}, state{"a/b/c": "2\n", "b/a": "2\n", "dev/null": "3\n"}},
		{"name with a dash", state{"-x": "1\n", "--- a": "1\n"}, state{"-x": "2\n", "--- a": "2\n"}},
		{"lines like a patch's", state{"a": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n"}, state{"a": "--- a/x\n-- y\n+++ b/z\n@@ -1 +1 @@\ndiff --git a/a b/a\n"}},
		{"binary", state{"a": "\x00\x01"}, state{"a": string(allBytes), "b": "\x00"}},
		{"binary deleted", state{"a": string(allBytes), "b": "x\n"}, state{"b": "x\n"}},
		{"binary becomes text", state{"a": string(allBytes)}, state{"a": "text\n"}},
		{"text becomes binary", state{"a": "text\n"}, state{"a": "x:" + string(allBytes)}},
		{"not UTF-8", state{"a": "\xff\xfe\n1\n"}, state{"a": "\xff\xfd\n1\n"}},
		{"many places", state{"a": long("x\n")}, state{"a": long("y\n")}},
		{"inserted and removed", state{"a": long("")}, state{"a": long("y\nz\n")}},
		{"a folder becomes a file", state{"d/x": "1\n"}, state{"d": "1\n"}},
		{"a file becomes a folder", state{"d": "1\n"}, state{"d/x": "1\n"}},
		{"nothing", state{"a": "1\n"}, state{"a": "1\n"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			patch, err := turn(t, row.from, row.to).Patch()
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range row.from.files() {
				p := filepath.Join(dir, f.Path)
				mode := os.FileMode(0o644)
				if f.Executable {
					mode = 0o755
				}
				if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p, f.Data, mode); err != nil {
					t.Fatal(err)
				}
			}
			git(t, dir, nil, "init", "-q")
			git(t, dir, nil, "add", "-f", "--", ".")
			if len(patch) > 0 {
				git(t, dir, patch, "apply", "--check", "--whitespace=nowarn", "-")
				git(t, dir, patch, "apply", "--index", "--whitespace=nowarn", "-")
			}
			after, err := Open(dir, Options{NoIgnore: true})
			if err != nil {
				t.Fatal(err)
			}
			got := state{}
			files, err := after.Files(nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				got[f.Path] = string(f.Data)
				if f.Executable {
					got[f.Path] = "x:" + got[f.Path]
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(row.to) {
				t.Errorf("git made %q\nwant %q\n%s", got, row.to, patch)
			}
			if len(patch) > 0 {
				git(t, dir, patch, "apply", "--check", "-R", "--whitespace=nowarn", "-")
			}
		})
	}
}

// rebuild makes the new lines of a diff from the old.
func rebuild(old, new []string) []string {
	var out []string
	at := 0
	for _, d := range diffLines(old, new) {
		out = append(out, old[at:d.Start]...)
		out = append(out, new[d.ReplStart:d.ReplEnd]...)
		at = d.End
	}
	return append(out, old[at:]...)
}

func TestDiffLinesOfLargeFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	old := make([]string, 20_000)
	for i := range old {
		old[i] = fmt.Sprint(r.IntN(5000), "\n")
	}
	new := append([]string(nil), old...)
	changed := 0
	for i := 3; i < len(new); i += 23 {
		new[i] = "changed\n"
		changed++
	}
	if got := strings.Join(rebuild(old, new), ""); got != strings.Join(new, "") {
		t.Fatal("the diff does not make the new file")
	}
	lines := 0
	for _, d := range diffLines(old, new) {
		lines += d.ReplEnd - d.ReplStart
	}
	if lines > changed*3/2 {
		t.Errorf("%d lines for %d changed ones", lines, changed)
	}
	// Two files with nothing in order are still bounded and right.
	r.Shuffle(len(new), func(i, j int) { new[i], new[j] = new[j], new[i] })
	if got := strings.Join(rebuild(old, new), ""); got != strings.Join(new, "") {
		t.Fatal("the diff of shuffled lines does not make the new file")
	}
}

func FuzzDiffLines(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd")
	f.Add("", "x")
	f.Add("a\na\na\nb\n", "b\na\na\n")
	f.Fuzz(func(t *testing.T, old, new string) {
		if got := strings.Join(rebuild(splitLines(old), splitLines(new)), ""); got != new {
			t.Errorf("%q → %q: got %q", old, new, got)
		}
	})
}
