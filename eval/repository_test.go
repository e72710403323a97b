package eval_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/eval"
)

// A repository of the test's own: a module, its tests, and a task on it.
var repoFiles = map[string]string{
	"shop/__init__.py":   "",
	"shop/cart.py":       "def total(items):\n    return sum(price for price, count in items)\n\n\ndef empty(items):\n    return not items\n",
	"tests/__init__.py":  "",
	"tests/test_cart.py": "from shop.cart import empty, total\n\n\ndef test_empty():\n    assert empty([])\n\n\ndef test_one():\n    assert total([(3, 1)]) == 3\n",
	"README.md":          "A shop.\n",
}

const testPatch = `diff --git a/tests/test_cart.py b/tests/test_cart.py
--- a/tests/test_cart.py
+++ b/tests/test_cart.py
@@ -7,3 +7,7 @@
 
 def test_one():
     assert total([(3, 1)]) == 3
+
+
+def test_two():
+    assert total([(3, 2)]) == 6
`

// patchOf is a patch of shop/cart.py.
func patchOf(old, new string) string {
	return "diff --git a/shop/cart.py b/shop/cart.py\n--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1,6 +1,6 @@\n" +
		" def total(items):\n" + old + new + " \n \n def empty(items):\n     return not items\n"
}

const (
	oldTotal = "-    return sum(price for price, count in items)\n"
	newTotal = "+    return sum(price * count for price, count in items)\n"
)

// tasks writes the repository, a task and its samples, and returns where.
func tasks(t *testing.T, row map[string]any, patches ...any) eval.Source {
	t.Helper()
	dir := t.TempDir()
	for name, text := range repoFiles {
		name = filepath.Join(dir, "repos", "shop", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]any{
		"instance_id": "shop-1", "repo_path": "repos/shop", "problem_statement": "The total is wrong.",
		"test_patch": testPatch, "patch": patchOf(oldTotal, newTotal),
		"FAIL_TO_PASS": []string{"tests/test_cart.py::test_two"},
		"PASS_TO_PASS": `["tests/test_cart.py::test_empty", "tests/test_cart.py::test_one"]`,
	}
	for k, v := range row {
		all[k] = v
	}
	put := func(name string, values ...any) string {
		var b strings.Builder
		for _, v := range values {
			line, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	src := eval.Source{Problems: put("problems.jsonl", all)}
	var samples []any
	for _, p := range patches {
		samples = append(samples, map[string]any{"instance_id": "shop-1", "model_patch": p})
	}
	if samples == nil {
		src.Field = "patch"
	} else {
		src.Samples = put("samples.jsonl", samples...)
	}
	return src
}

func TestRepositoryTasks(t *testing.T) {
	e := boxes(t, glovebox.TierProcess)
	right := patchOf(oldTotal, newTotal)
	tests := []struct {
		name  string
		patch any
		want  glovebox.Status
		says  string
	}{
		{"right", right, "pass", ""},
		{"nothing", "", "no_code", "does not apply"},
		{"null", nil, "no_code", "does not apply"},
		{"no patch", "I would change the total.", "no_code", "does not apply"},
		{"wrong", patchOf(oldTotal, "+    return 7\n"), "test_failed", "named tests failed"},
		{"breaks what passed", patchOf(oldTotal, "+    return 6\n"), "test_failed", "1 of the named tests failed"},
		{"does not parse", patchOf(oldTotal, "+    return (\n"), "", ""},
		{"does not apply", patchOf("-    return 1\n", newTotal), "no_code", "does not apply"},
		{"leaves the repository", strings.ReplaceAll(right, "shop/cart.py", "../cart.py"), "no_code", "does not apply"},
		{"git's own files", "--- /dev/null\n+++ b/.git/config\n@@ -0,0 +1 @@\n+x\n", "no_code", "does not apply"},
		// The tests are the test patch's, whatever the sample makes of them.
		{"right, and changes the tests", right + "diff --git a/tests/test_cart.py b/tests/test_cart.py\n--- a/tests/test_cart.py\n+++ b/tests/test_cart.py\n@@ -1,5 +1,5 @@\n-from shop.cart import empty, total\n+from shop.cart import nothing\n \n \n def test_empty():\n     assert empty([])\n", "pass", ""},
		{"wrong, and makes the tests easy", "--- a/tests/test_cart.py\n+++ b/tests/test_cart.py\n@@ -8,2 +8,2 @@\n def test_one():\n-    assert total([(3, 1)]) == 3\n+    pass\n", "test_failed", "named tests failed"},
		{"wrong, and adds a conftest that skips", "--- /dev/null\n+++ b/tests/conftest.py\n@@ -0,0 +1,3 @@\n+import pytest\n+def pytest_collection_modifyitems(items):\n+    items[:] = []\n", "test_failed", ""},
	}
	var patches []any
	for _, c := range tests {
		patches = append(patches, c.patch)
	}
	s, err := eval.Load(tasks(t, nil, patches...))
	if err != nil {
		t.Fatal(err)
	}
	work, results := s.Work(eval.Options{Tier: glovebox.TierProcess, Limits: patient}), memory(t)
	if _, err := (&eval.Runner{Do: eval.Judge(e)}).Run(context.Background(), work, results); err != nil {
		t.Fatal(err)
	}
	for i, row := range results.Rows(work) {
		c := tests[i]
		if row.Status != c.want && (c.want != "" || row.Status == glovebox.StatusPass || row.Status == glovebox.StatusSandboxError) || !strings.Contains(row.Measured.Message, c.says) {
			t.Errorf("%s: %s: %s, want %s (%s)\n%+v", c.name, row.Status, row.Measured.Message, c.want, c.says, row)
		}
	}
}

// TestRepositoryOwnPatch: the row's own patch is right, also where names do not
// say the tests' files.
func TestRepositoryOwnPatch(t *testing.T) {
	e := boxes(t, glovebox.TierProcess)
	for name, row := range map[string]map[string]any{
		"files in names": nil,
		"plain names":    {"FAIL_TO_PASS": []string{"test_two"}, "PASS_TO_PASS": []string{}},
		"no names":       {"FAIL_TO_PASS": "", "PASS_TO_PASS": nil},
		"a language":     {"language": "py"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := eval.Load(tasks(t, row))
			if err != nil {
				t.Fatal(err)
			}
			work, results := s.Work(eval.Options{Tier: glovebox.TierProcess, Limits: patient}), memory(t)
			if _, err := (&eval.Runner{Do: eval.Judge(e)}).Run(context.Background(), work, results); err != nil {
				t.Fatal(err)
			}
			if rows := results.Rows(work); rows[0].Status != glovebox.StatusPass || rows[0].Language != "python" {
				t.Errorf("%+v", rows[0])
			}
		})
	}
}

func TestRepositoryErrors(t *testing.T) {
	for name, c := range map[string]struct {
		row  map[string]any
		want string
	}{
		"no folder named":   {map[string]any{"repo_path": nil}, "problems.jsonl:1: the row does not say where the repository is"},
		"no such folder":    {map[string]any{"repo_path": "repos/other"}, "problems.jsonl:1: the repository repos/other: "},
		"leaves the folder": {map[string]any{"repo_path": "../x"}, "leaves the workspace"},
		"absolute":          {map[string]any{"repo_path": "/etc"}, "is absolute"},
		"a link out":        {map[string]any{"repo_path": "out"}, "outside of the folder of the problems file"},
		"no list":           {map[string]any{"FAIL_TO_PASS": 7}, `"FAIL_TO_PASS" is not a list of strings`},
		"language":          {map[string]any{"language": "cobol"}, `language "cobol" is not known`},
		"test patch":        {map[string]any{"test_patch": patchOf("-x\n", "+y\n")}, "its test_patch: "},
	} {
		t.Run(name, func(t *testing.T) {
			src := tasks(t, c.row)
			if err := os.Symlink("/etc", filepath.Join(filepath.Dir(src.Problems), "out")); err != nil {
				t.Fatal(err)
			}
			s, err := eval.Load(src)
			if err == nil {
				_, err = s.Problems[0].Job(s.Samples[0], eval.Options{})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
	// Results are of the folder's content too.
	src := tasks(t, nil)
	hash := func() string {
		s, err := eval.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		return s.Work(eval.Options{})[0].Hash
	}
	before := hash()
	if hash() != before {
		t.Error("the hash changes by itself")
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(src.Problems), "repos/shop/README.md"), []byte("A shed.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if hash() == before {
		t.Error("the hash does not tell that a file changed")
	}
}
