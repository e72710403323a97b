package language

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/sample"
)

// pythonShared are tests of what is shared between them and the program: a right
// program, which passes them in its own process, and what makes of it a wrong one.
var pythonShared = []struct{ name, right, wrong, tests string }{
	{"a list that is handed out", "class Box:\n    def __init__(self): self.xs = [1]\n    def all(self): return list(self.xs)\n", "Box.all = lambda self: self.xs",
		"def test():\n    b = Box()\n    got = b.all()\n    got.append(99)\n    assert b.all() == [1]\n"},
	{"an item of what is handed out", "class Box:\n    def __init__(self): self.xs = [1]\n    def all(self): return list(self.xs)\n    def size(self): return sum(self.xs)\n", "Box.all = lambda self: self.xs",
		"def test():\n    b = Box()\n    b.all()[0] = 9\n    assert b.size() == 1\n"},
	{"an attribute", "class Node:\n    def __init__(self): self.children = []\ndef depth(n): return 1 + max(map(depth, n.children), default=0)\n", "def depth(n): return 1",
		"import pytest\n@pytest.fixture\ndef root():\n    return Node()\ndef test(root):\n    root.children.append(Node())\n    assert depth(root) == 2\n"},
	{"a dictionary, unittest", "class Shop:\n    def __init__(self): self.stock = {}\n    def count(self): return sum(self.stock.values())\n", "Shop.count = lambda self: 0",
		"import unittest\nclass T(unittest.TestCase):\n    def setUp(self): self.shop = Shop()\n    def test(self):\n        self.shop.stock['a'] = 5\n        self.assertEqual(self.shop.count(), 5)\n"},
	{"rows in a loop", "class Grid:\n    def __init__(self): self.rows = [[0, 0], [0, 0]]\n    def total(self): return sum(map(sum, self.rows))\n", "Grid.total = lambda self: 0",
		"def test():\n    g = Grid()\n    for i in (0, 1): g.rows[i][i] = 1\n    assert g.total() == 2\n"},
	{"a function's result, asked again", "def load(name): return [name]\n", "load = __import__('functools').lru_cache(load)",
		"def test():\n    got = load('a')\n    got.append('b')\n    assert load('a') == ['a']\n"},
	{"a copy of an object", "import copy\nclass O:\n    def __init__(self): self.xs = [1]\ndef clone(o): return copy.deepcopy(o)\n", "clone = copy.copy",
		"def test():\n    o = O()\n    c = clone(o)\n    c.xs.append(2)\n    assert o.xs == [1]\n"},
	{"two objects", "class O:\n    def __init__(self): self.xs = []\n", "def init(self, xs=[]): self.xs = xs\nO.__init__ = init",
		"def test():\n    a, b = O(), O()\n    a.xs.append(2)\n    assert b.xs == []\n"},
	{"a library that changes", "class Q:\n    def __init__(self): self.heap = [5, 7]\n    def peek(self): return self.heap[0]\n", "Q.peek = lambda self: 5",
		"import heapq\ndef test():\n    q = Q()\n    heapq.heappush(q.heap, 3)\n    assert q.peek() == 3\n"},
	{"what the module has", "KNOWN = {}\ndef look(k): return KNOWN.get(k)\n", "def look(k): return None",
		"import solution\ndef test():\n    solution.KNOWN['b'] = 2\n    assert look('b') == 2\n"},
	{"what a class has", "class Box:\n    known = {}\n    def get(self, k): return self.known.get(k)\n", "Box.get = lambda self, k: None",
		"def test():\n    Box.known['b'] = 2\n    assert Box().get('b') == 2\n"},
	{"one object", "ONE = {}\ndef load(): return ONE\n", "def load(): return {}", "def test(): assert load() is load()\n"},
	{"two objects, unittest", "def load(): return []\n", "def load(x=[]): return x",
		"import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertIsNot(load(), load())\n"},
	{"their number", "def load(): return []\n", "def load(x=[]): return x", "def test():\n    a, b = load(), load()\n    assert id(a) != id(b)\n"},
	{"an argument, or not", "class Box:\n    def __init__(self, xs): self.xs = list(xs)\n", "def init(self, xs): self.xs = xs\nBox.__init__ = init",
		"def test():\n    xs = [1]\n    b = Box(xs)\n    assert b.xs is not xs\n"},
	{"an argument that is kept", "class Box:\n    def __init__(self, xs): self.xs = list(xs)\n    def all(self): return list(self.xs)\n", "def init(self, xs): self.xs = xs\nBox.__init__ = init",
		"def test():\n    xs = [1]\n    b = Box(xs)\n    xs.append(9)\n    assert b.all() == [1]\n"},
	{"an argument that a method keeps", "class Box:\n    def put(self, x): self.x = dict(x)\n    def get(self): return self.x\n", "def put(self, x): self.x = x\nBox.put = put",
		"def test():\n    d = {'a': 1}\n    b = Box()\n    b.put(d)\n    d['a'] = 2\n    assert b.get() == {'a': 1}\n"},
	{"an argument that a function keeps", "def make(xs):\n    xs = list(xs)\n    return lambda: xs\n", "def make(xs): return lambda: xs",
		"def test():\n    xs = [1]\n    f = make(xs)\n    xs.append(2)\n    assert f() == [1]\n"},
	{"a snapshot", "class Log:\n    def __init__(self): self.xs = [1]\n    def add(self, x): self.xs.append(x)\n    def all(self): return list(self.xs)\n", "Log.all = lambda self: self.xs",
		"def test():\n    l = Log()\n    s = l.all()\n    l.add(2)\n    assert s == [1]\n"},
	{"the length of a snapshot", "class Log:\n    def __init__(self): self.xs = [1]\n    def add(self, x): self.xs = self.xs + [x]\n", "def add(self, x): self.xs.append(x)\nLog.add = add",
		"def test():\n    l = Log()\n    s = l.xs\n    l.add(2)\n    assert len(s) == 1 and 2 not in s\n"},
	{"asdict", "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\ndef parse(s): return P(int(s))\n", "def parse(s): return P(0)",
		"from dataclasses import asdict\ndef test(): assert asdict(parse('3')) == asdict(P(3))\n"},
	{"fields", "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\ndef parse(s): return P(int(s))\n", "def parse(s): return P(0)",
		"import dataclasses\ndef test():\n    for f in dataclasses.fields(P): assert getattr(parse('3'), f.name) == 3\n"},
	{"slots", "class P:\n    __slots__ = ('x',)\n    def __init__(self, x): self.x = x\ndef parse(s): return P(int(s))\n", "def parse(s): return P(0)",
		"def test():\n    for n in P.__slots__: assert getattr(parse('3'), n) == 3\n"},
	{"annotations", "class P:\n    x: int\n    def __init__(self, x): self.x = x\ndef parse(s): return P(int(s))\n", "def parse(s): return P(0)",
		"def test():\n    for n in P.__annotations__: assert getattr(parse('3'), n) == 3\n"},
	{"vars", "class P:\n    def __init__(self): self.x = 1\n", "def init(self): self.x = 2\nP.__init__ = init", "def test(): assert vars(P()) == {'x': 1}\n"},
	{"documentation", "def f():\n    'Says hello.'\n", "f.__doc__ = None", "def test(): assert f.__doc__ == 'Says hello.'\n"},
	{"positions of a class", "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\n    y: int\ndef parse(s): return P(1, 2)\n", "def parse(s): return P(2, 1)",
		"def test():\n    match parse(''):\n        case P(1, 2): pass\n        case _: assert False\n"},
}

// TestPythonShared: tests that rest on sharing go in process, where a right program
// passes them and a wrong one does not.
func TestPythonShared(t *testing.T) {
	for _, c := range pythonShared {
		t.Run(c.name, func(t *testing.T) {
			sample.Row(t, 3)
			tests := pythonTests("from solution import *\n" + c.tests)
			for _, src := range []string{c.right, c.right + c.wrong + "\n"} {
				v := rigExam(t, Python, pythonProgram(src), tests)
				if v.pass != (src == c.right) || v.proof != glovebox.ProofInProcess {
					t.Errorf("pass %v, %s: %s\n%s\n%s", v.pass, v.proof, v.why, v.candidate.report, src)
				}
			}
		})
	}
}

// pythonTogether are tests that rest on sharing, by their text.
var pythonTogether = []string{
	"import pytest\n@pytest.mark.parametrize('cls', [A, B])\ndef test(cls):\n    b = cls()\n    b.items.append(1)\n    assert b.total() == 1\n",
	"def test():\n    b = Box()\n    def grow():\n        b.items.append(1)\n    grow()\n    assert b.total() == 1\n",
	"def fill(b, x):\n    b.items.append(x)\ndef test():\n    b = Box()\n    fill(b, 1)\n    assert b.total() == 1\n",
	"import unittest\nclass T(unittest.TestCase):\n    def fill(self, b):\n        b.items.append(1)\n    def test(self):\n        b = Box()\n        self.fill(b)\n        assert b.total() == 1\n",
	"def test():\n    b = B()\n    b.items.append(2)\n    assert b.total() == 2\n",
	"def test():\n    b = B()\n    b.all()[0] = 9\n    assert b.all() == [1]\n",
	"def test():\n    b = B()\n    del b.d['a']\n    assert b.count() == 1\n",
	"def test():\n    b = B()\n    for i in range(3):\n        assert b.count() == i\n        b.items.append(i)\n",
	"def test():\n    b = B()\n    got = b.rows()\n    for r in got:\n        r.append(1)\n    assert b.rows() == [[1]]\n",
	"def test():\n    b = B()\n    for r in b.rows():\n        r[0] = 1\n    assert b.rows() == [[1]]\n",
	"def test():\n    got = load('a')\n    got.append(1)\n    assert load('a') == []\n",
	"def test():\n    load()['x'] = 1\n    assert 'x' not in load()\n",
	"def test():\n    first = append(1)\n    first.append(9)\n    assert append(1) == [1]\n",
	"def test():\n    o = O()\n    c = deep(o)\n    c.l.append(2)\n    assert o.l == [1]\n",
	"def test():\n    b = Box()\n    items = b.all()\n    items.append(3)\n    assert b.size() == 0\n",
	"def test():\n    g = Graph()\n    n = g.neighbors('a')\n    n.add('z')\n    assert g.neighbors('a') == set()\n",
	"import random\ndef test():\n    d = Deck()\n    random.shuffle(d.cards)\n    assert d.draw() == 1\n",
	"import heapq\ndef test():\n    q = Q()\n    heapq.heappush(q.heap, 3)\n    assert q.peek() == 3\n",
	"import solution\ndef test():\n    solution.CACHE.clear()\n    assert solution.f(1) == 1\n",
	"def test():\n    Box.registry['a'] = 1\n    assert Box.get('a') == 1\n",
	"import pytest\n@pytest.fixture\ndef inv():\n    i = Inv()\n    i.stock['a'] = 1\n    return i\ndef test(inv):\n    assert inv.count() == 1\n",
	"import pytest\n@pytest.fixture\ndef inv():\n    return Inv()\ndef test(inv):\n    inv.stock['a'] = 1\n    assert inv.count() == 1\n",
	"import unittest\nclass T(unittest.TestCase):\n    def setUp(self):\n        self.b = Box()\n        self.b.items.append(1)\n    def test(self):\n        self.assertEqual(self.b.total(), 1)\n",
	"def make():\n    return Box()\ndef test():\n    b = make()\n    b.items.append(1)\n    assert b.total() == 1\n",
	"def test():\n    b = Box()\n    got = b.all()\n    got += [3]\n    assert b.all() == []\n",
	"def test():\n    xs = [1]\n    b = Box(xs)\n    xs.append(2)\n    assert b.all() == [1]\n",
	"def test():\n    b = Box()\n    d = {'a': 1}\n    b.put(d)\n    d['a'] = 2\n    assert b.get(0) == {'a': 1}\n",
	"def test():\n    xs = [1]\n    b = Box(items=xs)\n    xs.clear()\n    assert b.all() == [1]\n",
	"def test():\n    l = Log()\n    s = l.snapshot()\n    l.add(2)\n    assert s == [1]\n",
	"def test():\n    l = Log()\n    s = l.items\n    l.items = [2]\n    assert s == [1]\n",
	"def test():\n    l = Log()\n    s = l.all()\n    l.add(2)\n    assert len(s) == 1\n",
	"def test():\n    l = Log()\n    s = l.all()\n    l.add(2)\n    assert 2 not in s\n",
	"def test():\n    l = Log()\n    s = l.all()\n    l.add(2)\n    assert l.all() != s\n",
	"import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        l = Log()\n        s = l.all()\n        l.add(2)\n        self.assertEqual(s, [1])\n",
	"def test():\n    a = load('a')\n    b = load('a')\n    assert a is b\n",
	"import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertIsNot(load(), load())\n",
	"def test():\n    assert id(load()) != id(load())\n",
	"def test():\n    xs = [1]\n    b = Box(xs)\n    assert b.items is not xs\n",
	"def test():\n    b = Box()\n    assert b.all() is not b.all()\n",
	"def test():\n    assert get_config() is get_config()\n",
	"def test():\n    b = Box()\n    assert vars(b) == {'a': 1}\n",
	"def test():\n    xs = [1]\n    f = make(xs)\n    xs.append(2)\n    assert f.total() == 1\n",
	"b = Box()\nb.items.append(1)\nassert b.total() == 1\n",
	"b = Box()\ngot = b.all()\ngot.append(1)\nassert b.all() == []\n",
	"def check(candidate):\n    a = candidate(3)\n    a.append(1)\n    assert candidate(3) == [1]\n",
	"def test():\n    a = Box()\n    b = a.copy()\n    b.items.append(1)\n    assert a.items == []\n",
	"import copy\ndef test():\n    a = Box()\n    b = copy.deepcopy(a)\n    b.items.append(1)\n    assert a.items == []\n",
	"def test():\n    xs = [1]\n    f = make(xs)\n    xs.append(2)\n    assert f() == [1]\n",
	"def test():\n    g = Graph()\n    g.nodes['a']['b'] = 1\n    assert g.edges() == 1\n",
	"def test():\n    g = Graph()\n    g.nodes.setdefault('a', []).append(1)\n    assert g.edges() == 1\n",
	"def test():\n    g = Graph()\n    for v in g.nodes.values():\n        v.append(1)\n    assert g.edges() == 1\n",
	"def test():\n    with Box() as b:\n        b.items.append(1)\n        assert b.total() == 1\n",
}

// pythonApart are tests that do not.
var pythonApart = []string{
	"def test():\n    res = f([2,1])\n    res.sort()\n    assert res == [1,2]\n",
	"def test():\n    for xs, want in CASES:\n        res = f(xs)\n        res.sort()\n        assert res == want\n",
	"import pytest\n@pytest.mark.parametrize('xs,want', [([1],[1])])\ndef test(xs, want):\n    res = f(xs)\n    res.sort()\n    assert res == want\n    xs.append(1)\n    assert f(xs) == xs\n",
	"def test():\n    res = f([2,1])\n    res.sort()\n    assert res == [1,2]\n    res = f([3,1])\n    res.sort()\n    assert res == [1,3]\n",
	"class TestIt:\n    def setup_method(self):\n        self.s = Solution()\n    def test_a(self):\n        got = self.s.permute([1,2])\n        got.sort()\n        assert got == [[1,2]]\n        got = self.s.permute([3])\n        got.sort()\n        assert got == [[3]]\n",
	"def test():\n    s = Solution()\n    for xs, want in CASES:\n        got = s.permute(xs)\n        got.sort()\n        assert got == want\n",
	"def test():\n    s = Solution()\n    got = s.group(['a','b'])\n    for g in got:\n        g.sort()\n    got.sort()\n    assert got == [['a'],['b']]\n",
	"def test():\n    for xs in CASES:\n        b = Box(xs)\n        got = b.all()\n        got.sort()\n        assert got == xs\n",
	"def test():\n    res = f(3)\n    assert res.pop() == 3\n    assert res == []\n    assert f(4)\n",
	"def test():\n    d = f('a b')\n    d.pop('x', None)\n    assert d == {'a': 1}\n    assert f('b')\n",
	"def test():\n    items = [1]\n    assert f(items) == 1\n    items.append(4)\n    assert f(items) == 5\n",
	"def test():\n    xs = [1]\n    b = Box(xs)\n    xs = [2]\n    xs.append(3)\n    assert b.all() == [1]\n",
	"def test():\n    a = App()\n    a.cart.add('x')\n    assert a.cart.total() == 5\n",
	"def test():\n    n = Node(1)\n    n.next = Node(2)\n    n.next.value = 3\n    assert n.next.value == 3\n    n.count += 1\n    assert n.count == 1\n",
	"def test():\n    d = Store()\n    d['a'] = 1\n    del d['a']\n    assert len(d) == 0\n",
	"def test():\n    s = Stack()\n    s.append(1)\n    s.pop()\n    s.clear()\n    assert len(s) == 0\n",
	"def test():\n    a = Account()\n    before = a.balance\n    a.deposit(5)\n    assert a.balance == before + 5\n",
	"def test():\n    q = Queue()\n    x = q.get()\n    q.put(3)\n    assert x == 2\n    assert (x, 1) == (2, 1)\n",
	"def test():\n    l = Log()\n    s = list(l.items)\n    l.add(2)\n    assert s == [1]\n    t = len(l.items)\n    l.add(2)\n    assert t == 3\n    u = l.items[:]\n    l.add(2)\n    assert u == [3]\n    v = sorted(l.all())\n    l.add(1)\n    assert v == [1]\n",
	"def test():\n    s = Store()\n    i = s.add('a')\n    s.remove(i)\n    assert s.get(i) is None\n",
	"def test():\n    t = Tree()\n    n = t.find(3)\n    t.insert(4)\n    assert n.value == 3\n",
	"import pytest\ndef test():\n    a = Account(5)\n    before = a.history()\n    with pytest.raises(ValueError):\n        a.withdraw(9)\n    assert a.history() == before\n",
	"def test():\n    assert f(1) is None\n    assert f(2) is not None\n    assert f(3) is True\n    assert type(f(4)) is list\n    assert type(f(1)) is type(f(2))\n",
	"def test():\n    l = Light()\n    assert l.color is Color.RED\n    assert l.next() is Color.GREEN\n    assert f(1) is Color.RED\n",
	"def test():\n    a, b = One(), One()\n    assert a is b\n    assert One() is One()\n",
	"def test():\n    s = Stack()\n    assert s.push(1) is s\n    assert s.push(2).push(3) is s\n",
	"def test():\n    xs = [1]\n    assert f(xs) is xs\n    ys = [2]\n    got = f(ys)\n    assert got is not ys\n",
	"def test():\n    l = List()\n    l.add(1)\n    assert l.head is l.tail\n    assert l.head.value == 1\n",
	"def test():\n    xs = [1]\n    ys = xs\n    ys.append(2)\n    assert xs is ys\n    assert f(xs) == 3\n",
	"class P:\n    pass\ndef test():\n    p = P()\n    b = Box()\n    b.put(p)\n    assert b.get(0) is p\n",
	"import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\ndef test():\n    assert f(dataclasses.asdict(P(1))) == 1\n",
	"import copy\ndef test():\n    xs = [1]\n    assert f(copy.copy(xs)) == 1\n    got = f(xs)\n    before = copy.copy(got)\n    assert before == [1]\n",
	"def test():\n    assert f.__name__ == 'f'\n    assert f(1).__class__ is Box\n",
	"def test():\n    match f(1):\n        case [1, 2]: pass\n        case {'a': x}: assert x\n        case P(x=1): pass\n",
	"import solution\ndef test():\n    solution.add(1, 2)\n    assert solution.add(1, 2) == 3\n    assert solution.remove([1], 1) == []\n",
	"def test():\n    out = []\n    b = Box()\n    for x in b.all():\n        out.append(x)\n    out.sort()\n    assert out == [1]\n    assert b.all() == [1]\n",
	"def test():\n    seen = {}\n    for x in f(3):\n        seen[x] = seen.get(x, 0) + 1\n    assert seen == {1: 1}\n    assert f(3)\n",
	"def test():\n    s = MySet([1])\n    t = MySet([2])\n    s.add(3)\n    u = s.union(t)\n    u.add(9)\n    assert u.contains(9)\n    assert not s.contains(9)\n",
	"def test():\n    g = gen()\n    assert next(g) == 1\n    b = Box()\n    it = iter(b)\n    assert next(it) == 1\n    b.add(2)\n    assert len(b) == 2\n",
	"def test():\n    c = LRU(2)\n    c.put(1, 1)\n    r = c.get(1)\n    c.put(2, 2)\n    assert r == 1\n    assert c.get(1) == -1\n",
	"def test():\n    t = Timer()\n    a = t.now()\n    t.tick()\n    assert t.now() > a\n",
	"import heapq\ndef test():\n    h = f([3,1])\n    assert heapq.heappop(h) == 1\n    assert f([2]) == [2]\n",
	"def same(b, want):\n    got = b.all()\n    got.sort()\n    assert got == want\ndef test():\n    b = Box()\n    same(b.all(), [])\n    assert f(b) == 1\n",
	"class Node:\n    def __init__(self):\n        self.children = []\ndef add(n, c):\n    n.children.append(c)\ndef test():\n    n = Node()\n    add(n, Node())\n    assert depth(n) == 2\n",
	"def same(b, want):\n    got = b.all()\n    got.sort()\n    assert got == want\ndef test():\n    b = Box()\n    same(b, [])\n    assert f(b) == 1\n",
	"def test():\n    q = Queue()\n    want = 3\n    x = q.get()\n    q.put(4)\n    assert x == want\n",
	"def test():\n    calls = []\n    def cb(x):\n        calls.append(x)\n        return x\n    b = Bus()\n    b.on(cb)\n    b.emit(1)\n    assert calls == [1]\n",
	"import pytest\n@pytest.mark.parametrize('f,want', [(one, [1]), (two, [2])])\ndef test(f, want):\n    got = f(1)\n    got.sort()\n    assert got == want\n",
	"def test():\n    rows = [[1], [2]]\n    [x.append(3) for x in rows]\n    assert f(rows) == 1\n    g = lambda acc: acc.append(1)\n    g(rows)\n    assert f(rows) == 2\n",
}

// TestPythonSharedText asks for the form of many tests at once.
func TestPythonSharedText(t *testing.T) {
	texts, err := json.Marshal([][]string{pythonTogether, pythonApart})
	if err != nil {
		t.Fatal(err)
	}
	r := rigPlan(t, Python, pythonProgram(`
import json, sys
sys.path.append("/opt/glovebox/python")
from _glovebox import exam, needs
modules = {"solution": "", "main": ""}
for form, texts in zip(("together", "apart"), json.loads(input())):
    for text in texts:
        found = needs.verdict([exam.Reading("test_it.py", ("from solution import *\nimport solution\n" + text).encode(), modules, "", ["test_it"])], modules)
        if found[0] != form:
            print(found, text, sep="\n")
print("read")
`), string(texts)+"\n")
	if strings.TrimSpace(r.stdout) != "read" || r.exit != 0 {
		t.Errorf("exit %d\n%s\n%s", r.exit, r.stdout, r.stderr)
	}
}
