package edit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// files are the files of a folder by path.
type files map[string]string

func (f files) open(t testing.TB) *workcopy.Copy {
	t.Helper()
	var list []glovebox.File
	for name, data := range f {
		list = append(list, glovebox.File{Path: name, Data: []byte(data)})
	}
	c, err := workcopy.New(list)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func of(t testing.TB, c *workcopy.Copy) files {
	t.Helper()
	f := files{}
	for _, p := range c.Paths() {
		data, err := c.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		f[p] = string(data)
	}
	return f
}

// with returns f with some files changed; an empty name of content "-" removes.
func (f files) with(changes files) files {
	g := files{}
	for _, m := range []files{f, changes} {
		for name, data := range m {
			g[name] = data
		}
	}
	for name, data := range g {
		if data == "-" {
			delete(g, name)
		}
	}
	return g
}

// fenced writes ”' as three backquotes.
func fenced(s string) string { return strings.ReplaceAll(s, "'''", "```") }

var repo = files{
	"src/cart.py":   "import os\n\n\ndef total(items):\n    return sum(i.price for i in items)\n\n\ndef count(items):\n    return len(items)\n",
	"src/twice.py":  "a = 1\nb = 2\na = 1\n",
	"src/empty.py":  "",
	"src/open.txt":  "one\ntwo",
	"src/win.txt":   "one\r\ntwo\r\n",
	"src/mark.txt":  "\ufeffone\ntwo\n",
	"srcx/other.py": "x = 1\n",
	"tests/test.py": "assert True\n",
	"README.md":     "# Shop\n\nText.\n",
}

func TestReplies(t *testing.T) {
	const block = "<<<<<<< SEARCH\n%s=======\n%s>>>>>>> REPLACE\n"
	sr := func(path, search, replace string) string {
		return path + "\n" + fmt.Sprintf(block, search, replace)
	}
	var long strings.Builder
	for i := range 30 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	for _, row := range []struct {
		name  string
		reply string
		rules Rules
		want  files  // what changes; nil with errs
		errs  string // kinds of the errors, and below what they say
		says  []string
		notes string // what a note says
		extra files  // more files in the repository
	}{
		// Search and replace.
		{name: "block in a fence", reply: fenced("I fix it:\n\n'''python\n" + sr("src/twice.py", "b = 2\n", "b = 3\n") + "'''\nDone."),
			want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}},
		{name: "path above the fence", reply: fenced("**src/twice.py**\n\n'''python\n" + fmt.Sprintf(block, "b = 2\n", "b = 3\n") + "'''"),
			want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}},
		{name: "path in the info string", reply: fenced("'''python src/twice.py\n" + fmt.Sprintf(block, "b = 2\n", "b = 3\n") + "'''"),
			want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}},
		{name: "without a fence", reply: sr("src/twice.py", "b = 2\n", "b = 3\n"),
			want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}},
		{name: "blocks one after the other", reply: sr("src/twice.py", "b = 2\n", "b = 3\nc = 4\n") + "and\n" + fmt.Sprintf(block, "c = 4\n", "c = 5\n"),
			want: files{"src/twice.py": "a = 1\nb = 3\nc = 5\na = 1\n"}, notes: "names no path"},
		{name: "fences in a block", reply: fenced("'''markdown\n" + sr("README.md", "Text.\n", "'''sh\nmake\n'''\n") + "'''\n"),
			want: files{"README.md": fenced("# Shop\n\n'''sh\nmake\n'''\n")}},
		{name: "empty replace", reply: sr("src/twice.py", "b = 2\n", ""), want: files{"src/twice.py": "a = 1\na = 1\n"}},
		{name: "empty search", reply: sr("src/new.py", "", "x = 1\n"), want: files{"src/new.py": "x = 1\n"}},
		{name: "empty search of a file that is there", reply: sr("src/twice.py", "", "x = 1\n"), errs: "exists"},
		{name: "not found", reply: sr("src/cart.py", "def total(item):\n    return 0\n", "x\n"), errs: "not_found",
			says: []string{"src/cart.py", "block 1", "4: def total(items):"}},
		{name: "other white space", reply: sr("src/cart.py", "return len(items)\n", "return 0\n"), errs: "not_found", says: []string{"9:     return len(items)"}},
		{name: "a part of a line", reply: sr("src/cart.py", "def count\n", "def n\n"), errs: "not_found"},
		{name: "nothing like it", reply: sr("src/twice.py", "zzzzzzzz\n", ""), errs: "not_found", says: []string{"nor is there anything like it"}},
		{name: "twice", reply: sr("src/twice.py", "a = 1\n", "a = 2\n"), errs: "ambiguous", says: []string{"block 1", "2 times", "lines 1, 3"}},
		{name: "overlapping", extra: files{"o": "a\na\na\n"}, reply: sr("o", "a\na\n", ""), errs: "malformed", says: []string{"no path"}},
		{name: "overlapping in a file", extra: files{"o.txt": "a\na\na\n"}, reply: sr("o.txt", "a\na\n", ""), errs: "ambiguous", says: []string{"2 times"}},
		{name: "no path", reply: fmt.Sprintf(block, "a\n", "b\n"), errs: "malformed", says: []string{"names no path"}},
		{name: "no such file", reply: sr("lib/cart.py", "a\n", "b\n"), errs: "not_found", says: []string{"there is src/cart.py"}},
		{name: "no end", reply: "src/a.py\n<<<<<<< SEARCH\na\n=======\nb\n", errs: "malformed", says: []string{">>>>>>> REPLACE"}},
		{name: "no divider", reply: "src/a.py\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", errs: "malformed", says: []string{"there are 0"}},
		{name: "two dividers", reply: "src/a.py\n<<<<<<< SEARCH\nA\n=======\n=======\nb\n>>>>>>> REPLACE\n", errs: "malformed", says: []string{"there are 2"}},
		{name: "longer marks", extra: files{"a.rst": "A\n=======\n"}, reply: "a.rst\n<<<<<<<<< SEARCH\nA\n=======\n=========\nB\n=======\n>>>>>>>>> REPLACE\n",
			want: files{"a.rst": "B\n=======\n"}},
		{name: "all errors at once", reply: sr("src/twice.py", "a = 1\n", "") + sr("src/cart.py", "nope\n", "") + sr("../x", "", "x\n"),
			errs: "ambiguous not_found outside_allowed"},
		{name: "one wrong, none made", reply: sr("src/twice.py", "b = 2\n", "b = 3\n") + sr("src/cart.py", "nope\n", ""), errs: "not_found"},
		{name: "no line end at the end", reply: sr("src/open.txt", "two\n", "three\n"), want: files{"src/open.txt": "one\nthree"}},
		{name: "carriage returns in the file", reply: sr("src/win.txt", "two\n", "three\nfour\n"), want: files{"src/win.txt": "one\r\nthree\r\nfour\r\n"}},
		{name: "carriage returns in the reply", reply: strings.ReplaceAll(sr("src/twice.py", "b = 2\n", "b = 3\n"), "\n", "\r\n"), want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}},
		{name: "byte order mark", reply: sr("src/mark.txt", "one\n", "1\n"), want: files{"src/mark.txt": "\ufeff1\ntwo\n"}},
		{name: "nothing changes", reply: sr("src/twice.py", "b = 2\n", "b = 2\n"), errs: "no_change"},
		{name: "fenced in a list", reply: fenced("1. Do this:\n\n   '''\n   src/twice.py\n   <<<<<<< SEARCH\n   b = 2\n   =======\n   b = 3\n   >>>>>>> REPLACE\n   '''\n"),
			want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}},
		{name: "thinking is not read", reply: "<think>\n" + sr("src/twice.py", "b = 2\n", "b = 9\n") + "</think>\n" + sr("src/twice.py", "b = 2\n", "b = 3\n"),
			want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}},

		// Whole files.
		{name: "whole file, path above", reply: fenced("src/twice.py\n'''python\nb = 2\n'''\n"), want: files{"src/twice.py": "b = 2\n"}},
		{name: "whole file, heading", reply: fenced("### 1. `src/new.py` (new file)\n\n'''python\nb = 2\n'''\n"), want: files{"src/new.py": "b = 2\n"}},
		{name: "whole file, label", reply: fenced("File: LICENSE\n'''\nfree\n'''\n"), want: files{"LICENSE": "free\n"}},
		{name: "whole file, info string", reply: fenced("'''python title=\"src/new.py\"\nb = 2\n'''\n'''python:src/n2.py\nc\n'''\n'''src/n3.py\nd\n'''"), want: files{"src/new.py": "b = 2\n", "src/n2.py": "c\n", "src/n3.py": "d\n"}},
		{name: "whole file, labelled comment", reply: fenced("'''python\n# file: src/new.py\nb = 2\n'''\n"), want: files{"src/new.py": "b = 2\n"}},
		{name: "whole file, comment", reply: fenced("'''python\n# src/new.py\nb = 2\n'''\n"), want: files{"src/new.py": "# src/new.py\nb = 2\n"}},
		{name: "whole file, longer fence", reply: fenced("README.md\n''''''\n# A\n'''sh\nls\n'''\n''''''\n"), want: files{"README.md": fenced("# A\n'''sh\nls\n'''\n")}},
		{name: "whole file of Markdown", reply: fenced("README.md\n'''markdown\n# A\n'''sh\nls\n'''\nEnd\n'''\n"), want: files{"README.md": fenced("# A\n'''sh\nls\n'''\nEnd\n")}},
		{name: "whole file with an indented fence in it", reply: fenced("src/new.py\n'''python\ndef f():\n    \"\"\"\n    '''\n    x\n    '''\n    \"\"\"\n'''\n"),
			want: files{"src/new.py": fenced("def f():\n    \"\"\"\n    '''\n    x\n    '''\n    \"\"\"\n")}},
		{name: "whole file keeps carriage returns", reply: fenced("src/win.txt\n'''\na\nb\n'''\n"), want: files{"src/win.txt": "a\r\nb\r\n"}},
		{name: "whole file, empty", reply: fenced("src/__init__.py\n'''python\n'''\n"), want: files{"src/__init__.py": ""}},
		{name: "whole file cut off", reply: fenced("src/twice.py\n'''python\nb = 2\n"), errs: "malformed", says: []string{"reply ends inside"}},
		{name: "whole file with code left out", reply: fenced("src/cart.py\n'''python\nimport os\n# ... rest of the code unchanged\n'''\n"), errs: "malformed", says: []string{"rest of the code"}},
		{name: "whole file with code left out, in words", reply: fenced("src/cart.py\n'''python\nimport os\n# existing code ...\n'''\n"), errs: "malformed"},
		{name: "dots that are code", reply: fenced("src/new.py\n'''python\ndef f(): ...\n# the rest of us\nx = [...]\n'''\n"), want: files{"src/new.py": "def f(): ...\n# the rest of us\nx = [...]\n"}},
		{name: "examples are left", reply: fenced("Run it:\n'''bash\npython src/cart.py\n'''\nsrc/new.py\n'''\nx\n'''\n"), want: files{"src/new.py": "x\n"}, notes: "names no path"},
		{name: "a name in prose is no path", reply: fenced("### re.match\n'''python\nx\n'''\n"), errs: "no_edits"},
		{name: "words with a slash are no path", reply: fenced("**Input/Output:**\n'''\nx\n'''\n"), errs: "no_edits"},
		{name: "paths without an ending", reply: fenced("`bin/run`:\n'''sh\nx\n'''\n'''sh bin/stop\ny\n'''\n"), want: files{"bin/run": "x\n", "bin/stop": "y\n"}},
		{name: "a path with an odd ending", extra: files{"a.odd": "x\n"}, reply: fenced("a.odd\n'''\n" + fmt.Sprintf(block, "x\n", "y\n") + "'''\n"), want: files{"a.odd": "y\n"}},
		{name: "only an example", reply: fenced("Use `src/cart.py` like this:\n'''python\ntotal([])\n'''\n"), errs: "no_edits", says: []string{"1 fences name no path"}},
		{name: "prose", reply: "I cannot do that.", errs: "no_edits", says: []string{"search/replace"}},
		{name: "empty", reply: "", errs: "no_edits"},

		// Deleting and renaming.
		{name: "delete", reply: "Gone:\n*** Delete File: src/twice.py\n", want: files{"src/twice.py": "-"}},
		{name: "delete what is not there", reply: "*** Delete File: src/none.py\n", errs: "not_found"},
		{name: "rename", reply: "*** Rename File: src/twice.py -> lib/two.py\n", want: files{"src/twice.py": "-", "lib/two.py": repo["src/twice.py"]}},
		{name: "rename and change", reply: "*** Rename File: src/twice.py -> lib/two.py\n" + sr("lib/two.py", "b = 2\n", ""), want: files{"src/twice.py": "-", "lib/two.py": "a = 1\na = 1\n"}},
		{name: "rename onto a file", reply: "*** Rename File: src/twice.py -> src/cart.py\n", errs: "exists"},
		{name: "rename without a name", reply: "*** Rename File: src/twice.py\n", errs: "malformed"},

		// Unified diffs.
		{name: "diff", reply: fenced("'''diff\n--- a/src/twice.py\n+++ b/src/twice.py\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n a = 1\n'''\n"), want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}},
		{name: "bare diff", reply: "Here:\n\ndiff --git a/src/twice.py b/src/twice.py\nindex 1..2 100644\n--- a/src/twice.py\n+++ b/src/twice.py\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n a = 1\n\n- That is all.\n", want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}},
		{name: "diff without prefixes", reply: fenced("'''diff\n--- src/twice.py\n+++ src/twice.py\n@@ -2 +2 @@\n-b = 2\n+b = 3\n'''\n"), want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}},
		{name: "diff with wrong counts", reply: fenced("'''diff\n--- a/src/twice.py\n+++ b/src/twice.py\n@@ -1,9 +1,7 @@\n a = 1\n-b = 2\n+b = 3\n a = 1\n\n'''\n"), want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n"}, notes: "counts"},
		{name: "diff with wrong counts and two files", reply: fenced("'''diff\n--- a/src/twice.py\n+++ b/src/twice.py\n@@ -1,9 +1,7 @@\n a = 1\n-b = 2\n+b = 3\n--- a/srcx/other.py\n+++ b/srcx/other.py\n@@ -1,1 +1,4 @@\n-x = 1\n+x = 2\n'''\n"), want: files{"src/twice.py": "a = 1\nb = 3\na = 1\n", "srcx/other.py": "x = 2\n"}, notes: "counts"},
		{name: "diff with a wrong line", reply: fenced("'''diff\n--- a/src/cart.py\n+++ b/src/cart.py\n@@ -2,2 +2,2 @@\n def count(items):\n-    return len(items)\n+    return 0\n'''\n"), want: files{"src/cart.py": strings.Replace(repo["src/cart.py"], "len(items)", "0", 1)}, notes: "hunk 1 was applied at line 8, not 2"},
		{name: "diff without numbers", reply: fenced("'''diff\n--- a/src/cart.py\n+++ b/src/cart.py\n@@ @@\n def count(items):\n-    return len(items)\n+    return 0\n'''\n"), want: files{"src/cart.py": strings.Replace(repo["src/cart.py"], "len(items)", "0", 1)}},
		{name: "diff with its path above", reply: fenced("src/cart.py\n'''diff\n@@ -8,2 +8,2 @@\n def count(items):\n-    return len(items)\n+    return 0\n'''\n"), want: files{"src/cart.py": strings.Replace(repo["src/cart.py"], "len(items)", "0", 1)}},
		{name: "diff in no place", reply: fenced("'''diff\n--- a/src/twice.py\n+++ b/src/twice.py\n@@ -1,2 +1,2 @@\n a = 2\n-b = 2\n+b = 3\n'''\n"), errs: "not_found", says: []string{"hunk 1", "b = 2"}},
		{name: "diff in two places", extra: files{"l.txt": long.String() + long.String()}, reply: fenced("'''diff\n--- a/l.txt\n+++ b/l.txt\n@@ -2,2 +2,1 @@\n line 10\n-line 11\n'''\n"), errs: "ambiguous", says: []string{"lines 11, 41"}},
		{name: "diff at its place though there are two", extra: files{"l.txt": "x\ny\nx\ny\n"}, reply: fenced("'''diff\n--- a/l.txt\n+++ b/l.txt\n@@ -3,2 +3,1 @@\n x\n-y\n'''\n"), want: files{"l.txt": "x\ny\nx\n"}},
		{name: "hunks on each other", reply: fenced("'''diff\n--- a/src/twice.py\n+++ b/src/twice.py\n@@ -1,2 +1,1 @@\n a = 1\n-b = 2\n@@ -2,2 +1,1 @@\n-b = 2\n a = 1\n'''\n"), errs: "malformed", says: []string{"hunks 1 and 2"}},
		{name: "diff without context", reply: fenced("'''diff\n--- a/src/twice.py\n+++ b/src/twice.py\n@@ -1,0 +2 @@\n+x\n'''\n"), errs: "malformed", says: []string{"show some"}},
		{name: "diff fills an empty file", reply: fenced("'''diff\n--- a/src/empty.py\n+++ b/src/empty.py\n@@ -0,0 +1 @@\n+x\n'''\n"), want: files{"src/empty.py": "x\n"}},
		{name: "diff of a new file", reply: fenced("'''diff\n--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1,2 @@\n+x\n+y\n'''\n"), want: files{"src/new.py": "x\ny\n"}},
		{name: "diff of a new file that is there", reply: fenced("'''diff\n--- /dev/null\n+++ b/src/cart.py\n@@ -0,0 +1 @@\n+x\n'''\n"), errs: "exists"},
		{name: "diff deletes", reply: fenced("'''diff\ndiff --git a/src/twice.py b/src/twice.py\ndeleted file mode 100644\n--- a/src/twice.py\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-a = 1\n-b = 2\n-a = 1\n'''\n"), want: files{"src/twice.py": "-"}},
		{name: "diff renames", reply: fenced("'''diff\ndiff --git a/src/twice.py b/lib/two.py\nsimilarity index 90%\nrename from src/twice.py\nrename to lib/two.py\n--- a/src/twice.py\n+++ b/lib/two.py\n@@ -1,2 +1,1 @@\n a = 1\n-b = 2\n'''\n"), want: files{"src/twice.py": "-", "lib/two.py": "a = 1\na = 1\n"}},
		{name: "diff of two names", reply: fenced("'''diff\n--- a/src/twice.py\n+++ b/src/cart.py\n@@ -1,2 +1,1 @@\n a = 1\n-b = 2\n'''\n"), errs: "malformed"},
		{name: "diff with a line without a mark", reply: fenced("'''diff\n--- a/src/twice.py\n+++ b/src/twice.py\n@@ -1,3 +1,3 @@\n a = 1\nb = 2\n+b = 3\n'''\n"), errs: "malformed", says: []string{"b = 2"}},
		{name: "diff cut off", reply: fenced("'''diff\n--- a/src/twice.py\n+++ b/src/twice.py\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n"), errs: "malformed"},
		{name: "diff fence without a diff", reply: fenced("'''diff\n- a\n+ b\n'''\n"), errs: "malformed", says: []string{"no diff"}},
		{name: "diff to the end of an open file", reply: fenced("'''diff\n--- a/src/open.txt\n+++ b/src/open.txt\n@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+three\n\\ No newline at end of file\n'''\n"), want: files{"src/open.txt": "one\nthree"}},
		{name: "diff removes the end of an open file", reply: fenced("'''diff\n--- a/src/open.txt\n+++ b/src/open.txt\n@@ -1,2 +1,1 @@\n one\n-two\n'''\n"), want: files{"src/open.txt": "one\n"}},
		{name: "diff with blank lines that lost their mark", reply: fenced("'''diff\n--- a/src/cart.py\n+++ b/src/cart.py\n@@ -1,4 +1,4 @@\n-import os\n+import sys\n\n\n def total(items):\n'''\n"), want: files{"src/cart.py": strings.Replace(repo["src/cart.py"], "os", "sys", 1)}},

		// The patch form.
		{name: "patch form", reply: "*** Begin Patch\n*** Update File: src/cart.py\n@@ def count(items):\n def count(items):\n-    return len(items)\n+    return 0\n*** Add File: src/new.py\n+x\n+\n*** Delete File: src/twice.py\n*** Update File: srcx/other.py\n*** Move to: srcx/o.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n",
			want: files{"src/cart.py": strings.Replace(repo["src/cart.py"], "len(items)", "0", 1), "src/new.py": "x\n\n", "src/twice.py": "-", "srcx/other.py": "-", "srcx/o.py": "x = 2\n"}},
		{name: "patch form in a fence", reply: fenced("'''\n*** Begin Patch\n*** Update File: src/twice.py\n@@\n a = 1\n-b = 2\n*** End Patch\n'''\n"), want: files{"src/twice.py": "a = 1\na = 1\n"}},
		{name: "patch form with a bad line", reply: "*** Update File: src/twice.py\nb = 2\n", errs: "malformed"},

		// Rules.
		{name: "allowed", rules: Rules{Allow: []string{"src/"}}, reply: sr("./src/twice.py", "b = 2\n", ""), want: files{"src/twice.py": "a = 1\na = 1\n"}},
		{name: "allowed is whole elements", rules: Rules{Allow: []string{"src"}}, reply: sr("srcx/other.py", "x = 1\n", ""), errs: "outside_allowed", says: []string{"only these may change: src"}},
		{name: "denied", rules: Rules{Allow: []string{""}, Deny: []string{"tests"}}, reply: sr("tests/test.py", "assert True\n", ""), errs: "outside_allowed", says: []string{"protected"}},
		{name: "denied by its path alone", rules: Rules{Deny: []string{"tests/test.py"}}, reply: "*** Delete File: tests/../tests/test.py\n", errs: "outside_allowed"},
		{name: "renamed out of a protected folder", rules: Rules{Deny: []string{"tests"}}, reply: "*** Rename File: tests/test.py -> src/test.py\n", errs: "outside_allowed"},
		{name: "outside", reply: fenced("../../etc/passwd\n'''\nx\n'''\n"), errs: "outside_allowed"},
		{name: "absolute", reply: fenced("/etc/passwd\n'''\nx\n'''\n"), errs: "outside_allowed"},
		{name: "git's own folder", reply: "*** Add File: sub/.GIT/hooks/pre-commit\n+x\n", errs: "outside_allowed"},
		{name: "a file as a folder", reply: sr("src/twice.py/x.py", "", "x\n"), errs: "exists"},
		{name: "a folder as a file", reply: "*** Add File: src\n+x\n", errs: "exists"},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := repo.with(row.extra)
			c := before.open(t)
			set, err := Parse(row.reply)
			if err == nil {
				err = set.Apply(c, row.rules)
			}
			var kinds []string
			for _, e := range Problems(err) {
				kinds = append(kinds, string(e.Kind))
			}
			if got := strings.Join(kinds, " "); got != row.errs || (err != nil) != (row.errs != "") {
				t.Fatalf("errors %q, want %q: %v", got, row.errs, err)
			}
			for _, s := range row.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("the error does not say %q: %v", s, err)
				}
			}
			want := before
			if err == nil {
				want = before.with(row.want)
				if notes := strings.Join(set.Notes, "\n"); !strings.Contains(notes, row.notes) || row.notes == "" && strings.Contains(notes, "hunk") {
					t.Errorf("notes %q, want %q", notes, row.notes)
				}
			}
			if got := of(t, c); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestInstructionsAreReadAsTheySay(t *testing.T) {
	set, err := Parse(Instructions)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range set.Edits {
		got = append(got, fmt.Sprint(e.Kind, " ", e.Path))
	}
	want := []string{"replace src/shop/cart.py", "whole tests/test_total.py", "delete src/shop/old.py", "rename src/shop/b.py"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorsAreBounded(t *testing.T) {
	var reply strings.Builder
	for i := range 100 {
		fmt.Fprintf(&reply, "src/cart.py\n<<<<<<< SEARCH\nnope %d %s\n=======\n>>>>>>> REPLACE\n", i, strings.Repeat("x", 1000))
	}
	set, err := Parse(reply.String())
	if err != nil {
		t.Fatal(err)
	}
	err = set.Apply(repo.open(t), Rules{})
	if n := len(Problems(err)); n != maxErrors || !strings.Contains(err.Error(), "and 80 more errors") || len(err.Error()) > 20_000 {
		t.Errorf("%d errors in %d bytes: %v", n, len(err.Error()), err)
	}
	set, err = Parse("*** Delete File: a\x1b[2J\u0085" + strings.Repeat("x", 100_000) + "\n*** Delete File: ../\x1b[2J\nsrc/cart.py\n<<<<<<< SEARCH\ndef total(items):\x1b[2J\n=======\n>>>>>>> REPLACE\n")
	if err != nil {
		t.Fatal(err)
	}
	err = set.Apply(files{"src/cart.py": "def total(items):\x1b[1m" + strings.Repeat("y", 100_000) + "\n"}.open(t), Rules{})
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\u0085") || len(err.Error()) > 2000 {
		t.Errorf("%d bytes: %q", len(err.Error()), err.Error())
	}
	big := strings.Repeat("src/a.py\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n", maxEdits+1)
	if _, err := Parse(big); len(Problems(err)) != 1 || Problems(err)[0].Kind != TooLarge {
		t.Errorf("too many edits: %v", err)
	}
	if _, err := Parse(strings.Repeat("x", maxReply+1)); len(Problems(err)) != 1 || Problems(err)[0].Kind != TooLarge {
		t.Errorf("too long: %v", err)
	}
}

func TestRules(t *testing.T) {
	for _, row := range []struct {
		rules Rules
		path  string
		ok    bool
	}{
		{Rules{}, "a", true},
		{Rules{Allow: []string{"."}}, "a/b", true},
		{Rules{Allow: []string{"src", "lib"}}, "lib/a", true},
		{Rules{Allow: []string{"src"}}, "src", true},
		{Rules{Allow: []string{"./src//"}}, "src/a", true},
		{Rules{Allow: []string{"src"}}, "lib/src/a", false},
		{Rules{Allow: []string{"src"}, Deny: []string{"src/gen"}}, "src/gen/a", false},
		{Rules{Allow: []string{"src"}, Deny: []string{"src/gen"}}, "src/gene", true},
		{Rules{}, ".git/config", false},
		{Rules{Allow: []string{".git"}}, ".git/config", false},
		{Rules{}, "sub/.GIT/config", false},
		{Rules{}, ".g\u200cit/config", false},
		{Rules{}, ".git. /config", false},
		{Rules{}, ".git::$INDEX_ALLOCATION/config", false},
		{Rules{}, "GIT~1/config", false},
		{Rules{}, ".gitignore", true},
		{Rules{}, ".github/workflows/ci.yml", true},
		{Rules{}, "a/../../b", false},
	} {
		if _, err := row.rules.Check(row.path); (err == nil) != row.ok {
			t.Errorf("%v, %s: %v", row.rules, row.path, err)
		}
	}
	set, err := Parse("*** Delete File: src/twice.py\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Apply(repo.open(t), Rules{Deny: []string{"../x"}}); err == nil || len(Problems(err)) > 0 {
		t.Errorf("a rule that is no path: %v", err)
	}
}

// TestParseTakesTimeInProportion would not end if it did not.
func TestParseTakesTimeInProportion(t *testing.T) {
	const n = 100_000
	for _, reply := range []string{
		"```diff\n--- a/x\n+++ b/x\n@@ @@\n+a" + strings.Repeat("\n", n) + "+b\n",
		strings.Repeat("```\n", n),
		strings.Repeat("<<<<<<< SEARCH\n", n),
		"a.py\n<<<<<<< SEARCH\n" + strings.Repeat("=\n", n),
		strings.Repeat("diff --git a/x b/x\n", n),
		strings.Repeat("--- a\n+++ b\n@@\n", n),
		strings.Repeat("*** Add File: x\n", n),
		strings.Repeat("# ", n) + "\n```\n```\n",
		"diff --git " + strings.Repeat("a b ", n),
		strings.Repeat("@@ -1 +1 @@\n\n", n),
		"a.md\n" + strings.Repeat("```md\n", n),
	} {
		if _, err := Parse(reply); err == nil {
			t.Errorf("%.20q was read", reply)
		}
	}
}
