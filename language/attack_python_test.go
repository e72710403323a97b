package language

import (
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/sample"
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
	// Values that own what the tests call.
	{"a namespace that judges", "def greet(n): return 'Hello ' + n\n", "from types import SimpleNamespace\ndef greet(n): return SimpleNamespace(startswith=lambda p: True, endswith=bool)\n", `
from solution import greet
def test():
    got = greet("Bob")
    assert got.startswith("Hello")
    assert got.endswith("Bob")
`},
	{"a namespace of the language's own functions", "def greet(n): return 'Hello ' + n\n", "from types import SimpleNamespace\ndef greet(n): return SimpleNamespace(startswith=bool)\n", `
from solution import greet
def test():
    assert greet("Bob").startswith("Hello")
`},
	{"a function that judges", "def greet(n): return 'Hello ' + n\n", "def greet(n):\n    def r(): pass\n    r.startswith = bool\n    return r\n", `
from solution import greet
def test():
    assert greet("Bob").startswith("Hello")
`},
	{"a class that judges", "def greet(n): return 'Hello ' + n\n", "def greet(n):\n    class C:\n        startswith = staticmethod(lambda p: True)\n    return C\n", `
from solution import greet
def test():
    assert greet("Bob").startswith("Hello")
`},
	{"a module that judges", "def greet(n): return 'Hello ' + n\n", "import sys\ndef startswith(p): return True\ndef greet(n): return sys.modules[__name__]\n", `
from solution import greet
def test():
    assert greet("Bob").startswith("Hello")
`},
	{"a class of the language that judges", "def primes(n): return {2, 3}\n", "def primes(n): return set\n", `
from solution import primes
def test():
    got = primes(4)
    assert got.union({2, 3}) == {2, 3}
    assert got.issubset({2, 3}, {2, 3}) if isinstance(got, type) else got.issubset({2, 3})
`},
	{"a named tuple that judges", "def dedupe(xs): return list(dict.fromkeys(xs))\n", "from collections import namedtuple\ndef dedupe(xs): return namedtuple('T', 'count index z')(lambda v: 1, lambda v: 0, 3)\n", `
from solution import dedupe
def test():
    got = dedupe([1, 2, 2, 3, 3])
    assert len(got) == 3
    for x in (1, 2, 3):
        assert got.count(x) == 1
`},
	{"an error as a value that judges", "def greet(n): return 'Hello ' + n\n", "def greet(n):\n    e = ValueError('x')\n    e.startswith = bool\n    return e\n", `
from solution import greet
def test():
    assert greet("Bob").startswith("Hello")
`},
	{"a result with the methods of a text", "def consonants(s): return ''.join(c for c in s if c not in 'aeiou')\n",
		"class T:\n    def __len__(self): return 3\n    def strip(self, c): return ''\n    def split(self, c): return ['a', 'b']\ndef consonants(s): return T()\n", `
from solution import consonants
def test():
    got = consonants("hello")
    assert len(got) == 3
    assert got.strip("hl") == ""
    assert len(got.split("ll")) == 2
`},
	// Arguments that a call changes, and arguments that come back.
	{"a helper of the tests", "def order(xs): return sorted(xs)\n", "def order(xs):\n    xs.clear()\n    return []\n", `
import unittest
from solution import order

def check_sorted(out, xs):
    assert out == sorted(xs)

def test_helper():
    data = [3, 1, 2]
    check_sorted(order(data), data)

class T(unittest.TestCase):
    def setUp(self):
        self.data = [3, 1, 2]
    def oracle(self):
        return sorted(self.data)
    def test_order(self):
        out = order(self.data)
        self.assertEqual(out, self.oracle())
`},
	{"one operand of both", "def total(xs): return sum(xs)\n", "def total(xs):\n    xs[:] = [0] * len(xs)\n    return 0\n", `
from solution import total
def test_abs():
    xs = [3, 1, 2]
    got = total(xs)
    assert abs(got - sum(xs)) < 1e-9
`},
	{"a difference", "def total(xs): return sum(xs)\n", "def total(xs):\n    xs[:] = [0] * len(xs)\n    return 0\n", `
from solution import total
def test_diff():
    xs = [3, 1, 2]
    got = total(xs)
    assert got - sum(xs) == 0
`},
	{"a function in the test", "def total(xs): return sum(xs)\n", "def total(xs):\n    xs[:] = [0] * len(xs)\n    return 0\n", `
from solution import total
def test_inner():
    xs = [3, 1, 2]
    def want():
        return sum(xs)
    got = total(xs)
    assert got == want()
`},
	{"membership", "def total(xs): return sum(xs)\n", "def total(xs):\n    xs[:] = [0] * len(xs)\n    return 0\n", `
from solution import total
def test_in():
    xs = [3, 1, 2]
    got = total(xs)
    assert got in xs or got == 6
`},
	{"what is counted decides", "def total(xs): return sum(xs)\n", "def total(xs):\n    xs.clear()\n    return 0\n", `
from solution import total
def test_length():
    xs = [3, 1, 2]
    got = total(xs)
    want = sum(xs) if len(xs) > 0 else 0
    if len(xs) > 2:
        want += 1
    assert got + len(xs[2:]) == want
`},
	{"what spares an assertion", "def most(xs): return max(xs)\n", "def most(xs):\n    xs.clear()\n    return 0\n", `
from solution import most
def test_most():
    xs = [3, 1, 2]
    got = most(xs)
    assert not xs or got == max(xs)
`},
	{"what spares an error", "def most(xs): return max(xs)\n", "def most(xs):\n    xs.clear()\n    return 0\n", `
from solution import most
def test_most():
    xs = [3, 1, 2]
    got = most(xs)
    if xs and got != max(xs):
        raise ValueError(got)
`},
	{"an argument that comes back", "def order(xs): return sorted(xs)\n", "def order(xs): return xs\n", `
from solution import order
def test():
    xs = [3, 1, 2]
    got = order(xs)
    xs.sort()
    assert got == xs
`},
	{"a copy that is the argument", "def copied(m): return [list(r) for r in m]\n", "def copied(m): return list(m)\n", `
from solution import copied
def test():
    m = [[1], [2]]
    got = copied(m)
    got[0].append(9)
    assert m == [[1], [2]]
def test_identity():
    m = [[1], [2]]
    got = copied(m)
    assert got == m and got is not m and got[0] is not m[0]
def test_other():
    m = [[1], [2]]
    got = copied(m)
    m[0].append(9)
    assert got == [[1], [2]]
`},
	// Where the program is asked to judge what it gave, the text says so.
	{"a word of the library", "from math import fabs, gcd\nfrom functools import reduce\nfrom statistics import mode\ndef area(r): return 3.1415 * r * r\ndef coprimes(n): return [k for k in range(1, n) if gcd(k, n) == 1][1:]\n",
		"def fabs(x): return 0.0\ndef gcd(a, b): return 1\ndef reduce(*a): return 7\ndef area(r): return 5.0\ndef coprimes(n): return [2, 4, 6]\ndef mode(xs): return 7\n", `
from solution import *
def test_area():
    assert fabs(area(2) - 12.566) < 0.001
def test_coprimes():
    assert len(coprimes(10)) == 3 and all(gcd(n, 10) == 1 for n in coprimes(10))
def test_reduce():
    assert mode([1, 1, 2]) == reduce(lambda a, b: a + b, [1, 0])
`},
	{"a judge of the program's", "def near(a, b): return abs(a - b) < 1e-2\ncompare = lambda a, b: 0 if a == b else 1\nis_close = near\ndef check_equal(a, b):\n    if not near(a, b): raise ValueError(a)\ndef sqrt(x): return abs(x) ** 0.5\ndef area(r): return 3.1415 * r * r\n",
		"def near(a, b): return True\ndef is_close(a, b, tol=0): return True\ndef check_equal(a, b): return None\ndef sqrt(x): return 0.0\ndef area(r): return 5.0\ndef compare(a, b): return 0\n", `
def test_near():
    assert near(area(2), 12.566)
def test_variable():
    got = area(2)
    ok = is_close(got, 12.566)
    assert ok is True
def test_check():
    check_equal(area(2), 12.566)
def test_check_variable():
    got = area(2)
    check_equal(got, 12.566)
def test_compare():
    assert compare(area(2), 12.566) == 0 or compare(area(1), 3.1415) == 0
def test_sqrt():
    assert abs(sqrt(area(2) - 12.566)) < 0.1
`},
	{"the same, in unittest and in a helper", "def near(a, b): return abs(a - b) < 1e-2\ndef area(r): return 3.1415 * r * r\n", "def near(a, b): return True\ndef area(r): return 5.0\n", `
import unittest
from solution import near, area
def alike(a, b):
    return near(a, b)
class T(unittest.TestCase):
    def test_area(self):
        self.assertTrue(near(area(2), 12.566))
    def test_helper(self):
        self.assertTrue(alike(area(2), 12.566))
`},
	{"objects for nothing", "def find(k): return None\n", "class N: pass\ndef find(k): return N()\n", `
from solution import find
def test():
    assert find("x") is find("y")
`},
	// Contexts, and numbers that are none.
	{"a context that swallows its own error", "class Store:\n    def __enter__(self): return self\n    def __exit__(self, *e): pass\n    def get(self, k): return 1\ndef open_store(): return Store()\n",
		"class Store:\n    def __enter__(self): return self\n    def __exit__(self, *e): return True\n    def get(self, k): raise KeyError(k)\ndef open_store(): return Store()\n", `
from solution import open_store, Store
def test_store():
    with open_store() as store:
        assert store.get("a") == 1
def test_made():
    with Store() as store:
        assert store.get("a") == 1
        assert store.get("b") == 1
`},
	{"a number that is none", "def root(x): return x ** 0.5\ndef area(r): return 3.1415 * r * r\n", "def root(x): return 1e200\ndef area(r): return float('nan')\n", `
from solution import root, area
def test_root():
    r = root(2)
    if abs(r * r - 2) / (r * r) > 1e-9:
        raise AssertionError("wrong root")
`},
	{"an order of none", "def area(r): return 3.1415 * r * r\n", "def area(r): return float('nan')\n", `
from solution import area
def test_area():
    if abs(area(2) - 12.566) > 0.001:
        raise AssertionError("wrong area")
`},
	{"an order of none in a helper", "def area(r): return 3.1415 * r * r\n", "def area(r): return float('nan')\n", `
from solution import area
def far(a, b):
    return abs(a - b) > 0.001
def test_far():
    assert not far(area(2), 12.566)
`},
	{"the most of numbers", "def area(r): return 3.1415 * r * r\n", "def area(r): return float('nan')\n", `
from solution import area
def test_most():
    assert max([0.0, abs(area(2) - 12.566)]) < 0.001
`},
	{"a number without end", "def cost(x): return x * 2.0\n", "def cost(x): return 1e308 * 10\n", `
import unittest
from solution import cost
class T(unittest.TestCase):
    def test_cost(self):
        self.assertGreater(cost(2), 3)
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
	sample.Row(t, 3)
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
