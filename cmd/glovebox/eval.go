package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/eval"
)

type evalCmd struct {
	Problems    string `short:"p" help:"The problems: JSON lines or a JSON list, plain or compressed with gzip." placeholder:"FILE" type:"path"`
	Samples     string `short:"s" help:"The samples, likewise; without it the problems' rows hold them." placeholder:"FILE" type:"path"`
	SampleField string `help:"The field that holds the samples, where it is not told by its name." placeholder:"NAME[:FORM]"`
	Partial     bool   `help:"Count only the problems that have samples."`

	K         []int    `default:"1" help:"Estimate pass@k for these k." placeholder:"1,10"`
	FailUnder *float64 `help:"Exit with status 1 where pass@k, of the first k, is below this." placeholder:"0.8"`
	Baseline  string   `help:"Compare with the results file of an older run, task by task." placeholder:"RESULTS" type:"path"`
	Compare   string   `help:"Run nothing: compare two results files, this one and the one after it." placeholder:"OLD" type:"path"`
	Newer     string   `arg:"" optional:"" name:"new" help:"The newer results file of --compare." type:"path"`

	Results string `short:"r" help:"Keep each result in this file as it comes; the same command goes on where it was stopped." placeholder:"FILE" type:"path"`
	Force   bool   `help:"Begin the results file anew."`
	Report  string `help:"Write a report to this HTML file, which opens offline." placeholder:"FILE" type:"path"`
	JSON    bool   `name:"json" help:"Print everything as one JSON object."`
	generateFlags

	Workers int `short:"j" help:"How many samples run at a time (default: one for each processor)." placeholder:"N"`

	boxFlags
}

// options are under what samples run.
func (f *boxFlags) options() eval.Options {
	return eval.Options{Tier: glovebox.TierName(f.Tier), RequireProof: glovebox.Proof(f.RequireProof), Limits: f.limits()}
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
  glovebox eval --generate -p HumanEval.jsonl.gz --model openai/gpt-5 --results gpt5.results

pass@k is the unbiased estimate 1 - C(n-c,k)/C(n,k), averaged over the tasks. Where a task has
fewer than k samples there is none, and the reason is said. What Glovebox itself failed at
(sandbox_error) is tried three times and then counts as no sample; the same command with the same
--results tries it again.

Exit status: 0 done, 1 pass@k is below --fail-under or not available for it, 2 usage, 5 Glovebox
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
	header := eval.NewHeader(src, work, o)
	results, err := eval.OpenResults(c.Results, header, c.Force)
	if errors.Is(err, eval.ErrOther) {
		return usagef("%w; name another file, or begin it anew with --force", err)
	}
	if err != nil {
		return usageError{err}
	}
	defer results.Close()

	defer s.interruptible()()
	ran, err := c.run(s, work, results, o)
	if err != nil {
		return err
	}
	rows := results.Rows(work)
	report := &eval.Report{
		Title: filepath.Base(c.Problems), Created: time.Now(), Header: header,
		Summary: eval.Summarize(work, rows, c.K, ran), Rows: rows,
	}
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
		if err := writeReport(c.Report, report); err != nil {
			return err
		}
	}
	s.code = c.exit(&report.Summary)
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
	case c.Compare != "" && (c.Problems != "" || c.Samples != "" || c.Results != "" || c.Baseline != "" || c.Report != ""):
		return usagef("--compare runs nothing: it takes two results files, and --json")
	case c.Compare == "" && c.Newer != "":
		return usagef("%s: unexpected; problems are given with --problems", c.Newer)
	case c.Compare == "" && c.Problems == "":
		return usagef("--problems is missing")
	case c.Generate && (c.Samples != "" || c.SampleField != "" || c.Partial):
		return usagef("--generate makes the samples: leave --samples, --sample-field and --partial out")
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
	return nil
}

// run does what has no result yet.
func (c *evalCmd) run(s *streams, work []*eval.Work, results *eval.Results, o eval.Options) (eval.Ran, error) {
	e, err := c.engine()
	if err != nil {
		return eval.Ran{}, err
	}
	defer e.Close()
	bar := newBar(s.stderr)
	r := eval.Runner{Do: eval.Judge(e), Workers: c.Workers, Progress: bar.show}
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

// exit is the exit status.
func (c *evalCmd) exit(sum *eval.Summary) int {
	if sum.Counts[glovebox.StatusSandboxError] > 0 {
		return exitOurs
	}
	if c.FailUnder != nil {
		if p, ok := sum.PassAtK[fmt.Sprint(c.K[0])]; !ok || float64(p) < *c.FailUnder {
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
	if c.JSON {
		return printJSON(s.stdout, compared)
	}
	var out strings.Builder
	printComparison(&out, newPainter(s.stdout), &compared)
	_, err = io.WriteString(s.stdout, out.String())
	return err
}

func printJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// writeReport writes the HTML report, whole or not at all.
func writeReport(name string, r *eval.Report) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it has its name
	err = eval.WriteReport(f, r)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return os.Rename(f.Name(), name)
}

// shownTasks bounds a list of tasks for people.
const shownTasks = 12

// printEval writes a summary for people.
func printEval(w io.Writer, ks []int, r *eval.Report) error {
	p, sum := newPainter(w), &r.Summary
	var b strings.Builder
	if r.Generation != nil {
		printGeneration(&b, p, r.Generation)
	}
	for _, k := range ks {
		name := fmt.Sprint(k)
		if v, ok := sum.PassAtK[name]; ok {
			i := sum.Intervals[name]
			fmt.Fprintf(&b, "%s %s\n", p.paint(bold, fmt.Sprintf("pass@%-4d %.3f", k, float64(v))),
				p.paint(dim, fmt.Sprintf(" 95 %% interval %.3f to %.3f", float64(i.Low), float64(i.High))))
		} else {
			fmt.Fprintf(&b, "%s not available: %s\n", p.paint(bold, fmt.Sprintf("pass@%-4d", k)), sum.Unavailable[name])
		}
	}
	fmt.Fprintf(&b, "%d tasks, %d samples", len(sum.Tasks), sum.Samples)
	if sum.Missing > 0 {
		fmt.Fprintf(&b, ", and %d without a result", sum.Missing)
	}
	b.WriteString("\n\n")
	printStatuses(&b, sum)
	if len(sum.Languages) > 1 {
		printLanguages(&b, ks[0], sum)
	}
	var unsolved []string
	for _, t := range sum.Tasks {
		if t.Passed == 0 {
			unsolved = append(unsolved, t.Task)
		}
	}
	printTasks(&b, "not solved", unsolved)
	if n := sum.Counts[glovebox.StatusSandboxError]; n > 0 {
		fmt.Fprintf(&b, "%s Glovebox failed on %d samples, which count as none; run the command again to try them again\n", p.paint(yellow, "!"), n)
	}
	d := sum.Duration
	line := fmt.Sprintf("a sample took %.0f ms (p50), %.0f ms (p95); %.1f s of processor time, %s at most",
		d.P50MS, d.P95MS, sum.Usage.CPUMS/1000, classify.Bytes(sum.Usage.MemoryPeakBytes))
	if d.RunsPerSecond > 0 {
		line = fmt.Sprintf("%.1f samples a second, %.1f s; ", d.RunsPerSecond, d.WallMS/1000) + line
	}
	fmt.Fprintln(&b, p.paint(dim, line))
	if r.Comparison != nil {
		b.WriteString("\n")
		printComparison(&b, p, r.Comparison)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printStatuses counts the statuses, in their order.
func printStatuses(b *strings.Builder, sum *eval.Summary) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, status := range glovebox.Statuses {
		if n := sum.Counts[status]; n > 0 {
			fmt.Fprintf(t, "%s\t%d\t%.1f %%\n", status, n, 100*float64(n)/float64(max(1, sum.Samples)))
		}
	}
	t.Flush()
	b.WriteString("\n")
}

func printLanguages(b *strings.Builder, k int, sum *eval.Summary) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "language\ttasks\tsamples\tpass\tpass@%d\n", k)
	for _, g := range sum.Languages {
		rate := "–"
		if v, ok := g.PassAtK[fmt.Sprint(k)]; ok {
			rate = fmt.Sprintf("%.3f", float64(v))
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\n", g.Language, g.Tasks, g.Samples, g.Passed, rate)
	}
	t.Flush()
	b.WriteString("\n")
}

// printTasks lists tasks under a title, unless there are none.
func printTasks(b *strings.Builder, title string, tasks []string) {
	if len(tasks) == 0 {
		return
	}
	fmt.Fprintf(b, "%s (%d):", title, len(tasks))
	for i, t := range tasks {
		if i == shownTasks {
			fmt.Fprintf(b, " and %d more", len(tasks)-i)
			break
		}
		fmt.Fprintf(b, " %s", oneLine(t))
	}
	b.WriteString("\n")
}

// oneLine makes a name from a file safe to print.
func oneLine(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
		return fmt.Sprintf("%q", s)
	}
	return s
}

func printComparison(b *strings.Builder, p painter, c *eval.Comparison) {
	fmt.Fprintf(b, "%s → %s: pass@1 %.3f → %.3f (%+.3f) on %d tasks of both\n", oneLine(c.A.Name), oneLine(c.B.Name),
		float64(c.A.PassAt1), float64(c.B.PassAt1), c.Difference, c.Common)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "newly passing\t%d\nnewly failing\t%d\n", len(c.NewlyPassing), len(c.NewlyFailing))
	if len(c.Better)+len(c.Worse) > 0 {
		fmt.Fprintf(t, "solved, more often\t%d\nsolved, less often\t%d\n", len(c.Better), len(c.Worse))
	}
	fmt.Fprintf(t, "same, passing\t%d\nsame, failing\t%d\n", c.SamePassing, c.SameFailing)
	t.Flush()
	printTasks(b, p.paint(green, "newly passing"), c.NewlyPassing)
	printTasks(b, p.paint(red, "newly failing"), c.NewlyFailing)
	printTasks(b, "only in "+oneLine(c.A.Name), c.A.Only)
	printTasks(b, "only in "+oneLine(c.B.Name), c.B.Only)
	if c.P != nil {
		fmt.Fprintf(b, "McNemar's exact test: p = %.3g\n", *c.P)
	} else {
		fmt.Fprintf(b, "no p value: %s\n", c.PReason)
	}
}

// bar shows on a terminal how far a run is; elsewhere it shows nothing.
type bar struct {
	err   io.Writer
	out   *os.File // nil: no terminal
	begin time.Time
	shown time.Time
}

func newBar(w io.Writer) *bar {
	b := &bar{err: w, begin: time.Now()}
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		b.out = f
	}
	return b
}

func (b *bar) show(p eval.Progress) {
	if b.out == nil || time.Since(b.shown) < 100*time.Millisecond && p.Done < p.Total {
		return
	}
	b.shown = time.Now()
	const width = 30
	full := width * p.Done / p.Total
	rate := float64(p.Done-p.Before) / time.Since(b.begin).Seconds()
	left := time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second)).Round(time.Second)
	fmt.Fprintf(b.out, "\r\x1b[K%s%s %d/%d  %d passed  %.1f/s  %v left",
		strings.Repeat("█", full), strings.Repeat("░", width-full), p.Done, p.Total, p.Passed, rate, left)
}

// say writes a line above the bar, on a terminal or not.
func (b *bar) say(text string) {
	b.clear()
	fmt.Fprintln(b.err, "glovebox:", oneLine(text))
}

func (b *bar) clear() {
	if b.out != nil {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}
