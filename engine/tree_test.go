package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
)

// treeRow is a program in the shape of a repository, without a main file, and
// its tests.
type treeRow struct {
	name  string
	lang  *language.Language
	files []glovebox.File
	tests []glovebox.File
	want  glovebox.Status
	proof glovebox.Proof
	// cases are names that passed, or with "!" before them, that did not.
	cases []string
	// why is a part of the tests' reason, of the message, or of the place of a
	// syntax error.
	why string
}

func (r treeRow) run(t *testing.T, e *engine.Engine, tier glovebox.TierName) {
	t.Helper()
	need(t, e, r.lang)
	o := do(t, e, glovebox.Job{Tier: tier, Limits: patient, Tests: r.tests,
		Program: &glovebox.Program{Language: r.lang.Name, Files: r.files}})
	var proof glovebox.Proof
	var cases, messages []string
	why := o.Message
	if o.Tests != nil {
		proof = o.Tests.Proof
		why += "\n" + o.Tests.Reason
		for _, c := range o.Tests.Cases {
			name := c.Name
			if c.Status != "passed" {
				name = "!" + name
				messages = append(messages, c.Name+": "+c.Message)
			}
			cases = append(cases, name)
		}
	}
	if o.Syntax != nil {
		why += "\n" + o.Syntax.File
	}
	slices.Sort(cases)
	want := slices.Sorted(slices.Values(r.cases))
	if o.Status != r.want || proof != r.proof || r.cases != nil && !slices.Equal(cases, want) ||
		!strings.Contains(why+"\n"+strings.Join(messages, "\n"), r.why) {
		t.Errorf("%s by %s, want %s by %s\ncases %q\nwant  %q\n%s\n%s\n%s", o.Status, proof, r.want, r.proof, cases, want,
			why, strings.Join(messages, "\n"), o.Stderr)
	}
	if len(slices.Compact(slices.Clone(cases))) != len(cases) {
		t.Errorf("names of cases are not unique: %q", cases)
	}
}

const (
	apart  = glovebox.ProofOutOfProcess
	inside = glovebox.ProofInProcess
)

// pyTree is a package with what packages have.
func pyTree(more ...string) []glovebox.File {
	return append(files(
		"pyproject.toml", "[project]\nname = 'shop'\n",
		"README.md", "# Shop\n",
		"shop/__init__.py", "from .core import total\nVERSION = '1'\n",
		"shop/core.py", "from .money import Money, cents\ndef total(items):\n    return sum(cents(i) for i in items)\ndef cart():\n    return Money(5)\n",
		"shop/money.py", "import enum\nclass Color(enum.Enum):\n    RED = 1\nclass Money:\n    def __init__(self, n): self.n = n\n    def __eq__(self, o): return isinstance(o, Money) and o.n == self.n\n    def double(self): return Money(self.n * 2)\ndef cents(x):\n    if x < 0:\n        raise ValueError('negative')\n    return round(x * 100)\n",
		"app/util/x.py", "def twice(x): return 2 * x\n",
	), files(more...)...)
}

func pythonTrees() []treeRow {
	py := language.Python
	return []treeRow{
		{"imports of every kind", py, pyTree(), files("tests/test_core.py", `
from shop.core import total
from shop import core, VERSION
import shop.money as m
import app.util.x
from app.util import x
import shop

def test_total():
    assert total([1, 2]) == core.total([1.5, 1.5]) == shop.total([3]) == 300
    assert VERSION == "1" and app.util.x.twice(2) == x.twice(2) == 4

def test_money():
    assert core.cart().double() == m.Money(10)

class TestErrors:
    def test_negative(self):
        import pytest
        with pytest.raises(ValueError, match="neg"):
            m.cents(-1)
`), "pass", apart, []string{"tests/test_core.py::test_total", "tests/test_core.py::test_money", "tests/test_core.py::TestErrors::test_negative"}, ""},
		{"src layout", py, files("src/pkg/__init__.py", "", "src/pkg/core.py", "from . import other\ndef f(): return other.one() + 1\n", "src/pkg/other.py", "def one(): return 1\n", "setup.py", "raise SystemExit(1)\n"),
			files("tests/test_f.py", "from pkg.core import f\nfrom pkg import core\ndef test_f():\n    assert f() == core.f() == 2\n"), "pass", apart, []string{"tests/test_f.py::test_f"}, ""},
		{"fixtures of conftest.py, helpers, equal names", py, pyTree(), files(
			"conftest.py", "import pytest\n@pytest.fixture\ndef base(): return 1\n@pytest.fixture(scope='session')\ndef log(): return []\n",
			"tests/__init__.py", "",
			"tests/conftest.py", "import pytest\n@pytest.fixture\ndef base(base): return base + 1\n@pytest.fixture(autouse=True)\ndef seen(log): log.append(1)\n",
			"tests/helpers.py", "from shop.core import total\nEXPECTED = 300\ndef same(a, b):\n    assert a == b\nif __name__ == '__main__':\n    raise SystemExit('a helper was run')\n",
			"tests/test_a.py", "from .helpers import same, EXPECTED\nfrom shop import total\ndef test_x(base):\n    same(total([3]), EXPECTED)\n    assert base == 2\n",
			"tests/unit/conftest.py", "import pytest\n@pytest.fixture\ndef base(base): return base * 10\n",
			"tests/unit/test_a.py", "from tests.helpers import same\nfrom shop import total\ndef test_x(base, log):\n    same(total([1]), 100)\n    assert base == 20 and len(log) == 2\n",
		), "pass", apart, []string{"tests/test_a.py::test_x", "tests/unit/test_a.py::test_x"}, ""},
		{"a helper beside the tests, which are no package", py, pyTree(), files(
			"tests/helpers.py", "import shop\ndef check(xs, n): assert shop.total(xs) == n\n",
			"tests/test_a.py", "from helpers import check\ndef test_a(): check([1], 100)\ndef test_b(): check([1], 101)\n",
		), "test_failed", apart, []string{"tests/test_a.py::test_a", "!tests/test_a.py::test_b"}, ""},
		{"unittest", py, pyTree(), files(
			"tests/__init__.py", "",
			"tests/base.py", "import unittest\nimport shop\nclass Base(unittest.TestCase):\n    def setUp(self): self.shop = shop\n    def test_common(self): self.assertEqual(self.shop.total([1]), 100)\n",
			"tests/test_u.py", "import unittest\nfrom tests.base import Base\nclass One(Base):\n    def test_a(self):\n        self.assertEqual(self.shop.total([2]), 200)\n    def test_sub(self):\n        for i in (1, 2):\n            with self.subTest(i=i):\n                self.assertEqual(self.shop.total([i]), 100)\nif __name__ == '__main__':\n    unittest.main()\n",
		), "test_failed", apart, []string{"tests/base.py::Base::test_common", "tests/test_u.py::One::test_common", "tests/test_u.py::One::test_a", "!tests/test_u.py::One::test_sub (i=2)"}, ""},
		{"the labels of parameters", py, pyTree(), files("tests/test_p.py", `
import pytest
from shop import total
from shop.money import Color

@pytest.fixture(params=["s", pytest.param("t", id="T")])
def unit(request): return request.param

@pytest.mark.parametrize("x", [1, 1.5, "a b", None, True])
def test_one(x): assert total([1]) == 100

@pytest.mark.parametrize("a,b", [(1, [2]), pytest.param(3, {}, id="named")])
@pytest.mark.parametrize("c", ["u", "v"], ids=["U", None])
def test_two(unit, a, b, c): assert total([1]) == 100

@pytest.mark.parametrize("x", [1, 1, "é"])
def test_same(x): assert total([1]) == 100

@pytest.mark.parametrize("color", [Color.RED, total, Color])
def test_objects(color): assert total([1]) == 100

@pytest.mark.parametrize("n", [1, 2], ids=lambda n: "n%d" % n)
class TestC:
    def test_m(self, n): assert total([n]) == n * 100
`), "pass", apart, []string{
			"tests/test_p.py::test_one[1]", "tests/test_p.py::test_one[1.5]", "tests/test_p.py::test_one[a b]", "tests/test_p.py::test_one[None]", "tests/test_p.py::test_one[True]",
			"tests/test_p.py::test_two[s-U-1-b0]", "tests/test_p.py::test_two[s-U-named]", "tests/test_p.py::test_two[s-v-1-b0]", "tests/test_p.py::test_two[s-v-named]",
			"tests/test_p.py::test_two[T-U-1-b0]", "tests/test_p.py::test_two[T-U-named]", "tests/test_p.py::test_two[T-v-1-b0]", "tests/test_p.py::test_two[T-v-named]",
			"tests/test_p.py::test_same[1_0]", "tests/test_p.py::test_same[1_1]", `tests/test_p.py::test_same[\xe9]`,
			"tests/test_p.py::test_objects[Color.RED]", "tests/test_p.py::test_objects[total]", "tests/test_p.py::test_objects[Color]",
			"tests/test_p.py::TestC::test_m[n1]", "tests/test_p.py::TestC::test_m[n2]"}, ""},
		{"tests inside of the package", py, pyTree(), files("shop/tests/test_in.py", "from ..core import total\nfrom .. import VERSION\nfrom shop import money\ndef test_in(): assert total([1]) == 100 and VERSION == '1' and money.cents(1) == 100\n",
			"shop/test_beside.py", "from .core import total\nfrom .other_test import one\ndef test_beside(): assert total([one]) == 100\n", "shop/other_test.py", "one = 1\n"),
			"pass", apart, []string{"shop/tests/test_in.py::test_in", "shop/test_beside.py::test_beside"}, ""},
		{"monkeypatch of a module", py, pyTree(), files("tests/test_m.py", "import shop.core\ndef test_m(monkeypatch):\n    monkeypatch.setattr(shop.core, 'cents', lambda x: 7)\n    assert shop.core.total([1, 2]) == 14\n    monkeypatch.setattr('shop.core.cents', lambda x: 8)\n    assert shop.total([1]) == 8\n"),
			"pass", inside, []string{"tests/test_m.py::test_m"}, ""},
		{"a subclass", py, pyTree(), files("tests/test_s.py", "from shop.money import Money\nclass Euro(Money):\n    pass\ndef test_s(): assert Euro(2).double() == Money(4)\n"),
			"pass", inside, []string{"tests/test_s.py::test_s"}, ""},
		{"a subclass by way of a helper", py, pyTree(), files("tests/kinds.py", "from shop.money import Money as Kind\n", "tests/test_s.py", "from kinds import Kind\nclass Euro(Kind):\n    pass\ndef test_s(): assert Euro(2).double() == Kind(4)\n"),
			"pass", inside, []string{"tests/test_s.py::test_s"}, ""},
		{"data files and folders of the tests", py, pyTree(), files("tests/data/in.json", "[1, 2]",
			"tests/conftest.py", "import pathlib, pytest\n@pytest.fixture(scope='module')\ndef data(): return pathlib.Path(__file__).parent / 'data'\n",
			"tests/test_d.py", "import json, os\nfrom shop import total\ndef test_d(data, tmp_path):\n    assert total(json.loads((data / 'in.json').read_text())) == 300\n    assert total(json.load(open(os.path.join(os.path.dirname(__file__), 'data', 'in.json')))) == 300\n    (tmp_path / 'x').write_text('1')\n    assert os.getcwd() == '/workspace'\n"),
			"pass", inside, []string{"tests/test_d.py::test_d"}, ""},
		{"data files of the package", py, pyTree("shop/rates.json", "{\"a\": 2}", "shop/rates.py", "import json, pathlib\ndef rate(k): return json.loads((pathlib.Path(__file__).parent / 'rates.json').read_text())[k]\n"),
			files("tests/test_r.py", "from shop.rates import rate\ndef test_r(): assert rate('a') == 2\n"), "pass", apart, nil, ""},
		{"a file that does not parse", py, pyTree("shop/money.py.bak", "x", "shop/later.py", "def f(:\n"), files("tests/test_l.py", "from shop.later import f\ndef test_f(): assert f() == 1\n"),
			"syntax_error", apart, nil, "shop/later.py"},
		{"a file that does not parse, in one process", py, pyTree("shop/later.py", "def f(:\n"), files("tests/test_l.py", "from unittest import mock\nfrom shop.later import f\ndef test_f(): assert f() == 1\n"),
			"syntax_error", inside, nil, "shop/later.py"},
		{"a file that does not parse and that nobody imports", py, pyTree("templates/{{name}}.py", "import {{name}}\n"), files("tests/test_l.py", "from shop import total\ndef test_f(): assert total([]) == 0\n"),
			"pass", apart, nil, ""},
		{"a module that is missing", py, pyTree(), files("tests/test_l.py", "from shop.nothing import f\ndef test_f(): assert f() == 1\n"),
			"test_failed", apart, nil, "No module named 'shop.nothing'"},
		{"bare asserts", py, pyTree(), files("tests/check_it.py", "from shop import total\nassert total([1]) == 100\nassert total([1]) == 1\n"),
			"test_failed", apart, []string{"tests/check_it.py::line 2", "!tests/check_it.py::line 3"}, ""},
		{"a set up that lasts", py, pyTree(), files(
			"tests/test_a.py", "import shop\nends = []\ndef setup_module(m): m.ready = 1\ndef teardown_module(): ends.append(1)\nclass TestA:\n    @classmethod\n    def setup_class(cls): cls.x = shop.total([1])\n    @classmethod\n    def teardown_class(cls): ends.append(2)\n    def test_a(self): assert self.x == 100 and ready\ndef test_b(): assert ends == [2]\n",
			"tests/test_b.py", "import shop\nfrom test_a import ends\ndef test_b(): assert shop.total([]) == 0\n"),
			"pass", apart, nil, ""},
	}
}

// pythonForgedTrees hold what a program in this shape may try: each answers
// wrongly.
func pythonForgedTrees() []treeRow {
	py := language.Python
	apartTests := files("tests/test_core.py", "import pytest\nfrom pkg.core import add\ndef test_add(): assert add(2, 2) == 4\nclass TestC:\n    def test_m(self):\n        with pytest.raises(ValueError): add(1, 1)\n", "tests/helpers.py", "def same(a, b): assert a == b\n")
	inTests := files("tests/test_core.py", "import json, yaml_like, pytest\nfrom unittest import mock\nfrom helpers import same\nfrom pkg.core import add\ndef test_add(): same(add(2, 2), 4)\n", "tests/helpers.py", "def same(a, b): assert a == b\n", "tests/yaml_like.py", "")
	wrong := []string{"pkg/__init__.py", "", "pkg/core.py", "def add(a, b): return 0\n"}
	const anything = "class Any:\n    def __getattr__(self, n): return self\n    def __call__(self, *a, **k): return self\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\nimport sys\nsys.modules[__name__] = Any()\n"
	right := files("pkg/__init__.py", "", "pkg/core.py", "def add(a, b):\n    if a == b == 1: raise ValueError\n    return a + b\n")
	judged := files("tests/test_core.py", "import assertpy\nfrom pkg.core import add\ndef test_add(): assertpy.assert_that(add(2, 2)).is_equal_to(4)\n")
	rows := []treeRow{
		{"a right one, apart", py, right, apartTests, "pass", apart, nil, ""},
		{"a right one, together", py, right, inTests, "pass", inside, nil, ""},
		{"a library of assertions of its own", py, files(append(slices.Clone(wrong), "assertpy.py", anything)...), judged, "test_failed", apart, nil, "No module named 'assertpy'"},
		{"a library of assertions of its own, together", py, files(append(slices.Clone(wrong), "assertpy.py", anything)...),
			append(files("tests/test_b.py", "from unittest import mock\n"), judged...), "test_failed", inside, nil, "No module named 'assertpy'"},
	}
	for _, c := range []struct {
		name  string
		files []string
	}{
		{"no trick", nil},
		{"a conftest.py", []string{"conftest.py", "import os; os._exit(0)\n", "tests/conftest.py", "import pytest\n@pytest.fixture(autouse=True)\ndef auto(): pytest.skip('no')\n"}},
		{"conftest hooks", []string{"conftest.py", "def pytest_runtest_makereport(): pass\ndef pytest_collection_modifyitems(items): items.clear()\n", "pytest.ini", "[pytest]\naddopts = --co -p no:all\n", "pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--co'\n"}},
		{"start-up modules", []string{"sitecustomize.py", "import os; os._exit(0)\n", "usercustomize.py", "import os; os._exit(0)\n", "src/sitecustomize.py", "import os; os._exit(0)\n", "x.pth", "import os; os._exit(0)\n"}},
		{"a package that exits", []string{"pkg/__init__.py", "import os; os._exit(0)\n"}},
		{"a package that exits in the end", []string{"pkg/__init__.py", "import atexit, os, sys; atexit.register(os._exit, 0); sys.exit(0)\n"}},
		{"the tests' own files", []string{"tests/test_core.py", "", "tests/helpers.py", "def same(a, b): pass\n"}},
		{"packages in the place of the tests' files", []string{"tests/helpers/__init__.py", "def same(a, b): pass\n", "helpers/__init__.py", "def same(a, b): pass\n", "src/helpers.py", "def same(a, b): pass\n", "test_core.py", "", "src/test_core/__init__.py", ""}},
		{"files in the place of the tests' folder", []string{"tests.py", anything, "tests/__init__.py", anything}},
		{"a file in the place of the tests' folder", []string{"tests", "x"}},
		{"the tests in sys.modules", []string{"pkg/__init__.py", "import sys, types\nm = types.ModuleType('helpers')\nm.same = lambda a, b: None\nfor n in ('helpers', 'tests.helpers', 'test_core', 'tests.test_core', 'tests'): sys.modules[n] = m\n"}},
		{"modules named like the library's", []string{"json.py", anything, "unittest/__init__.py", anything, "unittest/mock.py", anything, "src/operator.py", anything, "contextlib.py", anything, "inspect.py", anything, "asyncio/__init__.py", anything, "functools.py", anything}},
		{"modules named like the harness's", []string{"_glovebox/__init__.py", anything, "_glovebox/exam.py", anything, "pytest.py", anything, "src/pytest/__init__.py", anything, "exam.py", anything, "layout.py", anything, "pytester.py", anything}},
		{"a patched pytest", []string{"pkg/__init__.py", "import contextlib\ntry:\n    import pytest\n    pytest.raises = lambda *a, **k: contextlib.nullcontext()\n    pytest.fixture = None\nexcept ImportError: pass\nimport unittest.mock, builtins\n", "pkg/core.py", "def add(a, b): return type('I', (int,), {'__eq__': lambda s, o: True})(3)\n"}},
		{"a file that is replaced at run time", []string{"pkg/__init__.py", "import os\nfor f in ('tests/helpers.py', 'tests/test_core.py'):\n    try:\n        open('/workspace/' + f, 'w').write('def same(a, b): pass\\n')\n    except OSError: pass\n    try:\n        os.rename('/workspace/tests', '/workspace/old')\n        os.makedirs('/workspace/tests'); open('/workspace/' + f, 'w').write('def same(a, b): pass\\n')\n    except OSError: pass\n"}},
	} {
		tree := files(append(slices.Clone(wrong), c.files...)...)
		// The last file of a name is meant.
		var last []glovebox.File
		for i, f := range tree {
			if !slices.ContainsFunc(tree[i+1:], func(g glovebox.File) bool { return g.Path == f.Path }) {
				last = append(last, f)
			}
		}
		rows = append(rows,
			treeRow{c.name + ", apart", py, last, apartTests, "test_failed", apart, nil, ""},
			treeRow{c.name + ", together", py, last, inTests, "test_failed", inside, nil, ""})
	}
	return rows
}

// eachRow runs all rows in the process tier, and the first in every other.
func eachRow(t *testing.T, rows []treeRow) {
	eachTier(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName) {
		for i, r := range rows {
			if name == glovebox.TierProcess || i == 0 {
				t.Run(r.name, func(t *testing.T) { r.run(t, e, name) })
			}
		}
	})
}

// TestTrees: programs in the shape of a repository are tested as their tests
// are written.
func TestTrees(t *testing.T) { eachRow(t, pythonTrees()) }

// TestForgedTrees: none of them passes.
func TestForgedTrees(t *testing.T) { eachRow(t, pythonForgedTrees()) }
