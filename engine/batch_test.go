//go:build linux

package engine_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/gvisor"
)

// batchEngine is an engine of gVisor alone, or the test is skipped.
func batchEngine(t *testing.T) *engine.Engine {
	t.Helper()
	t.Setenv("GLOVEBOX_BATCH", "")
	e := coldEngine(t)
	o := do(t, e, glovebox.Job{Tier: glovebox.TierGVisor, Program: line("print(1)"), Batch: "trial"})
	if o.Status == glovebox.StatusSandboxError {
		t.Skip(o.Message)
	}
	return e
}

func line(code string) *glovebox.Program {
	return &glovebox.Program{Language: "python", Main: "main.py", Files: []glovebox.File{{Path: "main.py", Data: []byte(code)}}}
}

// tested is a job with a test that is proven.
func tested() glovebox.Job {
	return glovebox.Job{
		Program: &glovebox.Program{Language: "python", Files: []glovebox.File{{Path: "solution.py", Data: []byte("def f(): return 1\n")}}},
		Tests:   []glovebox.File{{Path: "test_it.py", Data: []byte("from solution import f\ndef test_f(): assert f() == 1\n")}},
	}
}

// TestBatchAlike runs programs in boxes of a batch and in others.
func TestBatchAlike(t *testing.T) {
	e := batchEngine(t)
	for title, code := range alike {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			program := line(code)
			program.Files = append(program.Files, glovebox.File{Path: "helper.py", Data: []byte("name = __name__\nimport sys\nmain_name = sys.modules['__main__'].__name__\n")})
			job := glovebox.Job{
				Tier: glovebox.TierGVisor, Args: []string{"one", "zw\u00f6lf"}, Stdin: []byte("a line\nmore\n"), Program: program,
				Inputs: []glovebox.File{{Path: "data/in.txt", Data: []byte("input")}},
			}
			want := do(t, e, job)
			job.Batch = "alike"
			got := do(t, e, job)
			if w, g := essence(want), essence(got); w != g {
				t.Errorf("in a batch it is\n%s\nand alone\n%s", g, w)
			}
			if taken(want) || !taken(got) {
				t.Errorf("shared alone: %t, in a batch: %t", taken(want), taken(got))
			}
		})
	}
}

// TestBatchOfCases: the cases of a job, and jobs that cannot share.
func TestBatchOfCases(t *testing.T) {
	e := batchEngine(t)
	cases := []glovebox.Case{{Stdin: "1\n", Stdout: "2\n"}, {Stdin: "3\n", Stdout: "6\n"}}
	for range 2 {
		o := do(t, e, glovebox.Job{Tier: glovebox.TierGVisor, Batch: "b", Program: line("print(2 * int(input()))"), Cases: cases})
		if o.Status != glovebox.StatusPass || !taken(o) {
			t.Errorf("%s %t %+v", o.Status, taken(o), o.Tests)
		}
	}
	for range 3 {
		test := tested()
		test.Tier, test.Batch = glovebox.TierGVisor, "b"
		if o := do(t, e, test); o.Status != glovebox.StatusPass || !taken(o) || o.Tests.Proof != glovebox.ProofOutOfProcess {
			t.Errorf("an exam: %s %t %s %+v", o.Status, taken(o), o.Message, o.Tests)
		}
	}
	env := glovebox.Job{Tier: glovebox.TierGVisor, Batch: "b", Program: line("print(1)"), Env: map[string]string{"A": "b"}}
	if o := do(t, e, env); o.Status != glovebox.StatusPass || taken(o) {
		t.Errorf("with an environment: %s %t", o.Status, taken(o))
	}
}

// TestBatchAgain: what ends a shared kernel, and a lack of memory in one, is not a
// program's verdict before it had one of its own.
func TestBatchAgain(t *testing.T) {
	e := batchEngine(t)
	o := do(t, e, glovebox.Job{
		Tier: glovebox.TierGVisor, Batch: "b", Program: line("x = []\nwhile True: x.append(bytearray(1 << 20))"),
		Limits: glovebox.Limits{Memory: 128 << 20},
	})
	if o.Status != glovebox.StatusMemoryLimit || taken(o) || !slices.ContainsFunc(o.Evidence, func(e glovebox.Evidence) bool { return strings.Contains(e.Fact, "run again") }) {
		t.Errorf("%s %t %+v", o.Status, taken(o), o.Evidence)
	}
	tr, err := gvisor.New(gvisor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	e = newEngine(t, engine.Config{Tiers: []tier.Tier{torn{tr}}})
	o = do(t, e, glovebox.Job{Batch: "b", Program: line("print(1)")})
	if o.Status != glovebox.StatusPass || o.Stdout != "1\n" || taken(o) {
		t.Errorf("%s %q %t", o.Status, o.Stdout, taken(o))
	}
}

// torn is a tier whose boxes of a batch break after they have said something.
type torn struct{ *gvisor.Tier }

func (t torn) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	b, err := t.Tier.Open(ctx, spec)
	if err == nil && spec.Batch != "" {
		b = tears{b}
	}
	return b, err
}

type tears struct{ tier.Box }

func (b tears) Run(ctx context.Context, cmd tier.Command) glovebox.Outcome {
	b.Box.Run(ctx, cmd)
	return glovebox.Outcome{Cause: glovebox.CauseBox, Err: errors.New("torn"), ExitCode: -1}
}

func (b tears) Workspace() (fs.FS, error) { return nil, errors.New("torn") }

// BenchmarkBatch measures jobs of a batch and alone, by two workers: a program of one
// line, and one with a test that is proven.
func BenchmarkBatch(b *testing.B) {
	c := config()
	c.Warm = nil
	e, err := engine.New(c)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	for name, job := range map[string]glovebox.Job{"line": {Program: line("print(1)")}, "proven": tested()} {
		job.Tier = glovebox.TierGVisor
		for _, batch := range []string{"", "b"} {
			b.Run(name+"/batch "+batch, func(b *testing.B) {
				job.Batch = batch
				b.SetParallelism(1)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						o, err := e.Run(b.Context(), job)
						if err != nil || o.Status != glovebox.StatusPass || taken(o) != (batch != "") {
							b.Errorf("%v %+v", err, o)
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
			})
		}
	}
}
