package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/agent"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/policy"
	"github.com/gloveboxhq/glovebox/workcopy"
)

type solveCmd struct {
	Task string `arg:"" name:"task" help:"The task, in your words: a file; - is stdin."`

	Lang      string   `short:"l" help:"Language of the solution." placeholder:"NAME"`
	Tests     []string `short:"t" help:"A test file that must pass, or a folder of tests with their data; repeat it. Its path in the workspace or the repository may follow." placeholder:"SRC[:DEST]" sep:"none"`
	Cases     string   `help:"Input/output cases: JSON lines with stdin and stdout (or input and output)." placeholder:"FILE"`
	Entry     string   `help:"The function that the tests take as an argument." placeholder:"NAME"`
	HideTests bool     `help:"Do not show the tests to the model; it is told what fails all the same."`
	Program   string   `short:"p" help:"A program to repair." placeholder:"FILE"`

	Repo       string   `short:"r" help:"A repository to change: its folder. It is not written: the result is a patch." placeholder:"DIR" type:"existingdir"`
	AllowPath  []string `help:"Only paths below this one may change; repeat it." placeholder:"PATH" sep:"none"`
	Skip       []string `help:"A path of the repository that no test needs, such as docs: it is not taken into the box; repeat it." placeholder:"PATH" sep:"none"`
	FailToPass []string `help:"A test of the repository that must pass in the end; repeat it (default: all that fail)." placeholder:"NAME" sep:"none"`

	modelFlags
	Replay string `help:"Answer from a transcript in place of a model. The code is run again." placeholder:"FILE"`

	Candidates    int           `short:"n" default:"1" help:"How many candidates are tried at once; the first that is proven wins."`
	Turns         int           `help:"Most replies with code of each candidate (default 6)." placeholder:"6"`
	Tokens        int64         `help:"Most tokens, read and written, of all candidates (default 200000)." placeholder:"200000"`
	Wall          time.Duration `help:"Longest time (default 10m)." placeholder:"10m"`
	MaxCost       float64       `help:"Most money to spend; it needs --price." placeholder:"1.50"`
	Price         string        `help:"What a million tokens cost, read and written." placeholder:"IN:OUT"`
	NoPlan        bool          `help:"Go to the code at once."`
	ContextTokens int           `help:"Most tokens of a prompt (default 32000)." placeholder:"32000"`
	ReplyTokens   int           `help:"Most tokens of a reply (default 8192)." placeholder:"8192"`

	boxFlags
	Secret []string `help:"Name of an environment variable of yours whose value must reach no model and no output; repeat it." placeholder:"NAME"`

	Transcript string `help:"Write everything to this file: prompts, replies, observations, decisions, as JSON lines." placeholder:"FILE"`
	Patch      string `help:"Write the candidate's patch to this file, for git apply. Nothing is written for a blocked one." placeholder:"FILE"`
	JSON       bool   `name:"json" help:"Print the whole result as JSON."`
}

// Help is shown by glovebox solve --help.
func (solveCmd) Help() string {
	return `A model plans, writes code, sees what came of it in the box, and repairs it, until a candidate is
proven or a stop is reached. Nothing is applied: the result is a patch, a candidate for review or
blocked, with each reason.

Examples:
  glovebox solve task.md --tests solution_test.py --model openai/gpt-5
  glovebox solve task.md --cases cases.jsonl --model anthropic/claude-sonnet-5 -n 3 --tokens 100000
  glovebox solve issue.md --repo . --tests new_test.py:tests/new_test.py --allow-path src --patch fix.diff
  glovebox solve task.md --tests t.py --model qwen3 --model-url http://localhost:8000/v1
  glovebox solve task.md --tests t.py --replay transcript.jsonl

Model. --model is provider/name, or a name; also GLOVEBOX_MODEL, GLOVEBOX_MODEL_URL and
GLOVEBOX_MODEL_KEY in the environment. OPENAI_API_KEY and ANTHROPIC_API_KEY are used for the
provider's own address only.

Stops: proven, turns, tokens, wall, cost, breaker (the same failure or edit three times in a row),
cancelled, model, refused, sandbox, policy, nothing_to_do, tests. docs/solve.md explains each.

Exit status: 0 a candidate for review, 1 blocked, 2 usage, 4 the policy refused a run,
5 the model or Glovebox failed, 130 it was interrupted.`
}

// modelFlags say which model to talk to.
type modelFlags struct {
	Model        string        `short:"m" help:"The model: provider/name (openai, anthropic) or a name." placeholder:"NAME"`
	ModelURL     string        `help:"Base URL of an OpenAI-compatible endpoint, or of Anthropic's API." placeholder:"URL"`
	ModelKeyFile string        `help:"A file with the key and nothing else." placeholder:"FILE"`
	Header       []string      `help:"A header of each request; repeat it." placeholder:"NAME: VALUE" sep:"none"`
	ModelTimeout time.Duration `help:"Longest time of one request (default 10m)." placeholder:"10m"`
	AllowHTTP    bool          `name:"allow-http" help:"Send the conversation unencrypted to other hosts than this one."`
}

// open makes the model, with retries that notify is told of.
func (f *modelFlags) open(notify func(attempt int, err error, wait time.Duration)) (model.Model, error) {
	c, err := model.Resolve(model.Flags{
		Model: f.Model, BaseURL: f.ModelURL, KeyFile: f.ModelKeyFile, Headers: f.Header, Timeout: f.ModelTimeout, AllowHTTP: f.AllowHTTP,
	}, os.Getenv)
	if err != nil {
		return nil, usageError{err}
	}
	m, err := model.Open(c)
	if err != nil {
		return nil, usageError{err}
	}
	return model.Retry(m, model.Policy{Notify: notify}), nil
}

// Run runs the command.
func (c *solveCmd) Run(s *streams) error {
	task, err := c.task(s)
	if err != nil {
		return err
	}
	config, err := c.config()
	if err != nil {
		return err
	}
	defer s.interruptible()()
	if c.Replay != "" {
		config.Model, err = c.replay()
	} else {
		config.Model, err = c.modelFlags.open(func(n int, err error, wait time.Duration) {
			config.Record(agent.Record{Type: agent.RecordRetry, Time: time.Now(), Text: fmt.Sprintf("try %d in %v: %v", n+1, wait.Round(time.Millisecond), err)})
		})
	}
	if err != nil {
		return err
	}
	e, err := c.engine(s)
	if err != nil {
		return err
	}
	defer e.Close()
	config.Runner = e
	if c.store != nil {
		if err := bounded(c.store.Current(), config); err != nil {
			return err
		}
	}
	// Files are written only when everything has been read.
	if err := c.outputs(); err != nil {
		return usageError{err}
	}
	keep, finish, err := c.transcript()
	if err != nil {
		return err
	}
	show := func(agent.Record) {}
	if !c.JSON {
		show = newSolveReport(s.stdout, s.stderr).record
	}
	var mu sync.Mutex // retries come from any candidate
	config.Record = func(r agent.Record) {
		mu.Lock()
		defer mu.Unlock()
		keep(r)
		show(r)
	}
	r, err := agent.Solve(s.ctx, *config, *task)
	if err != nil {
		return errors.Join(usageError{err}, finish())
	}
	s.code = solveExit(r)
	return errors.Join(c.deliver(s, r), finish())
}

// bounded gives the loop the policy's budget where no flag says less, and is an error
// where a flag says more.
func bounded(p *policy.Policy, c *agent.Config) error {
	most := p.Loop()
	candidates := max(c.Candidates, 1)
	b := &c.Budget
	if b.Turns == 0 && most.Attempts >= 0 {
		b.Turns = max(min(agent.DefaultBudget.Turns, int(min(most.Attempts, math.MaxInt32))/candidates), 1)
	}
	if b.Tokens == 0 && most.Tokens > 0 {
		b.Tokens = min(agent.DefaultBudget.Tokens, most.Tokens)
	}
	if b.Cost == 0 && most.Cost > 0 {
		if b.Prices == (agent.Prices{}) {
			return usagef("the policy bounds what a loop costs (loop.max_cost): say what tokens cost with --price IN:OUT")
		}
		b.Cost = most.Cost
	}
	asked := policy.Loop{Attempts: int64(cmp.Or(b.Turns, agent.DefaultBudget.Turns)) * int64(candidates), Tokens: cmp.Or(b.Tokens, agent.DefaultBudget.Tokens), Cost: b.Cost}
	if b.Cost == 0 {
		asked.Cost = -1
	}
	denials := p.AdmitLoop(asked)
	if len(denials) == 0 {
		return nil
	}
	var text strings.Builder
	for _, d := range denials {
		fmt.Fprintf(&text, "\n%s: %s\n  rule: %s", d.Rule, d.Message, d.Where)
	}
	return policyError{errors.New("the policy refused the loop:" + text.String())}
}

// solveExit is the exit status of a result.
func solveExit(r *agent.Result) int {
	switch {
	case r.Disposition == agent.Candidate:
		return exitPass
	case r.Stop == agent.StopPolicy:
		return exitPolicy
	case r.Stop == agent.StopModel || r.Stop == agent.StopSandbox:
		return exitOurs
	case r.Stop == agent.StopCancelled:
		return exitCancelled
	}
	return exitCode
}

// deliver writes the patch and prints the result.
func (c *solveCmd) deliver(s *streams, r *agent.Result) (err error) {
	if c.Patch != "" && r.Disposition == agent.Candidate {
		err = os.WriteFile(c.Patch, []byte(r.Patch), 0o644)
	}
	if !c.JSON {
		return err
	}
	return errors.Join(err, printJSON(s.stdout, r))
}

// outputs makes sure that the files to write are none of those that were read,
// and takes an earlier run's patch away: nobody must take it for this one's.
func (c *solveCmd) outputs() error {
	inputs := []string{c.Task, c.Cases, c.Program, c.ModelKeyFile, c.Replay}
	for _, name := range c.Tests {
		src, _, _ := strings.Cut(name, ":")
		inputs = append(inputs, src)
	}
	if c.Transcript != "" {
		if err := overwrites(c.Transcript, inputs...); err != nil {
			return err
		}
	}
	if c.Patch == "" {
		return nil
	}
	if err := overwrites(c.Patch, append(inputs, c.Transcript)...); err != nil {
		return err
	}
	info, err := os.Lstat(c.Patch)
	if err == nil && info.Mode().IsRegular() {
		return os.Remove(c.Patch)
	}
	if err == nil {
		return nil
	}
	// Better to know before the work than after it.
	f, err := os.OpenFile(c.Patch, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(c.Patch))
}

// transcript opens the file that the transcript is written to, if any.
func (c *solveCmd) transcript() (record func(agent.Record), finish func() error, err error) {
	if c.Transcript == "" {
		return func(agent.Record) {}, func() error { return nil }, nil
	}
	// It holds prompts: they are nobody else's.
	f, err := os.OpenFile(c.Transcript, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, nil, usageError{err}
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		if err := f.Chmod(0o600); err != nil {
			return nil, nil, usageError{errors.Join(err, f.Close())}
		}
	}
	record, failed := agent.Writer(f)
	return record, func() error { return errors.Join(failed(), f.Close()) }, nil
}

func (c *solveCmd) replay() (model.Model, error) {
	f, err := os.Open(c.Replay)
	if err != nil {
		return nil, usageError{err}
	}
	defer f.Close()
	m, err := agent.ReadReplay(f)
	if err != nil {
		return nil, usagef("%s: %v", c.Replay, err)
	}
	return m, nil
}

// config reads the flags that are about the loop.
func (c *solveCmd) config() (*agent.Config, error) {
	prices, err := readPrices(c.Price)
	if err != nil {
		return nil, err
	}
	if c.MaxCost > 0 && c.Price == "" {
		return nil, usagef("--max-cost needs --price IN:OUT, what a million tokens cost")
	}
	if c.Replay != "" && (c.Model != "" || c.ModelURL != "") {
		return nil, usagef("--replay needs no model: leave --model and --model-url out")
	}
	return &agent.Config{
		Candidates: c.Candidates, NoPlan: c.NoPlan, ContextTokens: c.ContextTokens, ReplyTokens: c.ReplyTokens,
		Budget: agent.Budget{Turns: c.Turns, Tokens: c.Tokens, Wall: c.Wall, Cost: c.MaxCost, Prices: prices},
	}, nil
}

// readPrices reads IN:OUT.
func readPrices(text string) (p agent.Prices, err error) {
	if text == "" {
		return p, nil
	}
	in, out, _ := strings.Cut(text, ":")
	p.Input, err = strconv.ParseFloat(in, 64)
	if err == nil {
		p.Output, err = strconv.ParseFloat(out, 64)
	}
	// The comparison is false for NaN too.
	if err != nil || !(min(p.Input, p.Output) >= 0) || math.IsInf(p.Input+p.Output, 1) {
		return p, usagef("--price %s: it must be IN:OUT, such as 2.5:10", text)
	}
	return p, nil
}

// task reads what the flags name.
func (c *solveCmd) task(s *streams) (*agent.Task, error) {
	limits := c.limits()
	bound := limits.WithDefaults().Reply
	text, err := readBounded(s, c.Task, bound)
	if err != nil {
		return nil, err
	}
	t := &agent.Task{
		Text: strings.TrimSpace(string(text)), Language: c.Lang, Entry: c.Entry, HideTests: c.HideTests,
		Allow: c.AllowPath, Skip: c.Skip, FailToPass: c.FailToPass,
		Limits: limits, Tier: c.tier(), Image: c.Image, RequireProof: glovebox.Proof(c.RequireProof),
	}
	if t.Text == "" {
		return nil, usagef("%s: the task is empty", c.Task)
	}
	t.Tests, err = given(s, "--tests", c.Tests, bound, func(src string) string {
		if c.Repo != "" {
			if rel, err := within(c.Repo, src); err == nil {
				return rel // it is one of the repository's own
			}
		}
		return base(src)
	})
	if err != nil {
		return nil, err
	}
	if c.Repo == "" && c.Lang == "" {
		if err := oneLanguage(t.Tests); err != nil {
			return nil, err
		}
	}
	if c.Cases != "" {
		b, err := readBounded(s, c.Cases, bound)
		if err != nil {
			return nil, err
		}
		if t.Cases, err = readCases(c.Cases, b); err != nil {
			return nil, err
		}
	}
	if c.Program != "" {
		b, err := readBounded(s, c.Program, bound)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(c.Program)
		l := languageOf(c.Lang, name, string(b))
		if l == nil {
			return nil, usagef("cannot tell the language of %s; say it with --lang", c.Program)
		}
		t.Start = &glovebox.Program{Language: l.Name, Main: name, Files: []glovebox.File{{Path: name, Data: b}}}
	}
	if t.Secrets, err = secrets(c.Secret); err != nil {
		return nil, err
	}
	switch {
	case c.Repo == "" && len(c.AllowPath)+len(c.FailToPass)+len(c.Skip) > 0:
		return nil, usagef("--allow-path, --fail-to-pass and --skip are of a repository: give --repo")
	case c.Repo == "" && len(t.Tests) == 0 && len(t.Cases) == 0:
		return nil, usagef("nothing would prove a solution: give --tests or --cases")
	case c.Repo != "" && c.Program != "":
		return nil, usagef("--program and --repo exclude each other")
	case c.Repo != "" && c.Cases != "":
		return nil, usagef("--cases are of a program, and a repository has tests: give --tests")
	case c.Repo != "":
		if t.Repository, err = workcopy.Open(c.Repo, workcopy.Options{}); err != nil {
			return nil, usageError{err}
		}
	}
	return t, nil
}

// within returns the path of a file below a folder.
func within(dir, file string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", err
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return "", err
	}
	return glovebox.CleanPath(filepath.ToSlash(rel))
}

// solveReport shows a task on its way.
type solveReport struct {
	out  io.Writer
	p    painter
	wait *spinner
	many bool // candidates
}

func newSolveReport(out, stderr io.Writer) *solveReport {
	return &solveReport{out: out, p: newPainter(out), wait: &spinner{w: stderr}}
}

// record shows one record.
func (r *solveReport) record(rec agent.Record) {
	r.wait.stop()
	who := ""
	if r.many && rec.Candidate > 0 {
		who = fmt.Sprintf("[%d] ", rec.Candidate)
	}
	line := func(format string, args ...any) { fmt.Fprintf(r.out, who+format+"\n", args...) }
	switch rec.Type {
	case agent.RecordStart:
		r.many = rec.Task.Candidates > 1
	case agent.RecordPrompt:
		r.wait.start(fmt.Sprintf("%swaiting for the model (%s, %d tokens)", who, rec.Purpose, rec.Tokens))
	case agent.RecordReply:
		if rec.Purpose != agent.PurposePlan {
			r.wait.start(who + "running")
		}
	case agent.RecordRetry:
		line("%s %s", r.p.paint(yellow, "retry"), indent(printable(rec.Text)))
	case agent.RecordPlan:
		r.plan(rec.Plan)
	case agent.RecordObservation:
		if rec.Turn > 0 {
			break // the decision says it
		}
		switch rec.Purpose {
		case agent.PurposeBaseline:
			line("%s  %s", r.p.paint(bold, "before"), r.verdict(rec.Observation.Status, rec.Observation.Message))
		case agent.PurposeRegression:
			line("%s  %s", r.p.paint(bold, "before, other tests"), r.verdict(rec.Observation.Status, rec.Observation.Message))
		}
	case agent.RecordDecision:
		switch t := rec.Decision; {
		case t == nil:
			line("%s", r.p.paint(dim, indent(printable(rec.Text))))
		case t.Refused != "":
			line("%s  %s", r.turn(t), r.p.paint(red, "✗ edits refused")+"  "+indent(printable(t.Refused)))
		default:
			line("%s  %s", r.turn(t), r.verdict(t.Status, t.Message))
			if t.Hypothesis != "" {
				line("        %s", r.p.paint(dim, indent(printable(t.Hypothesis))))
			}
		}
	case agent.RecordEnd:
		r.end(rec.Result)
	}
}

func (r *solveReport) turn(t *agent.Turn) string {
	return r.p.paint(bold, fmt.Sprintf("turn %d", t.Number)) + r.p.paint(dim, fmt.Sprintf(" %s, %d tokens", t.Strategy, t.Usage.Total()))
}

func (r *solveReport) verdict(s glovebox.Status, message string) string {
	colour, sign := red, "✗"
	if s == glovebox.StatusPass {
		colour, sign = green, "✓"
	}
	return r.p.paint(colour, sign+" "+string(s)) + "  " + indent(printable(message))
}

func (r *solveReport) plan(p *agent.Plan) {
	fmt.Fprintf(r.out, "%s\n", r.p.paint(bold, "plan"))
	if len(p.Files)+len(p.Steps) == 0 {
		fmt.Fprintf(r.out, "  %s\n", strings.ReplaceAll(printable(observe.Middle(p.Text, 2000)), "\n", "\n  "))
		return
	}
	for _, f := range p.Files {
		fmt.Fprintf(r.out, "  file %s\n", printable(f))
	}
	for i, step := range p.Steps {
		fmt.Fprintf(r.out, "  %d. %s\n", i+1, printable(observe.Middle(step, 200)))
	}
	for _, l := range p.Libraries {
		fmt.Fprintf(r.out, "  uses %s\n", printable(observe.Middle(l, 200)))
	}
}

// end shows what the result rests on.
func (r *solveReport) end(res *agent.Result) {
	for _, s := range res.Signals {
		sign := r.p.paint(green, "✓")
		switch {
		case s.Skipped:
			sign = r.p.paint(dim, "–")
		case !s.OK:
			sign = r.p.paint(red, "✗")
		}
		fmt.Fprintf(r.out, "%s %-17s %s\n", sign, s.Name, indent(printable(s.Detail)))
	}
	colour := green
	if res.Disposition != agent.Candidate {
		colour = red
	}
	cost := ""
	if res.Cost > 0 {
		cost = fmt.Sprintf(", cost %.4f", res.Cost)
	}
	turns := 0
	for _, a := range res.Attempts {
		turns += len(a.Turns)
	}
	fmt.Fprintf(r.out, "%s  stop: %s. %s, %d tokens%s, %.1f s\n", r.p.paint(bold+";"+colour, string(res.Disposition)),
		res.Stop, count(turns, "turn"), res.Usage.Total(), cost, res.DurationMS/1000)
	for _, why := range res.Reasons {
		fmt.Fprintf(r.out, "  %s %s\n", r.p.paint(red, "because"), indent(printable(observe.Middle(why, 1000))))
	}
	if res.Patch != "" {
		fmt.Fprintf(r.out, "%s\n", strings.TrimRight(printable(observe.Middle(res.Patch, 64<<10)), "\n"))
	}
}

// printable is text that is not ours, fit for a terminal.
func printable(s string) string {
	text, _ := observe.Text([]byte(s))
	return text
}

// spinner is a [progress] that is started and stopped many times.
type spinner struct {
	w   io.Writer
	end func()
}

func (s *spinner) start(what string) { s.end = progress(s.w, what) }

func (s *spinner) stop() {
	if s.end != nil {
		s.end()
		s.end = nil
	}
}
