package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// pythonAliases are tests that compare a result with what they compute from its
// argument, in one statement or several.
var pythonAliases = []struct{ name, tests string }{
	{"two", "def test():\n    xs = [3,1]\n    got = f(xs)\n    assert got == sorted(xs)\n"},
	{"two, module", "xs = [3,1]\ngot = f(xs)\nassert got == sorted(xs)\n"},
	{"three", "def test():\n    xs = [3,1]\n    got = f(xs)\n    want = sorted(xs)\n    assert got == want\n"},
	{"three other", "def test():\n    xs = [3,1]\n    got = f(xs)\n    want = sorted(xs)\n    ys = want\n    assert ys == got\n"},
	{"loop", "def test():\n    for xs in ([3,1],[2,1]):\n        got = f(xs)\n        assert got == sorted(xs)\n"},
	{"index", "def test():\n    cases = [[3,1],[2,1]]\n    for i in range(2):\n        got = f(cases[i])\n        assert got == sorted(cases[i])\n"},
	{"attr", "class C:\n    pass\ndef test():\n    c = C()\n    c.xs = [3,1]\n    got = f(c.xs)\n    assert got == sorted(c.xs)\n"},
	{"unittest", "import unittest\nclass T(unittest.TestCase):\n    def setUp(self):\n        self.xs = [3,1]\n        self.got = f(self.xs)\n    def test(self):\n        self.assertEqual(self.got, sorted(self.xs))\n"},
	{"unittest local", "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        xs = [3,1]\n        got = f(xs)\n        self.assertEqual(sorted(xs), got)\n        self.assertEqual(len(got), len(xs))\n"},
	{"length", "def test():\n    xs = [3,1]\n    got = f(xs)\n    assert len(got) == len(xs)\n"},
	{"compound", "def test():\n    xs = [3,1]\n    got = f(xs)\n    assert isinstance(got, list) and got == sorted(xs)\n"},
	{"if", "def test():\n    xs = [3,1]\n    got = f(xs)\n    if got != sorted(xs): raise ValueError(got)\n    assert True\n"},
	{"own", "def brute(v):\n    return sorted(v)\ndef test():\n    xs = [3,1]\n    got = f(xs)\n    assert got == brute(xs)\n"},
	{"alias", "def test():\n    xs = [3,1]\n    ys = xs\n    got = f(xs)\n    assert got == sorted(ys)\n"},
	{"fixture", "import pytest\n@pytest.fixture\ndef xs(): return [3,1]\n@pytest.fixture\ndef got(xs): return f(xs)\ndef test(got, xs):\n    assert got == sorted(xs)\n"},
	{"nested", "def test():\n    d = {'a': [3,1]}\n    got = f(d['a'])\n    assert got == sorted(d['a'])\n"},
	{"other call between", "def test():\n    xs = [3,1]\n    got = f(xs)\n    f([1])\n    print(xs)\n    assert got == sorted(xs)\n"},
	{"check before", "def test():\n    xs = [3,1]\n    assert xs == [3,1]\n    got = f(xs)\n    assert got == sorted(xs)\n"},
	{"check between", "def test():\n    ys = [3,1]\n    got = f(ys)\n    assert len(ys) < 9\n    assert got == sorted(ys)\n"},
	{"same", "def test():\n    xs = [3,1]\n    got = f(xs)\n    assert got == xs\n"},
	{"left", "def test():\n    xs = [3,1]\n    assert xs == f(xs) or sorted(xs) == f(xs)\n"},
	{"walrus", "def test():\n    xs = [3,1]\n    assert (got := f(xs)) == sorted(xs)\n"},
	{"all", "def test():\n    xs = [3,1]\n    got = f(xs)\n    assert all(a == b for a, b in zip(got, sorted(xs))) and len(got) == len(xs)\n"},
	{"candidate", "def check(candidate):\n    xs = [3,1]\n    got = candidate(xs)\n    assert got == sorted(xs)\n"},
	{"twice", "def test():\n    xs = [3,1]\n    a = f(xs)\n    b = g(xs)\n    assert a == sorted(xs)\n    assert b == sorted(xs)\n"},
}

// pythonInPlace are tests of functions that change their argument, or do not.
var pythonInPlace = []struct {
	name, tests string
	only        bool // for a function that changes it
}{
	{"in place", "def test():\n    xs = [3,1]\n    h(xs)\n    assert xs == [1,3]\n", false},
	{"in place sorted", "def test():\n    xs = [3,1]\n    h(xs)\n    assert xs == sorted(xs)\n    assert g(xs) == xs\n", false},
	{"in place none", "def test():\n    xs = [3,1]\n    assert h(xs) is None\n    assert xs == [1,3]\n    got = f(xs)\n    assert got[0] == xs[0]\n", false},
	{"returns", "def test():\n    xs = [3,1]\n    got = f(xs)\n    assert got == [1,3]\n", false},
	{"sorted", "def test():\n    xs = [3,1]\n    got = f(xs)\n    assert got == sorted(xs)\n    want = sorted(xs)\n    assert got == want\n", false},
	{"append after", "def test():\n    xs = [1,3]\n    got = f(xs)\n    xs.append(4)\n    assert g(xs) == [1,3,4]\n", false},
	{"bubble", "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        for xs in ([3,1], [], [2,2,1]):\n            want = sorted(xs)\n            h(xs)\n            self.assertEqual(xs, want)\n            self.assertEqual(f(xs), want)\n", false},
	{"k", "def test():\n    xs, want = [3,1], [1,3]\n    k = len(f(xs))\n    assert k == len(want)\n    for i in range(k): assert sorted(xs)[i] == want[i]\n", false},
	{"same object", "def test():\n    xs = [3,1]\n    got = f(xs)\n    assert got == xs and got is xs\n    assert xs == [1,3]\n", true},
	{"same object 2", "def test():\n    xs = [3,1]\n    got = f(xs)\n    assert got == xs\n    assert got == [1,3]\n", true},
	{"k 2", "def test():\n    nums, want = [3,1], [1,3]\n    k = len(f(nums))\n    assert k == len(want)\n    for i in range(k): assert nums[i] == want[i]\n    assert nums[:k] == want[:k]\n", true},
}

// pythonUnchanged are tests that a program fails which gives what is right, and
// empties its argument.
var pythonUnchanged = []struct{ name, tests string }{
	{"copy()", "def test():\n    xs = [3,1]\n    original = xs.copy()\n    got = f(xs)\n    assert got == [1,3]\n    assert xs == original\n"},
	{"slice", "def test():\n    xs = [3,1]\n    original = xs[:]\n    got = f(xs)\n    assert got == [1,3] and xs == original\n"},
	{"helper", "def grid(): return [3,1]\ndef test():\n    xs = grid()\n    got = f(xs)\n    assert got == [1,3]\n    assert xs == grid()\n"},
	{"program", "def test():\n    xs = make(2)\n    got = f(xs)\n    assert got == [1,3]\n    assert xs == make(2)\n"},
	{"clone", "def test():\n    xs = [1,3]\n    got = f(xs)\n    assert got == xs\n"},
	{"sum", "def test():\n    xs = [3, 1]\n    got = sum(f(xs))\n    assert got == sum(xs)\n"},
	{"want", "def test():\n    xs = [3, 1]\n    got = sum(f(xs))\n    want = sum(xs)\n    assert got == want\n"},
	{"one", "def test():\n    xs = [3, 1]\n    assert f(xs) == sorted(xs)\n"},
	{"ue", "import unittest\nclass T(unittest.TestCase):\n    def setUp(self): self.xs = [3,1]\n    def test(self):\n        before = list(self.xs)\n        self.assertEqual(f(self.xs), [1,3])\n        self.assertEqual(self.xs, before)\n"},
	{"snap", "def snap(x): return list(x)\ndef test():\n    xs = [3,1]\n    s = snap(xs)\n    assert f(xs) == [1,3]\n    assert xs == s\n"},
	{"len", "def test():\n    xs = [3,1]\n    n = len(xs)\n    got = f(xs)\n    assert len(xs) == n and got[0] == min(xs)\n"},
}

// TestPythonAliases: what the program changes in its arguments does not change
// what its results are compared with, and tests of functions that work in place
// still see what they did.
func TestPythonAliases(t *testing.T) {
	sit := func(t *testing.T, src, tests string, want bool) {
		exam := pythonTests("from solution import *\n" + tests)
		if strings.Contains(tests, "def check") {
			exam = pythonTests(tests)
			exam.Entry = "f"
		}
		if v := rigExam(t, Python, pythonProgram(src), exam); v.pass != want || v.proof != glovebox.ProofOutOfProcess {
			t.Errorf("pass %v, want %v: %s, %s\n%s\n%s", v.pass, want, v.why, v.proof, v.harness.report, v.harness.stderr)
		}
	}
	const sorts = "def f(xs, *a):\n    xs.sort()\n    return xs\ndef g(xs): return sorted(xs)\ndef h(xs): xs.sort()\n"
	const copies = "def f(xs, *a): return sorted(xs)\ng = f\ndef h(xs): xs.sort()\n"
	for i, c := range pythonAliases {
		t.Run(c.name, func(t *testing.T) {
			for j, given := range []string{"[]", "xs"} {
				if forgeAll() || i%2 == j {
					sit(t, "def f(xs, *a):\n    xs.clear()\n    return "+given+"\ng = f\n", c.tests, false)
				}
			}
		})
	}
	for _, c := range []struct{ does, check string }{
		{"c.xs = []\n    return []", "assert got == sorted(c.xs)"},
		{"c.xs = []\n    return c.xs", "assert len(got) == len(c.xs)"},
		{"c.xs = sorted(c.xs)\n    return c", "assert got.xs == [1, 3] == c.xs"},
	} {
		t.Run(c.check, func(t *testing.T) {
			sit(t, "def f(c):\n    "+c.does+"\n", "class C: pass\ndef test():\n    c = C()\n    c.xs = [3, 1]\n    got = f(c)\n    "+c.check+"\n", strings.Contains(c.does, "sorted"))
		})
	}
	for _, c := range pythonUnchanged {
		t.Run(c.name, func(t *testing.T) {
			sit(t, "def f(xs, *a):\n    out = sorted(xs)\n    xs.clear()\n    return out\ndef make(n): return [3, 1]\n", c.tests, false)
			sit(t, "def f(xs, *a): return sorted(xs)\ndef make(n): return [3, 1]\n", c.tests, true)
		})
	}
	for _, c := range pythonInPlace {
		t.Run(c.name, func(t *testing.T) {
			sit(t, sorts, c.tests, true)
			if !c.only {
				sit(t, copies, c.tests, true)
			}
		})
	}
}

const pythonPoints = `import dataclasses, functools
@dataclasses.dataclass(frozen=True, order=True)
class Point:
    x: int
    y: int
    @classmethod
    def of(cls, t): return cls(*map(int, t.split(",")))
    def flip(self): return Point(self.y, self.x)
class Plain: pass
def point(x, y): return Point(x, y)
def parse(t): return Point.of(t)
def many(n): return [Point(i, i) for i in range(n)]
def add(a, b): return a + b
def plain(): return Plain()
@functools.lru_cache
def one(): return Plain()
`

// TestPythonPairs: two results that the tests' text uses as objects are compared
// by the program, and the case says so, whatever comes.
func TestPythonPairs(t *testing.T) {
	const lies = `
class Yes:
    def __eq__(self, o): return True
    def __ne__(self, o): return False
    def __lt__(self, o): return True
    x = 0
    def __hash__(self): return 1
Y = Yes()
point = parse = add = many = lambda *a: Y
Point.of = Point.flip = lambda *a: Y
`
	const out, judged = glovebox.ProofOutOfProcess, glovebox.ProofCandidateJudged
	for _, c := range []struct {
		name, tests string
		pass        bool
		worth       glovebox.Proof
	}{
		{"f(1) == g(1)", "def test():\n    assert point(1, 2) == parse('1,2')\n    assert point(1, 2).x == 1\n", true, judged},
		{"classmethods", "def test():\n    assert Point.of('1,2') == Point.of('1,2')\n    assert Point.of('1,2').flip() != Point.of('1,2')\n", true, judged},
		{"locals", "def test():\n    a, b = point(1, 2), parse('1,2')\n    assert a == b and a.x == 1\n    c = point(1, 3)\n    assert a != c and a < c\n", true, judged},
		{"assertEqual", "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        p = Point.of('1,2')\n        self.assertEqual(p.flip().flip(), Point.of('1,2'))\n        self.assertNotEqual(p.flip(), Point.of('1,2'))\n", true, judged},
		{"lists", "def test():\n    assert many(3) == many(3)\n    assert many(1)[0].x == 0\n", true, judged},
		{"plain", "def test():\n    assert add(1, 2) == add(2, 1)\n", true, out},
		{"objects, not named", "def test():\n    assert point(1, 2) == parse('1,2')\n", false, out},
		{"made", "def test():\n    assert Point(1, 2) == parse('1,2')\n", true, judged},
		{"with a literal", "def test():\n    assert point(1, 2) == parse('1,2')\n    assert point(1, 2).x == 1\n    assert add(1, 2) == 3\n", true, judged},
		{"of a value", "def test():\n    assert point(1, 2).x == 1\n    assert add(1, 2) == 3\n", true, out},
	} {
		t.Run(c.name, func(t *testing.T) {
			tests := pythonTests("from solution import *\n" + c.tests)
			if v := rigExam(t, Python, pythonProgram(pythonPoints), tests); v.pass != c.pass || v.worth() != c.worth {
				t.Errorf("pass %v, worth %s: %s\n%s", v.pass, v.worth(), v.why, v.harness.stderr)
			}
			if v := rigExam(t, Python, pythonProgram(pythonPoints+lies), tests); v.pass && v.worth() != judged || v.proof != out {
				t.Errorf("a lie passes: %s, %s", v.proof, v.worth())
			}
		})
	}
}
