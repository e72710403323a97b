package language

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/sample"
)

// wrongPython stands before every trick: not one of its answers is right.
const wrongPython = `def add(a, b): return 0
def words(text): return []
def mean(xs): return 0.0
def is_even(n): return n % 2 == 1

`

const rightPython = `def add(a, b): return a + b
def words(text): return text.split()
def mean(xs): return sum(xs) / len(xs)
def is_even(n): return n % 2 == 0
`

// pythonForms are the same tests in each form that tests have.
var pythonForms = []struct{ name, tests, entry string }{
	{"bare", `assert add(1, 2) == 3
assert add(-5, 7) == 2, "negative"
assert words("a b") == ["a", "b"]
assert abs(mean([1, 2, 4]) - 7 / 3) < 1e-9
assert is_even(4) and not is_even(5)
assert "b" in words("a b c")
`, ""},
	{"star", `from solution import *

for a, b, c in [(1, 2, 3), (-5, 7, 2), (10, 20, 30)]:
    got = add(a, b)
    assert got == c, "add(%d, %d) is %r" % (a, b, got)
assert sorted(words("b a")) == ["a", "b"] and len(words("")) == 0
assert round(mean([1, 2]), 1) == 1.5
`, ""},
	{"check", `METADATA = {}


def check(candidate):
    assert candidate(1, 2) == 3
    assert candidate(-5, 7) == 2
    assert abs(candidate(0.5, 0.25) - 0.75) < 1e-9
    assert True, "an easy one"
`, "add"},
	{"unittest", `import unittest
from solution import add, words, mean, is_even


class TestAll(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
        self.assertEqual(add(-5, 7), 2)

    def test_words(self):
        self.assertEqual(words("a b"), ["a", "b"])
        self.assertIn("b", words("a b"))

    def test_mean(self):
        self.assertAlmostEqual(mean([1, 2, 4]), 7 / 3)

    def test_even(self):
        self.assertTrue(is_even(4))
        self.assertFalse(is_even(5))
        with self.assertRaises(TypeError):
            is_even("x%s" if False else None)


if __name__ == "__main__":
    unittest.main()
`, ""},
	{"pytest", `import pytest
import solution


@pytest.mark.parametrize("a,b,want", [(1, 2, 3), (-5, 7, 2), ("x", "y", "xy")])
def test_add(a, b, want):
    assert solution.add(a, b) == want


@pytest.fixture
def text():
    return "a b"


class TestRest:
    def test_words(self, text):
        assert solution.words(text) == ["a", "b"]

    def test_mean(self):
        assert solution.mean([1, 2, 4]) == pytest.approx(7 / 3)


def test_error():
    with pytest.raises(TypeError):
        solution.add(1, None)
`, ""},
}

type pythonTrick struct {
	name  string
	files []glovebox.File
}

// pythonTricks reads the table of tricks.
func pythonTricks(t testing.TB) []pythonTrick {
	t.Helper()
	b, err := os.ReadFile("python/testdata/forge/tricks.txt")
	if err != nil {
		t.Fatal(err)
	}
	var tricks []pythonTrick
	for _, part := range strings.Split("\n"+string(b), "\n=== ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		sections := strings.Split("\n"+rest, "\n--- ")
		trick := pythonTrick{name, []glovebox.File{{Path: "main.py", Data: []byte(wrongPython + sections[0] + "\n")}}}
		for _, s := range sections[1:] {
			path, data, _ := strings.Cut(s, "\n")
			trick.files = append(trick.files, glovebox.File{Path: path, Data: []byte(data + "\n")})
		}
		tricks = append(tricks, trick)
	}
	return tricks
}

// TestPythonForge: no wrong program passes its tests, whatever it tries, and a
// right one passes them.
func TestPythonForge(t *testing.T) {
	t.Cleanup(func() { rigWall = 30 * time.Second })
	tricks := pythonTricks(t)
	if len(tricks) < 45 {
		t.Fatalf("only %d tricks were read", len(tricks))
	}
	for i, form := range pythonForms {
		tests := pythonTests(form.tests)
		tests.Entry = form.entry
		t.Run(form.name, func(t *testing.T) {
			rigWall = 30 * time.Second // a right program has its time
			if v := rigExam(t, Python, pythonProgram(rightPython), tests); !v.pass || v.proof != glovebox.ProofOutOfProcess {
				t.Fatalf("a right program: %s, %s\n%s", v.why, v.proof, v.harness.stderr)
			}
			rigWall = 5 * time.Second
			for j, trick := range tricks {
				if !forgeAll() && j%len(pythonForms) != i {
					continue
				}
				t.Run(trick.name, func(t *testing.T) {
					sample.Row(t, 4)
					v := rigExam(t, Python, &glovebox.Program{Language: "python", Main: "main.py", Files: trick.files}, tests)
					if v.pass {
						t.Errorf("it passed: %s", v.harness.report)
					}
					if v.proof != glovebox.ProofOutOfProcess {
						t.Errorf("it came to the weaker proof %q", v.proof)
					}
					t.Logf("%s", v.why)
					if strings.Contains(v.harness.stderr, "_glovebox") {
						t.Errorf("the harness broke: %s", v.harness.stderr)
					}
				})
			}
		})
	}
}

// pythonInProcessForged are the tricks that pass where tests and program share
// a process: they aim at the harness itself. That proof says so.
var pythonInProcessForged = []string{"the collector"}

// TestPythonForgeInProcess holds the weaker form to its word: it resists all
// but the listed tricks.
func TestPythonForgeInProcess(t *testing.T) {
	t.Cleanup(func() { rigWall = 30 * time.Second })
	for i, form := range pythonForms {
		tests := pythonTests("import unittest.mock\n" + form.tests)
		tests.Entry = form.entry
		t.Run(form.name, func(t *testing.T) {
			rigWall = 30 * time.Second // a right program has its time
			if v := rigExam(t, Python, pythonProgram(rightPython), tests); !v.pass || v.proof != glovebox.ProofInProcess {
				t.Fatalf("a right program: %s, %s\n%s\n%s", v.why, v.proof, v.candidate.stderr, v.candidate.report)
			}
			rigWall = 5 * time.Second
			for j, trick := range pythonTricks(t) {
				if !forgeAll() && j%len(pythonForms) != i {
					continue
				}
				t.Run(trick.name, func(t *testing.T) {
					sample.Row(t, 4)
					v := rigExam(t, Python, &glovebox.Program{Language: "python", Main: "main.py", Files: trick.files}, tests)
					if v.pass && !slices.Contains(pythonInProcessForged, trick.name) {
						t.Errorf("it passed: %s", v.candidate.report)
					}
					t.Logf("%s", v.why)
				})
			}
		})
	}
}
