package edit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/workcopy"
)

// TestPatchesComeBack makes a patch of a change and applies it to what was
// before.
func TestPatchesComeBack(t *testing.T) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for _, row := range []struct{ from, to files }{
		{files{"a": "1\n2\n3\n"}, files{"a": "1\n3\n"}},
		{files{"a": "1\n2"}, files{"a": "1\n2\n"}},
		{files{"a": "1\n2\n"}, files{"a": "1\n2"}},
		{files{"a": "1\n2"}, files{"a": "1\n3"}},
		{files{"a": "1\n2\n3"}, files{"a": "1\n2\n"}},
		{files{"a": "1\n2\n3"}, files{"a": "0\n2\n3"}},
		{files{"a": "1\r\n2\r\n"}, files{"a": "1\r\n3\r\n"}},
		{files{"a": "1\r\n2\n"}, files{"a": "1\n2\r\n"}},
		{files{"a": ""}, files{"a": "1"}},
		{files{"a": "1\n"}, files{"a": ""}},
		{files{"a": "1\n", "b/c": "2"}, files{"a": "1\n", "d/e f/g": "2", "empty": ""}},
		{files{"d/x": "1\n"}, files{"d": "1\n"}},
		{files{"d": "1\n"}, files{"d/x": "1\n"}},
		{files{"ü \"q\"": "1\n"}, files{"ü \"q\"": "2\n"}},
		{files{"a": "\x00"}, files{"a": string(every), "b": "\x00\x01"}},
		{files{"a": string(every), "b": ""}, files{"b": "x"}},
		{files{"a": strings.Repeat("x\ny\n", 500)}, files{"a": strings.Repeat("x\ny\n", 200) + "z\n" + strings.Repeat("x\ny\n", 300)}},
		{files{"a/a": "--- a/x\n+++ b/x\n"}, files{"a/a": "-- y\n++ z\n@@ -1 +1 @@\n"}},
		{files{"a": "\xff\n"}, files{"a": "\xfe\n"}},
	} {
		c := row.from.open(t)
		for name := range row.from {
			if _, ok := row.to[name]; !ok {
				if err := c.Delete(name); err != nil {
					t.Fatal(err)
				}
			}
		}
		for name, data := range row.to {
			if err := c.Write(name, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
		patch, err := c.Patch()
		if err != nil {
			t.Fatal(err)
		}
		set, err := ParsePatch(patch)
		if err != nil {
			t.Fatalf("%v\n%s", err, patch)
		}
		d := row.from.open(t)
		if err := set.Apply(d, Rules{}); err != nil {
			t.Errorf("%v\n%s", err, patch)
			continue
		}
		if got := of(t, d); fmt.Sprint(got) != fmt.Sprint(row.to) {
			t.Errorf("got  %q\nwant %q\n%s", got, row.to, patch)
		}
		// It fits nothing else.
		if err := set.Apply(d, Rules{}); err == nil {
			t.Errorf("applied twice:\n%s", patch)
		}
	}
}

func TestParsePatch(t *testing.T) {
	const head = "diff --git a/a b/a\n"
	was := files{"a": "1\n2\n3\n4\n5\n6\n7\n8\n", "run": "x\n"}
	for _, row := range []struct {
		name, patch string
		want        files
		err         Problem
		note        string
	}{
		{name: "plain diff", patch: "--- a/a\t2020-01-01\n+++ b/a\t2020-01-02\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n", want: files{"a": "one\n2\n3\n4\n5\n6\n7\n8\n"}},
		{name: "no context", patch: head + "--- a/a\n+++ b/a\n@@ -3,0 +4 @@\n+three and a half\n", err: Malformed},
		{name: "moved", patch: head + "--- a/a\n+++ b/a\n@@ -1,2 +1,1 @@\n 5\n-6\n", want: files{"a": "1\n2\n3\n4\n5\n7\n8\n"}, note: "hunk 1 was applied at line 5, not 1"},
		{name: "rename", patch: "diff --git a/a b/z\nsimilarity index 100%\nrename from a\nrename to z\n", want: files{"a": "-", "z": was["a"]}},
		{name: "with a letter around it", patch: "From 1 Mon\nSubject: x\n\n---\n a | 2\n\n" + head + "--- a/a\n+++ b/a\n@@ -8 +8 @@\n-8\n+9\n-- \n2.39\n", want: files{"a": "1\n2\n3\n4\n5\n6\n7\n9\n"}},
		{name: "does not fit", patch: head + "--- a/a\n+++ b/a\n@@ -1,2 +1,1 @@\n 1\n-3\n", err: NotFound},
		{name: "the end is another", patch: head + "--- a/a\n+++ b/a\n@@ -8 +8 @@\n-8\n\\ No newline at end of file\n+9\n", err: NotFound},
		{name: "no such file", patch: strings.ReplaceAll(head+"--- a/a\n+++ b/a\n@@ -8 +8 @@\n-8\n+9\n", "/a", "/b"), err: NotFound},
		{name: "wrong counts", patch: head + "--- a/a\n+++ b/a\n@@ -1,5 +1,1 @@\n 1\n-2\n", err: Malformed},
		{name: "a link", patch: "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n", err: Malformed},
		{name: "outside", patch: "diff --git a/../x b/../x\nnew file mode 100644\n--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n", err: OutsideAllowed},
		{name: "binary without data", patch: head + "index 1..2 100644\nBinary files a/a and b/a differ\n", err: Malformed},
		{name: "nothing", patch: "", err: NoEdits},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := was.open(t)
			set, err := ParsePatch([]byte(row.patch))
			if err == nil {
				err = set.Apply(c, Rules{})
			}
			if row.err != "" {
				if p := Problems(err); len(p) != 1 || p[0].Kind != row.err {
					t.Fatalf("%v, want %s", err, row.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := of(t, c), was.with(row.want); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			if !strings.Contains(strings.Join(set.Notes, "\n"), row.note) {
				t.Errorf("notes %q", set.Notes)
			}
		})
	}
	t.Run("mode", func(t *testing.T) {
		c := was.open(t)
		set, err := ParsePatch([]byte("diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"))
		if err == nil {
			err = set.Apply(c, Rules{})
		}
		if info, _ := c.Stat("run"); err != nil || !info.Executable {
			t.Errorf("%+v, %v", info, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "a\n")
	f.Add("```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n```", "a\n")
	f.Add("*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** Add File: b\n+x\n*** End Patch", "a")
	f.Add("diff --git a/a.py b/a.py\nrename from a.py\nrename to b.py\n@@ @@\n a\n", "a\r\n")
	f.Add("a.py\n````md\n```x\n```\n````\n*** Rename File: a.py -> c/d\n", "\ufeffa")
	f.Add("<think>\n</think>\n# a.py\n~~~\n# ... rest of code\n~~~", "")
	f.Add(Instructions, "x\n\ny\n")
	f.Fuzz(func(t *testing.T, reply, text string) {
		set, err := Parse(reply)
		if (err == nil) != (set != nil) || err != nil && len(Problems(err)) == 0 {
			t.Fatalf("set %v, error %v", set, err)
		}
		if err != nil {
			return
		}
		was := files{"a.py": text}
		c := was.open(t)
		if err := set.Apply(c, Rules{}); err != nil {
			if len(Problems(err)) == 0 {
				t.Fatalf("not the reply's error: %v", err)
			}
			if len(c.Changes()) > 0 {
				t.Fatal("an error, and yet a change")
			}
			return
		}
		roundTrip(t, was, c)
	})
}

func FuzzParsePatch(f *testing.F) {
	f.Add([]byte("diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n"), "a\n")
	f.Add([]byte("diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n"), "a\n")
	f.Add([]byte("diff --git a/a.py b/b\nsimilarity index 100%\nrename from a.py\nrename to b\n"), "a\n")
	f.Add([]byte("diff --git a/b b/b\nnew file mode 100644\nindex 0000000..e69de29\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n"), "a\n")
	f.Add([]byte("--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"), "")
	f.Fuzz(func(t *testing.T, patch []byte, text string) {
		set, err := ParsePatch(patch)
		if err != nil {
			if len(Problems(err)) == 0 {
				t.Fatalf("not the patch's error: %v", err)
			}
			return
		}
		was := files{"a.py": text}
		c := was.open(t)
		if err := set.Apply(c, Rules{}); err != nil {
			if len(c.Changes()) > 0 {
				t.Fatal("an error, and yet a change")
			}
			return
		}
		roundTrip(t, was, c)
	})
}

// roundTrip checks that the patch of c makes the same of what was before.
func roundTrip(t *testing.T, was files, c *workcopy.Copy) {
	t.Helper()
	patch, err := c.Patch()
	if err != nil {
		t.Fatal(err)
	}
	set, err := ParsePatch(patch)
	if err != nil {
		t.Fatalf("%v\n%s", err, patch)
	}
	d := was.open(t)
	if err := set.Apply(d, Rules{}); err != nil {
		t.Fatalf("%v\n%s", err, patch)
	}
	if got, want := of(t, d), of(t, c); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got  %q\nwant %q\n%s", got, want, patch)
	}
}
