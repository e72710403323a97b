//go:build linux

package engine_test

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/tier"
)

// alike are Python programs that must be the same in a box that was ready and in
// one that was made for them.
var alike = map[string]string{
	"a line":               `print("hello")`,
	"nothing":              ``,
	"both streams":         "import sys\nprint('out')\nprint('err', file=sys.stderr)",
	"what it is":           "import sys\nprint(__name__, __file__, __doc__, __package__, __spec__, __cached__, __annotations__, type(__loader__).__name__, sorted(globals()))\nprint(sys.argv, sys.path[0], sys.flags, sys.stdin.encoding, sys.stdout.encoding, sys.modules['__main__'].__dict__ is globals())",
	"where it is":          "import os\nprint(os.getcwd(), sorted(os.listdir('.')), os.environ, os.getuid(), os.getppid() > 0)",
	"its module":           "import __main__\nx = 1\nprint(__main__.x)\nimport pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))).__name__)",
	"stdin":                "import sys\nprint(input())\nprint(sys.stdin.read())",
	"its own file":         "import os\nprint(open(__file__).read()[:6], os.path.exists(__file__))",
	"exit 3":               "import sys\nsys.exit(3)",
	"exit with a text":     "import sys\nsys.exit('the end')",
	"exit with None":       "raise SystemExit",
	"exit with a big int":  "raise SystemExit(1 << 70)",
	"exit with True":       "raise SystemExit(True)",
	"exit with a list":     "raise SystemExit([1, 2])",
	"exit 256":             "raise SystemExit(256)",
	"_exit":                "import os\nprint('lost')\nos._exit(4)",
	"an exception":         "def f(n):\n    if n == 0:\n        raise ValueError('ärger')\n    f(n - 1)\nf(3)",
	"a chained exception":  "try:\n    {}['a']\nexcept KeyError as e:\n    raise RuntimeError('x') from e",
	"a group":              "import sys\nif sys.version_info >= (3, 11):\n    raise ExceptionGroup('g', [ValueError(1), TypeError(2)])",
	"no line of its own":   "exec('1/0')",
	"a warning":            "import warnings\nwarnings.warn('careful')\nprint(0 is 0)",
	"a bad escape":         `print("\d")`,
	"a hook":               "import sys\nsys.excepthook = lambda t, v, tb: print('hook', t.__name__, tb.tb_lineno, tb.tb_frame.f_code.co_name)\n1/0",
	"a hook that fails":    "import sys\ndef hook(*a): 1/0\nsys.excepthook = hook\nraise KeyError('k')",
	"a hook that exits":    "import sys\ndef hook(*a): sys.exit(7)\nsys.excepthook = hook\nraise KeyError('k')",
	"interrupted":          "raise KeyboardInterrupt",
	"a signal to itself":   "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
	"abort":                "import os\nos.abort()",
	"at exit":              "import atexit\natexit.register(print, 'bye')\natexit.register(print, 'first')\nprint('hi')",
	"at exit it fails":     "import atexit\natexit.register(lambda: 1/0)\nprint('hi')",
	"at exit it exits":     "import atexit, sys\natexit.register(lambda: sys.exit(5))\nprint('hi')",
	"a destructor":         "class A:\n    def __del__(self): print('gone')\na = A()",
	"destructors in order": "class A:\n    def __init__(self, n): self.n = n\n    def __del__(self): print(self.n)\n_c = A('private')\na, b = A('a'), A('b')",
	"a cycle":              "class A:\n    def __del__(self): print('gone')\na = A()\na.me = a\ndel a",
	"a generator":          "def g():\n    try:\n        yield 1\n    finally:\n        print('closed')\nx = g()\nnext(x)",
	"an open file":         "f = open('out.txt', 'w')\nf.write('kept')",
	"a file in a function": "def f():\n    f.file = open('out.txt', 'w')\n    f.file.write('kept')\nf()",
	"no line end":          "print('x', end='')",
	"a thread at work":     "import threading, time\ndef f():\n    time.sleep(.05)\n    print('thread')\nthreading.Thread(target=f).start()\nprint('main')",
	"a daemon thread":      "import threading, time\nthreading.Thread(target=time.sleep, args=(100,), daemon=True).start()\nprint('main')",
	"an exception beside":  "import threading\nt = threading.Thread(target=lambda: None)\nt.start(); t.join()\nprint(threading.active_count())",
	"a child":              "import os, sys\npid = os.fork()\nif pid == 0:\n    print('child')\n    sys.exit(3)\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
	"multiprocessing":      "import multiprocessing as m\ndef f(x): return x * x\nif __name__ == '__main__':\n    with m.get_context('fork').Pool(2) as p: print(p.map(f, [1, 2, 3]))",
	"asyncio":              "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    print('async')\nasyncio.run(f())",
	"stdout closed":        "import sys\nprint('x')\nsys.stdout.close()",
	"stdout replaced":      "import sys, io\nsys.stdout = io.StringIO()\nprint('lost')",
	"stdout is None":       "import sys\nprint('x', flush=True)\nsys.stdout = None",
	"stdout replaced late": "import sys, io\nprint('kept')\nsys.stdout = io.StringIO()",
	"stdout doubled":       "import sys\nclass L:\n    def __init__(s): s.t=sys.stdout; s.f=open('log.txt','w')\n    def write(s,x): s.t.write(x); s.f.write(x)\n    def flush(s): pass\nsys.stdout = L()\nprint('both')",
	"stdout is gone":       "import sys\nprint('x')\nsys.stdout = None",
	"stdout is deleted":    "import sys\nprint('x')\ndel sys.stdout",
	"stdout wrapped":       "import sys, io\nprint('a')\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer)\nprint('b')",
	"a file that failed":   "def f():\n    g = open('out.txt','w'); g.write('kept'); 1/0\nf()",
	"a file at an exit":    "import sys\ndef f():\n    g = open('out.txt','w'); g.write('kept'); sys.exit(2)\nf()",
	"a file and a hook":    "import sys\ndef hook(*a):\n    g = open('out.txt','w'); g.write('kept'); 1/0\nsys.excepthook = hook\nraise KeyError('k')",
	"a file in sys":        "import sys\nsys.keep = open('out.txt','w'); sys.keep.write('kept')",
	"a module by hand":     "import sys, types\nm = types.ModuleType('cfg'); sys.modules['cfg'] = m; m.f = open('out.txt','w'); m.f.write('kept')",
	"_exit is another":     "import os\nos._exit = print\nraise ValueError",
	"odd modules":          "import sys\nclass D(dict):\n    __getattr__ = dict.__getitem__\nsys.modules['cfg'] = D()\nsys.modules['n'] = 5\nprint('x')",
	"limits of recursion":  "import sys\nsys.setrecursionlimit(5000)\ndef f(n): return n and f(n - 1)\nprint(f(4900))",
	"descriptors":          "import os\nprint([n for n in os.listdir('/proc/self/fd') if int(n) > 2 and os.path.exists('/proc/self/fd/' + n)])",
	"types":                "import dataclasses, typing, enum\n@dataclasses.dataclass\nclass P:\n    x: int = 1\nclass E(enum.Enum):\n    A = 1\nprint(P(2), E.A, typing.get_type_hints(P))",
	"future":               "from __future__ import annotations\ndef f(x: undefined): return x\nprint(f.__annotations__)",
	"deep":                 "def f(n): return n and f(n - 1)\nprint(f(900))",
	"too deep":             "def f(): f()\nf()",
	"a syntax error":       "def f(:\n    pass",
	"a null byte":          "print('a\x00b')",
	"an encoding":          "# -*- coding: latin-1 -*-\nprint('\u00e4')",
	"an import cycle":      "import helper\nprint(helper.name, helper.main_name)",
}

// TestAlike runs programs in boxes that were ready and in others.
func TestAlike(t *testing.T) {
	cold, warm := coldEngine(t), warmEngine(t)
	eachStandby(t, func(t *testing.T, _ *engine.Engine, name glovebox.TierName) {
		t.Run("programs", func(t *testing.T) {
			for title, code := range alike {
				t.Run(title, func(t *testing.T) {
					t.Parallel()
					job := glovebox.Job{Tier: name, Args: []string{"one", "zw\u00f6lf"}, Stdin: []byte("a line\nmore\n"), Program: &glovebox.Program{
						Language: "python", Main: "main.py", Files: []glovebox.File{
							{Path: "main.py", Data: []byte(code)},
							{Path: "helper.py", Data: []byte("name = __name__\nimport sys\nmain_name = sys.modules['__main__'].__name__\n")},
						}},
						Inputs: []glovebox.File{{Path: "data/in.txt", Data: []byte("input")}},
					}
					want, got := do(t, cold, job), doWarm(t, warm, job)
					if w, g := essence(want), essence(got); w != g {
						t.Errorf("warm\n%s\ncold\n%s", g, w)
					}
				})
			}
		})
	})
}

// eachStandby runs a test in every tier whose boxes can be kept ready.
func eachStandby(t *testing.T, f func(t *testing.T, e *engine.Engine, name glovebox.TierName)) {
	eachTier(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName) {
		for _, tr := range e.Tiers() {
			if d, ok := tr.(tier.Described); tr.Name() == name && ok && d.Traits().Standby {
				f(t, e, name)
				return
			}
		}
		t.Skip("its boxes have no standby command")
	})
}

// essence is what must not depend on who made the box.
func essence(o *glovebox.Observation) string {
	var artifacts []string
	for _, a := range o.Artifacts {
		artifacts = append(artifacts, fmt.Sprintf("%s %d %s", a.Name, a.Size, a.SHA256))
	}
	code := "none"
	if o.ExitCode != nil {
		code = fmt.Sprint(*o.ExitCode)
	}
	return fmt.Sprintf("%s %s %s exit %s signal %q %q\nsyntax %+v\nfailure %+v\nartifacts %q %v\nstdout %s\nstderr %s", o.Status, o.Phase, o.Limit, code, o.Signal,
		o.Message, o.Syntax, o.Failure, artifacts, o.Refused, o.Stdout, address.ReplaceAllString(o.Stderr, "an address"))
}

var address = regexp.MustCompile(`0x[0-9a-f]+`)

// coldEngine has no box that was ready, whatever the caller of the tests wants.
func coldEngine(t *testing.T) *engine.Engine {
	t.Helper()
	c := config()
	c.Warm = nil
	return newEngine(t, c)
}

func warmEngine(t *testing.T) *engine.Engine {
	t.Helper()
	c := config()
	c.Warm = &engine.Warm{Most: 4, Patience: time.Minute}
	return newEngine(t, c)
}

// newEngine makes an engine that is closed, without a complaint, with the test.
func newEngine(t *testing.T, c engine.Config) *engine.Engine {
	t.Helper()
	e, err := engine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// doWarm runs a job in a box that was ready.
func doWarm(t *testing.T, e *engine.Engine, job glovebox.Job) *glovebox.Observation {
	t.Helper()
	o := do(t, e, job)
	if !o.Warm {
		t.Errorf("no box was ready: %s", o.TierReason)
	}
	return o
}

// TestNoTwoAlike looks at what must differ between two boxes that were ready.
func TestNoTwoAlike(t *testing.T) {
	const code = "import os, random, secrets, tempfile, time, uuid\n" +
		"print(random.random(), random.Random().random(), os.urandom(8).hex(), secrets.token_hex(8), uuid.uuid4(), tempfile.mktemp(), sep='\\n')\n" +
		"print(time.time())\nprint(time.monotonic())"
	e := warmEngine(t)
	eachStandby(t, func(t *testing.T, _ *engine.Engine, name glovebox.TierName) {
		job := glovebox.Job{Tier: name, Program: python(code)}
		seen := map[string]bool{}
		for range 6 {
			before := float64(time.Now().UnixMicro()) / 1e6
			o := doWarm(t, e, job)
			after := float64(time.Now().UnixMicro()) / 1e6
			lines := strings.Split(strings.TrimSpace(o.Stdout), "\n")
			if len(lines) != 8 {
				t.Fatalf("%s %q", o.Status, o.Stdout+o.Stderr)
			}
			var now float64
			if fmt.Sscan(lines[6], &now); now < before-60 || now > after+1 {
				t.Errorf("its clock says %f between %f and %f", now, before, after)
			}
			for _, l := range lines[:6] {
				if seen[l] {
					t.Errorf("%s was in two boxes", l)
				}
				seen[l] = true
			}
		}
	})
}

// TestOwnModules: a program's modules come before those that were loaded ahead.
func TestOwnModules(t *testing.T) {
	need(t, open(t), language.Python)
	e := warmEngine(t)
	for _, module := range []string{"random", "re", "json", "collections", "string", "_glovebox", "standby", "wire"} {
		t.Run(module, func(t *testing.T) {
			files := []glovebox.File{
				{Path: "main.py", Data: []byte("import " + module + "\nprint(" + module + ".mine)")},
				{Path: module + ".py", Data: []byte("mine = 'mine'")},
			}
			job := glovebox.Job{Tier: glovebox.TierProcess, Program: &glovebox.Program{Language: "python", Main: "main.py", Files: files}}
			if o := doWarm(t, e, job); o.Stdout != "mine\n" {
				t.Errorf("%s: %s", o.Status, o.Stdout+o.Stderr)
			}
			job.Program = &glovebox.Program{Language: "python", Main: "main.py", Files: files[:1]}
			job.Inputs = files[1:]
			if o := doWarm(t, e, job); o.Stdout != "mine\n" {
				t.Errorf("as an input: %s: %s", o.Status, o.Stdout+o.Stderr)
			}
		})
	}
}

// TestWarmExam: tests out of process, in boxes that were ready.
func TestWarmExam(t *testing.T) {
	e := warmEngine(t)
	eachStandby(t, func(t *testing.T, _ *engine.Engine, name glovebox.TierName) {
		for _, c := range []struct {
			code, tests string
			want        glovebox.Status
		}{
			{"def add(a, b): return a + b", "from main import add\ndef test(): assert add(1, 2) == 3", glovebox.StatusPass},
			{"def add(a, b): return a - b", "from main import add\ndef test(): assert add(1, 2) == 3", glovebox.StatusTestFailed},
			{"def add(a, b): return a +", "from main import add\ndef test(): assert add(1, 2) == 3", glovebox.StatusSyntaxError},
			{"import os\nos._exit(0)", "from main import add\ndef test(): assert add(1, 2) == 3", glovebox.StatusTestFailed},
			{"def add(a, b):\n while True: pass", "from main import add\ndef test(): assert add(1, 2) == 3", glovebox.StatusTimeout},
			{"import random\ndef roll(): return random.random()", "import main, random\ndef test(): assert main.roll() != random.random()", glovebox.StatusPass},
		} {
			job := glovebox.Job{Tier: name, Limits: glovebox.Limits{Wall: 3 * time.Second},
				Program: python(c.code),
				Tests:   []glovebox.File{{Path: "test_it.py", Data: []byte(c.tests)}}}
			o := doWarm(t, e, job)
			if o.Status != c.want || o.Tests != nil && o.Tests.Proof != glovebox.ProofOutOfProcess {
				t.Errorf("%q: %s (%s) %+v, want %s", c.code, o.Status, o.Message, o.Tests, c.want)
			}
		}
	})
}

// TestNotWarm: what only a start of its own can be.
func TestNotWarm(t *testing.T) {
	need(t, open(t), language.Python)
	e := warmEngine(t)
	plain := glovebox.Job{Tier: glovebox.TierProcess, Program: python("import os\nprint(os.environ.get('A'))")}
	doWarm(t, e, plain)
	job := plain
	job.Env = map[string]string{"A": "b"}
	for range 3 {
		if o := do(t, e, job); o.Warm || o.Stdout != "b\n" {
			t.Errorf("warm %v: %q", o.Warm, o.Stdout)
		}
	}
}

// frail breaks boxes: as many as it is told.
type frail struct {
	tier.Tier
	breaks func(tier.Spec) (opening, running bool)
}

func (f frail) Traits() tier.Traits { return f.Tier.(tier.Described).Traits() }

func (f frail) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	opening, running := f.breaks(spec)
	if opening {
		return nil, &tier.Error{Tier: f.Name(), Op: "boot", Kind: tier.KindBroken, Err: io.ErrUnexpectedEOF}
	}
	box, err := f.Tier.Open(ctx, spec)
	if err == nil && running {
		box = breaking{box}
	}
	return box, err
}

type breaking struct{ tier.Box }

func (b breaking) Run(ctx context.Context, cmd tier.Command) glovebox.Outcome {
	b.Box.Close()
	return b.Box.Run(ctx, cmd)
}

// TestBroken: a box that breaks costs nobody a run, unless the next one breaks,
// too.
func TestBroken(t *testing.T) {
	need(t, open(t), language.Python)
	all := open(t).Tiers()
	i := slices.IndexFunc(all, func(t tier.Tier) bool { return t.Name() == glovebox.TierProcess })
	var opened atomic.Int64 // by a run
	for _, test := range []struct {
		name   string
		warm   *engine.Warm
		breaks func(tier.Spec) (opening, running bool)
		want   glovebox.Status
	}{
		{"those that were ready", &engine.Warm{Patience: time.Minute}, func(s tier.Spec) (bool, bool) { return false, s.Standby != nil }, glovebox.StatusPass},
		{"the first, when it runs", nil, func(tier.Spec) (bool, bool) { return false, opened.Add(1) == 1 }, glovebox.StatusPass},
		{"the first, when it is opened", nil, func(tier.Spec) (bool, bool) { return opened.Add(1) == 1, false }, glovebox.StatusPass},
		{"all, when they run", nil, func(tier.Spec) (bool, bool) { opened.Add(1); return false, true }, glovebox.StatusSandboxError},
		{"all, when they are opened", nil, func(tier.Spec) (bool, bool) { opened.Add(1); return true, false }, glovebox.StatusSandboxError},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newEngine(t, engine.Config{Tiers: []tier.Tier{frail{all[i], test.breaks}}, Warm: test.warm})
			for _, tests := range [][]glovebox.File{nil, {{Path: "test_it.py", Data: []byte("import main\ndef test(): assert main.x == 1")}}} {
				job := glovebox.Job{Program: python("x = 1\nprint(x)"), Tests: tests}
				for range 3 {
					opened.Store(0)
					o := do(t, e, job)
					if o.Status != test.want || o.Warm || opened.Load() > 4 {
						t.Errorf("%s (%s), warm %v, after %d boxes", o.Status, o.Message, o.Warm, opened.Load())
					}
					if o.Status == glovebox.StatusPass && tests == nil && o.Stdout != "1\n" {
						t.Errorf("it printed %q", o.Stdout)
					}
				}
			}
		})
	}
}

// TestWarmWall: the wall clock limit is the job's, for each case.
func TestWarmWall(t *testing.T) {
	need(t, open(t), language.Python)
	e := warmEngine(t)
	job := glovebox.Job{Tier: glovebox.TierProcess, Program: python("import time\ntime.sleep(float(input()))"),
		Limits: glovebox.Limits{Wall: time.Second}, Cases: []glovebox.Case{{Stdin: "0"}, {Stdin: "5"}}}
	if o := doWarm(t, e, job); o.Status != glovebox.StatusTimeout || o.Limit != glovebox.LimitWall {
		t.Errorf("with a limit of a second, five seconds of sleep ended as %s: %s", o.Status, o.Message)
	}
	job.Limits.Wall = time.Minute
	job.Cases[1].Stdin = "11"
	if o := doWarm(t, e, job); o.Status != glovebox.StatusPass {
		t.Errorf("with a limit of a minute, eleven seconds of sleep ended as %s: %s", o.Status, o.Message)
	}
}

// TestAlikeFiles: where the files are more than a main file, too.
func TestAlikeFiles(t *testing.T) {
	file := func(path, text string) glovebox.File { return glovebox.File{Path: path, Data: []byte(text)} }
	long := "x = 1  # " + strings.Repeat("long ", 100<<10) + "\nprint('long')\n"
	jobs := map[string]glovebox.Job{
		"an input in the program's place":    {Program: python("print('program')"), Inputs: []glovebox.File{file("main.py", "print('input')")}},
		"an input in a module's place":       {Program: &glovebox.Program{Language: "python", Main: "main.py", Files: []glovebox.File{file("main.py", "import m"), file("m.py", "print('program')")}}, Inputs: []glovebox.File{file("m.py", "print('input')")}},
		"a broken input in a module's place": {Program: &glovebox.Program{Language: "python", Main: "main.py", Files: []glovebox.File{file("main.py", "import m"), file("m.py", "print('program')")}}, Inputs: []glovebox.File{file("m.py", "print('input'")}},
		"long":                               {Program: python(long)},
		"not UTF-8":                          {Program: python("# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))")},
		"a mark at its beginning":            {Program: python("\ufeffprint('marked')")},
		"a carriage return":                  {Program: python("print('a')\r\nprint('b')\r")},
		"a NUL":                              {Program: python("print('a')\x00")},
	}
	cold, warm := coldEngine(t), warmEngine(t)
	eachStandby(t, func(t *testing.T, _ *engine.Engine, name glovebox.TierName) {
		for what, job := range jobs {
			t.Run(what, func(t *testing.T) {
				job.Tier = name
				want, got := essence(do(t, cold, job)), essence(do(t, warm, job))
				if want != got {
					t.Errorf("warm it is\n%s\ncold\n%s", got, want)
				}
			})
		}
	})
}
