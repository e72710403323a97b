package main

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/policy/command"
)

type execCmd struct {
	Command []string `arg:"" passthrough:"partial" help:"The program and its arguments."`

	ToolPolicy string `env:"GLOVEBOX_TOOL_POLICY" help:"The program is one command line, as an agent writes it for a shell; this file says which are allowed, default the built-in rules (see docs/shell.md). No shell runs." placeholder:"FILE|default"`

	Stdin string   `help:"What the program reads; a file, or - for stdin." placeholder:"FILE"`
	File  []string `short:"f" help:"A read-only file in the workspace; repeat it." placeholder:"SRC[:DEST]" sep:"none"`
	Env   []string `short:"e" help:"An environment variable; repeat it." placeholder:"NAME=VALUE" sep:"none"`

	boxFlags
	receiptFlag

	Secret    []string `help:"Name of an environment variable of yours whose value must not come out; repeat it." placeholder:"NAME"`
	Artifacts string   `help:"Save the files that the program leaves behind to this directory." placeholder:"DIR" type:"path"`
	Withhold  bool     `help:"Leave out files that hold a secret which cannot be redacted in them, or a part that cannot be looked at: archives, databases, images."`
	JSON      bool     `name:"json" help:"Print the whole observation as JSON."`
	streamFlag
	Report bool `help:"Print the report that glovebox run prints, in place of the program's own output."`
}

// Help is shown by glovebox exec --help.
func (execCmd) Help() string {
	return `Any program in a box, for what is not a model's reply. With --image it is looked up in the
image's PATH. Without, it is an interpreter of this host (python3, node, ruby, …), one of the usual
tools (sort, sed, …), or a file of the workspace: ./name.

The program's output is printed as it was, redacted: on a terminal or with --stream as it comes,
up to the limit, while the program waits for whoever reads it and the wait counts against its time;
else its head and tail at the end. --report or --json say more. The exit status is the
program's own where it ended by itself.

Examples:
  glovebox exec -- python3 -c 'print(6 * 7)'
  glovebox exec --stream --output 1G --timeout 1h -- python3 -c 'while True: print(1)' | head
  glovebox exec --image debian:12 -- ls -l /
  glovebox exec --file data.csv --artifacts out -- sh -c 'sort data.csv > sorted.csv'
  glovebox exec --file ./tool --tier gvisor -- ./tool --help
  glovebox exec --file prog.wasm --tier wasm -- ./prog.wasm
  glovebox exec --tool-policy default --file src -- 'grep -rn "func main" src'

Exit status: the program's; 3 a limit was hit, 4 the policy refused, 5 Glovebox failed or the
program was killed, 2 usage, 130 it was interrupted.`
}

// Run runs the command.
func (c *execCmd) Run(s *streams) error {
	job, err := c.job(s)
	if err != nil {
		return err
	}
	c.governFlags.keep = c.receiptFlag.keep()
	var l *live
	switch {
	case !c.wanted(s.stdout, c.JSON):
	case c.JSON:
		l = liveJSON(s.stdout)
	case c.Report:
		l = liveReport(s.stdout)
	default:
		l = liveExec(s)
	}
	return c.run(s, job, c.Artifacts, !c.Report, l, func(o *glovebox.Observation) error { return c.print(s, l, o) })
}

func (c *execCmd) print(s *streams, l *live, o *glovebox.Observation) error {
	s.code = exitOf(o.Status)
	ended := o.ExitCode != nil && (o.Status == glovebox.StatusPass || o.Status == glovebox.StatusRuntimeError)
	if ended {
		s.code = *o.ExitCode
	} else if s.code == exitCode {
		s.code = exitOurs // killed by a signal
	}
	switch {
	case c.JSON:
		return printObservation(s.stdout, l, o)
	case c.Report:
		return printReport(s.stdout, l, o)
	}
	var err1, err2 error
	if l == nil {
		_, err1 = s.stdout.Write([]byte(o.Stdout))
		_, err2 = s.stderr.Write([]byte(o.Stderr))
	}
	if !ended {
		_, err := s.stderr.Write([]byte("glovebox: " + string(o.Status) + ": " + o.Message + "\n"))
		err2 = errors.Join(err2, err)
	}
	return errors.Join(err1, err2)
}

// job reads what the flags name.
func (c *execCmd) job(s *streams) (*glovebox.Job, error) {
	if len(c.Command) > 0 && c.Command[0] == "--" {
		c.Command = c.Command[1:]
	}
	switch {
	case len(c.Command) == 0:
		return nil, usagef("there is no program to run: glovebox exec -- PROGRAM ARGS")
	case c.JSON && c.Report:
		return nil, usagef("--json and --report exclude each other")
	case c.RequireProof != "":
		return nil, usagef("--require-proof is for tests, and exec has none")
	}
	argv := c.Command
	if c.ToolPolicy != "" {
		var err error
		if argv, err = c.line(); err != nil {
			return nil, err
		}
	}
	job := &glovebox.Job{Command: argv, Limits: c.limits(), Tier: c.tier(), Env: map[string]string{}}
	bound := job.Limits.WithDefaults().Reply
	var err error
	if c.Stdin != "" {
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
	job.Secrets, err = secrets(c.Secret)
	return job, err
}

// line reads the command line that the tool policy decides on. What the policy refuses
// is a job that does not run, so that the refusal is recorded.
func (c *execCmd) line() ([]string, error) {
	if len(c.Command) != 1 {
		return nil, usagef("--tool-policy takes one command line, in quotes, and there are %d words: glovebox exec --tool-policy %s -- 'git status'", len(c.Command), c.ToolPolicy)
	}
	tools := command.Default()
	if c.ToolPolicy != "default" {
		data, err := os.ReadFile(c.ToolPolicy)
		if err != nil {
			return nil, usageError{err}
		}
		if tools, err = command.Load(data, c.ToolPolicy); err != nil {
			return nil, usageError{err}
		}
	}
	parsed, err := tools.Parse(c.Command[0])
	var refused *command.Refusal
	if errors.As(err, &refused) {
		c.bars = func(*engine.Submission) *engine.Decision {
			return &engine.Decision{Status: glovebox.StatusDenied, Denials: refused.Denials(), Message: "The tool policy refused the command line: " + refused.Error()}
		}
		return []string{strconv.QuoteToASCII(c.Command[0])}, nil
	}
	return parsed.Argv, err
}

// environment reads what --env sets.
func environment(settings []string) (map[string]string, error) {
	env := map[string]string{}
	for _, kv := range settings {
		name, value, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, usagef("--env %s: it must be NAME=VALUE", kv)
		}
		env[name] = value
	}
	return env, nil
}
