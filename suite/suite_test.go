package suite_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/suite"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// copyOf makes a working copy of names and contents.
func copyOf(t testing.TB, pairs ...string) *workcopy.Copy {
	t.Helper()
	var files []glovebox.File
	for i := 0; i < len(pairs); i += 2 {
		files = append(files, glovebox.File{Path: pairs[i], Data: []byte(pairs[i+1])})
	}
	c, err := workcopy.New(files)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// named makes a working copy of empty files.
func named(t testing.TB, names ...string) *workcopy.Copy {
	t.Helper()
	var pairs []string
	for _, n := range names {
		pairs = append(pairs, n, "")
	}
	return copyOf(t, pairs...)
}

func paths(files []glovebox.File) []string {
	var list []string
	for _, f := range files {
		list = append(list, f.Path)
	}
	return list
}

func TestDiscover(t *testing.T) {
	for _, row := range []struct {
		files string
		lang  string
		tests string
	}{
		{"a.py b.py c.js tests/test_a.py tests/conftest.py tests/helpers.py", "python", "tests/test_a.py"},
		{"src/a.ts src/b.js test/a.test.ts __tests__/b.js __tests__/data.json", "typescript", "__tests__/b.js test/a.test.ts"},
		{"src/a.js src/b.js src/c.js x.ts src/a.test.js", "javascript", "src/a.test.js"},
		{"go.mod a/a.go a/a_test.go vendor/x/x.py vendor/x/y.py vendor/x/z_test.go", "go", "a/a_test.go"},
		{"a.sh b.sh c.sh lib.py test_lib.py", "python", "test_lib.py"},
		{"a.sh b.sh c.py", "bash", ""},
		{"README.md", "", ""},
		{"lib/A.pm t/a.t", "perl", "t/a.t"},
	} {
		lang, tests := suite.Discover(named(t, strings.Fields(row.files)...))
		if lang != row.lang || strings.Join(tests, " ") != row.tests {
			t.Errorf("%s: %s %q, want %s %q", row.files, lang, tests, row.lang, row.tests)
		}
	}
}

func TestJobHasTwoSides(t *testing.T) {
	python := []string{"setup.py", "shop/__init__.py", "shop/a.py", "shop/test_beside.py", "conftest.py", "shop/conftest.py", "shop/tests/test_in.py", "shop/tests/data/x.json",
		"tests/__init__.py", "tests/helpers.py", "tests/test_a.py", "tests/test_b.py", "tests/unit/test_c.py", "tests/unit/base_test.py", "tests/data/in.json", "docs/a.md", "shop/testdata/y"}
	golang := []string{"go.mod", "a/a.go", "a/a_test.go", "a/more_test.go", "a/testdata/x", "b/b.go", "b/b_test.go", "b/testdata/y"}
	for _, row := range []struct {
		name    string
		files   []string
		suite   suite.Suite
		tests   string
		program string
	}{
		{"all tests", python, suite.Suite{}, "conftest.py shop/conftest.py shop/test_beside.py shop/testdata/y shop/tests/data/x.json shop/tests/test_in.py tests/__init__.py tests/data/in.json tests/helpers.py tests/test_a.py tests/test_b.py tests/unit/base_test.py tests/unit/test_c.py",
			"docs/a.md setup.py shop/__init__.py shop/a.py"},
		{"one test", python, suite.Suite{Language: "python", Tests: []string{"tests/unit/test_c.py"}}, "conftest.py shop/conftest.py tests/__init__.py tests/data/in.json tests/helpers.py tests/unit/base_test.py tests/unit/test_c.py",
			"docs/a.md setup.py shop/__init__.py shop/a.py shop/test_beside.py shop/testdata/y shop/tests/data/x.json shop/tests/test_in.py"},
		{"skip", python, suite.Suite{Tests: []string{"tests/test_a.py"}, Skip: []string{"docs", "shop/tests/", "tests/data", "shop/test"}}, "conftest.py shop/conftest.py tests/__init__.py tests/helpers.py tests/test_a.py",
			"setup.py shop/__init__.py shop/a.py shop/test_beside.py shop/testdata/y"},
		{"a Go package", golang, suite.Suite{Tests: []string{"a/a_test.go"}}, "a/a_test.go a/more_test.go a/testdata/x", "a/a.go b/b.go b/testdata/y go.mod"},
	} {
		var pairs []string
		for _, n := range row.files {
			data := ""
			if n == "tests/unit/test_c.py" {
				data = "from .base_test import Base\n"
			}
			pairs = append(pairs, n, data)
		}
		job, err := row.suite.Job(copyOf(t, pairs...))
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if got := strings.Join(paths(job.Tests), " "); got != row.tests {
			t.Errorf("%s: tests\n%s, want\n%s", row.name, got, row.tests)
		}
		if got := strings.Join(paths(job.Program.Files), " "); got != row.program {
			t.Errorf("%s: program\n%s, want\n%s", row.name, got, row.program)
		}
	}
}

// TestTestsOfBefore: what a candidate writes among the tests is on no side.
func TestTestsOfBefore(t *testing.T) {
	before := copyOf(t, "a.py", "x = 1\n", "tests/test_a.py", "right", "tests/helpers.py", "right")
	after := before.Clone()
	for name, data := range map[string]string{"tests/test_a.py": "wrong", "tests/helpers.py": "wrong", "tests/conftest.py": "wrong", "conftest.py": "wrong", "tests/new.py": "wrong", "a.py": "x = 2\n"} {
		if err := after.Write(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	job, err := suite.Suite{From: before}.Job(after)
	if err != nil {
		t.Fatal(err)
	}
	if got := paths(job.Tests); !slices.Equal(got, []string{"tests/helpers.py", "tests/test_a.py"}) {
		t.Errorf("tests %q", got)
	}
	for _, f := range slices.Concat(job.Tests, job.Program.Files) {
		if string(f.Data) == "wrong" {
			t.Errorf("%s is the candidate's", f.Path)
		}
	}
	if len(job.Program.Files) != 1 || string(job.Program.Files[0].Data) != "x = 2\n" {
		t.Errorf("program %+v", job.Program.Files)
	}
}

func TestJobLimits(t *testing.T) {
	pairs := []string{"test_a.py", ""}
	for i := range 5000 {
		pairs = append(pairs, fmt.Sprintf("d%d/f.py", i), "x")
	}
	c := copyOf(t, pairs...)
	job, err := suite.Suite{Limits: glovebox.Limits{Wall: time.Minute}, Tier: glovebox.TierProcess, Env: map[string]string{"A": "b"}, RequireProof: glovebox.ProofOutOfProcess}.Job(c)
	if err != nil {
		t.Fatal(err)
	}
	l := job.Limits
	if l.Files != glovebox.DefaultLimits.Files+10_001 || l.Disk != glovebox.DefaultLimits.Disk+5000*4096 || l.Memory != glovebox.DefaultLimits.Memory+5000*4096 || l.Wall != time.Minute {
		t.Errorf("limits %+v", l)
	}
	if err := l.Validate(); err != nil || job.Tier != glovebox.TierProcess || job.Env["A"] != "b" || job.RequireProof != glovebox.ProofOutOfProcess {
		t.Errorf("%v, job %s %v %s", err, job.Tier, job.Env, job.RequireProof)
	}
	given, err := suite.Suite{Limits: glovebox.Limits{Memory: glovebox.GiB, Files: 1 << 20}}.Job(c)
	if err != nil || given.Limits.Memory != glovebox.GiB || given.Limits.Files != 1<<20 {
		t.Errorf("%+v, %v", given.Limits, err)
	}
	for i := range 3000 {
		if err := c.Write(fmt.Sprintf("more/%s%04d.py", strings.Repeat("f", 200), i), nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (suite.Suite{}).Job(c); !errors.Is(err, workcopy.ErrTooLarge) || !strings.Contains(err.Error(), "Skip") {
		t.Errorf("too many names: %v", err)
	}
	if _, err := (suite.Suite{Skip: []string{"more"}}).Job(c); err != nil {
		t.Error(err)
	}
	for _, bad := range []suite.Suite{{Language: "cobol"}, {Tests: []string{"test_b.py"}}, {Language: "go"}, {Tests: []string{"../x"}}} {
		if _, err := bad.Job(c); err == nil {
			t.Errorf("%+v made a job", bad)
		}
	}
}

// TestJudges: what a candidate may not write is what no Job would take from it.
func TestJudges(t *testing.T) {
	c, err := workcopy.New([]glovebox.File{
		{Path: "shop/cart.py"}, {Path: "shop/test_cart.py"}, {Path: "shop/fixtures/a.json"}, {Path: "tests/unit/test_a.py"}, {Path: "tests/data.json"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := suite.Suite{Language: "python", From: c, Tests: []string{"shop/test_cart.py", "tests/unit/test_a.py"}}
	judges, err := s.Judges()
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]bool{
		"shop/cart.py": false, "shop/new.py": false, "shop/test_cart.py": true, "shop/fixtures/b.json": true, "conftest.py": true, "shop/conftest.py": true,
		"tests/data.json": true, "tests/new/helper.py": true, "testsuite/a.py": false,
	} {
		if judges(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
	if _, err := (suite.Suite{Language: "python"}).Judges(); err == nil {
		t.Error("a suite without From judges nothing apart from the candidate")
	}
	for p, want := range map[string]bool{"web/app.test.js": true, "a_test.go": true, "tests/test_a.py": true, "README.md": false, "shop/cart.py": false, "latest.py": false} {
		if suite.IsTest(p) != want {
			t.Errorf("%s: a test: %v", p, !want)
		}
	}
}
