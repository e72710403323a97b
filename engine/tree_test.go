package engine_test

import (
	"fmt"
	"os/exec"
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
	limits := patient
	limits.Files = 20000
	o := do(t, e, glovebox.Job{Tier: tier, Limits: limits, Tests: r.tests,
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
	for _, a := range o.Artifacts {
		if r.lang == language.Go {
			t.Errorf("the artifact %s is none of the program's", a.Name)
		}
	}
}

const (
	apart  = glovebox.ProofOutOfProcess
	inside = glovebox.ProofInProcess
)

// manyNames are files whose names are longer together than an argument may be.
func manyNames(n int) []string {
	var tree []string
	for i := range n {
		tree = append(tree, fmt.Sprintf("shop/deep/é%d/module_of_a_long_name.py", i), "x = 100\n")
	}
	return tree
}

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
	// What only pytest itself has runs where the host's Python has it.
	hooked := treeRow{want: glovebox.StatusTestsUnrunnable, why: "pytest itself is not here"}
	if exec.Command("python3", "-c", "import pytest").Run() == nil {
		hooked = treeRow{want: glovebox.StatusPass, proof: inside, cases: []string{"tests/test_h.py::test_h[1]"}}
	}
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
`), "pass", glovebox.ProofCandidateJudged, []string{"tests/test_core.py::test_total", "tests/test_core.py::test_money", "tests/test_core.py::TestErrors::test_negative"}, ""},
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
		{"fixtures of pytest's own", py, pyTree("shop/noise.py", "import logging, warnings\ndef noise():\n    logging.getLogger('shop').warning('low %s', 'stock')\n    warnings.warn('old', DeprecationWarning)\n    return 1\n"), files("tests/test_n.py", `
import logging, pytest
from shop.noise import noise
seen = []

@pytest.fixture
def mark(): seen.append(1)

@pytest.mark.filterwarnings("ignore")
def test_log(caplog):
    with caplog.at_level(logging.INFO):
        noise()
    assert caplog.messages == ["low stock"] and caplog.records[0].levelname == "WARNING" and "low stock" in caplog.text

def test_warns(recwarn):
    with pytest.warns(DeprecationWarning, match="old"):
        noise()
    with pytest.raises(pytest.fail.Exception):
        with pytest.warns(UserWarning):
            noise()
    noise()
    assert len(recwarn) >= 1

@pytest.mark.usefixtures("mark")
def test_uses(tmp_path_factory):
    assert seen == [1] and noise() == 1 and tmp_path_factory.mktemp("a").is_dir()
`), "pass", inside, []string{"tests/test_n.py::test_log", "tests/test_n.py::test_warns", "tests/test_n.py::test_uses"}, ""},
		{"a hook of pytest", py, pyTree(), files("conftest.py", "def pytest_generate_tests(metafunc): metafunc.parametrize('x', [1])\n", "tests/test_h.py", "from shop import total\ndef test_h(x): assert total([x]) == 100\n"),
			hooked.want, hooked.proof, hooked.cases, hooked.why},
		{"very many files", py, pyTree(manyNames(6000)...), files("tests/test_t.py", "from shop import total\nfrom shop.deep.é5999.module_of_a_long_name import x\ndef test_t(): assert total([1]) == x == 100\n"),
			"pass", apart, nil, ""},
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
		{"a library of assertions of its own", py, files(append(slices.Clone(wrong), "assertpy.py", anything)...), judged, glovebox.StatusTestsUnrunnable, "", nil, "the tests need assertpy, which is not here"},
		{"a library of assertions of its own, together", py, files(append(slices.Clone(wrong), "assertpy.py", anything)...),
			append(files("tests/test_b.py", "from unittest import mock\n"), judged...), glovebox.StatusTestsUnrunnable, "", nil, "the tests need assertpy, which is not here"},
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
		last := lastOf(files(append(slices.Clone(wrong), c.files...)...))
		rows = append(rows,
			treeRow{c.name + ", apart", py, last, apartTests, "test_failed", apart, nil, ""},
			treeRow{c.name + ", together", py, last, inTests, "test_failed", inside, nil, ""})
	}
	return rows
}

// otherTrees are a right and a wrong program in each other language.
func otherTrees() []treeRow {
	var rows []treeRow
	add := func(l *language.Language, name string, tree, tests []glovebox.File, want glovebox.Status, proof glovebox.Proof, cases []string, why string) {
		rows = append(rows, treeRow{l.Name + ": " + name, l, tree, tests, want, proof, cases, why})
	}
	const pass, failed = glovebox.StatusPass, glovebox.StatusTestFailed

	// Ruby
	rbTests := files("test/test_helper.rb", "require 'minitest/autorun'\n$LOAD_PATH.unshift File.expand_path('../lib', __dir__)\n", "test/shop_test.rb", "require_relative 'test_helper'\nrequire 'shop'\nclass ShopTest < Minitest::Test\n  def test_add\n    assert_equal 3, Shop::Cart.new.add(1, 2)\n  end\nend\n",
		"test/unit/more_test.rb", "require 'test_helper'\nrequire_relative '../../lib/shop/cart'\nclass MoreTest < Minitest::Test\n  def test_add = assert_equal(4, Shop::Cart.new.add(2, 2))\nend\n")
	rbTree := func(body, more string) []glovebox.File {
		return files("lib/shop.rb", "require_relative 'shop/cart'\n"+more, "lib/shop/cart.rb", "module Shop\n  class Cart\n    def add(a, b) = "+body+"\n  end\nend\n", "Gemfile", "")
	}
	add(language.Ruby, "right", rbTree("a + b", ""), rbTests, pass, inside, []string{"ShopTest#test_add", "MoreTest#test_add"}, "")
	add(language.Ruby, "wrong", rbTree("a * b", ""), rbTests, failed, inside, []string{"!ShopTest#test_add", "MoreTest#test_add"}, "")
	for name, trick := range map[string]string{"exits": "exit!(0)\n", "leaves": "at_exit { exit!(0) }\nexit\n", "patches": "class Minitest::Test\n  def assert_equal(*) = true\nend\n", "patches integers": "class Integer\n  def ==(o) = true\nend\n"} {
		add(language.Ruby, name, rbTree("0", trick), rbTests, failed, inside, nil, "")
	}

	add(language.Ruby, "a file in our place", append(rbTree("0", ""), files(".glovebox/main.rb", "puts 1\nexit!(0)\n")...), rbTests, failed, inside, nil, "")

	// Perl
	plTests := files("t/shop.t", "use strict;\nuse warnings;\nuse Test::More;\nuse lib 'lib';\nuse Shop::Cart;\nis(Shop::Cart::add(1, 2), 3, 'adds');\ndone_testing;\n", "t/more.t", "use Test::More tests => 1;\nuse Shop::Cart;\nok(Shop::Cart::add(2, 2) == 4, 'adds more');\n")
	plTree := func(body, more string) []glovebox.File {
		return files("lib/Shop/Cart.pm", "package Shop::Cart;\nuse strict;\nuse warnings;\n"+more+"sub add { my ($a, $b) = @_; return "+body+" }\n1;\n", "Makefile.PL", "")
	}
	add(language.Perl, "right", plTree("$a + $b", ""), plTests, pass, inside, []string{"adds", "adds more"}, "")
	add(language.Perl, "wrong", plTree("$a * $b", ""), plTests, failed, inside, []string{"!adds", "adds more"}, "")
	for name, trick := range map[string]string{"exits": "exit 0;\n", "leaves": "use POSIX ();\nPOSIX::_exit(0);\n", "patches": "no warnings; *Test::More::is = sub { Test::More::ok(1, $_[2]) }; *main::is = \\&Test::More::is;\n*main::ok = sub { Test::More->builder->ok(1, $_[1]) };\n"} {
		add(language.Perl, name, plTree("0", trick), plTests, failed, inside, nil, "")
	}

	// Lua
	luaTests := files("tests/test_cart.lua", "local lu = require('luaunit')\nlocal cart = require('src.cart')\nTestCart = {}\nfunction TestCart:testAdd() lu.assertEquals(cart.add(1, 2), 3) end\nos.exit(lu.LuaUnit.run())\n")
	luaTree := func(body, more string) []glovebox.File {
		return files("src/cart.lua", "local util = require('src.util')\n"+more+"return { add = function(a, b) return "+body+" end }\n", "src/util.lua", "return {}\n")
	}
	add(language.Lua, "right", luaTree("a + b", ""), luaTests, pass, inside, nil, "")
	add(language.Lua, "wrong", luaTree("a * b", ""), luaTests, failed, inside, nil, "")
	for name, trick := range map[string]string{"exits": "os.exit(0)\n", "patches": "require('luaunit').assertEquals = function() end\n"} {
		add(language.Lua, name, luaTree("0", trick), luaTests, failed, inside, nil, "")
	}

	// PHP
	phpTests := files("tests/CartTest.php", "<?php\nuse PHPUnit\\Framework\\TestCase;\nuse Shop\\Cart;\nrequire_once __DIR__ . '/../src/helpers.php';\nclass CartTest extends TestCase\n{\n    public function testAdd(): void\n    {\n        $this->assertSame(3, (new Cart())->add(1, 2));\n        $this->assertSame(1, one());\n    }\n}\n")
	phpTree := func(body, more string) []glovebox.File {
		return files("composer.json", `{"autoload":{"psr-4":{"Shop\\":"src/"}}}`, "src/Cart.php", "<?php\nnamespace Shop;\n"+more+"class Cart\n{\n    public function add(int $a, int $b): int { return "+body+"; }\n}\n", "src/helpers.php", "<?php\nfunction one() { return 1; }\n")
	}
	add(language.PHP, "right", phpTree("$a + $b", ""), phpTests, pass, inside, []string{"CartTest::testAdd"}, "")
	add(language.PHP, "wrong", phpTree("$a * $b", ""), phpTests, failed, inside, []string{"!CartTest::testAdd"}, "")
	for name, trick := range map[string]string{"exits": "exit(0);\n", "leaves": "register_shutdown_function(fn () => posix_kill(posix_getpid(), 9)); exit(0);\n"} {
		add(language.PHP, name, phpTree("0", trick), phpTests, failed, inside, nil, "")
	}

	// Bash
	shTests := files("tests/test_cart.sh", "source \"$(dirname \"$0\")/../lib/cart.sh\"\nsource \"$(dirname \"${BASH_SOURCE[0]}\")/helpers.sh\"\ntest_add() {\n  [[ $(add 1 2) == \"$three\" ]]\n}\n", "tests/helpers.sh", "three=3\n")
	shTree := func(body, more string) []glovebox.File {
		return files("lib/cart.sh", more+"add() { echo $(("+body+")); }\n", "README.md", "# Cart\n")
	}
	add(language.Bash, "right", shTree("$1 + $2", ""), shTests, pass, inside, nil, "")
	add(language.Bash, "wrong", shTree("$1 * $2", ""), shTests, failed, inside, nil, "")
	for name, trick := range map[string]string{"exits": "exit 0\n", "exits by a builtin": "builtin exit 0\n", "leaves": "kill -9 $$\n", "patches": "trap - EXIT\nexec true\n"} {
		add(language.Bash, name, shTree("0", trick), shTests, failed, inside, nil, "")
	}
	for _, l := range []*language.Language{language.Ruby, language.Perl, language.Lua, language.PHP, language.Bash} {
		add(l, "no test of the language", files("x.txt", "x", "y.txt", "y"), files("tests/readme.md", "x"), glovebox.StatusTestsUnrunnable, "", nil, "the tests")
	}
	return rows
}

// TestOtherTrees: the languages whose tests load files.
func TestOtherTrees(t *testing.T) { eachRow(t, otherTrees()) }

// nodeTrees are trees of JavaScript and TypeScript.
func nodeTrees() []treeRow {
	js, ts := language.JavaScript, language.TypeScript
	const pass, failed = glovebox.StatusPass, glovebox.StatusTestFailed
	cjs := func(more ...string) []glovebox.File {
		return append(files("package.json", `{"name":"shop","main":"src/index.js"}`, "src/index.js", "exports.cart = require('./cart');\n",
			"src/cart.js", "const { tax } = require('./lib/tax');\nclass Cart {\n  constructor() { this.n = 0; }\n  add(x) { this.n += x; return this; }\n  total() { return tax(this.n); }\n}\nmodule.exports = { Cart, sum: (a, b) => a + b };\n",
			"src/lib/tax.js", "exports.tax = (n) => n * 2;\n", "src/data.json", `{"a": 1}`, "broken.js", "let let = ;\n"), files(more...)...)
	}
	esm := func(more ...string) []glovebox.File {
		return append(files("package.json", `{"type":"module"}`, "src/a.js", "import { b } from './b.js';\nexport const a = () => b + 1;\nexport default function main() { return 'main'; }\n", "src/b.js", "export const b = 1;\n"), files(more...)...)
	}
	suite := "const { test, describe } = require('node:test');\nconst assert = require('node:assert');\n"
	rows := []treeRow{
		{"CommonJS", js, cjs(), files("test/cart.test.js", suite+"const { Cart, sum } = require('../src/cart');\nconst shop = require('..');\nconst data = require('../src/data.json');\nconst again = require('shop');\ndescribe('cart', () => {\n  test('adds', () => assert.equal(new Cart().add(2).total(), 4));\n  test('sums', () => assert.equal(sum(1, 2), 3));\n});\ntest('index', () => { assert.equal(shop.cart.sum(1, 1), 2); assert.equal(data.a, 1); assert.equal(again.cart.sum(2, 1), 3); });\n"),
			pass, apart, []string{"test/cart.test.js > cart > adds", "test/cart.test.js > cart > sums", "test/cart.test.js > index"}, ""},
		{"ES modules, and equal names", js, esm(), files("test/helpers.js", "export const two = 2;\n",
			"test/a.test.js", "import test from 'node:test';\nimport assert from 'node:assert';\nimport main, { a } from '../src/a.js';\nimport { two } from './helpers.js';\ntest('x', () => { assert.equal(a(), two); assert.equal(main(), 'main'); });\n",
			"__tests__/a.js", "import * as m from '../src/a.js';\ntest('x', () => expect(m.a()).toBe(2));\ntest('x', () => expect(m.a()).toBe(3));\n"),
			failed, apart, []string{"test/a.test.js > x", "__tests__/a.js > x", "!__tests__/a.js > x #2"}, ""},
		{"a wrong one", js, cjs("src/lib/tax.js2", ""), files("cart.test.js", "const { sum } = require('./src/cart');\ntest('x', () => expect(sum(1, 1)).toBe(3));\n"), failed, apart, []string{"!x"}, ""},
		{"a file that is missing", js, cjs(), files("test/a.test.js", "const { sum } = require('../src/nothing');\ntest('x', () => expect(sum(1, 1)).toBe(2));\n"), failed, apart, nil, "Cannot find module 'src/nothing'"},
		{"a file that does not parse", js, cjs(), files("test/a.test.js", "const { sum } = require('../broken');\ntest('x', () => expect(sum(1, 1)).toBe(2));\n"), glovebox.StatusSyntaxError, apart, nil, "broken.js"},
		{"a file that throws", js, cjs("src/bad.js", "throw new Error('at load');\n"), files("test/a.test.js", "const bad = require('../src/bad');\ntest('x', () => expect(bad.x).toBe(2));\n"), failed, apart, nil, "at load"},
		{"a module that is not here", js, cjs(), files("test/a.test.js", "const _ = require('lodash');\nconst { sum } = require('../src/cart');\ntest('x', () => expect(sum(1, 1)).toBe(2));\n"), glovebox.StatusTestsUnrunnable, "", nil, "the tests need lodash, which is not here"},
		{"a replaced part", js, cjs(), files("test/a.test.js", "const { Cart } = require('../src/cart');\ntest('x', () => { Cart.prototype.total = () => 7; expect(new Cart().total()).toBe(7); });\n"), pass, inside, []string{"test/a.test.js > x"}, ""},
		{"data of the tests", js, cjs(), files("test/in.json", "[1, 2]", "test/a.test.js", "const fs = require('fs');\nconst path = require('path');\nconst { sum } = require('../src/cart');\ntest('x', () => expect(sum(...JSON.parse(fs.readFileSync(path.join(__dirname, 'in.json'), 'utf8')))).toBe(3));\n"), pass, inside, nil, ""},
		{"TypeScript", ts, files("tsconfig.json", "{}", "src/cart.ts", "import { tax } from './lib/tax';\nexport class Cart {\n  private n: number = 0;\n  add(x: number): Cart { this.n += x; return this; }\n  total(): number { return tax(this.n); }\n}\n", "src/lib/tax.ts", "export const tax = (n: number): number => n * 2;\n", "types.d.ts", "declare const x: number;\n"),
			files("tests/cart.test.ts", "import { Cart } from '../src/cart';\nimport { two } from './helpers';\ndescribe('cart', () => { it('adds', () => { expect(new Cart().add(two).total()).toBe(4); }); });\n", "tests/helpers.ts", "export const two: number = 2;\n"),
			pass, apart, []string{"tests/cart.test.ts > cart > adds"}, ""},
	}
	tests := files("test/a.test.js", suite+"const { add } = require('../src/add');\nconst { same } = require('./helpers');\ntest('adds', () => same(add(2, 2), 4));\n", "test/helpers.js", "const assert = require('assert');\nexports.same = assert.strictEqual;\n")
	replaced := append(files("test/b.test.js", "const C = Object.getPrototypeOf({}); C.constructor.prototype;\n"), tests...)
	for _, c := range []struct {
		name  string
		files []string
	}{
		{"no trick", nil},
		{"exits", []string{"src/add.js", "process.exit(0);\n"}},
		{"exits at once", []string{"src/add.js", "process.reallyExit(0);\n"}},
		{"the tests' own files", []string{"test/a.test.js", "", "test/helpers.js", "exports.same = () => {};\n", "test/helpers/index.js", "exports.same = () => {};\n", "test/helpers.json", "{}"}},
		{"modules of the language", []string{"node_modules/assert/index.js", "module.exports = { strictEqual() {} };\n", "node_modules/node:test/index.js", "module.exports = { test() {} };\n", "assert.js", "module.exports = { strictEqual() {} };\n"}},
		{"settings", []string{"package.json", `{"type":"commonjs","imports":{"#assert":"./x.js"},"jest":{"testMatch":[]}}`, ".mocharc.json", `{"require":"./x.js"}`, "jest.config.js", "process.exit(0);\n", "x.js", "process.exit(0);\n"}},
		{"a value that judges", []string{"src/add.js", "exports.add = () => ({ valueOf: () => 4, [Symbol.toPrimitive]: () => 4, toString: () => '4', equals: () => true, asymmetricMatch: () => true });\n"}},
		{"a patched assert", []string{"src/add.js", "try { const a = require('assert'); a.strictEqual = a.equal = a.deepEqual = () => {}; Object.is = () => true; } catch {}\nexports.add = () => 0;\n"}},
	} {
		tree := lastOf(files(append([]string{"src/add.js", "exports.add = () => 0;\n"}, c.files...)...))
		rows = append(rows, treeRow{"forged: " + c.name, js, tree, tests, failed, apart, nil, ""})
		if c.name != "a patched assert" { // it is in its reach, and the proof says so
			rows = append(rows, treeRow{"forged: " + c.name + ", together", js, tree, replaced, failed, inside, nil, ""})
		}
	}
	right := files("src/add.js", "exports.add = (a, b) => a + b;\n", "README.md", "")
	return append(rows, treeRow{"right", js, right, tests, pass, apart, nil, ""}, treeRow{"right, together", js, right, replaced, pass, inside, nil, ""})
}

// lastOf keeps the last file of each name.
func lastOf(tree []glovebox.File) []glovebox.File {
	var last []glovebox.File
	for i, f := range tree {
		if !slices.ContainsFunc(tree[i+1:], func(g glovebox.File) bool { return g.Path == f.Path }) {
			last = append(last, f)
		}
	}
	return last
}

// TestNodeTrees: programs that Node.js runs.
func TestNodeTrees(t *testing.T) { eachRow(t, nodeTrees()) }

// goTrees are modules of several packages.
func goTrees() []treeRow {
	const pass, failed = glovebox.StatusPass, glovebox.StatusTestFailed
	tree := func(sum string, more ...string) []glovebox.File {
		return lastOf(append(files("go.mod", "module example.com/shop\n\ngo 1.22\n",
			"main.go", "package main\n\nimport \"example.com/shop/cart\"\n\nfunc main() { println(cart.Total(1)) }\n\nfunc name() string { return \"shop\" }\n",
			"cart/cart.go", "package cart\n\nimport \"example.com/shop/internal/money\"\n\n// Total is a sum.\nfunc Total(xs ...int) int {\n\tn := 0\n\tfor _, x := range xs {\n\t\tn = money.Add(n, x)\n\t}\n\treturn n\n}\n\nfunc hidden() int { return 7 }\n",
			"internal/money/money.go", "package money\n\nfunc Add(a, b int) int { return "+sum+" }\n", "broken/broken.go", "package broken\n\nfunc (\n"), files(more...)...))
	}
	tests := files(
		"main_test.go", "package main\n\nimport \"testing\"\n\nfunc TestName(t *testing.T) {\n\tif name() != \"shop\" {\n\t\tt.Fatal(name())\n\t}\n}\n",
		"cart/cart_test.go", "package cart\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestTotal(t *testing.T) {\n\tfor name, c := range map[string][]int{\"one\": {1, 1}, \"two\": {1, 1, 2}} {\n\t\tt.Run(name, func(t *testing.T) {\n\t\t\tn := c[len(c)-1]\n\t\t\tif name == \"one\" {\n\t\t\t\tn = 1\n\t\t\t\tc = c[:1]\n\t\t\t} else {\n\t\t\t\tc = c[:2]\n\t\t\t}\n\t\t\tif got := Total(c...); got != n {\n\t\t\t\tt.Errorf(\"got %d, want %d\", got, n)\n\t\t\t}\n\t\t})\n\t}\n}\n\nfunc TestSame(t *testing.T) {\n\tif hidden() != 7 {\n\t\tt.Fail()\n\t}\n\tif _, err := os.ReadFile(\"testdata/x.txt\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
		"cart/testdata/x.txt", "x",
		"cart/example_test.go", "package cart_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/shop/cart\"\n)\n\nfunc TestOutside(t *testing.T) {\n\tif cart.Total() != 0 {\n\t\tt.Fail()\n\t}\n}\n",
		"internal/money/money_test.go", "package money\n\nimport \"testing\"\n\nfunc TestSame(t *testing.T) {\n\tif Add(2, 2) != 4 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n")
	rows := []treeRow{
		{"right", language.Go, tree("a + b"), tests, pass, inside, []string{"TestName", "TestTotal", "TestTotal/one", "TestTotal/two",
			"example.com/shop/cart.TestSame", "TestOutside", "example.com/shop/internal/money.TestSame"}, ""},
		{"wrong", language.Go, tree("max(a, b)"), tests, failed, inside, []string{"TestName", "!TestTotal", "TestTotal/one", "!TestTotal/two",
			"example.com/shop/cart.TestSame", "TestOutside", "!example.com/shop/internal/money.TestSame"}, "got 1, want 2"},
		{"a package that does not compile", language.Go, tree("a + nothing"), tests, glovebox.StatusSyntaxError, inside, nil, "internal/money/money.go"},
		{"what the tests miss", language.Go, tree("a + b"), append(files("cart/more_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) { Missing() }\n"), tests...), failed, inside, nil, "cart/more_test.go:5: undefined: Missing"},
		{"another module", language.Go, tree("a + b"), files("cart/a_test.go", "package cart\n\nimport (\n\t\"testing\"\n\n\t\"github.com/stretchr/testify/assert\"\n)\n\nfunc TestMore(t *testing.T) { assert.True(t, true) }\n"), glovebox.StatusTestsUnrunnable, "", nil, "the tests import github.com/stretchr/testify/assert"},
		{"no test", language.Go, tree("a + b"), files("cart/a_test.go", "package cart\n"), glovebox.StatusTestsUnrunnable, "", nil, "the tests have no function TestXxx"},
	}
	for name, trick := range map[string]string{
		"exits": "func init() { os.Exit(0) }", "exits when called": "func Add2() {}\n\nfunc init() { go func() { time.Sleep(time.Millisecond); os.Exit(0) }() }",
		"prints": "func init() { println(\"ok\"); os.Stdout.WriteString(\"--- PASS: TestName (0.00s)\\n    --- PASS: TestTotal/two (0.00s)\\nPASS\\n\") }",
		"kills":  "func init() { syscall.Kill(os.Getpid(), syscall.SIGKILL) }",
	} {
		imports := "import (\n\t_ \"time\"\n\t_ \"syscall\"\n\t_ \"os\"\n)\n\n"
		for _, p := range []string{"time", "syscall", "os"} {
			if strings.Contains(trick, p+".") {
				imports = strings.Replace(imports, "_ \""+p, "\""+p, 1)
			}
		}
		rows = append(rows, treeRow{"forged: " + name, language.Go, tree("0", "internal/money/init.go", "package money\n\n"+imports+trick+"\n"), tests, failed, inside, nil, ""})
	}
	return append(rows,
		treeRow{"forged: the tests' own files", language.Go, tree("0", "cart/cart_test.go", "package cart\n", "internal/money/money_test.go", "package money\n", "internal/money/zz_test.go", "package money\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {}\n"), tests, failed, inside, nil, ""},
		treeRow{"forged: a file in our place", language.Go, tree("0", ".glovebox/main.go", "package main\n\nfunc main() {}\n"), tests, failed, inside, nil, ""},
		treeRow{"forged: another testing", language.Go, tree("0", "vendor/testing/testing.go", "package testing\n\ntype T struct{}\n\nfunc (*T) Fatal(...any) {}\n", "go.mod", "module testing\n"), tests, glovebox.StatusSyntaxError, inside, nil, "another package"})
}

// TestGoTrees: modules.
func TestGoTrees(t *testing.T) { eachRow(t, goTrees()) }

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
