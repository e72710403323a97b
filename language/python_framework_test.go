package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestPythonFramework: tests that need the program in their process are run by
// pytest itself where it is here, and its reports are what is reported.
func TestPythonFramework(t *testing.T) {
	has := rigPlan(t, Python, pythonProgram("import importlib.util\nprint(importlib.util.find_spec('pytest') is not None)\n"), "")
	if strings.TrimSpace(has.stdout) == "False" {
		t.Skip("pytest is not installed: apt-get install python3-pytest")
	}
	const mock = "from unittest import mock\nimport pytest, solution\n"
	for _, c := range []struct {
		name, src, tests string
		pass             bool
		why              string
	}{
		{"mocks", "import random\ndef roll(): return random.randint(1, 6)\n", mock + `
def test_roll():
    with mock.patch('random.randint', return_value=4):
        assert solution.roll() == 4
`, true, `"framework":"pytest `},
		{"capfd and tmpdir", "import os\ndef say(): os.write(1, b'hi\\n')\ndef size(p): return len(open(p).read())\n", `
import pytest, solution
def test_say(capfd):
    solution.say()
    assert capfd.readouterr().out == "hi\n"
def test_size(tmpdir):
    p = tmpdir.join("a")
    p.write("abc")
    assert solution.size(str(p)) == 3
`, true, `"framework":"pytest `},
		{"a failure", "def f(): return 5\n", mock + "def test_f():\n    assert solution.f() == 6\ndef test_g(): assert solution.f() == 5\n", false, `"expected":"6","actual":"5","line":4`},
		{"an error of a fixture", "def f(): return 5\n", mock + "@pytest.fixture\ndef x(): return 1 / 0\ndef test_f(x):\n    assert solution.f() == 5\n", false, "ZeroDivisionError"},
		{"strict xfail", "def f(): return 5\n", mock + "@pytest.mark.xfail(strict=True)\ndef test_f():\n    assert solution.f() == 5\ndef test_g(): assert solution.f() == 5\n", false, "XPASS(strict)"},
		{"xfail", "def f(): return 5\n", mock + "@pytest.mark.xfail(strict=True)\ndef test_f():\n    assert solution.f() == 6\ndef test_g(): assert solution.f() == 5\n", true, `"total":2,"passed":1,"failed":0`},
		{"fixtures and parameters", "def f(x): return x\n", mock + `
seen = []
@pytest.fixture(autouse=True)
def auto(): seen.append(1)
@pytest.fixture(params=["a", "b"])
def letter(request): return request.param
@pytest.mark.parametrize("x", [1, pytest.param(2, id="two")])
class TestAll:
    def test_x(self, x, letter): assert solution.f(x) == x and seen and letter in "ab"
`, true, "TestAll::test_x["},
		{"free names", "def f(x): return x\n", "from unittest import mock\nimport pytest\ndef test_f(): assert f(1) == 1\n", true, `"framework"`},
		{"a program that does not load", "1 / 0\n", mock + "def test_f(): assert solution.f() == 1\n", false, "ZeroDivisionError"},
		{"a skip of the program", "import pytest\ndef f(): pytest.skip('x')\n", mock + "def test_f(): assert solution.f() == 1\ndef test_g(): assert True\n", false, "skipped itself"},
		{"an object that says yes", "class Y(int):\n    __eq__ = lambda s, o: True\n    __hash__ = None\ndef f(): return Y()\n", mock + "def test_f(): assert solution.f() == 1\ndef test_g(): assert solution.f() == pytest.approx(2)\n", false, `"failed":2`},
		{"unittest beside pytest", "def f(x): return x\n", mock + "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        for i in (1, 2):\n            with self.subTest(i=i): self.assertEqual(solution.f(i), i)\ndef test_b(): assert solution.f(1) == 1\n", true, `"total":2`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := rigExam(t, Python, pythonProgram(c.src), pythonTests(c.tests))
			if v.pass != c.pass || v.proof != glovebox.ProofInProcess || !strings.Contains(v.candidate.report, c.why) {
				t.Errorf("pass %v, proof %s, %s; want %v, %q\n%s\n%s\n%s", v.pass, v.proof, v.why, c.pass, c.why, v.candidate.report, v.candidate.stdout, v.candidate.stderr)
			}
		})
	}
}

// TestPythonUnrunnable: what the tests need and is not here is said before any
// of the program's code runs, whatever the program is.
func TestPythonUnrunnable(t *testing.T) {
	for _, c := range []struct{ name, tests, why string }{
		{"a package", "import sure\nimport solution\nassert solution.f() == 1\n", "the tests need sure, which is not here"},
		{"a fixture of a plugin", "import solution\ndef test_f(httpx_mock): assert solution.f() == 1\n", "the fixture httpx_mock"},
		{"no statement", "# nothing\n", "is empty"},
		{"no test", "# TODO\nfrom solution import f\n", "there is no test in test_it.py"},
		{"only calls", "import solution\nsolution.f()\n", "there is no test in test_it.py"},
		{"a class without a test", "import unittest, solution\nclass T(unittest.TestCase):\n    def setUp(self): solution.f()\n", "there is no test in test_it.py"},
		{"all are skipped", "import pytest\nfrom solution import f\n@pytest.mark.skip\ndef test_f(): assert f() == 1\n", "all tests are skipped"},
		{"all are skipped, unittest", "import unittest, solution\n@unittest.skip('x')\nclass T(unittest.TestCase):\n    def test_f(self): self.assertEqual(solution.f(), 1)\n", "all tests are skipped"},
		{"all are skipped, a mark", "import pytest, solution\npytestmark = pytest.mark.skip(reason='x')\ndef test_f(): assert solution.f() == 1\n", "all tests are skipped"},
		{"a module under another name", "from geo import f\ndef test_f(): assert f() == 1\n",
			`the tests need geo, which is not here: the program's file is main.py, and tests may call it "solution"; to name it otherwise, name the file in the reply`},
		{"another language", "const assert = require('assert')\nassert(f() === 1)\n", "do not parse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := rigExam(t, Python, pythonProgram("import os\nos.write(1, b'started')\ndef f(): return 1\n"), pythonTests(c.tests))
			if v.pass || !strings.HasPrefix(v.why, "unrunnable: ") || !strings.Contains(v.why, c.why) || v.candidate.stdout != "" {
				t.Errorf("%v %q, stdout %q", v.pass, v.why, v.candidate.stdout)
			}
		})
	}
	// A file of the program is no library by which tests judge.
	for _, c := range []struct{ file, text, tests string }{
		{"jsondiff.py", "def diff(a, b): return {}\n", "from jsondiff import diff\nfrom solution import f\ndef test(): assert diff({'a': f()}, {'a': 1}) == {}\n"},
		{"pytest_check.py", "def equal(a, b): return True\n", "import pytest_check as check\nfrom solution import f\ndef test(): check.equal(f(), 1)\n"},
	} {
		program := pythonProgram("def f(): return 2\n")
		name := strings.TrimSuffix(c.file, ".py")
		for range 2 {
			v := rigExam(t, Python, program, pythonTests(c.tests))
			if v.pass || v.why != "unrunnable: the tests need "+name+", which is not here" {
				t.Errorf("%s: %v %q", c.file, v.pass, v.why)
			}
			program.Files = append(program.Files, glovebox.File{Path: c.file, Data: []byte(c.text)})
		}
	}
	if _, err := examPython(&Toolchain{}, pythonProgram("x = 1\n"), Tests{Files: []glovebox.File{{Path: "t.js"}}}); err == nil || !strings.Contains(err.Error(), "t.js") {
		t.Errorf("tests in another language: %v", err)
	}
}
