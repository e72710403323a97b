package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestLintJob: the changed files are told, the tree is there, and names that
// look like something else are not taken for it.
func TestLintJob(t *testing.T) {
	var tree []glovebox.File
	for _, name := range []string{"a.py", "-m.py", "b/c.py", "setup.cfg", "data.bin", ".glovebox/lint.py", "go.mod"} {
		tree = append(tree, glovebox.File{Path: name})
	}
	for _, c := range []struct {
		name          string
		lang          *Language
		changed       []string
		args, present string
	}{
		{"two files", Python, []string{"a.py", "b/c.py", "data.bin", "gone.py"}, "a.py b/c.py", "a.py -m.py b/c.py setup.cfg go.mod"},
		{"a name like an option", Python, []string{"-m.py"}, "./-m.py", "a.py -m.py b/c.py setup.cfg go.mod"},
		{"the check itself", Python, []string{".glovebox/lint.py"}, "", ""},
		{"nothing of the language", Ruby, []string{"a.py"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			job, ok := c.lang.LintJob(tree, c.changed)
			if ok != (c.args != "") {
				t.Fatalf("ok is %v", ok)
			}
			if !ok {
				return
			}
			var inputs []string
			for _, f := range job.Inputs {
				inputs = append(inputs, f.Path)
			}
			if got := strings.Join(job.Args, " "); got != c.args {
				t.Errorf("arguments %q, want %q", got, c.args)
			}
			if got := strings.Join(inputs, " "); got != c.present {
				t.Errorf("inputs %q, want %q", got, c.present)
			}
		})
	}
}

// TestLintSettings: what lets findings pass is apart from what a file is.
func TestLintSettings(t *testing.T) {
	for name, want := range map[string]string{
		"mypy.ini": "settings", "a/pyproject.toml": "settings", "setup.cfg": "settings", "tsconfig.json": "settings",
		"go.mod": "read", "web/package.json": "read", "a.py": "read", "a.txt": "", "xmypy.ini": "",
	} {
		got := ""
		if LintSettings(name) {
			got += "settings"
		}
		if Python.LintReads(name) {
			got += "read"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestReadLint(t *testing.T) {
	long := strings.Repeat("é", maxFindingText)
	for _, c := range []struct {
		name, text string
		want       []glovebox.Finding
	}{
		{"two", "a.py:1:2: x\nb/c.py:30:1: y: z\n", []glovebox.Finding{{Rule: "lint", File: "a.py", Line: 1, Message: "x"}, {Rule: "lint", File: "b/c.py", Line: 30, Message: "y: z"}}},
		{"a name with a space, a dot before it", "./a b.py:1:2: x\r\n", []glovebox.Finding{{Rule: "lint", File: "a b.py", Line: 1, Message: "x"}}},
		{"other lines", "Checking\n:1:1: x\na.py:1: x\na.py:x:1: y\n", nil},
		{"names that leave", "../a.py:1:1: x\n/etc/passwd:1:1: x\na/../../b:1:1: x\n", nil},
		{"a number too large", "a.py:99999999999999999999:1: x\n", nil},
		{"a long text", "a.py:1:1: " + long + "\n", []glovebox.Finding{{Rule: "lint", File: "a.py", Line: 1, Message: strings.Repeat("é", maxFindingText/2)}}},
		{"a very long line", "a.py:1:1: " + strings.Repeat("x", 1<<20) + "\nb.py:1:1: y\n", []glovebox.Finding{{Rule: "lint", File: "b.py", Line: 1, Message: "y"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ReadLint(c.text)
			if len(got) != len(c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("got %+v, want %+v", got[i], c.want[i])
				}
			}
		})
	}
	if n := len(ReadLint(strings.Repeat("a.py:1:1: x\n", 3*maxFindings))); n != maxFindings {
		t.Errorf("%d findings", n)
	}
}

func FuzzReadLint(f *testing.F) {
	f.Add("a.py:1:2: x\nb:3:4: y\n")
	f.Add("\xff:1:1: \xff\n../x:1:1: y")
	f.Fuzz(func(t *testing.T, text string) {
		for _, found := range ReadLint(text) {
			if clean, err := glovebox.CleanPath(found.File); err != nil || clean != found.File || len(found.Message) > maxFindingText || found.Line < 0 {
				t.Errorf("%+v: %v", found, err)
			}
		}
	})
}
