package language

import (
	"fmt"
	"strings"
)

// pythonShapes are single ways to check a result, each a subject of its own: a
// lie has only that one to get past. F is the function.
var pythonShapes = []struct{ name, check string }{
	{"equal", "assert F(1, 2) == 1.5\nassert F(4, 8) == 6"},
	{"equal, the other way", "assert 1.5 == F(1, 2)\nassert 6 == F(4, 8)"},
	{"not equal", "assert not F(1, 2) != 1.5\nassert F(4, 8) + 1 != 6 and not F(4, 8) != 6"},
	{"difference", "assert abs(F(1, 2) - 1.5) < 1e-6\nassert abs(F(4, 8) - 6) <= 1e-6"},
	{"difference, the other way", "assert abs(1.5 - F(1, 2)) < 1e-6\nassert 1e-6 > abs(6 - F(4, 8))"},
	{"square", "assert (F(1, 2) - 1.5) ** 2 < 1e-9\nassert (F(4, 8) - 6) ** 2 < 1e-9"},
	{"ratio", "assert F(1, 2) / 1.5 == 1\nassert 0.99 < F(4, 8) / 6 < 1.01"},
	{"rounded difference", "assert round(F(1, 2) - 1.5, 5) == 0\nassert round(F(4, 8) - 6) == 0"},
	{"rounded", "assert round(F(1, 2), 3) == 1.5\nassert round(F(4, 8)) == 6"},
	{"remainder", "assert F(2, 2) % 3 == 2\nassert not F(4, 8) % 6 and F(9, 9) % 7 == 2"},
	{"order", "assert 1.4 < F(1, 2) < 1.6\nassert F(4, 8) > 5.9 and F(4, 8) <= 6"},
	{"conversion", "assert int(F(4, 8)) == 6\nassert float(F(1, 2)) == 1.5"},
	{"text", "assert str(F(1, 2)) == '1.5'\nassert '%.2f' % F(4, 8) == '6.00'\nassert f'{F(4, 8):.1f}' == '6.0'"},
	{"membership", "assert F(1, 2) in (1.5, 2.5)\nassert F(4, 8) in {6.0}\nassert F(4, 8) not in [1, 2]"},
	{"list", "assert [F(1, 2), F(4, 8)] == [1.5, 6]"},
	{"key", "assert {1.5: 'a', 6.0: 'b'}[F(1, 2)] == 'a'\nassert {6.0: 'b'}.get(F(4, 8)) == 'b'"},
	{"sorted", "assert sorted([F(4, 8), F(1, 2)]) == [1.5, 6]\nassert max(F(4, 8), 2) == 6 and min(F(1, 2), 5) == 1.5"},
	{"all of a map", "assert all(map(lambda c: F(*c[0]) == c[1], [((1, 2), 1.5), ((4, 8), 6)]))"},
	{"not any", "assert not any(map(lambda c: F(*c[0]) != c[1], [((1, 2), 1.5), ((4, 8), 6)]))"},
	{"zip of a map", "for got, want in zip(map(lambda a: F(*a), [(1, 2), (4, 8)]), [1.5, 6]):\n    assert got == want\nassert F(2, 2) == 2"},
	{"close", "import math\nassert math.isclose(F(1, 2), 1.5)\nassert math.isclose(F(4, 8), 6, rel_tol=1e-6)"},
	{"close, not imported", "assert math.isclose(F(1, 2), 1.5)\nassert math.isclose(F(4, 8), 6, rel_tol=1e-6)"},
	{"capitalised words", "from typing import List\nMETADATA = {}\nX: List = []\nassert F(1, 2) == 1.5\nassert F(4, 8) == 6"},
	{"raised", "if F(1, 2) != 1.5:\n    raise ValueError('wrong')\nif F(4, 8) != 6:\n    raise ValueError('wrong')"},
	{"caught", "try:\n    ok = F(1, 2) == 1.5 and F(4, 8) == 6\nexcept TypeError:\n    ok = True\nassert ok"},
	{"matched", "match F(1, 2):\n    case 1.5: ok = True\n    case _: ok = False\nassert ok\nassert F(4, 8) == 6"},
	{"approx", "import pytest\ndef test_it():\n    assert F(1, 2) == pytest.approx(1.5)\n    assert pytest.approx(6) == F(4, 8)"},
	{"almost", "import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertAlmostEqual(F(1, 2), 1.5)\n        self.assertAlmostEqual(F(4, 8), 6, delta=0.01)"},
	{"assertEqual", "import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(F(1, 2), 1.5)\n        self.assertEqual(6, F(4, 8))"},
	{"assertTrue", "import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertTrue(F(1, 2) == 1.5)\n        self.assertFalse(F(4, 8) != 6)"},
	{"raises and a value", "import pytest\ndef test_it():\n    with pytest.raises((TypeError, Exception)):\n        F('a', 2)\n    with pytest.raises(Exception):\n        assert F(1, 2) != 1.5\n    assert F(4, 8) == 6"},
	{"sum", "assert sum(F(a, b) for a, b in [(1, 2), (4, 8)]) == 7.5\nassert sum([F(2, 2)]) == 2"},
	{"searched", "assert str(F(1, 2)).find('.') == 1 and str(F(4, 8)).index('6') == 0 and str(F(1, 2)).count('5') == 1 and str(F(2, 2))[:1] == '2'"},
	{"two results", "assert F(1, 2) == F(2, 1) and F(1, 2) == 1.5\nassert F(4, 8) == F(6, 6) != F(1, 1) and F(2, 2) == 2"},
	{"statistics", "import statistics\nassert statistics.mean([F(1, 2), F(4, 8)]) == 3.75"},
}

func init() {
	for _, s := range pythonShapes {
		add := func(name, program, called string) {
			pythonSubjects = append(pythonSubjects, subject{name: s.name + name, file: "test_it.py", names: []string{called},
				program: program, tests: strings.ReplaceAll(s.check, "F(", fmt.Sprintf(map[string]string{"mid": "%s(", "Solution": "%s().mid("}[called], called))})
		}
		add("", "import math\ndef mid(a, b): return (a + b) / 2\n", "mid")
		add(" of a method", "import math\nclass Solution:\n    def mid(self, a, b): return (a + b) / 2\n", "Solution")
	}
	searches = append(searches, pythonSearch())
}

// pythonSubjects are right programs with tests of objects, exceptions,
// iteration, output, tolerances, sorting, mutation and callbacks, in each form.
var pythonSubjects = []subject{
	{name: "bare", file: "test_it.py", names: []string{"add", "words"}, program: `
def add(a, b): return a + b
def words(text): return text.split()
`, tests: `
assert add(1, 2) == 3
assert add(-5, 7) == 2, "negative"
assert words("a b") == ["a", "b"] and "b" in words("a b c")
assert sorted(words("b a"))[0] == "a" and len(words("x y z")) == 3
assert "%d-%s" % (add(2, 3), words("q")[0]) == "5-q"
assert f"{add(2, 2):03d}" == "004"
`},
	{name: "unittest", file: "test_it.py", names: []string{"mean", "table", "check"}, program: `
def mean(xs): return sum(xs) / len(xs)
def table(xs): return {x: x * x for x in xs}
def check(x):
    if x < 0: raise ValueError("negative: %d" % x)
    return x
`, tests: `
import unittest
from solution import mean, table, check

class TestAll(unittest.TestCase):
    def test_mean(self):
        self.assertAlmostEqual(mean([1, 2, 4]), 7 / 3)
        self.assertAlmostEqual(mean([1, 2, 4]), 2.3, delta=0.1)
        self.assertGreater(mean([5, 6]), 5)
        self.assertIsInstance(mean([1]), float)
    def test_table(self):
        self.assertEqual(table([1, 2]), {1: 1, 2: 4})
        self.assertDictEqual(table([]), {})
        self.assertIn(3, table([3]))
        self.assertCountEqual(table([2, 1]), [1, 2])
    def test_check(self):
        self.assertEqual(check(4), 4)
        with self.assertRaisesRegex(ValueError, "negative: -1"):
            check(-1)
    def test_true(self):
        self.assertTrue(check(1) == 1 and check(7) == 7)
        self.assertFalse(check(3) == 4)
        self.assertIsNone(table([1]).get(9))
`},
	{name: "pytest", file: "test_it.py", names: []string{"div", "pair"}, program: `
def div(a, b): return a / b
def pair(x): return (x, [x, {"k": x}])
`, tests: `
import pytest
import solution

@pytest.mark.parametrize("a,b,want", [(1, 2, 0.5), (9, 3, 3.0), (-4, 2, -2)])
def test_div(a, b, want):
    assert solution.div(a, b) == pytest.approx(want)

def test_zero():
    with pytest.raises(ZeroDivisionError, match="division"):
        solution.div(1, 0)

def test_pair():
    a, (b, c) = solution.pair(3)
    assert (a, b) == (3, 3) and c["k"] == 3
    assert [x for x in solution.pair(4)][0] == 4
`},
	{name: "a class", file: "test_it.py", names: []string{"Stack"}, program: `
class Stack:
    def __init__(self, items=()): self.items = list(items)
    def push(self, x):
        self.items.append(x)
        return self
    def pop(self):
        if not self.items: raise IndexError("empty stack")
        return self.items.pop()
    def peek(self): return self.items[-1]
    @property
    def size(self): return len(self.items)
    def __len__(self): return len(self.items)
    def __iter__(self): return iter(self.items)
`, tests: `
import pytest
from solution import Stack

@pytest.fixture
def stack(): return Stack([1, 2])

def test_pop(stack):
    assert stack.pop() == 2 and stack.peek() == 1
    assert stack.size == 1 and len(stack) == 1

def test_list(stack):
    assert list(stack.push(5)) == [1, 2, 5]
    assert [x + 1 for x in stack] == [2, 3, 6]
    assert sum(stack) == 8 and stack.size == 3

def test_empty():
    s = Stack()
    assert s.size == 0
    with pytest.raises(IndexError) as info:
        s.pop()
    assert str(info.value) == "empty stack"
`},
	{name: "equality", file: "test_it.py", names: []string{"P", "move"}, program: `
class P:
    def __init__(self, x, y): self.x, self.y = x, y
    def __eq__(self, o): return isinstance(o, P) and (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def __repr__(self): return "P(%d, %d)" % (self.x, self.y)
    def length(self): return (self.x ** 2 + self.y ** 2) ** 0.5
def move(p, dx): return P(p.x + dx, p.y)
`, tests: `
from solution import P, move
def test_values():
    assert (move(P(1, 2), 3).x, move(P(1, 2), 3).y) == (4, 2)
    assert abs(P(3, 4).length() - 5) < 1e-9
def test_repr():
    assert repr(move(P(1, 2), 1)) == "P(2, 2)"
    assert P(6, 8).length() == 10
def test_equal():
    assert move(P(1, 2), 1) == P(2, 2)
    assert move(P(1, 2), 1).x == 2
`},
	{name: "enumeration", file: "test_it.py", names: []string{"Color", "Light", "after"}, program: `
import enum
class Color(enum.Enum):
    RED = "red"
    GREEN = "green"
    AMBER = "amber"
ORDER = {Color.RED: Color.GREEN, Color.GREEN: Color.AMBER, Color.AMBER: Color.RED}
def after(c): return ORDER[c]
class Light:
    def __init__(self): self.color, self.changes = Color.RED, 0
    def turn(self):
        self.color = ORDER[self.color]
        self.changes += 1
        return self.changes
`, tests: `
from solution import Color, Light, after
def test_after():
    assert after(Color.RED) is Color.GREEN
    assert after(Color.GREEN) == Color.AMBER
    assert after(Color.AMBER) != Color.GREEN
    assert after(Color.RED).value == "green"
def test_light():
    light = Light()
    assert light.turn() == 1 and light.color == Color.GREEN
    assert light.turn() == 2 and light.color.name == "AMBER"
`},
	{name: "exceptions", file: "test_it.py", names: []string{"ShopError", "Empty", "buy"}, program: `
class ShopError(Exception):
    def __init__(self, code, what):
        super().__init__(what)
        self.code = code
class Empty(ShopError): pass
def buy(n, stock):
    if n > stock: raise Empty(409, "only %d left" % stock)
    return stock - n
`, tests: `
import pytest
from solution import ShopError, Empty, buy
def test_buy():
    assert buy(2, 5) == 3
def test_empty():
    with pytest.raises(ShopError) as info:
        buy(3, 1)
    assert info.value.code == 409 and str(info.value) == "only 1 left"
    assert isinstance(info.value, Empty)
def test_try():
    try:
        buy(9, 8)
    except Empty as e:
        assert e.args == ("only 8 left",)
    else:
        raise AssertionError("no error")
    assert buy(0, 1) == 1
`},
	{name: "loops of asserts", file: "test_it.py", names: []string{"square", "odds"}, program: `
def square(x): return x * x
def odds(n):
    for i in range(1, n, 2): yield i
`, tests: `
from solution import square, odds
CASES = [(1, 1), (2, 4), (-3, 9)]
assert all(map(lambda c: square(c[0]) == c[1], CASES))
assert not any(square(x) != want for x, want in CASES)
for got, (_, want) in zip(map(square, [1, 2, -3]), CASES):
    assert got == want
assert [square(x) for x in (1, 2)] == [1, 4]
assert list(odds(6)) == [1, 3, 5]
assert sum(odds(10)) == 25 and max(odds(8)) == 7
it = odds(4)
assert next(it) == 1 and next(it) == 3
`},
	{name: "output", file: "test_it.py", names: []string{"hello", "show"}, program: `
def hello(name): print("hello, %s" % name)
def show(xs):
    for x in xs: print("-", x)
    return len(xs)
`, tests: `
import contextlib, io
from solution import hello, show
def test_hello(capsys):
    hello("you")
    assert capsys.readouterr().out == "hello, you\n"
def test_show():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert show([1, 2]) == 2
    assert out.getvalue().splitlines() == ["- 1", "- 2"]
`},
	{name: "mutation", file: "test_it.py", names: []string{"sort", "group"}, program: `
def sort(xs):
    xs.sort()
    return len(xs)
def group(into, word):
    into.setdefault(len(word), []).append(word)
    return into[len(word)]
`, tests: `
from solution import sort, group
def test_sort():
    xs = [3, 1, 2]
    assert sort(xs) == 3
    assert xs == [1, 2, 3]
def test_group():
    d = {}
    assert group(d, "ab") == ["ab"]
    assert group(d, "cd") == ["ab", "cd"]
    assert d == {2: ["ab", "cd"]}
`},
	{name: "an argument in later statements", file: "test_it.py", names: []string{"order", "counts", "longest"}, program: `
def order(xs): return sorted(xs)
def counts(xs):
    out = {}
    for x in xs: out[x] = out.get(x, 0) + 1
    return out
def longest(words): return max(words, key=len)
`, tests: `
from solution import order, counts, longest
CASES = [[3, 1, 2], [9, 9, 1], [5, 4]]
def brute(xs):
    out = list(xs)
    out.sort()
    return out
def test_order():
    xs = [3, 1, 2]
    got = order(xs)
    assert got == sorted(xs)
    want = brute(xs)
    assert len(got) == len(want) and got == want
def test_cases():
    for i in range(len(CASES)):
        got = order(CASES[i])
        expected = sorted(CASES[i])
        assert got == expected
def test_counts():
    data = {"words": ["a", "b", "a"]}
    got = counts(data["words"])
    for w in ("a", "b"):
        assert got.get(w) == data["words"].count(w)
    assert sum(got.values()) == len(data["words"])
def test_longest():
    words = ["a", "bcd", "ef"]
    got = longest(words)
    assert got == max(words, key=len) and got in words
`},
	{name: "objects in pairs", file: "test_it.py", names: []string{"Money", "parse", "total"}, program: `
import dataclasses
@dataclasses.dataclass(frozen=True, order=True)
class Money:
    cents: int
    unit: str = "EUR"
    @classmethod
    def of(cls, text): return cls(round(float(text.split()[0]) * 100), text.split()[1])
    def plus(self, o): return Money(self.cents + o.cents, self.unit)
def parse(text): return Money.of(text)
def total(xs):
    out = Money(0)
    for x in xs: out = out.plus(x)
    return out
`, tests: `
from solution import Money, parse, total
def test_pairs():
    a, b = parse("1.50 EUR"), Money.of("1.50 EUR")
    assert a == b and a != parse("2 EUR") and a < parse("2 EUR")
    assert a.cents == 150 and b.unit == "EUR"
def test_values():
    assert total([Money(1), Money(2)]).cents == 3
    assert parse("0.05 USD").cents == 5 and parse("0.05 USD").unit == "USD"
`},
	{name: "callbacks", file: "test_it.py", names: []string{"apply", "retry"}, program: `
def apply(f, xs): return [f(x) for x in xs]
def retry(f, n):
    for i in range(n):
        try: return f(i)
        except ValueError: pass
    raise RuntimeError("gave up after %d" % n)
`, tests: `
import pytest
from solution import apply, retry
def test_apply():
    seen = []
    def f(x):
        seen.append(x)
        return x * 2
    assert apply(f, [1, 2]) == [2, 4]
    assert seen == [1, 2]
def test_retry():
    def f(i):
        if i < 2: raise ValueError(i)
        return i * 10
    assert retry(f, 5) == 20
    with pytest.raises(RuntimeError, match="gave up after 1"):
        retry(f, 1)
`},
	{name: "solution class", file: "test_it.py", names: []string{"Solution"}, program: `
class Solution:
    def twoSum(self, nums, target):
        seen = {}
        for i, n in enumerate(nums):
            if target - n in seen: return [seen[target - n], i]
            seen[n] = i
    def area(self, r): return 3.14159 * r * r
`, tests: `
s = Solution()
assert Solution().twoSum([2, 7, 11], 9) == [0, 1]
assert sorted(s.twoSum([3, 2, 4], 6)) == [1, 2]
assert abs(s.area(1) - 3.14159) < 0.001
assert s.area(2) > 12 and int(s.area(2)) == 12
`},
	{name: "check", file: "test_it.py", entry: "fib", names: []string{"fib"}, program: `
def fib(n):
    a, b = 0, 1
    for _ in range(n): a, b = b, a + b
    return a
`, tests: `
METADATA = {"author": "x"}
def check(candidate):
    assert candidate(10) == 55
    assert candidate(1) == 1
    assert [candidate(i) for i in range(5)] == [0, 1, 1, 2, 3]
    assert candidate(12) % 10 == 4
`},
	{name: "dates and decimals", file: "test_it.py", names: []string{"due", "tax", "ratio"}, program: `
import datetime, decimal, fractions
def due(d, n): return d + datetime.timedelta(days=n)
def tax(x): return (decimal.Decimal(x) * decimal.Decimal("0.19")).quantize(decimal.Decimal("0.01"))
def ratio(a, b): return fractions.Fraction(a, b)
`, tests: `
import datetime, decimal, fractions
from solution import due, tax, ratio
assert due(datetime.date(2024, 2, 28), 2) == datetime.date(2024, 3, 1)
assert tax("10") == decimal.Decimal("1.90") and str(tax("1")) == "0.19"
assert ratio(2, 4) == fractions.Fraction(1, 2) and ratio(1, 3) < ratio(1, 2)
assert due(datetime.date(2024, 1, 1), 30).isoformat() == "2024-01-31"
`},
	{name: "asynchronous", file: "test_it.py", names: []string{"fetch"}, program: `
import asyncio
async def fetch(x):
    await asyncio.sleep(0)
    if x < 0: raise LookupError(x)
    return x * 2
`, tests: `
import asyncio, unittest
from solution import fetch
class T(unittest.IsolatedAsyncioTestCase):
    async def test_it(self):
        self.assertEqual(await fetch(3), 6)
        with self.assertRaises(LookupError):
            await fetch(-1)
        self.assertEqual(await asyncio.gather(fetch(1), fetch(2)), [2, 4])
`},
	{name: "ordered", file: "test_it.py", names: []string{"ordered", "counts"}, program: `
import collections
def ordered(xs): return collections.OrderedDict((x, i) for i, x in enumerate(xs))
def counts(text): return collections.Counter(text)
`, tests: `
from collections import Counter, OrderedDict
from solution import ordered, counts
def test_ordered():
    assert list(ordered("ab").items()) == [("a", 0), ("b", 1)]
    assert ordered("ba") == OrderedDict([("b", 0), ("a", 1)]) and list(ordered("xy")) == ["x", "y"]
def test_counts():
    assert counts("aab") == Counter("baa") and counts("aab").most_common(1) == [("a", 2)]
    n = 0
    for letter, count in counts("abb").items():
        n += count
        assert letter in "ab"
    assert n == 3
`},
}
