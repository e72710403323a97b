package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cost"
)

// shared is one engine for the tests of this package; nil until one wants it.
var shared struct {
	sync.Mutex
	*engine.Engine
}

// closeShared ends the shared engine, with the boxes that it keeps ready. The
// next test that wants one has another.
func closeShared() {
	shared.Lock()
	defer shared.Unlock()
	if shared.Engine != nil {
		shared.Close()
		shared.Engine = nil
	}
}

// config makes an engine with what the caller of these tests wants to see
// tested: GLOVEBOX_EMULATE=1 lets the microvm tier emulate, which is slow;
// GLOVEBOX_RUNTIME is the container tier's runtime; GLOVEBOX_WARM=1 lets every
// run wait for a box that is ready, where its language has such.
func config() engine.Config {
	c := engine.Config{AllowEmulation: os.Getenv("GLOVEBOX_EMULATE") != "", Runtime: os.Getenv("GLOVEBOX_RUNTIME")}
	if os.Getenv("GLOVEBOX_WARM") != "" {
		c.Warm = &engine.Warm{Most: 6, Patience: time.Minute}
	}
	return c
}

func open(t testing.TB) *engine.Engine {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.Engine == nil {
		e, err := engine.New(config())
		if err != nil {
			t.Fatal(err)
		}
		shared.Engine = e
	}
	return shared.Engine
}

// need skips a test where the language's toolchain is not on this host.
func need(t testing.TB, e *engine.Engine, l *language.Language) {
	t.Helper()
	if _, err := e.Toolchain(context.Background(), l); err != nil {
		t.Skipf("no %s here: %v", l.Title, err)
	}
}

// eachTier runs a test in every tier that this host can enforce, and that runs
// the programs of this machine; GLOVEBOX_TIERS names those that are wanted.
func eachTier(t *testing.T, f func(t *testing.T, e *engine.Engine, name glovebox.TierName)) {
	need(t, open(t), language.Python)
	tiersOf(t, false, f)
}

// eachModuleTier does the same with the tiers that run WebAssembly modules.
func eachModuleTier(t *testing.T, f func(t *testing.T, e *engine.Engine, name glovebox.TierName)) {
	tiersOf(t, true, f)
}

func tiersOf(t *testing.T, ofModules bool, f func(t *testing.T, e *engine.Engine, name glovebox.TierName)) {
	e := open(t)
	roots, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	wanted := strings.Fields(os.Getenv("GLOVEBOX_TIERS"))
	for _, tr := range e.Tiers() {
		if _, modules := tr.(tier.Modules); modules != ofModules || len(wanted) > 0 && !slices.Contains(wanted, string(tr.Name())) {
			continue
		}
		t.Run(string(tr.Name()), func(t *testing.T) {
			root, err := cost.Root(context.Background(), tr, roots, rootfs.Base())
			if err != nil {
				t.Fatal(err)
			}
			box, err := tr.Open(context.Background(), tier.Spec{Root: root, Limits: glovebox.DefaultLimits})
			if tier.IsKind(err, tier.KindUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := box.Close(); err != nil {
				t.Error(err)
			}
			f(t, e, tr.Name())
		})
	}
}

func python(code string) *glovebox.Program {
	return &glovebox.Program{Language: "python", Main: "main.py", Files: []glovebox.File{{Path: "main.py", Data: []byte(code)}}}
}

// taken tells whether the run's box shared its kernel with others of its batch.
func taken(o *glovebox.Observation) bool {
	return slices.ContainsFunc(o.Isolation, func(c glovebox.Control) bool {
		return c.Name == tier.ControlSyscalls && strings.Contains(c.How, "other programs of the batch")
	})
}

// shares counts the runs whose boxes shared a kernel with others of their batch.
var shares atomic.Int64

// do runs a job; GLOVEBOX_BATCH names the batch that all jobs are of which have none.
func do(t testing.TB, e *engine.Engine, job glovebox.Job) *glovebox.Observation {
	t.Helper()
	job.Batch = cmp.Or(job.Batch, os.Getenv("GLOVEBOX_BATCH"))
	o, err := e.Run(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	if taken(o) {
		shares.Add(1)
	}
	return o
}

func TestStatuses(t *testing.T) {
	solution := func(body string) glovebox.Reply {
		return glovebox.Reply("Here it is:\n\n```python\n" + body + "\n```\n")
	}
	adds := []glovebox.File{{Path: "test_add.py", Data: []byte("from solution import add\nassert add(2, 2) == 4\nassert add(-1, 1) == 0\n")}}
	tests := []struct {
		name  string
		job   glovebox.Job
		want  glovebox.Status
		limit glovebox.LimitName
		check func(o *glovebox.Observation) error
	}{
		{"prints", glovebox.Job{Program: python("print('héllo')")}, "pass", "", stdout("héllo\n")},
		{"reads", glovebox.Job{Program: python("print(input()[::-1])"), Stdin: []byte("abc\n")}, "pass", "", stdout("cba\n")},
		{"arguments", glovebox.Job{Program: python("import sys; print(sys.argv[1:])"), Args: []string{"a", "b c"}}, "pass", "", stdout("['a', 'b c']\n")},
		{"environment", glovebox.Job{Program: python("import os; print(sorted(os.environ), os.environ['X'])"), Env: map[string]string{"X": "y"}},
			"pass", "", contains("'HOME', 'LANG', 'PATH'")},
		{"inputs", glovebox.Job{Program: python("print(open('data/in.txt').read())\ntry:\n  open('data/in.txt','w')\nexcept OSError as e: print('refused')"),
			Inputs: []glovebox.File{{Path: "data/in.txt", Data: []byte("input")}}}, "pass", "", stdout("input\nrefused\n")},
		{"no code", glovebox.Job{Reply: "I am sorry, I cannot help with that."}, "no_code", "", nil},
		{"empty", glovebox.Job{}, "no_code", "", nil},
		{"reply too long", glovebox.Job{Reply: "0123456789", Limits: glovebox.Limits{Reply: 5}}, "no_code", "reply", nil},
		{"syntax", glovebox.Job{Program: python("x = 1\ndef f(:\n  pass")}, "syntax_error", "", func(o *glovebox.Observation) error {
			if o.Syntax == nil || o.Syntax.Line != 2 || o.Syntax.File != "main.py" {
				return fmt.Errorf("syntax is %+v", o.Syntax)
			}
			return nil
		}},
		{"raises", glovebox.Job{Program: python("print('before')\nraise KeyError('k')")}, "runtime_error", "", func(o *glovebox.Observation) error {
			if o.Failure == nil || o.Failure.Type != "KeyError" || o.Failure.Line != 2 || o.Stdout != "before\n" || o.ExitCode == nil || *o.ExitCode != 1 {
				return fmt.Errorf("failure is %+v, stdout %q, exit code %v", o.Failure, o.Stdout, o.ExitCode)
			}
			return nil
		}},
		{"signal", glovebox.Job{Program: python("import os; os.kill(os.getpid(), 11)")}, "runtime_error", "", func(o *glovebox.Observation) error {
			if o.Signal != "SIGSEGV" || o.ExitCode != nil {
				return fmt.Errorf("signal is %q, exit code %v", o.Signal, o.ExitCode)
			}
			return nil
		}},
		{"wall", glovebox.Job{Program: python("import time; print('up', flush=True); time.sleep(100)"), Limits: glovebox.Limits{Wall: time.Second}},
			"timeout", "wall", partial("up\n")},
		{"cpu", glovebox.Job{Program: python("while True: pass"), Limits: glovebox.Limits{CPU: time.Second, Wall: 30 * time.Second}}, "timeout", "cpu", nil},
		{"memory that was only asked for", glovebox.Job{Program: python("try: bytearray(1 << 62)\nexcept MemoryError: pass\nraise KeyError(1)")}, "runtime_error", "", nil},
		{"memory", glovebox.Job{Program: python("x = []\nwhile True: x.append('a' * 1000000)"), Limits: glovebox.Limits{Memory: 128 << 20}}, "memory_limit", "memory", nil},
		{"processes", glovebox.Job{Program: python("import os\nwhile True:\n  if os.fork() == 0:\n    import time; time.sleep(100)"), Limits: glovebox.Limits{Processes: 20}},
			"process_limit", "processes", nil},
		{"disk", glovebox.Job{Program: python("f = open('big', 'wb')\nwhile True: f.write(b'x' * 65536)"), Limits: glovebox.Limits{Disk: 1 << 20}}, "disk_limit", "disk", nil},
		{"files", glovebox.Job{Program: python("for i in range(100000): open(f'f{i}', 'w').close()"), Limits: glovebox.Limits{Files: 50}}, "disk_limit", "files", nil},
		{"output", glovebox.Job{Program: python("while True: print('x' * 1000)"), Limits: glovebox.Limits{Output: 100 << 10}}, "output_limit", "output", nil},
		{"tests pass", glovebox.Job{Reply: solution("def add(a, b):\n    return a + b"), Tests: adds}, "pass", "", func(o *glovebox.Observation) error {
			if o.Tests == nil || o.Tests.Proof != glovebox.ProofOutOfProcess || o.Feedback != "" {
				return fmt.Errorf("tests are %+v, feedback %q", o.Tests, o.Feedback)
			}
			return nil
		}},
		{"tests fail", glovebox.Job{Reply: solution("def add(a, b):\n    return a * b"), Tests: adds}, "test_failed", "", func(o *glovebox.Observation) error {
			for _, c := range o.Tests.Cases {
				if c.Status == "failed" && c.Actual == "-1" && c.Expected == "0" {
					return nil
				}
			}
			return fmt.Errorf("cases are %+v", o.Tests.Cases)
		}},
		{"exits before the tests", glovebox.Job{Reply: solution("import os\ndef add(a, b):\n    os._exit(0)"), Tests: adds}, "test_failed", "", nil},
		{"a limit in a test", glovebox.Job{Reply: solution("def add(a, b):\n    while True: pass"), Tests: adds, Limits: glovebox.Limits{Wall: 2 * time.Second}}, "timeout", "", nil},
		{"cases pass", glovebox.Job{Program: python("print(int(input()) * 2)"), Cases: []glovebox.Case{{Stdin: "1\n", Stdout: "2"}, {Stdin: "4\n", Stdout: "8\n"}}},
			"pass", "", func(o *glovebox.Observation) error {
				if o.Tests.Proof != glovebox.ProofComparedOutside || o.Tests.Passed != 2 {
					return fmt.Errorf("tests are %+v", o.Tests)
				}
				return nil
			}},
		{"a case fails", glovebox.Job{Program: python("print(int(input()) + 2)"), Cases: []glovebox.Case{{Stdin: "2\n", Stdout: "4"}, {Stdin: "4\n", Stdout: "8"}}}, "test_failed", "", nil},
		{"a case crashes", glovebox.Job{Program: python("print(1 // int(input()))"), Cases: []glovebox.Case{{Stdin: "1\n", Stdout: "1"}, {Stdin: "0\n", Stdout: "8"}}}, "test_failed", "", nil},
		{"the output matches but the exit code is not 0", glovebox.Job{Program: python("print(1)\nexit(3)"), Cases: []glovebox.Case{{Stdout: "1"}}}, "test_failed", "", nil},
		{"a case hits a limit", glovebox.Job{Program: python("while True: pass"), Cases: []glovebox.Case{{Stdout: "1"}}, Limits: glovebox.Limits{Wall: time.Second}}, "timeout", "", nil},
		{"tests and cases", glovebox.Job{Reply: solution("def add(a, b):\n    return a + b\nif __name__ == '__main__':\n    print(add(int(input()), 1))"),
			Tests: adds, Cases: []glovebox.Case{{Stdin: "1", Stdout: "2"}}}, "pass", "", nil},
		{"tests, but not cases", glovebox.Job{Reply: solution("def add(a, b):\n    return a + b"), Tests: adds, Cases: []glovebox.Case{{Stdin: "1", Stdout: "2"}}}, "test_failed", "", nil},
		{"mocks need the same process", glovebox.Job{Reply: solution("import os\ndef home():\n    return os.getcwd()"),
			Tests: []glovebox.File{{Path: "test_home.py", Data: []byte("from unittest import mock\nimport solution\ndef test_home():\n    with mock.patch('os.getcwd', return_value='/x'):\n        assert solution.home() == '/x'\n")}}},
			"pass", "", func(o *glovebox.Observation) error {
				if o.Tests.Proof != glovebox.ProofInProcess || o.Tests.Reason == "" {
					return fmt.Errorf("tests are %+v", o.Tests)
				}
				return nil
			}},
		{"a pass that is not proven", glovebox.Job{RequireProof: "out_of_process", Reply: solution("import os\ndef home():\n    return os.getcwd()"),
			Tests: []glovebox.File{{Path: "test_home.py", Data: []byte("from unittest import mock\nimport solution\ndef test_home():\n    with mock.patch('os.getcwd', return_value='/x'):\n        assert solution.home() == '/x'\n")}}},
			"unproven", "", nil},
		{"artifacts", glovebox.Job{Program: python("import os\nos.mkdir('out')\nopen('out/a.txt','w').write('hello')\nos.symlink('/etc/passwd','link')")}, "pass", "", func(o *glovebox.Observation) error {
			if len(o.Artifacts) != 1 || o.Artifacts[0].Name != "out/a.txt" || o.Artifacts[0].Size != 5 || len(o.Refused) != 1 || o.Refused[0].Name != "link" {
				return fmt.Errorf("artifacts %+v, refused %+v", o.Artifacts, o.Refused)
			}
			return nil
		}},
		{"secrets", glovebox.Job{Program: python("print('the-hidden-value-1')"), Secrets: map[string]string{"TOKEN": "the-hidden-value-1"}}, "pass", "", func(o *glovebox.Observation) error {
			if strings.Contains(o.Stdout, "hidden") || len(o.Redactions) != 1 {
				return fmt.Errorf("stdout %q, redactions %v", o.Stdout, o.Redactions)
			}
			return nil
		}},
		{"secrets in files", glovebox.Job{Program: python("open('a.txt','w').write('the-hidden-value-1')"), Secrets: map[string]string{"TOKEN": "the-hidden-value-1"}}, "pass", "", func(o *glovebox.Observation) error {
			if len(o.Artifacts) != 1 || o.Artifacts[0].Size != int64(len("[redacted:secret:TOKEN]")) || len(o.Redactions) != 1 {
				return fmt.Errorf("artifacts %+v, redactions %v", o.Artifacts, o.Redactions)
			}
			return nil
		}},
		{"bytes that are not text", glovebox.Job{Program: python(`import sys; sys.stdout.buffer.write(b"\xff\\\x1b[31mred")`)}, "pass", "", func(o *glovebox.Observation) error {
			if o.Stdout != `\xff\\red` || o.Encoding["stdout"] != "escaped" {
				return fmt.Errorf("stdout %q, encoding %v", o.Stdout, o.Encoding)
			}
			return nil
		}},
	}
	eachTier(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				tt.job.Tier = name
				if name == glovebox.TierMicroVM && tt.name == "wall" {
					tt.job.Limits.Wall *= 5 // an emulated processor takes so long to start an interpreter
				}
				o := do(t, e, tt.job)
				if o.Status != tt.want || tt.limit != "" && o.Limit != tt.limit {
					t.Errorf("got %s %s (%s), want %s %s; evidence %v, stderr %q", o.Status, o.Limit, o.Message, tt.want, tt.limit, o.Evidence, o.Stderr)
				} else if tt.check != nil {
					if err := tt.check(o); err != nil {
						t.Error(err)
					}
				}
				if o.NextAction != o.Status.Next() || len(o.Evidence) == 0 || (o.Feedback == "") != (o.Status == glovebox.StatusPass) {
					t.Errorf("next action %s, evidence %v, feedback %q", o.NextAction, o.Evidence, o.Feedback)
				}
			})
		}
	})
}

func stdout(want string) func(*glovebox.Observation) error {
	return func(o *glovebox.Observation) error {
		if o.Stdout != want || o.Stderr != "" {
			return fmt.Errorf("stdout is %q, want %q; stderr is %q", o.Stdout, want, o.Stderr)
		}
		return nil
	}
}

func contains(want string) func(*glovebox.Observation) error {
	return func(o *glovebox.Observation) error {
		if !strings.Contains(o.Stdout, want) {
			return fmt.Errorf("stdout is %q, want %q in it", o.Stdout, want)
		}
		return nil
	}
}

func partial(want string) func(*glovebox.Observation) error {
	return func(o *glovebox.Observation) error {
		if o.Stdout != want || !o.Partial {
			return fmt.Errorf("stdout is %q, partial %v", o.Stdout, o.Partial)
		}
		return nil
	}
}

func TestLongStreamIsAnArtifact(t *testing.T) {
	eachTier(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName) {
		o := do(t, e, glovebox.Job{Tier: name, Program: python("for i in range(100000): print('line', i)")})
		cut := o.Truncated["stdout"]
		if !strings.HasPrefix(o.Stdout, "line 0\n") || !strings.HasSuffix(o.Stdout, "line 99999\n") || cut.Artifact == "" {
			t.Fatalf("%d bytes of stdout, truncated %+v", len(o.Stdout), cut)
		}
		r, err := e.Artifacts().Open(cut.Artifact)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		all, err := io.ReadAll(r)
		if err != nil || int64(len(all)) != cut.TotalBytes || strings.Count(string(all), "\n") != 100000 {
			t.Errorf("the artifact has %d of %d bytes, %v", len(all), cut.TotalBytes, err)
		}
	})
}

func TestCancel(t *testing.T) {
	eachTier(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName) {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		o, err := e.Run(ctx, glovebox.Job{Tier: name, Program: python("while True: pass")})
		if err != nil || o.Status != glovebox.StatusCancelled {
			t.Errorf("got %+v, %v", o, err)
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	eachTier(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName) {
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				o := do(t, e, glovebox.Job{Tier: name, Program: python(fmt.Sprintf("print(%d)", i)), Limits: glovebox.Limits{Wall: time.Minute}})
				if o.Status != glovebox.StatusPass || o.Stdout != fmt.Sprintf("%d\n", i) {
					t.Errorf("run %d: %s, %q, %s", i, o.Status, o.Stdout, o.Message)
				}
			})
		}
		wg.Wait()
	})
}

func TestWrongJobs(t *testing.T) {
	e := open(t)
	file := func(p string) []glovebox.File { return []glovebox.File{{Path: p}} }
	tests := []struct {
		name  string
		job   glovebox.Job
		field string
	}{
		{"negative limit", glovebox.Job{Limits: glovebox.Limits{Memory: -1}}, "limits"},
		{"huge limit", glovebox.Job{Limits: glovebox.Limits{Wall: 1 << 62}}, "limits"},
		{"tier", glovebox.Job{Tier: "chroot"}, "tier"},
		{"proof", glovebox.Job{RequireProof: "word_of_honour"}, "require_proof"},
		{"language", glovebox.Job{Language: "intercal"}, "language"},
		{"language of a program", glovebox.Job{Program: &glovebox.Program{Language: "intercal"}}, "program.language"},
		{"no main and no tests", glovebox.Job{Program: &glovebox.Program{Language: "python", Files: append(file("a.py"), file("b.py")...)}}, "program.main"},
		{"no main, tests and cases", glovebox.Job{Program: &glovebox.Program{Language: "python", Files: append(file("a.py"), file("b.py")...)}, Tests: file("test_a.py"), Cases: []glovebox.Case{{}}}, "program.main"},
		{"no files", glovebox.Job{Program: &glovebox.Program{Language: "python"}, Tests: file("test_a.py")}, "program.main"},
		{"main", glovebox.Job{Program: &glovebox.Program{Language: "python", Main: "b.py", Files: file("a.py")}}, "program.main"},
		{"a file name that leaves", glovebox.Job{Program: &glovebox.Program{Language: "python", Main: "../a.py", Files: file("../a.py")}}, "program.files"},
		{"two files of one name", glovebox.Job{Inputs: append(file("a"), file("./a")...)}, "inputs"},
		{"a test outside", glovebox.Job{Tests: file("/etc/passwd")}, "tests"},
		{"match", glovebox.Job{Cases: []glovebox.Case{{Match: "roughly"}}}, "cases[0].match"},
		{"environment", glovebox.Job{Env: map[string]string{"A=B": ""}}, "env"},
		{"a secret that is too short", glovebox.Job{Secrets: map[string]string{"PIN": "123"}}, "secrets"},
		{"argument", glovebox.Job{Args: []string{"a\x00b"}}, "args"},
		{"argument of a case", glovebox.Job{Cases: []glovebox.Case{{Args: []string{"a", "b\x00"}}}}, "cases[0].args"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := e.Run(context.Background(), tt.job)
			var wrong *engine.Error
			if !errors.As(err, &wrong) || wrong.Field != tt.field {
				t.Errorf("got %v, want an error of %s", err, tt.field)
			}
		})
	}
}

// unusable is a tier of a host that can enforce nothing.
type unusable struct{}

func (unusable) Name() glovebox.TierName           { return "unusable" }
func (unusable) Probe(context.Context) tier.Report { return tier.Report{} }
func (unusable) Open(context.Context, tier.Spec) (tier.Box, error) {
	return nil, &tier.Error{Tier: "unusable", Op: "open", Kind: tier.KindUnsupported, Control: "anything"}
}

func TestFailsClosed(t *testing.T) {
	need(t, open(t), language.Python)
	e, err := engine.New(engine.Config{Tiers: []tier.Tier{unusable{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	o := do(t, e, glovebox.Job{Program: python("print(1)")})
	if o.Status != glovebox.StatusSandboxError || !strings.Contains(o.Message, "cannot enforce anything") || o.Stdout != "" {
		t.Errorf("got %+v", o)
	}
}

// governor decides the same of each Job, and counts.
type governor struct {
	decision engine.Decision
	recorded int
	record   func(*glovebox.Observation) error
}

func (g *governor) Admit(_ context.Context, s *engine.Submission) engine.Decision {
	d := g.decision
	d.Limits = s.Job.Limits
	return d
}

func (g *governor) Record(_ context.Context, _ *engine.Submission, o *glovebox.Observation) error {
	g.recorded++
	if g.record == nil {
		return nil
	}
	return g.record(o)
}

// What cannot be recorded is not given out.
func TestNotRecorded(t *testing.T) {
	g := &governor{record: func(*glovebox.Observation) error { return errors.New("the disk is full") }}
	e, err := engine.New(engine.Config{Govern: g})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	need(t, e, language.Python)
	o := do(t, e, glovebox.Job{Program: python("print('result')")})
	if o.Status != glovebox.StatusSandboxError || o.Phase != glovebox.PhaseRecord || o.NextAction != glovebox.ActionAskHuman ||
		o.Stdout != "" || !strings.Contains(o.Message, "the disk is full") {
		t.Errorf("got %+v", o)
	}
}

// TestGoverned: what a policy gives and takes reaches the run.
func TestGoverned(t *testing.T) {
	for _, tt := range []struct {
		name     string
		decision engine.Decision
		job      glovebox.Job
		want     glovebox.Status
		says     string
	}{
		{"no tier is allowed", engine.Decision{Tiers: []glovebox.TierName{}}, glovebox.Job{Program: python("print(1)")}, glovebox.StatusSandboxError, "the policy does not allow this tier"},
		{"a need that no tier gives", engine.Decision{Needs: []glovebox.Need{glovebox.NeedNetwork}}, glovebox.Job{Program: python("print(1)")}, "", ""},
		{"a stronger proof", engine.Decision{RequireProof: glovebox.ProofOutOfProcess},
			glovebox.Job{Program: python("def f():\n    return 1"), Cases: []glovebox.Case{{Stdout: ""}}}, glovebox.StatusPass, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := engine.New(engine.Config{Govern: &governor{decision: tt.decision}})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			need(t, e, language.Python)
			o, err := e.Run(t.Context(), tt.job)
			if tt.want == "" {
				if err == nil {
					t.Errorf("got %s (%s), want an error", o.Status, o.Message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if o.Status != tt.want || !strings.Contains(o.Message, tt.says) {
				t.Errorf("got %s (%s)", o.Status, o.Message)
			}
		})
	}
}

func TestPolicyDecides(t *testing.T) {
	for _, tt := range []struct {
		decision engine.Decision
		want     glovebox.Status
	}{
		{engine.Decision{}, glovebox.StatusPass},
		{engine.Decision{Status: glovebox.StatusDenied, Denials: []glovebox.Denial{{Rule: "egress", Asked: "egress: a.example:443"}}}, glovebox.StatusDenied},
		{engine.Decision{Status: glovebox.StatusApprovalRequired}, glovebox.StatusApprovalRequired},
	} {
		g := &governor{decision: tt.decision}
		e, err := engine.New(engine.Config{Govern: g})
		if err != nil {
			t.Fatal(err)
		}
		need(t, e, language.Python)
		if o := do(t, e, glovebox.Job{Program: python("print(1)")}); o.Status != tt.want || g.recorded != 1 {
			t.Errorf("got %s (%s), want %s; recorded %d times", o.Status, o.Message, tt.want, g.recorded)
		}
		e.Close()
	}
}

func TestClosed(t *testing.T) {
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if o, err := e.Run(context.Background(), glovebox.Job{Reply: "x"}); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("got %v, %v", o, err)
	}
}

// A job's variable takes the place of ours, in every language.
func TestEnvironment(t *testing.T) {
	for lang, code := range map[string]string{
		"python": `import os; print(os.environ["LANG"], os.environ["HOME"])`,
		"bash":   `echo "$LANG $HOME"`,
		"perl":   `print "$ENV{LANG} $ENV{HOME}\n"`,
	} {
		t.Run(lang, func(t *testing.T) {
			e, err := engine.New(engine.Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			o := do(t, e, glovebox.Job{
				Program: &glovebox.Program{Language: lang, Files: []glovebox.File{{Path: "main", Data: []byte(code)}}},
				Env:     map[string]string{"LANG": "C", "HOME": "/tmp"},
			})
			if o.Stdout != "C /tmp\n" {
				t.Errorf("%s %q %q", o.Status, o.Stdout, o.Stderr)
			}
		})
	}
}
