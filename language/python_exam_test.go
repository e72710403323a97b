package language

import (
	"os"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestPythonExam: what tests of model code do works from another box, and what
// cannot falls back by the tests' own doing.
func TestPythonExam(t *testing.T) {
	const out, in = glovebox.ProofOutOfProcess, glovebox.ProofInProcess
	const stack = `
class Stack:
    def __init__(self, items=()):
        self.items = list(items)
    def push(self, x):
        self.items.append(x)
        return self
    def pop(self):
        if not self.items:
            raise IndexError("pop from empty stack")
        return self.items.pop()
    def __len__(self): return len(self.items)
    def __contains__(self, x): return x in self.items
    def __iter__(self): return iter(self.items)
    def __eq__(self, o): return isinstance(o, Stack) and o.items == self.items
    def __repr__(self): return "Stack(%r)" % self.items
`
	for _, c := range []struct {
		name, src, tests string
		pass             bool
		proof            glovebox.Proof
		why              string // a part of what the report says
	}{
		{"a class", stack, `
s = Stack([1])
assert s.push(2) is s
assert len(s) == 2 and 2 in s and 3 not in s and list(s) == [1, 2]
assert s == Stack([1, 2]) and s != Stack()
assert s.pop() == 2
assert s.items == [1]
assert repr(s) == "Stack([1])"
assert isinstance(s, Stack) and bool(s) and not Stack()
s.items = [7]
assert s.pop() == 7
try:
    s.pop()
    assert False
except IndexError as e:
    assert str(e) == "pop from empty stack"
`, true, out, ""},
		{"operators", `
class V:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return V(self.x + o.x, self.y + o.y)
    def __mul__(self, k): return V(self.x * k, self.y * k) if not isinstance(k, V) else self.x * k.x + self.y * k.y
    __rmul__ = __mul__
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
    def __lt__(self, o): return self.x < o.x
    def __neg__(self): return V(-self.x, -self.y)
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __hash__(self): return hash((self.x, self.y))
    def __call__(self): return "called"
`, `
from solution import V
assert V(1, 2) + V(3, 4) == V(4, 6)
assert V(1, 2) * 2 == V(2, 4) == 2 * V(1, 2)
assert V(1, 2) * V(3, 4) == 11
assert sorted([V(2, 0), V(1, 0)])[0].x == 1
assert (-V(1, 2)).y == -2 and V(1, 2)[1] == 2 and V(1, 2)() == "called"
assert len({V(1, 2), V(1, 2)}) == 1
x, y = V(5, 6)
assert (x, y) == (5, 6)
`, true, out, ""},
		{"dataclass, enumeration, named tuple", `
import collections, dataclasses, enum
@dataclasses.dataclass
class P:
    x: int
    y: int = 2
class Color(enum.Enum):
    RED = 1
    BLUE = 2
Pair = collections.namedtuple("Pair", "a b")
def pair(): return Pair(1, 2)
def favourite(): return Color.BLUE
def origin(): return P(0, 0)
`, `
import solution
from solution import P, Color
assert P(1) == P(1, 2) and P(1).y == 2 and solution.origin().x == 0
assert solution.favourite() is Color.BLUE and solution.favourite() == Color.BLUE != Color.RED
assert Color.RED.name == "RED" and Color(2) is Color.BLUE and Color["RED"].value == 1
assert [c.name for c in Color] == ["RED", "BLUE"]
assert len(Color) == 2 and Color.RED in Color and list(reversed(Color)) == [Color.BLUE, Color.RED] and Color and P
assert solution.pair() == (1, 2) and solution.pair().b == 2
`, true, out, ""},
		{"a class that judges", `
import enum
class Meta(enum.EnumMeta):
    def __contains__(cls, v): return True
class All(enum.Enum, metaclass=Meta):
    A = 1
def values(): return All
`, `assert 3 in values()`, false, out, ""},
		{"a container of a context", `
import contextlib
@contextlib.contextmanager
def cm(log):
    log.append("in")
    yield len(log)
    log.append("out")
class Log:
    def __init__(self, log): self.log = log
    def __enter__(self): self.log.append("in"); return self
    def __exit__(self, *e): self.log.append("out")
`, `
for c in (cm, Log):
    log = []
    x = cm(log) if c is cm else Log(log)
    with x: assert log == ["in"]
    assert log == ["in", "out"]
log = ["x"]
with cm(log) as n: assert n == 2 and log == ["x", "in"]
`, true, in, ""},
		{"a container that is kept", "def logger(log): return lambda s: log.append(s)\n", `
log = []
say = logger(log)
say("a")
assert log == ["a"]
`, true, in, ""},
		{"check without entry", "def f(): return 1\n", "def check(candidate):\n    assert candidate() == 1\n", false, out, "--entry"},
		{"tests that do not compile", "def f(): return 1\n", "assert f() == 1\nreturn\n", false, out, "the tests do not parse"},
		{"own exceptions", `
class AppError(Exception):
    def __init__(self, code, what):
        super().__init__(what)
        self.code = code
    def __str__(self): return "E%d" % self.code
class Missing(AppError): pass
def find(k):
    raise Missing(404, k)
`, `
import pytest
from solution import AppError, Missing, find
def test_it():
    with pytest.raises(AppError, match="E404") as info:
        find("x")
    assert info.value.code == 404 and isinstance(info.value, Missing) and info.type is Missing
    assert issubclass(Missing, AppError)
`, true, out, ""},
		{"callbacks", `
import functools
def apply(f, xs): return [f(x) for x in xs]
def retry(f, n, errors):
    for i in range(n):
        try: return f()
        except errors: pass
    raise RuntimeError("gave up")
def memo(f):
    cache = {}
    @functools.wraps(f)
    def g(x):
        if x not in cache: cache[x] = f(x)
        return cache[x]
    return g
`, `
from solution import apply, retry, memo
import solution
assert apply(lambda x: x * 2, [1, 2]) == [2, 4]
assert apply(str.upper, ["a"]) == ["A"] and apply(int, ["3"]) == [3]
class Flaky(Exception): pass
calls = []
def f():
    calls.append(1)
    if len(calls) < 3: raise Flaky("x")
    return "ok"
assert retry(f, 5, (Flaky, KeyError)) == "ok" and len(calls) == 3
def bad(): raise ZeroDivisionError("z")
try:
    retry(bad, 1, Flaky)
except ZeroDivisionError as e:
    assert str(e) == "z"
else:
    assert False
seen = []
@memo
def slow(x):
    seen.append(x)
    return x + 1
assert slow(1) == slow(1) == 2 and seen == [1] and slow.__name__ == "slow"
`, true, out, ""},
		{"objects of the tests", `
def total(node):
    n = 0
    while node is not None:
        n += node.val
        node = node.next
    return n
def reverse(node):
    prev = None
    while node:
        node.next, prev, node = prev, node, node.next
    return prev
def names(people): return [p.greet() for p in sorted(people, key=lambda p: p.name)]
`, `
class ListNode:
    def __init__(self, val, next=None):
        self.val, self.next = val, next
class Person:
    def __init__(self, name): self.name = name
    def greet(self): return "hi " + self.name
n = ListNode(1, ListNode(2, ListNode(3)))
assert total(n) == 6
r = reverse(n)
assert [r.val, r.next.val, r.next.next.val, r.next.next.next] == [3, 2, 1, None]
assert names([Person("b"), Person("a")]) == ["hi a", "hi b"]
`, true, out, ""},
		{"changed arguments", `
def sort(xs): xs.sort()
def fill(d, s): d["k"] = [1]; s.add(2)
def same(x): return x
`, `
from solution import *
a = [3, 1, 2]
assert sort(a) is None and a == [1, 2, 3]
d, s = {}, set()
fill(d, s)
assert d == {"k": [1]} and s == {2}
assert same(a) is a
`, true, out, ""},
		{"plain values of every kind", `
def same(x): return x
def typed(x): return type(x).__name__
`, `
import datetime, decimal, fractions, collections, uuid, math
for v in [None, True, 0, -1, 10**40, -10**30, 1.5, float("inf"), 2j, "é\ud800", b"\xff", bytearray(b"x"), [1, [2]], (1, (2,)),
          {"a": {1: (2,)}}, {1, 2}, frozenset([3]), range(3), decimal.Decimal("1.10"), fractions.Fraction(1, 3),
          datetime.datetime(2020, 1, 2, 3, 4, 5, 6), datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc), datetime.date(2020, 1, 2),
          datetime.timedelta(1, 2, 3), datetime.time(1, 2), collections.OrderedDict(a=1), collections.Counter("aab"),
          collections.deque([1], maxlen=3), uuid.UUID(int=5), Ellipsis]:
    r = same(v)
    assert r == v and type(r) is type(v), v
    assert typed(v) == type(v).__name__
assert math.isnan(same(float("nan")))
assert same(int) is int and same(math.sqrt)(4) == 2
d = collections.defaultdict(list, a=[1])
assert same(d) == d
l = [1]
r = same([l, l])
assert r[0] is r[1]
`, true, out, ""},
		{"generators", `
def count():
    n = 0
    while True:
        yield n
        n += 1
def echo():
    x = yield 1
    yield x
`, `
import itertools
assert list(itertools.islice(count(), 3)) == [0, 1, 2]
g = echo()
assert next(g) == 1 and g.send("a") == "a"
try:
    next(g)
    assert False
except StopIteration:
    pass
assert sum(x for x in itertools.takewhile(lambda x: x < 4, count())) == 6
`, true, out, ""},
		{"coroutines", "import asyncio\nasync def fetch(x):\n    await asyncio.sleep(0)\n    return x * 2\n", `
import asyncio, unittest
assert asyncio.run(fetch(2)) == 4
class T(unittest.IsolatedAsyncioTestCase):
    async def test_it(self):
        self.assertEqual(await fetch(3), 6)
async def test_two():
    a, b = await asyncio.gather(fetch(1), fetch(2))
    assert (a, b) == (2, 4)
`, true, out, ""},
		{"captured output", "def hello():\n    print('hi')\n", `
import contextlib, io
from solution import hello
def test_capsys(capsys):
    hello()
    assert capsys.readouterr().out == "hi\n"
def test_redirect():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        hello()
    assert out.getvalue() == "hi\n"
`, true, out, ""},
		{"fixtures", stack, `
import pytest
from solution import Stack
made = []
@pytest.fixture(scope="module")
def shared():
    made.append(1)
    yield Stack([1])
    made.append(2)
@pytest.fixture
def full(shared, request):
    request.addfinalizer(lambda: made.append("end"))
    return Stack(shared.items + [2])
@pytest.fixture(autouse=True)
def auto(): made.append("auto")
@pytest.fixture(params=[1, 2], ids=["one", "two"])
def n(request): return request.param
@pytest.mark.parametrize("x", [pytest.param(1, id="first"), 2])
@pytest.mark.parametrize("y,z", [(1, 2), (3, 4)])
def test_product(full, x, y, z):
    assert len(full) == 2 and x + y < z + 2
def test_n(n, shared): assert n in (1, 2) and len(shared) == 1
class TestIt:
    @pytest.fixture
    def one(self): return 1
    def setup_method(self): self.s = Stack([9])
    def test_setup(self, one): assert self.s.pop() == 9 and one == 1
    @pytest.mark.parametrize("k", range(3))
    def test_k(self, k): assert Stack([k]).pop() == k
def test_made(): assert made.count(1) == 1 and "auto" in made and "end" in made
def test_approx():
    assert 0.1 + 0.2 == pytest.approx(0.3) and [0.1 + 0.2, 1] == pytest.approx([0.3, 1]) and {"a": 1.0000001} == pytest.approx({"a": 1})
    assert 1.1 != pytest.approx(1) and not "1" == pytest.approx(1)
`, true, out, ""},
		{"unittest features", stack, `
import unittest
import solution as s
def setUpModule(): global ready; ready = True
class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.shared = s.Stack([1])
    def setUp(self): self.x = s.Stack()
class T(Base):
    def test_one(self):
        self.assertTrue(ready)
        for i in range(3):
            with self.subTest(i=i):
                self.assertEqual(s.Stack([i]).pop(), i)
        self.assertListEqual(list(self.shared), [1])
        with self.assertRaisesRegex(IndexError, "empty"):
            self.x.pop()
        self.assertEqual(self.x, s.Stack())
if __name__ == "__main__":
    unittest.main()
`, true, out, ""},
		{"a failing subtest", stack, "import unittest, solution\nclass T(unittest.TestCase):\n def test_a(self):\n  for i in range(3):\n   with self.subTest(i=i): self.assertEqual(len(solution.Stack([i])), i)\n", false, out, "(i=2)"},
		{"a script with main", "def f(x): return x + 1\n", "from solution import f\ndef run():\n    assert f(1) == 2\nif __name__ == '__main__':\n    run()\n    print('ok')\n", true, out, ""},
		{"a test function that the file calls", "def f(x): return x + 1\n", "def test_f(x, want):\n    assert f(x) == want\nif __name__ == '__main__':\n    test_f(1, 2)\n    test_f(2, 3)\n", true, out, ""},
		{"a main that is not guarded", "def f(x): return x + 1\n", "import unittest\nfrom solution import *\nclass T(unittest.TestCase):\n    def test_f(self): self.assertEqual(f(1), 2)\nunittest.main(argv=[''], exit=False)\n", true, out, `"total":1`},
		{"a future import", "def f(x): return x + 1\n", "\"\"\"Tests.\"\"\"\nfrom __future__ import annotations\nimport solution\ndef g(x: Nothing) -> Never: return solution.f(x)\nassert g(1) == 2 and __doc__ == 'Tests.'\n", true, out, ""},
		{"an expected failure", "def f(x): return x\n", "import unittest, solution\nclass T(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_f(self): self.assertEqual(solution.f(1), 2)\n", false, out, "no test ran"},
		{"several files of tests", "def f(x): return x\n", "from helper import same\nimport solution\nsame(solution.f(1), 1)\n", true, out, ""},
		{"raises in place of asserts", "def f(x): return x + 1\n", "if f(1) != 2:\n    raise Exception('wrong')\n", true, out, ""},
		{"raises that fail", "def f(x): return x + 2\n", "if f(1) != 2:\n    raise Exception('wrong')\n", false, out, "wrong"},
		{"a helper that asserts", "def f(x): return x + 1\n", "def same(a, b):\n    assert a == b, (a, b)\nsame(f(1), 2)\nsame(f(2), 3)\n", true, out, ""},
		{"a module that the program imports", "import math\nfrom math import *\ndef f(x): return sqrt(x)\n", "assert math.isclose(f(2), 1.41421356, rel_tol=1e-6)\nassert floor(f(2)) == 1\n", true, out, ""},
		{"the main guard does not run", "def f(x): return x\nif __name__ == '__main__':\n    raise SystemExit(input())\n", "assert f(1) == 1\n", true, out, ""},
		{"values in a failure", "def f(x): return {'a': x}\n", "assert f(1) == {'a': 2}, 'hm'\n", false, out, `"message":"assert f(1) == {'a': 2}, 'hm'\nhm","expected":"{'a': 2}","actual":"{'a': 1}","line":1`},
		{"the side of an and", "def f(x): return x\n", "assert f(1) == 1 and f(2) == 3\n", false, out, `"expected":"3","actual":"2"`},
		{"one failure for one cause", "import sys\nsys.exit(3)\n", "from solution import f\ndef test_f(): assert f(1) == 1\n", false, out, `"total":1,"passed":0,"failed":1`},
		{"an error's place", "def g():\n    return 1 / 0\ndef f(x): return g()\n", "assert f(1) == 1\n", false, out, "ZeroDivisionError: division by zero (main.py, line 2)"},
		{"a load that fails", "def f(x): return x\nint('x')\n", "import solution\nassert solution.f(1) == 1\n", false, out, "main.py, line 2"},
		{"no such function", "def g(): pass\n", "from solution import f\nassert f(1)\n", false, out, "cannot import name 'f'"},
		{"every assert is reported", "def f(x): return x\n", "assert f(1) == 1\nassert f(2) == 1\nassert f(3) == 3\n", false, out, `"total":3,"passed":2,"failed":1`},

		{"the program is never used", "def f(x): return x\n", "assert 1 == 1\n", false, out, "never used the program"},
		{"a skip at run time", "def f(x): return x\n", "import pytest\nimport solution\ndef test_a(): assert solution.f(1) == 1\ndef test_b(): pytest.skip('x')\n", false, out, "skipped itself"},
		{"a skip by what the program has", "def f(x): return x\n", "import unittest\nimport solution\nclass T(unittest.TestCase):\n @unittest.skipIf(not hasattr(solution, 'g'), 'no g')\n def test_g(self): self.fail()\n def test_f(self): self.assertEqual(solution.f(1), 1)\n", false, out, "skipped itself"},
		{"tests that exit", "def f(x): return x\n", "import sys\nassert f(1) == 1\nsys.exit(1)\n", false, out, "SystemExit"},
		{"a swallowed end", "import os\ndef f(x):\n    if x == 2: os._exit(0)\n    return x\n", "assert f(1) == 1\ntry:\n    f(2)\nexcept BaseException:\n    pass\n", false, out, "ended during f(2)"},

		{"a context that swallows", "class Timer:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\ndef f(x): return 0\n",
			"from solution import f, Timer\nwith Timer() as t:\n    assert f(1) == 1\nassert f(0) == 0\n", false, out, `"actual":"0"`},
		{"a generator's context that swallows", "import contextlib\n@contextlib.contextmanager\ndef quiet():\n    try: yield\n    except BaseException: pass\ndef f(x): return 0\n",
			"from solution import f, quiet\nwith quiet():\n    assert f(1) == 1\nassert f(0) == 0\n", false, out, `"actual":"0"`},
		{"a context that may swallow", "import contextlib\ndef ignore(*e): return contextlib.suppress(*e)\n",
			"from solution import ignore\nwith ignore(ValueError, KeyError):\n    int('x')\ntry:\n    with ignore(KeyError):\n        int('x')\n    assert False\nexcept ValueError as e:\n    assert 'x' in str(e)\n", true, out, ""},
		{"a call back's assertion that is swallowed", "def f(cb):\n    try: cb(1)\n    except BaseException: pass\n", "from solution import f\ndef cb(x): assert x == 2\nf(cb)\nassert True\n", false, out, "failed in a call back"},
		{"an attribute that judges itself", "class List:\n    def append(self, x): return self\n    @property\n    def head(self): return self\n    def __eq__(self, o): return True\n    def __contains__(self, o): return True\n",
			"from solution import List\nl = List()\nl.append(3)\nassert l.head == 3\n", false, out, "object of its class List"},
		{"a method that judges itself", "class Calc:\n    def add(self, a, b): return self\n    def __eq__(self, o): return True\n    def __contains__(self, o): return True\n    def __sub__(self, o): return 0\n    def __lt__(self, o): return True\n    def startswith(self, s): return True\n",
			"from solution import Calc\nc = Calc()\nfor g in (lambda: c.add(1, 2) == 3, lambda: 3 in c.add(1, 2), lambda: c.add(1, 2) - 3 == 0, lambda: c.add(1, 2) < 4, lambda: c.add(1, 2).startswith('a')):\n    try:\n        ok = bool(g())\n    except TypeError:\n        ok = False\n    if ok: raise AssertionError('forged')\nassert c.add(1, 2) == 3\n", false, out, "object of its class Calc"},
		{"a search that an object answers", "class Y:\n    def find(self, *a): return 0\n    index = count = find\ndef f(x): return Y()\n", "from solution import f\nassert f(1).find('a') != -1\n", false, out, "(.find)"},
		{"a search that a text answers", "class T(str):\n    def find(self, *a): return 0\ndef f(x): return T('zzz')\n", "from solution import f, T\nassert isinstance(f(1), T) and f(1).find('a') != -1\n", false, out, "line 2"},
		{"a search in objects of the tests' kind", "class Y:\n    def __init__(s): s.xs = []\n    def put(s, x): s.xs.append(x)\n    def find(s, x): return s.xs.index(x)\ndef make(): return Y()\n", "from solution import make\nq = make()\nq.put(3)\nassert q.find(3) == 0\n", true, out, ""},
		{"a list that fills with judges", "class Yes:\n    def __eq__(self, o): return True\ny = Yes()\ndef fill(xs): xs.append(y)\n", "from solution import fill, Yes\nx = Yes()\nl = []\nfill(l)\nassert l == [3]\n", false, out, "object of its class Yes"},

		{"objects of the tests come back", `
def same(x): return x
def first(xs): return xs[0]
def index(xs): return {x: i for i, x in enumerate(xs)}
def unique(xs):
    out = []
    for x in xs:
        if x not in out: out.append(x)
    return out
class Box:
    def __init__(self): self.held = {}
    def put(self, k, v): self.held[k] = v
    def get(self, k): return self.held.get(k)
`, `
import dataclasses
from solution import *
@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: int
class Plain: pass
a, b, c = Point(1, 2), Point(3, 4), Point(1, 2)
p, q = Plain(), Plain()
assert same(a) is a and same(p) is p and same(p) is not q
assert first([b, a]) == b and first([a, b]) != b
assert index([a, b])[b] == 1 and index([p, q]) == {p: 0, q: 1}
assert unique([a, c, b]) == [a, b]
box = Box()
box.put(a, p)
assert box.get(c) is p and box.get(b) is None
`, true, out, ""},
		{"more plain values", `
import array, collections, types
def same(x): return x
def namespace(): return types.SimpleNamespace(a=1, b=[2])
def chain(): return collections.ChainMap({"a": 1}, {"b": 2})
class Bag(collections.UserDict): pass
def user(): return collections.UserDict(a=1)
def slots(): return array.array("d", [1.5, 2])
def ordered(): return collections.OrderedDict([("b", 1), ("a", 2)])
`, `
import array, collections, types
from solution import *
assert namespace().a == 1 and namespace() == types.SimpleNamespace(a=1, b=[2])
assert chain()["b"] == 2 and chain() == collections.ChainMap({"a": 1}, {"b": 2})
assert user() == {"a": 1} and user()["a"] == 1
assert slots() == array.array("d", [1.5, 2]) and list(slots()) == [1.5, 2]
assert list(ordered().items()) == [("b", 1), ("a", 2)] and ordered() == collections.OrderedDict([("b", 1), ("a", 2)])
assert ordered() != collections.OrderedDict([("a", 2), ("b", 1)])
`, true, out, ""},
		{"causes and properties of errors", `
class Failed(Exception):
    @property
    def code(self): return 7
def f():
    try: int("x")
    except ValueError as e: raise Failed("no") from e
`, `
from solution import f, Failed
try: f()
except Failed as e: assert e.code == 7 and isinstance(e.__cause__, ValueError) and "x" in str(e.__cause__)
else: assert False
`, true, out, ""},
		{"asynchronous generators", "import asyncio\nasync def count(n):\n    for i in range(n):\n        await asyncio.sleep(0)\n        yield i\n", `
import asyncio
from solution import count
async def all_of(): return [x async for x in count(3)]
assert asyncio.run(all_of()) == [0, 1, 2]
`, true, out, ""},
		{"names of builtins that are imported", "def filter(xs): return [x for x in xs if x]\ndef sum(a, b): return a + b\n", "from solution import filter, sum\nassert filter([0, 1]) == [1] and sum(1, 2) == 3\n", true, out, ""},
		{"a seed of the tests", "import random\ndef roll(): return random.randint(1, 1000)\n", "import random\nfrom solution import roll\nrandom.seed(7)\nwant = random.Random(7).randint(1, 1000)\nassert roll() == want\nrandom.seed(7)\nassert roll() == want\n", true, out, ""},
		{"a strict expected failure", "def f(): return 1\n", "import pytest\nfrom solution import f\n@pytest.mark.xfail(strict=True)\ndef test_f(): assert f() == 1\ndef test_g(): assert f() == 1\n", false, out, "it passed though it was expected to fail"},
		{"one object", "class One:\n    made = None\n    def __new__(cls):\n        cls.made = cls.made or super().__new__(cls)\n        return cls.made\n    @classmethod\n    def get(cls): return cls()\n", "from solution import One\nassert One() is One() and One.get() is One()\n", true, out, `"proof":"candidate_judged"`},
		{"slices", "class Xs:\n    def __getitem__(self, i): return list(range(10))[i]\n", "from solution import Xs\nassert Xs()[2:4] == [2, 3] and Xs()[-1] == 9 and Xs()[::5] == [0, 5]\n", true, out, ""},
		{"a method that is given", "class A:\n    def f(self, x): return x + 1\ndef each(f, xs): return [f(x) for x in xs]\n", "from solution import A, each\nassert each(A().f, [1, 2]) == [2, 3]\n", true, out, ""},

		{"code of a text", "def f(): return 'import os; os._exit(0)'\n", "from solution import f\nexec(f())\nassert 1 == 2\n", false, in, ""},
		{"a module that the tests did not import", "class math:\n    isclose = staticmethod(lambda *a: True)\ndef f(): return 1\n", "assert math.isclose(f(), 2)\n", false, out, "math"},
		{"a StopIteration in a map", "def f(x): raise StopIteration\n", "from solution import f\nassert all(map(lambda x: f(x) == 1, [1]))\nassert all(map(f, [1]))\n", false, out, "StopIteration"},
		{"a module that is handed back", "import sys\ndef encode(x): return sys.modules[__name__]\ndef decode(x): return 1\n", "from solution import encode, decode\nassert decode(encode(1)) == 2\n", false, out, ""},
		{"a judge that a class makes", "class METADATA:\n    def __init__(self, *a): pass\n    def __eq__(self, o): return True\nf = METADATA\nclass Solution:\n    f = METADATA\n", "METADATA = {}\nassert f(1) == 2\nassert Solution().f(1) == 2\n", false, out, "object of its class METADATA"},
		{"mocks", "import random\ndef roll(): return random.randint(1, 6)\n", "from unittest import mock\nimport solution\nwith mock.patch('random.randint', return_value=4):\n    assert solution.roll() == 4\n", true, in, ""},
		{"a subclass", stack, "from solution import Stack\nclass Mine(Stack):\n    def twice(self): return len(self) * 2\nassert Mine([1]).twice() == 2\n", true, in, ""},
		{"stdin", "def ask(): return int(input())\n", "import io, sys\nsys.stdin = io.StringIO('4\\n')\nassert ask() == 4\n", true, in, ""},
		{"files", "def size(p):\n    with open(p) as f: return len(f.read())\n", "def test_it(tmp_path):\n    import solution\n    p = tmp_path / 'a'\n    p.write_text('abc')\n    assert solution.size(p) == 3\n", true, in, ""},
		{"monkeypatch", "import os\ndef home(): return os.environ['X']\n", "import solution\ndef test_it(monkeypatch):\n    monkeypatch.setenv('X', '1')\n    assert solution.home() == '1'\n", true, in, ""},
		{"an object that cannot cross", "def read(f): return f.read()\n", "import io\nassert read(io.StringIO('abc')) == 'abc'\n", true, in, ""},
		{"an object that cannot cross, later", "def one(): return 1\ndef read(f): return f.read()\n", "import io\nassert one() == 1\nassert read(io.StringIO('abc')) == 'abc'\n", true, in, ""},
		{"a fallback that the program would choose", "def flag(): return True\ndef f(x): return 1\n", "if flag():\n    assert f(object()) == 1\nassert f(1) == 1\n", false, out, "cannot cross"},
		{"a fallback by a result's method", "class R:\n    def get(self, k): return 1\n    def __add__(self, o): return 1\n    def __eq__(self, o): return True\ndef f(x): return R()\n",
			"from solution import f\nassert f(1).get(object()) == 1\n", false, out, "cannot cross"},
		{"a fallback by a result's operator", "class R:\n    def __add__(self, o): return 1\n    def __eq__(self, o): return True\ndef f(x): return R()\n",
			"from solution import f\nassert f(1) + object() == 1\n", false, out, "object of its class R"},
		{"iterators of the tests", "def total(xs): return sum(xs)\ndef first(xs): return next(iter(xs))\n", "from solution import *\nassert total(x for x in [1, 2]) == 3\nassert total(map(int, '12')) == 3\nassert total(iter([1, 2])) == 3\ndef g():\n    yield 5\nassert first(g()) == 5\n", true, out, ""},
		{"a wrong program in one process", "def roll(): return 4\ndef f(): return 5\n", "from unittest import mock\nimport solution\nassert solution.f() == 6\n", false, in, `"actual":"5"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tests := pythonTests(c.tests)
			if strings.Contains(c.tests, "from helper") {
				tests.Files = append(tests.Files, glovebox.File{Path: "helper.py", Data: []byte("def same(a, b):\n    assert a == b\n")})
			}
			v := rigExam(t, Python, pythonProgram(c.src), tests)
			report, stderr := v.harness.report, v.harness.stderr
			if v.proof == in {
				report, stderr = v.candidate.report, v.candidate.stderr
			}
			if v.pass != c.pass || v.proof != c.proof || !strings.Contains(report, c.why) {
				t.Errorf("pass %v, proof %s, why %q; want %v, %s, %q\n%s\n%s", v.pass, v.proof, v.why, c.pass, c.proof, c.why, report, stderr)
			}
		})
	}
}

// TestPythonModules: tests reach the files of a program of several.
func TestPythonModules(t *testing.T) {
	p := &glovebox.Program{Language: "python", Main: "app.py", Files: []glovebox.File{
		{Path: "app.py", Data: []byte("from shop.cart import Cart\nimport util\ndef run(): return util.double(Cart().size())\n")},
		{Path: "util.py", Data: []byte("def double(x): return 2 * x\n")},
		{Path: "shop/__init__.py", Data: []byte("VERSION = '1'\n")},
		{Path: "shop/cart.py", Data: []byte("from . import VERSION\nclass Cart:\n    def size(self): return 4\n")},
		{Path: "json.py", Data: []byte("raise SystemExit(0)\n")},
		{Path: "README.md", Data: []byte("x")},
	}}
	tests := pythonTests(`
import json
import app, solution
import shop
import shop.cart
from shop.cart import Cart
from util import double
import util as u

def test_it():
    assert app.run() == 8 and solution.run() == 8 and app is solution
    assert Cart().size() == 4 and shop.cart.Cart().size() == 4 and shop.VERSION == "1"
    assert double(2) == u.double(2) == 4
    assert json.dumps([1]) == "[1]"
`)
	if v := rigExam(t, Python, p, tests); !v.pass || v.proof != glovebox.ProofOutOfProcess {
		t.Errorf("%+v\n%s", v.why, v.harness.report)
	}
}

// TestPythonFuzz mutates what comes over the link, at either end, and the text of
// tests, in a box.
func TestPythonFuzz(t *testing.T) {
	fuzz := fuzzFor(t, 200)
	wall := rigWall
	rigWall += fuzz.wall
	t.Cleanup(func() { rigWall = wall })
	for _, name := range []string{"fuzz_wire", "fuzz_worker", "fuzz_tests"} {
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile("python/testdata/" + name + ".py")
			if err != nil {
				t.Fatal(err)
			}
			input := strings.Join(fuzz.args(), " ") + "\n"
			r := rigPlan(t, Python, pythonProgram(string(src)), input)
			if r.exit != 0 || !strings.Contains(r.stdout, "\nfuzzed") {
				t.Errorf("exit %d, input %s%s\n%s", r.exit, input, r.stdout, r.stderr)
			}
			t.Log(r.stdout)
		})
	}
}

// TestPythonFolders: tests in a folder find what lies beside them, in each form.
func TestPythonFolders(t *testing.T) {
	for _, head := range []string{"", "from unittest import mock\n"} {
		for _, init := range []bool{true, false} {
			tests := Tests{Files: []glovebox.File{
				{Path: "tests/deep/test_it.py", Data: []byte(head + "import os, pathlib\nfrom main import f\n" +
					"def test_f(beside):\n    assert str(pathlib.Path(__file__).parent) == '/workspace/tests/deep'\n" +
					"    assert f(open(os.path.join(os.path.dirname(__file__), 'data.txt')).read()) == beside == 'hi'\n")},
				{Path: "tests/conftest.py", Data: []byte("import os, pytest\n@pytest.fixture\ndef beside():\n" +
					"    with open(os.path.join(os.path.dirname(__file__), 'deep', 'data.txt')) as f: return f.read()\n")},
				{Path: "tests/deep/data.txt", Data: []byte("hi")},
			}}
			if init {
				tests.Files = append(tests.Files, glovebox.File{Path: "tests/__init__.py"}, glovebox.File{Path: "tests/deep/__init__.py"})
			}
			for _, main := range []string{"main.py", ""} {
				p := pythonProgram("def f(x): return x\n")
				p.Main = main
				if v := rigExam(t, Python, p, tests); !v.pass {
					t.Errorf("%q, packages %v, main file %q: %s\n%s", head, init, main, v.why, v.candidate.stderr)
				}
			}
		}
	}
}

// TestPythonMainNames: the main file may have any name and lie anywhere.
func TestPythonMainNames(t *testing.T) {
	for _, c := range []struct {
		main, tests string
		pass        bool
	}{
		{"script", "import solution\nassert solution.f() == 1\n", true},
		{"my-app.pyw", "assert f() == 1\n", true},
		{"src/app.py", "from solution import f\nimport app, src.app\nassert f() == app.f() == src.app.f() == 1\n", true},
		{"json.py", "import solution\nassert solution.f() == 1\n", true},
		{"json.py", "from json import f\nassert f() == 1\n", false},
		{"pytest.py", "import pytest\nfrom solution import f\ndef test_f():\n    with pytest.raises(TypeError): f(1)\n", true},
	} {
		t.Run(c.main, func(t *testing.T) {
			p := &glovebox.Program{Language: "python", Main: c.main, Files: []glovebox.File{{Path: c.main, Data: []byte("def f(): return 1\n")}}}
			if v := rigExam(t, Python, p, pythonTests(c.tests)); v.pass != c.pass || v.proof != glovebox.ProofOutOfProcess {
				t.Errorf("pass %v, want %v: %s\n%s\n%s", v.pass, c.pass, v.why, v.harness.report, v.candidate.stderr)
			}
		})
	}
}
