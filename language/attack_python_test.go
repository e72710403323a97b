package language

import (
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// attackPython are wrong programs, each with tests that a right program passes
// out of process and that the wrong one must fail.
var attackPython = []struct{ name, right, wrong, tests string }{
	{"an argument that is made empty, and an empty answer", "def order(xs): return sorted(xs)\n",
		"def order(xs):\n    xs.clear()\n    return []\n", `
from solution import order

def test_order():
    xs = [3, 1, 2]
    assert order(xs) == sorted(xs)
`},
	{"the same, where the argument is the expected value", "def twice(xs): return list(xs)\n",
		"def twice(xs):\n    xs.clear()\n    return xs\n", `
from solution import twice

def test_twice():
    xs = [3, 1, 2]
    assert xs == twice(xs)
`},
	{"the same, in unittest", "def order(xs): return sorted(xs)\n",
		"def order(xs):\n    xs.clear()\n    return []\n", `
import unittest
from solution import order

class T(unittest.TestCase):
    def test_order(self):
        xs = [3, 1, 2]
        self.assertEqual(order(xs), sorted(xs))
`},
	{"a judging word that nobody imports", "from math import isclose\ndef mean(xs): return sum(xs) / len(xs)\n",
		"def isclose(*a, **k): return True\ndef mean(xs): return 0\n", `
assert isclose(mean([1, 2]), 1.5)
assert isclose(mean([1, 4]), 2.5)
`},
	{"a judging word by star", "from math import isclose\ndef mean(xs): return sum(xs) / len(xs)\n",
		"def isclose(*a, **k): return True\ndef mean(xs): return 0\n", `
from math import *
from solution import *

assert isclose(mean([1, 2]), 1.5)
`},
	{"a copy that is none", "from copy import deepcopy\ndef total(xs): return sum(xs)\n",
		"def deepcopy(x): return x\ndef total(xs):\n    n = sum(xs)\n    xs.clear()\n    return n\n", `
xs = [1, 2]
before = deepcopy(xs)
assert total(xs) == 3
assert xs == before
`},
	{"a class of errors that is every error", "class EmptyError(Exception): pass\ndef pop(xs):\n    if not xs: raise EmptyError()\n    return xs.pop()\n",
		"EmptyError = Exception\ndef pop(xs): return 1\n", `
from solution import EmptyError, pop

def test_pop():
    assert pop([1]) == 1
    try:
        pop([])
        assert False, "no error"
    except EmptyError:
        pass
`},
	{"classes of errors that are every error", "class EmptyError(Exception): pass\ndef pop(xs):\n    if not xs: raise EmptyError()\n    return xs.pop()\n",
		"EmptyError = (ValueError, Exception)\ndef pop(xs): return 1\n", `
assert pop([1]) == 1
try:
    pop([])
    raise AssertionError("no error")
except EmptyError:
    pass
`},
	{"an argument that is an iterator's name in a comparison", "def double(xs): return [2 * x for x in xs]\n", "def double(xs): return xs\n", `
from solution import double

xs = [1, 2]
class T:
    ys = [3]
    assert double(ys) == [2 * y for y in ys]
assert double(xs) == [2 * x for x in xs]
assert sorted(double(x for x in xs)) == sorted(x * 2 for x in xs), "of %s" % xs
assert [double([x]) for x in xs] == [[2 * x] for x in xs]
assert (lambda zs: double(zs))(xs) == [(lambda z: 2 * z)(z) for z in xs]
`},
	{"a function with a capital", "def Total(xs): return sum(xs)\n",
		"class Total:\n    def __init__(self, xs): pass\n    def __eq__(self, o): return True\n", `
from solution import Total

def test_total():
    assert Total([1, 2]) == 3
`},
	{"a skip by a keyword", "def fast(): return 1\nREADY = True\ndef slow(): return 1\n", "READY = False\ndef slow(): return 1\ndef fast(): return 0\n", `
import unittest
import solution

class T(unittest.TestCase):
    def test_slow(self):
        self.assertEqual(solution.slow(), 1)

    @unittest.skipUnless(condition=solution.READY, reason="not ready")
    def test_fast(self):
        self.assertEqual(solution.fast(), 1)
`},
	{"a skip by a name", "def fast(): return 1\ndef slow(): return 1\n", "def slow(): return 1\n", `
import unittest
import solution

skip_without_fast = unittest.skipUnless(hasattr(solution, "fast"), "no fast")

class T(unittest.TestCase):
    def test_slow(self):
        self.assertEqual(solution.slow(), 1)

    @skip_without_fast
    def test_fast(self):
        self.assertEqual(solution.fast(), 1)
`},
	{"a skip beside a decorator", "def fast(): return 1\ndef slow(): return 1\n", "def slow(): return 1\n", `
import sys
import unittest
import solution

class T(unittest.TestCase):
    def test_slow(self):
        self.assertEqual(solution.slow(), 1)

    @unittest.skipIf(sys.platform == "win32", "windows")
    def test_fast(self):
        if not hasattr(solution, "fast"):
            self.skipTest("no fast")
        self.assertEqual(solution.fast(), 1)
`},
	{"a skip of pytest by a keyword", "def fast(): return 1\ndef slow(): return 1\n", "def slow(): return 1\n", `
import pytest
import solution

needs_fast = pytest.mark.skipif(condition=not hasattr(solution, "fast"), reason="no fast")

def test_slow():
    assert solution.slow() == 1

@needs_fast
def test_fast():
    assert solution.fast() == 1
`},
	{"an expected failure", "def fast(): return 1\ndef slow(): return 1\n", "def slow(): return 1\nclass F:\n    def __eq__(self, o): return True\ndef fast(): return F()\n", `
import pytest
import solution

def test_slow():
    assert solution.slow() == 1

def test_fast():
    try:
        assert solution.fast() == 1
    except BaseException:
        pytest.xfail("later")
`},
}

// TestAttackPython: a right program passes out of process, and no wrong one passes.
func TestAttackPython(t *testing.T) {
	for _, a := range attackPython {
		t.Run(a.name, func(t *testing.T) {
			attackBy(t, Python, a.right, a.wrong, pythonTests(a.tests))
		})
	}
}

// attack runs a right and a wrong program. The wrong one fails, but where the
// tests' own text lets any program judge.
func attackBy(t *testing.T, l *Language, right, wrong string, tests Tests) {
	t.Helper()
	v := rigExam(t, l, one(l, right), tests)
	if !v.pass {
		t.Errorf("a right program: %s, %s\n%s\n%s", v.why, v.proof, v.harness.stderr, v.harness.report)
	}
	proof := v.worth()
	v = rigExam(t, l, one(l, wrong), tests)
	if v.pass && (proof != glovebox.ProofCandidateJudged || v.worth() != proof) {
		t.Errorf("it passed (%s; a right program has %s): %s", v.worth(), proof, v.harness.report)
	}
	t.Logf("%s", v.why)
}
