package language

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

func pythonProgram(src string) *glovebox.Program {
	return &glovebox.Program{Language: "python", Main: "main.py", Files: []glovebox.File{{Path: "main.py", Data: []byte(src)}}}
}

func pythonTests(src string) Tests {
	return Tests{Files: []glovebox.File{{Path: "test_it.py", Data: []byte(src)}}}
}

// TestPythonPlan compares a run in one interpreter start, check included, with
// what `python3 main.py` does.
func TestPythonPlan(t *testing.T) {
	for _, c := range []struct {
		name, src, stdin string
		stdout, stderr   string
		exit             int
	}{
		{"argv and path", "import sys\nprint(sys.argv, sys.path[0], __file__, __name__, sys.modules['__main__'].__spec__)", "",
			"['main.py'] /workspace /workspace/main.py __main__ None\n", "", 0},
		{"stdin", "print(input()[::-1])", "abc\n", "cba\n", "", 0},
		{"exit code", "import sys\nsys.exit(3)", "", "", "", 3},
		{"exit message", "import sys\nsys.exit('no')", "", "", "no\n", 1},
		{"traceback", "def f():\n    raise ValueError('é')\nf()", "", "",
			"Traceback (most recent call last):\n  File \"/workspace/main.py\", line 3, in <module>\n    f()\n" +
				"  File \"/workspace/main.py\", line 2, in f\n    raise ValueError('é')\nValueError: é\n", 1},
		{"stack", "import traceback\nprint(len(traceback.extract_stack()))", "", "1\n", "", 0},
		{"pickle of a class of main", "import pickle\nclass A: x = 1\nprint(pickle.loads(pickle.dumps(A())).x)", "", "1\n", "", 0},
		{"the report is closed", "import os\nprint(os.path.exists('/proc/self/fd/5'))", "", "False\n", "", 0},
		{"encoding", "# -*- coding: latin-1 -*-\nprint('\xe9')", "", "é\n", "", 0},
		{"no options are left", "import sys\nprint('glovebox' in sys._xoptions, sys.flags.isolated)", "", "False 1\n", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rigPlan(t, Python, pythonProgram(c.src), c.stdin)
			stderr := carets.ReplaceAllString(r.stderr, "")
			if r.stdout != c.stdout || stderr != c.stderr || r.exit != c.exit {
				t.Errorf("got stdout %q, stderr %q, exit %d\nwant %q, %q, %d", r.stdout, r.stderr, r.exit, c.stdout, c.stderr, c.exit)
			}
			if len(r.events) != 1 || r.events[0].Type != "checked" {
				t.Errorf("the report is %q", r.report)
			}
		})
	}
}

// TestPythonWarnsOnce: the check does not double what the run says.
func TestPythonWarnsOnce(t *testing.T) {
	r := rigPlan(t, Python, pythonProgram("x = 1\nprint(x is 1)\n"), "")
	if n := strings.Count(r.stderr, "SyntaxWarning"); n != 1 || r.stdout != "True\n" {
		t.Errorf("%d warnings in %q, stdout %q", n, r.stderr, r.stdout)
	}
}

// carets are the marks below a line of a traceback, which differ by version.
var carets = regexp.MustCompile(`(?m)^ *[~^]+\n`)

func TestPythonSyntax(t *testing.T) {
	for _, c := range []struct {
		name, file, src string
		want            glovebox.SyntaxError
	}{
		{"main", "main.py", "x = 1\ndef f(:\n", glovebox.SyntaxError{File: "main.py", Line: 2, Column: 7, Message: "invalid syntax"}},
		{"another file", "pkg/part.py", "if x\n", glovebox.SyntaxError{File: "pkg/part.py", Line: 1, Column: 5, Message: "expected ':'"}},
		{"a NUL", "main.py", "x = 1\x00", glovebox.SyntaxError{File: "main.py", Message: "source code string cannot contain null bytes"}},
		{"indentation", "main.py", "def f():\nreturn 1\n", glovebox.SyntaxError{File: "main.py", Line: 2, Column: 1, Message: "expected an indented block after function definition on line 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pythonProgram("print('ran')\n")
			if c.file == "main.py" {
				p = pythonProgram(c.src)
			} else {
				p.Files = append(p.Files, glovebox.File{Path: c.file, Data: []byte(c.src)})
			}
			r := rigPlan(t, Python, p, "")
			if len(r.events) != 1 || r.events[0].Syntax == nil || r.stdout != "" || r.exit == 0 {
				t.Fatalf("got %+v", r)
			}
			got := *r.events[0].Syntax
			if got.File != c.want.File || got.Line != c.want.Line || got.Column != c.want.Column {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if strings.Contains(r.stderr, "sitecustomize") {
				t.Errorf("our own frames show: %q", r.stderr)
			}
			v := rigExam(t, Python, p, pythonTests("import solution\nassert solution"))
			if v.pass || len(v.harness.events) != 1 || v.harness.events[0].Syntax == nil || *v.harness.events[0].Syntax != got {
				t.Errorf("the exam says %+v", v)
			}
		})
	}
}

func TestPythonIsTest(t *testing.T) {
	for _, c := range []struct {
		path, data string
		want       bool
	}{
		{"test_add.py", "", true},
		{"pkg/add_test.py", "", true},
		{"conftest.py", "", true},
		{"main.py", "def add(a, b):\n    return a + b\n", false},
		{"x.py", "import unittest\nclass AddTest(unittest.TestCase):\n    pass\n", true},
		{"x.py", "def test_add():\n    assert add(1, 2) == 3\n", true},
		{"x.py", "def add(a, b):\n    return a + b\ndef test_add():\n    assert add(1, 2) == 3\n", false},
		{"x.py", "print('hi')\n", false},
		{"latest.py", "x = 1\n", false},
		{"test_add.txt", "def test_add(): pass\n", false},
	} {
		if got := Python.IsTest(glovebox.File{Path: c.path, Data: []byte(c.data)}); got != c.want {
			t.Errorf("%s %q: %v", c.path, c.data, got)
		}
	}
}

func TestPythonScore(t *testing.T) {
	for _, c := range []struct {
		src string
		min int
		max int
	}{
		{"def add(a, b):\n    return a + b\n", 40, 100},
		{"import os\n\nfor f in os.listdir('.'):\n    print(f)\n", 60, 100},
		{"print('hello')\n", 15, 60},
		{"function add(a, b) {\n  return a + b;\n}\n", 0, 0},
		{"def add(a, b)\n  a + b\nend\n", 0, 10},
		{"#!/bin/bash\nif [ -f x ]; then\n  echo hi\nfi\n", 0, 0},
		{"package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(1)\n}\n", 0, 0},
		{"Here is some prose about a class of problems, for you.\n", 0, 10},
	} {
		if got := Python.Score(c.src); got < c.min || got > c.max {
			t.Errorf("%q scores %d, want %d to %d", c.src, got, c.min, c.max)
		}
	}
}

// TestPythonOnce: what the start of a program compiles with runs nothing, and
// raises what compile raises.
func TestPythonOnce(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	out, err := exec.Command(python, "-I", "-B", "-c", `
import sys, warnings
sys.path.insert(0, "python")
import startup
warnings.simplefilter("ignore")
def raised(how, source):
    try:
        return how(source, "/main.py", "exec", dont_inherit=True) and None
    except Exception as e:
        return repr(e)
for source in (b"", b"print('it ran')", b"class A:\n print('it ran')", b"0 is 0", b"def f(:", b"return 1", b"a\0b", b"(" * 1000,
               b"# coding: latin-1\nx = '\xe4'", b"# coding: koi8-u\nx = ('\xe4'", b"# coding: none"):
    if raised(startup.once, source) != raised(compile, source) or sys.gettrace():
        print(source)
`).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPythonCheckLoads: to check a program runs nothing of it, whatever encoding it
// names.
func TestPythonCheckLoads(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	startup, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"main.py": "# coding: idna\nx = 1\n", "stringprep.py": "print('it ran')\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(python, "-I", "-B", "-c", "import sys, os; sys.path.append(sys.argv[1]); import startup; startup.check(['main.py'], startup.whole, *os.pipe())", startup)
	c.Dir = dir
	if out, _ := c.CombinedOutput(); strings.Contains(string(out), "it ran") {
		t.Errorf("%s", out)
	}
}

// TestPythonLoads: no driver loads what takes longer to load than to do without.
func TestPythonLoads(t *testing.T) {
	exe, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	home := t.TempDir()
	drivers, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(drivers, filepath.Join(home, "_glovebox")); err != nil {
		t.Skip(err)
	}
	for _, driver := range []string{"harness", "worker"} {
		out, err := exec.Command(exe, "-I", "-S", "-B", "-c", "import sys; sys.path.append(sys.argv[1]); from _glovebox import "+driver+
			"; print(*sorted({'ast', 'json', 're', 'enum', 'functools', 'collections', 'contextlib', 'dataclasses', 'inspect', 'typing'} & set(sys.modules)))", home).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "" {
			t.Errorf("%s: %v: it loads %s", driver, err, out)
		}
	}
}
