package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/eval"
	"github.com/gloveboxhq/glovebox/language"
)

type evalCmd struct {
	Problems    string `short:"p" help:"The problems: JSON lines or a JSON list, plain or compressed with gzip." placeholder:"FILE" type:"path"`
	Samples     string `short:"s" help:"The samples, likewise; without it the problems' rows hold them." placeholder:"FILE" type:"path"`
	SampleField string `help:"The field that holds the samples, where it is not told by its name." placeholder:"NAME[:FORM]"`
	Partial     bool   `help:"Count only the problems that have samples."`

	K                []int    `default:"1" help:"Estimate pass@k for these k (default 1)." placeholder:"1,10"`
	FailUnder        *float64 `help:"Exit with status 1 where pass@k, of the first k, is below this." placeholder:"0.8"`
	FailOnUnrunnable bool     `help:"Exit with status 1 where the tests of a sample cannot run here; else such samples are left out of pass@k, with a warning."`
	Baseline         string   `help:"Compare with the results file of an older run, task by task." placeholder:"RESULTS" type:"path"`
	Compare          string   `help:"Run nothing: compare two results files, this one and the one after it." placeholder:"OLD" type:"path"`
	Newer            string   `arg:"" optional:"" name:"new" help:"The newer results file of --compare." type:"path"`

	Results string `short:"r" help:"Keep each result in this file as it comes; the same command goes on where it was stopped." placeholder:"FILE" type:"path"`
	Force   bool   `help:"Begin the results file anew."`
	Report  string `help:"Write a report to this HTML file, which opens offline." placeholder:"FILE" type:"path"`
	JSON    bool   `name:"json" help:"Print everything as one JSON object."`
	generateFlags

	Workers int  `short:"j" help:"How many samples run at a time (default: one for each processor)." placeholder:"N"`
	Apart   bool `help:"In the gvisor tier, run no sample in a sandbox that another one ran in: about a fifth as fast."`

	boxFlags
}

// options are under what samples run.
func (c *evalCmd) options() eval.Options {
	return eval.Options{Tier: c.tier(), Image: c.Image, RequireProof: glovebox.Proof(c.RequireProof), Limits: c.limits(), Apart: c.Apart}
}

// Help is shown by glovebox eval --help.
func (evalCmd) Help() string {
	return `Formats of problems, told by their fields:
  HumanEval        task_id, prompt, entry_point, test         sample: completion, after the prompt
  HumanEvalPack    ... and declaration, buggy_solution        sample: --sample-field buggy_solution
  MBPP             task_id, test_list, both shapes            sample: completion, the whole program
  MultiPL-E        name, language, prompt, tests              sample: completion(s), after the prompt
  cases            id, cases: [{input, output}]               sample: program, which reads its input
  function cases   ... and entry_point                        sample: program, called with *input
  repository task  instance_id, repo_path, test_patch,        sample: model_patch
                   FAIL_TO_PASS, PASS_TO_PASS

A samples file names the task (task_id, or as the problem does) and has one of the fields
completion, completions, program, solution, reply, response, gpt_solution, text or model_patch.
From reply, response, gpt_solution and text the code is extracted first. Several rows of one task
are several samples of it.

Examples:
  glovebox eval --problems HumanEval.jsonl.gz --samples samples.jsonl --k 1,10
  glovebox eval -p problems.jsonl -s replies.jsonl --results run.results --report run.html
  glovebox eval -p HumanEval.jsonl.gz --sample-field canonical_solution --fail-under 1
  glovebox eval -p problems.jsonl -s new.jsonl --baseline old.results
  glovebox eval --compare old.results new.results
  glovebox eval -p HumanEval.jsonl.gz -s samples.jsonl --tier gvisor --apart
  glovebox eval --generate -p HumanEval.jsonl.gz --model openai/gpt-5 --results gpt5.results

pass@k is the unbiased estimate 1 - C(n-c,k)/C(n,k), averaged over the tasks. Where a task has
fewer than k samples there is none, and the reason is said. What Glovebox itself failed at
(sandbox_error) is tried three times and then counts as no sample; the same command with the same
--results tries it again. Samples whose tests cannot run here (tests_unrunnable: a framework or a
module is missing, a test file does not parse) say nothing about the code: they are left out of
pass@k and counted in a warning.

Exit status: 0 done, 1 pass@k is below --fail-under or not available for it, or a sample's tests
cannot run here and --fail-on-unrunnable was given, 2 usage, 5 Glovebox
failed, on a sample or as a whole, 130 it was interrupted.`
}

// Run runs the command.
func (c *evalCmd) Run(s *streams) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Compare != "" {
		return c.compare(s)
	}
	o := c.options()
	src, work, err := c.load(o)
	if err != nil {
		return err
	}
	var baseline []eval.Row
	if c.Baseline != "" {
		if _, baseline, err = eval.ReadResults(c.Baseline); err != nil {
			return usageError{err}
		}
	}
	defer s.interruptible()()
	// Before the results file: it knows wrong flags.
	e, err := c.engineWith(s, evalWarm())
	if err != nil {
		return err
	}
	defer e.Close()
	header := eval.NewHeader(src, work, o)
	results, err := eval.OpenResults(c.Results, header, c.Force)
	if errors.Is(err, eval.ErrOther) {
		return usagef("%w; name another file, or begin it anew with --force", err)
	}
	if err != nil {
		return usageError{err}
	}
	defer results.Close()

	boxes := &witness{Engine: e}
	ran, err := c.run(s, boxes, work, results, o)
	if err != nil {
		return err
	}
	rows := results.Rows(work)
	report := &eval.Report{
		Title: filepath.Base(c.Problems), Created: time.Now(), Header: header,
		Summary: eval.Summarize(work, rows, c.K, ran), Rows: rows,
	}
	report.Provenance = boxes.provenance(s.ctx, report.Summary.Languages)
	report.Generation = eval.SummarizeGeneration(c.Model, rows)
	if c.Baseline != "" {
		name := "this run"
		if c.Results != "" {
			name = c.Results
		}
		compared := eval.Compare(c.Baseline, eval.TasksOf(baseline), name, report.Summary.Tasks)
		report.Comparison = &compared
	}
	if c.Report != "" {
		err := writePage(c.Report, func(w io.Writer) error { return eval.WriteReport(w, report) })
		if err != nil {
			return err
		}
	}
	s.code = c.exit(s.stderr, &report.Summary)
	if c.JSON {
		return printJSON(s.stdout, struct {
			eval.Summary
			Comparison *eval.Comparison `json:"comparison,omitempty"`
			Generation *eval.Generation `json:"generation,omitempty"`
		}{report.Summary, report.Comparison, report.Generation})
	}
	return printEval(s.stdout, c.K, report)
}

// load lists what there is to do.
func (c *evalCmd) load(o eval.Options) (eval.Source, []*eval.Work, error) {
	if c.Generate {
		return c.work(c.Problems, o)
	}
	src := eval.Source{Problems: c.Problems, Samples: c.Samples, Field: c.SampleField, Partial: c.Partial}
	set, err := eval.Load(src)
	if err != nil {
		return src, nil, usageError{err}
	}
	return src, set.Work(o), nil
}

// check looks for flags that do not go together.
func (c *evalCmd) check() error {
	switch {
	case c.Compare != "" && c.Newer == "":
		return usagef("--compare needs two results files: --compare OLD NEW")
	case c.Compare != "" && (c.Problems != "" || c.Samples != "" || c.Results != "" || c.Baseline != "" || c.Generate || c.FailUnder != nil || c.FailOnUnrunnable):
		return usagef("--compare runs nothing: it takes two results files, --report and --json")
	case c.Compare == "" && c.Newer != "":
		return usagef("%s: unexpected; problems are given with --problems", c.Newer)
	case c.Compare == "" && c.Problems == "":
		return usagef("--problems is missing")
	case c.Generate && (c.Samples != "" || c.SampleField != "" || c.Partial):
		return usagef("--generate makes the samples: leave --samples, --sample-field and --partial out")
	case !c.Generate && c.given():
		return usagef("--model and its flags, -n, --with-plan, --turns, --tokens and --wall are of --generate: give it, or leave them out (a run's own limit is --timeout)")
	case c.Force && c.Results == "":
		return usagef("--force begins a results file anew: it needs --results")
	case c.FailUnder != nil && !(*c.FailUnder >= 0 && *c.FailUnder <= 1):
		return usagef("--fail-under %v: it must be between 0 and 1", *c.FailUnder)
	case c.Workers < 0 || c.Workers > 4096:
		return usagef("--workers %d: it must be between 1 and 4096", c.Workers)
	}
	var ks []int
	for _, k := range c.K {
		if k < 1 {
			return usagef("--k %d: it must be at least 1", k)
		}
		if !slices.Contains(ks, k) {
			ks = append(ks, k)
		}
	}
	c.K = ks
	if c.Report == "" {
		return nil
	}
	// Better to know before the work than after it.
	if _, err := os.Stat(filepath.Dir(c.Report)); err != nil {
		return usageError{fmt.Errorf("--report: %w", err)}
	}
	if err := overwrites(c.Report, c.Problems, c.Samples, c.Results, c.Baseline, c.Compare, c.Newer, c.ModelKeyFile); err != nil {
		return usageError{fmt.Errorf("--report: %w", err)}
	}
	return nil
}

// witness is an engine that remembers the enforced controls of its boxes.
type witness struct {
	*engine.Engine

	mu        sync.Mutex
	isolation []glovebox.Control
}

// Run implements [glovebox.Runner].
func (w *witness) Run(ctx context.Context, job glovebox.Job) (*glovebox.Observation, error) {
	o, err := w.Engine.Run(ctx, job)
	if err == nil && len(o.Isolation) > 0 {
		w.mu.Lock()
		w.isolation = o.Isolation
		w.mu.Unlock()
	}
	return o, err
}

// provenance says how a run was made.
func (w *witness) provenance(ctx context.Context, groups []eval.Group) *eval.Provenance {
	p := &eval.Provenance{Command: shared(os.Args), Isolation: w.isolation, Versions: map[string]string{
		"glovebox": strings.TrimPrefix(version(), "glovebox "), "go": strings.TrimPrefix(runtime.Version(), "go"),
	}}
	for _, g := range groups {
		if l := language.ByName(g.Language); l != nil {
			if tc, err := w.Toolchain(ctx, l); err == nil {
				p.Versions[l.Title] = tc.Version
			}
		}
	}
	return p
}

// shared is a command line without the values of headers, which may be keys: a
// report is for others to read.
func shared(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		value, ok := strings.CutPrefix(a, "--header=")
		flag := "--header="
		if !ok && i > 0 && args[i-1] == "--header" {
			value, flag, ok = a, "", true
		}
		if ok {
			name, _, _ := strings.Cut(value, ":")
			args[i] = flag + name + ": …"
		}
	}
	return args
}

// run does what has no result yet.
func (c *evalCmd) run(s *streams, e glovebox.Runner, work []*eval.Work, results *eval.Results, o eval.Options) (eval.Ran, error) {
	bar := newBar(s.stderr)
	one := eval.Judge(e)
	if c.Generate {
		var err error
		if one, err = c.judge(e, o, bar.say); err != nil {
			return eval.Ran{}, err
		}
	}
	r := eval.Runner{Do: one, Workers: c.Workers, Progress: bar.show}
	ran, err := r.Run(s.ctx, work, results)
	bar.clear()
	switch {
	case eval.Interrupted(err):
		kept := "nothing is kept without --results"
		if c.Results != "" {
			kept = "the same command goes on from there"
		}
		return ran, fmt.Errorf("interrupted with %d of %d samples done; %s", len(results.Rows(work)), len(work), kept)
	case errors.As(err, new(*engine.Error)):
		return ran, usageError{err}
	case err != nil:
		return ran, err
	}
	return ran, results.Finish(work)
}

// exit returns the exit status, and prints the reason for a status of --fail-under or
// --fail-on-unrunnable.
func (c *evalCmd) exit(stderr io.Writer, sum *eval.Summary) int {
	if sum.Counts[glovebox.StatusSandboxError] > 0 {
		return exitOurs
	}
	if c.FailOnUnrunnable && sum.Unrunnable > 0 {
		fmt.Fprintf(stderr, "glovebox: --fail-on-unrunnable: the tests of %s cannot run here\n", count(sum.Unrunnable, "sample"))
		return exitCode
	}
	if c.FailUnder != nil {
		switch p, ok := sum.PassAtK[fmt.Sprint(c.K[0])]; {
		case !ok:
			fmt.Fprintf(stderr, "glovebox: --fail-under %v: pass@%d is not available\n", *c.FailUnder, c.K[0])
			return exitCode
		case float64(p) < *c.FailUnder-1e-9: // six of fifteen are 0.4
			fmt.Fprintf(stderr, "glovebox: --fail-under %v: pass@%d is %.4g\n", *c.FailUnder, c.K[0], float64(p))
			return exitCode
		}
	}
	return exitPass
}

// compare compares two results files.
func (c *evalCmd) compare(s *streams) error {
	_, a, err := eval.ReadResults(c.Compare)
	if err != nil {
		return usageError{err}
	}
	_, b, err := eval.ReadResults(c.Newer)
	if err != nil {
		return usageError{err}
	}
	compared := eval.Compare(c.Compare, eval.TasksOf(a), c.Newer, eval.TasksOf(b))
	if c.Report != "" {
		err := writePage(c.Report, func(w io.Writer) error { return eval.WriteComparison(w, &compared, time.Now()) })
		if err != nil {
			return err
		}
	}
	if c.JSON {
		return printJSON(s.stdout, compared)
	}
	var out strings.Builder
	printComparison(&out, newPainter(s.stdout), &compared)
	_, err = io.WriteString(s.stdout, out.String())
	return err
}

// writePage writes an HTML page, whole or not at all.
func writePage(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it has its name
	err = write(f)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return os.Rename(f.Name(), name)
}

// evalWarm is what an evaluation keeps ready. A sample waits for a box that is
// being made: to make one beside that would take from both.
func evalWarm() *engine.Warm {
	return &engine.Warm{Most: 8 * runtime.NumCPU(), Patience: time.Minute}
}
