package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/artifact"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
)

type runCmd struct {
	Reply string `arg:"" optional:"" name:"file" default:"-" help:"The model's reply; - is stdin."`

	Lang  string   `short:"l" help:"Language of the code, where the reply does not say it." placeholder:"NAME"`
	Code  bool     `short:"c" help:"The input is the code itself: nothing is extracted. This is so of a file whose ending is a language's."`
	Stdin string   `help:"What the program reads; a file." placeholder:"FILE"`
	Arg   []string `help:"An argument of the program; repeat it." placeholder:"ARG" sep:"none"`
	File  []string `short:"f" help:"A read-only input in the workspace, or a folder of them; repeat it." placeholder:"SRC[:DEST]" sep:"none"`
	Env   []string `short:"e" help:"An environment variable of the program; repeat it." placeholder:"NAME=VALUE" sep:"none"`

	Tests []string `short:"t" help:"A test file, or a folder of tests with their data; repeat it." placeholder:"SRC[:DEST]" sep:"none"`
	Cases string   `help:"Input/output cases: JSON lines with stdin and stdout (or input and output)." placeholder:"FILE"`
	Entry string   `help:"The function that the tests take as an argument, as HumanEval's check(candidate) does." placeholder:"NAME"`

	boxFlags
	receiptFlag

	Secret    []string `help:"Name of an environment variable of yours whose value must not come out; repeat it." placeholder:"NAME"`
	Artifacts string   `help:"Save the files that the program leaves behind to this directory." placeholder:"DIR" type:"path"`
	Withhold  bool     `help:"Leave out files that hold a secret which cannot be redacted in them, or a part that cannot be looked at: archives, databases, images."`
	JSON      bool     `name:"json" help:"Print the whole observation as JSON."`
	streamFlag
	Feedback bool `help:"Print only what the model should see; nothing for a pass."`
}

// Help is shown by glovebox run --help.
func (runCmd) Help() string {
	return `The reply may be Markdown with fenced code, plain code, JSON with a code field, or a
transcript. Python, JavaScript, TypeScript, PHP, Bash, Go, Ruby, Perl and Lua are known. A file
with the ending of one of them, such as loop.py, is the code itself.

Examples:
  glovebox run reply.md
  glovebox run reply.md --tests solution_test.py
  glovebox run reply.md --tests t --tests fixtures:t/data
  some-model | glovebox run - --cases cases.jsonl --json
  glovebox run prog.py --stdin input.txt --timeout 2s --memory 256M
  glovebox run --code --lang python - < prog
  glovebox run reply.md --file data.csv:input/data.csv --artifacts out/
  glovebox run reply.md --tests t.py --require-proof out_of_process
  glovebox run reply.md --image python:3.12-slim
  glovebox run reply.md --need no_shared_kernel --allow-emulation
  glovebox run prog.wasm --tier wasm
  glovebox run reply.md --json --stream

Output is shown as it comes on a terminal, or with --stream. A program then waits for whoever
reads it; the wait counts against its time.

Tests. In Python, tests may import solution (or the file name that the reply gives), or use the
candidate's names directly, as HumanEval's do; bare asserts, unittest and pytest functions work.
In JavaScript and TypeScript they may require('./solution') or use the names directly, with
node:assert or node:test. PHP, Bash, Ruby, Perl and Lua tests use the functions' names. Go tests
are ordinary func TestX(t *testing.T) in the program's package. What tests import beside the
program (a helper, data) is given with --tests too; --file is for what the program reads. SRC:DEST
says where a file or a folder goes in the workspace; without it, under its own name.

Proof. out_of_process: the tests ran where the program cannot reach them. compared_outside: its
output was compared outside of the box (--cases). These two are worth the same to --require-proof.
candidate_judged is weaker: the tests compare objects of the program's classes by the program's own
equality, order or operators. in_process is the weakest.

Exit status: 0 pass, 1 the code failed or its pass is unproven, 2 usage (also: the tests cannot
run here, whatever the program is, or no tier here gives what --need says), 3 a limit was hit, 4 the
policy refused, 5 Glovebox failed, 130 it was interrupted. With --json an error is one line of JSON
on stdout: kind "error", error, exit and next_action.`
}

// Run runs the command.
func (c *runCmd) Run(s *streams) error {
	job, err := c.job(s)
	if err != nil {
		return err
	}
	c.governFlags.keep = c.receiptFlag.keep()
	quiet := c.JSON || c.Feedback
	var l *live
	switch {
	case !c.wanted(s.stdout, quiet):
	case c.JSON:
		l = liveJSON(s.stdout)
	default:
		l = liveReport(s.stdout)
	}
	return c.run(s, job, c.Artifacts, quiet, l, func(o *glovebox.Observation) error {
		s.code = exitOf(o.Status)
		return c.print(s, l, o)
	})
}

// run runs a job, shows it where l is not nil, prints what came of it and saves
// its artifacts to a directory, if there is one.
func (f *boxFlags) run(s *streams, job *glovebox.Job, dir string, quiet bool, l *live, print func(*glovebox.Observation) error) error {
	defer s.interruptible()()
	if dir != "" {
		// Better to know before the run than after it.
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return usageError{err}
		}
	}
	e, err := f.engine(s)
	if err != nil {
		return err
	}
	defer e.Close()
	stop := sync.OnceFunc(progress(s.stderr, "running"))
	o, err := l.run(s.ctx, e, *job, stop)
	stop()
	var wrong *engine.Error
	if errors.As(err, &wrong) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	// Saved first: what is printed says where each file is.
	saved, failed := saveArtifacts(s, e, o, dir)
	if err := errors.Join(print(o), failed); err != nil {
		return err
	}
	return reportSaved(s, dir, saved, o.Artifacts, quiet)
}

func (c *runCmd) print(s *streams, l *live, o *glovebox.Observation) error {
	switch {
	case c.JSON:
		return printObservation(s.stdout, l, o)
	case c.Feedback:
		_, err := io.WriteString(s.stdout, o.Feedback)
		return err
	}
	if err := printReport(s.stdout, l, o); err != nil || o.Status != glovebox.StatusNoCode {
		return err
	}
	_, err := fmt.Fprintln(s.stdout, "If the input is the code itself, and no reply with code in it: --code --lang NAME.")
	return err
}

// saveArtifacts writes the artifacts to the caller's directory, and their places
// into the observation.
func saveArtifacts(s *streams, e *engine.Engine, o *glovebox.Observation, dir string) ([]artifact.Saved, error) {
	if dir == "" || len(o.Artifacts) == 0 {
		return nil, nil
	}
	saved, err := artifact.Save(context.WithoutCancel(s.ctx), dir, e.Artifacts(), o.Artifacts)
	for i, a := range saved { // in the order of the artifacts
		o.Artifacts[i].URI = (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(a.Path)))}).String()
	}
	if err != nil {
		return saved, fmt.Errorf("save the artifacts: %w", err)
	}
	return saved, nil
}

// reportSaved says what was saved, and which file has not its own name: a file of
// an earlier run that has it must not be taken for this run's.
func reportSaved(s *streams, dir string, saved []artifact.Saved, artifacts []glovebox.Artifact, quiet bool) error {
	if dir == "" || len(artifacts) == 0 {
		return nil
	}
	to, prefix := s.stdout, ""
	if quiet {
		to, prefix = s.stderr, "glovebox: "
	} else {
		fmt.Fprintf(to, "saved to %s: %d of %d artifacts\n", dir, len(saved), len(artifacts))
	}
	for i, a := range saved {
		if a.Path == artifacts[i].Name {
			continue
		}
		if _, err := fmt.Fprintf(to, "%s%s is saved as %s: its own name is taken or not harmless\n", prefix, artifacts[i].Name, filepath.Join(dir, filepath.FromSlash(a.Path))); err != nil {
			return err
		}
	}
	return nil
}

// job reads what the flags name.
func (c *runCmd) job(s *streams) (*glovebox.Job, error) {
	switch tested := len(c.Tests) > 0 || c.Cases != ""; {
	case c.JSON && c.Feedback:
		return nil, usagef("--json and --feedback exclude each other")
	case c.Stream != nil && *c.Stream && c.Feedback:
		return nil, usagef("--stream and --feedback exclude each other")
	case c.RequireProof != "" && !tested:
		return nil, usagef("--require-proof needs --tests or --cases: nothing would be tested")
	case c.Entry != "" && len(c.Tests) == 0:
		return nil, usagef("--entry names what the tests call: it needs --tests")
	case c.Stdin != "" && c.Cases != "":
		return nil, usagef("--cases bring their own stdin: --stdin does not go with them")
	}
	limits := c.limits()
	bound := limits.WithDefaults().Reply
	text, err := readBounded(s, c.Reply, bound)
	if err != nil {
		return nil, err
	}
	job := &glovebox.Job{
		Language: c.Lang, Entry: c.Entry, Args: c.Arg, Limits: limits,
		Tier: c.tier(), RequireProof: glovebox.Proof(c.RequireProof),
	}
	if c.Code || c.isCode() || bytes.HasPrefix(text, []byte("\x00asm")) { // no model replies with a module
		if job.Program, err = c.program(text); err != nil {
			return nil, err
		}
	} else {
		job.Reply = glovebox.Reply(text)
	}
	if job.Tests, err = given(s, "--tests", c.Tests, bound, base); err != nil {
		return nil, err
	}
	if c.Lang == "" {
		if err := oneLanguage(job.Tests); err != nil {
			return nil, err
		}
	}
	if c.Cases != "" {
		b, err := readBounded(s, c.Cases, bound)
		if err != nil {
			return nil, err
		}
		if job.Cases, err = readCases(c.Cases, b); err != nil {
			return nil, err
		}
	}
	if c.Stdin != "" {
		if c.Stdin == "-" && c.Reply == "-" {
			return nil, usagef("the reply and --stdin cannot both be -")
		}
		if job.Stdin, err = readBounded(s, c.Stdin, bound); err != nil {
			return nil, err
		}
	}
	if job.Inputs, err = given(s, "--file", c.File, bound, base); err != nil {
		return nil, err
	}
	if job.Env, err = environment(c.Env); err != nil {
		return nil, err
	}
	job.Withhold = c.Withhold
	if job.Secrets, err = secrets(c.Secret); err != nil {
		return nil, err
	}
	return job, nil
}

// isCode reports whether the input's name says that it is code, such as loop.py.
func (c *runCmd) isCode() bool {
	return language.All().ByPath(filepath.ToSlash(c.Reply)) != nil
}

// program makes a program of code that needs no extraction.
func (c *runCmd) program(code []byte) (*glovebox.Program, error) {
	name := filepath.Base(c.Reply)
	l := languageOf(c.Lang, name, string(code))
	if l == nil && c.Lang != "" {
		return nil, usagef("--lang %s: it is none of the languages that glovebox doctor lists", c.Lang)
	}
	if l == nil {
		return nil, usagef("cannot tell the language of the code; say it with --lang")
	}
	if c.Reply == "-" {
		name = l.Main
	}
	return &glovebox.Program{Language: l.Name, Main: name, Files: []glovebox.File{{Path: name, Data: code}}}, nil
}

// readBounded reads a file, or stdin for "-".
func readBounded(s *streams, name string, bound int64) ([]byte, error) {
	var in io.Reader = s.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, usageError{err}
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, usagef("%s is a directory", name)
		}
		in = f
	} else if f, ok := in.(*os.File); ok && isTerminal(f) {
		fmt.Fprintln(s.stderr, "glovebox: reading the reply from the terminal; end it with Ctrl-D")
	}
	b, err := io.ReadAll(io.LimitReader(in, bound+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(b)) > bound {
		return nil, usagef("%s has more than %d bytes, which is the limit of one input", name, bound)
	}
	return b, nil
}
