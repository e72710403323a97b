package eval_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/eval"
	"github.com/gloveboxhq/glovebox/internal/corpus"
	"github.com/gloveboxhq/glovebox/internal/sample"
	"github.com/gloveboxhq/glovebox/language"
)

// The tests of this file run real data through a real engine. They take a sample
// of the rows; GLOVEBOX_SAMPLE=all takes all, which is minutes, and -short none.
// GLOVEBOX_TIER picks a tier (process, for its speed).

// whole tells whether all rows are taken.
var whole = os.Getenv("GLOVEBOX_SAMPLE") == "all"

func corpusTier() glovebox.TierName {
	return glovebox.TierName(cmp.Or(os.Getenv("GLOVEBOX_TIER"), string(glovebox.TierProcess)))
}

// patient are limits for a busy machine.
var patient = glovebox.Limits{Wall: 30 * time.Second, CPU: 30 * time.Second}

// judge loads a corpus and runs it, or each step-th problem of it.
func judge(t *testing.T, tier glovebox.TierName, src eval.Source, step int, o eval.Options) eval.Summary {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long; -short leaves it out")
	}
	src.Problems = filepath.Join(corpus.Dir(t), filepath.FromSlash(src.Problems))
	if _, err := os.Stat(src.Problems); err != nil {
		t.Skipf("this corpus is not here: %v", err)
	}
	e := boxes(t, tier)
	s, err := eval.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	o.Tier = tier
	work := sample.Some(s.Work(o), step)
	results := memory(t)
	ran, err := (&eval.Runner{Do: eval.Judge(e)}).Run(context.Background(), work, results)
	if err != nil {
		t.Fatal(err)
	}
	sum := eval.Summarize(work, results.Rows(work), []int{1}, ran)
	t.Logf("%s: %v, pass@1 %v, %.1f a second", filepath.Base(src.Problems), sum.Counts, sum.PassAtK, sum.Duration.RunsPerSecond)
	if n := sum.Counts[glovebox.StatusSandboxError]; n > 0 {
		t.Errorf("%d samples could not be run", n)
	}
	return sum
}

// all reports samples that did not end with the status.
func all(t *testing.T, sum eval.Summary, want func(task eval.Task) bool) {
	t.Helper()
	for _, task := range sum.Tasks {
		if !want(task) {
			t.Errorf("%s: %v", task.Task, task.Statuses)
		}
	}
}

func passes(task eval.Task) bool { return task.Passed == task.N && task.N > 0 }

func TestHumanEvalIsSolved(t *testing.T) {
	src := eval.Source{Problems: "humaneval/HumanEval.jsonl.gz", Field: "canonical_solution"}
	o := eval.Options{Limits: patient, RequireProof: glovebox.ProofOutOfProcess}
	for _, c := range []struct {
		tier glovebox.TierName
		step int
	}{{corpusTier(), 16}, {glovebox.TierGVisor, 60}} {
		t.Run(string(c.tier), func(t *testing.T) {
			if c.tier == glovebox.TierGVisor && whole {
				t.Skip("the whole set runs in the other tier")
			}
			sum := judge(t, c.tier, src, c.step, o)
			all(t, sum, passes)
			if sum.PassAtK["1"] != 1 {
				t.Errorf("pass@1 is %v", sum.PassAtK)
			}
		})
	}
}

func TestHumanEvalPackRows(t *testing.T) {
	src := eval.Source{Problems: "repair/humanevalpack-python.jsonl.gz", Field: "canonical_solution"}
	all(t, judge(t, corpusTier(), src, 24, eval.Options{Limits: patient}), passes)
	src.Field = "buggy_solution"
	sum := judge(t, corpusTier(), src, 24, eval.Options{Limits: glovebox.Limits{Wall: 10 * time.Second}})
	all(t, sum, func(task eval.Task) bool { return task.Passed == 0 })
}

func TestQuixBugsRows(t *testing.T) {
	// These take minutes, or gigabytes, even when they are right.
	slow := func(task eval.Task) bool { return task.Task == "knapsack" || task.Task == "levenshtein" }
	src := eval.Source{Problems: "repair/quixbugs.jsonl.gz", Field: "correct"}
	sum := judge(t, corpusTier(), src, 5, eval.Options{Limits: glovebox.Limits{Wall: 10 * time.Second}})
	all(t, sum, func(task eval.Task) bool {
		return passes(task) || slow(task) && task.Statuses["timeout"]+task.Statuses["memory_limit"] == 1
	})
	src.Field = "buggy"
	sum = judge(t, corpusTier(), src, 5, eval.Options{Limits: glovebox.Limits{Wall: 5 * time.Second}})
	all(t, sum, func(task eval.Task) bool { return task.Passed == 0 })
}

// TestReplyRows: the same counts as docs/verdicts.md has, which come from the
// engine's own test of these rows.
func TestReplyRows(t *testing.T) {
	for _, c := range []struct {
		suffix       string
		lang         *language.Language
		total, right int
		step         int
	}{
		{"python", language.Python, 164, 150, 40}, {"js", language.JavaScript, 161, 138, 60}, {"ts", language.TypeScript, 159, 142, 60},
		{"php", language.PHP, 161, 128, 60}, {"sh", language.Bash, 158, 81, 60}, {"go", language.Go, 154, 107, 80},
		{"rb", language.Ruby, 161, 136, 60}, {"pl", language.Perl, 161, 119, 60}, {"lua", language.Lua, 161, 124, 60},
	} {
		t.Run(c.suffix, func(t *testing.T) {
			e, err := shared()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Toolchain(context.Background(), c.lang); err != nil {
				t.Skipf("no %s here: %v", c.lang.Title, err)
			}
			sum := judge(t, corpusTier(), eval.Source{Problems: "replies/humaneval-" + c.suffix + ".jsonl.gz"}, c.step, eval.Options{Limits: patient})
			if whole && (sum.Samples != c.total || sum.Counts[glovebox.StatusPass] != c.right) {
				t.Errorf("%d of %d pass, want %d of %d", sum.Counts[glovebox.StatusPass], sum.Samples, c.right, c.total)
			}
			for _, task := range sum.Tasks {
				if task.Language != c.lang.Name {
					t.Errorf("%s is in %s", task.Task, task.Language)
				}
			}
		})
	}
}

// reference is how samples are judged without a sandbox: a process of Python
// forks for each, and executes it there. The exit code is how many failed.
const reference = `
import json, os, sys
at_once, running, failed = int(sys.argv[1]), 0, 0
def reap():
    global running, failed
    running, failed = running - 1, failed + (os.wait()[1] != 0)
for program in json.load(sys.stdin):
    if running == at_once:
        reap()
    if os.fork() == 0:
        try:
            exec(program, {})
            os._exit(0)
        except BaseException:
            os._exit(1)
    running += 1
while running:
    reap()
sys.exit(min(failed, 100))
`

// TestRate runs HumanEval with ten samples of each problem, and beside that the
// reference approach: for each sample a fork of plain Python that executes the
// program and its tests, with no sandbox. The samples are the set's own
// solutions: nothing else may run like that. It prints both rates.
func TestRate(t *testing.T) {
	if !whole {
		t.Skip("takes minutes; GLOVEBOX_SAMPLE=all runs it")
	}
	boxes(t, corpusTier())
	// As the command has it.
	e, err := engine.New(engine.Config{Warm: &engine.Warm{Most: 8 * runtime.NumCPU(), Patience: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	type row struct {
		TaskID   string `json:"task_id"`
		Prompt   string `json:"prompt"`
		Entry    string `json:"entry_point"`
		Solution string `json:"canonical_solution"`
		Test     string `json:"test"`
	}
	rows := corpus.Rows[row](t, "humaneval/HumanEval.jsonl.gz")
	var samples bytes.Buffer
	z := gzip.NewWriter(&samples)
	var programs []string
	const each = 10
	for _, r := range rows {
		line, err := json.Marshal(map[string]any{"task_id": r.TaskID, "completions": slices.Repeat([]string{r.Solution}, each)})
		if err != nil {
			t.Fatal(err)
		}
		z.Write(append(line, '\n'))
		programs = append(programs, r.Prompt+r.Solution+"\n"+r.Test+"\ncheck("+r.Entry+")")
	}
	z.Close()
	name := filepath.Join(t.TempDir(), "samples.jsonl.gz")
	if err := os.WriteFile(name, samples.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := eval.Load(eval.Source{Problems: filepath.Join(corpus.Dir(t), "humaneval", "HumanEval.jsonl.gz"), Samples: name})
	if err != nil {
		t.Fatal(err)
	}
	work, results := s.Work(eval.Options{Tier: corpusTier(), Limits: patient}), memory(t)
	runner := eval.Runner{Do: eval.Judge(e)}
	// They take turns, so that both meet the same moods of the machine.
	var ours, theirs time.Duration
	var done []*eval.Work
	for n := range each {
		for _, w := range work {
			if w.N == n {
				done = append(done, w)
			}
		}
		ran, err := runner.Run(context.Background(), done, results)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs = ours+ran.Took, theirs+alone(t, programs)
		runs := float64(len(done))
		t.Logf("HumanEval, %d runs on %d processors in the tier %s: %.1f a second; a fork of plain Python each, no sandbox: %.1f a second; ratio %.2f",
			len(done), runtime.NumCPU(), corpusTier(), runs/ours.Seconds(), runs/theirs.Seconds(), theirs.Seconds()/ours.Seconds())
	}
	sum := eval.Summarize(work, results.Rows(work), []int{1, each}, eval.Ran{})
	if sum.PassAtK["1"] != 1 || sum.PassAtK["10"] != 1 || sum.Samples != each*len(rows) {
		t.Errorf("%d samples: %v, %v", sum.Samples, sum.PassAtK, sum.Counts)
	}
}

// alone runs programs by the reference approach, one for each processor at a
// time.
func alone(t *testing.T, programs []string) time.Duration {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	in, err := json.Marshal(programs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-I", "-c", reference, strconv.Itoa(runtime.NumCPU()))
	cmd.Stdin = bytes.NewReader(in)
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		t.Errorf("programs fail by themselves: %v", err)
	}
	return time.Since(begin)
}
