// Command glovebox runs what language models write, in an isolated box, and
// says what happened.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	_ "github.com/gloveboxhq/glovebox/internal/firstgc"
	"github.com/gloveboxhq/glovebox/observe"
)

func main() {
	becomeStatic()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit statuses. They are part of the interface.
const (
	exitPass      = 0
	exitCode      = 1 // the code failed, or its pass is unproven
	exitUsage     = 2
	exitLimit     = 3
	exitPolicy    = 4
	exitOurs      = 5
	exitCancelled = 130
)

// exitOf is the exit status of a verdict.
func exitOf(s glovebox.Status) int {
	switch s {
	case glovebox.StatusPass:
		return exitPass
	case glovebox.StatusTimeout, glovebox.StatusMemoryLimit, glovebox.StatusProcessLimit,
		glovebox.StatusDiskLimit, glovebox.StatusOutputLimit:
		return exitLimit
	case glovebox.StatusDenied, glovebox.StatusApprovalRequired:
		return exitPolicy
	case glovebox.StatusTestsUnrunnable:
		return exitUsage
	case glovebox.StatusSandboxError:
		return exitOurs
	case glovebox.StatusCancelled:
		return exitCancelled
	}
	return exitCode
}

// cli is the whole command line.
type cli struct {
	Run    runCmd    `cmd:"" help:"Run a model's reply (or code) in a box and say what happened."`
	Exec   execCmd   `cmd:"" help:"Run any program in a box, in an image or with this host's tools."`
	Solve  solveCmd  `cmd:"" help:"Let a model write, test and repair code until it is proven; the result is a patch to review."`
	Eval   evalCmd   `cmd:"" help:"Run samples of a problem set and report pass@k."`
	Image  imageCmd  `cmd:"" help:"Pull, import, build, check and list images; prepare a virtual machine's kernel."`
	Tiers  tiersCmd  `cmd:"" help:"What each tier on this host gives, costs and does not protect."`
	Doctor doctorCmd `cmd:"" help:"Try every control of every tier on this host and say what holds."`
	Bench  benchCmd  `cmd:"" help:"Time the tiers beside bare execution, as ratios."`

	Policy    policyCmd    `cmd:"" help:"Check, explain, compare and test the files that decide what may run."`
	Approvals approvalsCmd `cmd:"" help:"List and show the jobs that wait for a person."`
	Approve   approveCmd   `cmd:"" help:"Let a job run that waits for a person."`
	Deny      denyCmd      `cmd:"" help:"Refuse a job that waits for a person."`
	Audit     auditCmd     `cmd:"" help:"Read and verify the record of what ran."`
	Receipt   receiptCmd   `cmd:"" help:"Verify and show the signed statement of a run."`
	Keys      keysCmd      `cmd:"" help:"List, print and rotate the keys that sign grants, audit checkpoints and receipts."`

	About      versionCmd    `cmd:"" name:"version" help:"Print the version, the commit, and the versions of Go and gVisor."`
	Completion completionCmd `cmd:"" help:"Print what makes a shell complete commands and flags."`
	Version    versionFlag   `help:"Print the version."`
}

// description is shown by glovebox --help.
const description = `Run what language models write: a reply goes in, an observation that can be trusted comes out.

Settings. What no flag says is taken from the environment (a flag's help names its variable), and
then from a TOML file, config.toml in the folder glovebox of the user's folder of settings
(~/.config), or the file that GLOVEBOX_CONFIG names: flags by their names for all commands that have
them, such as tier = "gvisor", and in tables for one, such as [run] and ["image build"].
GLOVEBOX_CACHE names the folder that is used in place of the user's cache.`

// streams are what a command reads and writes.
type streams struct {
	ctx            context.Context // see interruptible
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int  // the exit status
	interrupted    bool // by a signal
}

// interruptible makes the signals that end a program end the context in place,
// so that boxes are closed. Until it is called, as while the reply is read from
// a terminal, they end the program at once.
func (s *streams) interruptible() (stop func()) {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	s.ctx = ctx
	return func() {
		s.interrupted = ctx.Err() != nil // end makes it so anyway
		end()
	}
}

// usageError is the caller's mistake.
type usageError struct{ error }

// policyError is a refusal before there is a job.
type policyError struct{ error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// run is the program: it returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	var c cli
	asJSON := wantsJSON(args)
	set, err := readSettings()
	if err != nil {
		return failed(stdout, stderr, asJSON, exitUsage, err)
	}
	parser, err := kong.New(&c,
		kong.Name("glovebox"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.UsageOnError(),
		kong.Exit(func(n int) { panic(exit(n)) }),
		kong.Resolvers(set),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
	)
	if err != nil {
		return failed(stdout, stderr, asJSON, exitUsage, err)
	}
	defer func() {
		// Kong ends the program after --help and --version.
		if p := recover(); p != nil {
			n, ok := p.(exit)
			if !ok {
				panic(p)
			}
			code = int(n)
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := parser.Parse(args)
	if err != nil {
		if asJSON {
			return printError(stdout, stderr, exitUsage, err)
		}
		command := "glovebox"
		var wrong *kong.ParseError
		if errors.As(err, &wrong) && wrong.Context.Selected() != nil {
			command = wrong.Context.Selected().FullPath()
		}
		fmt.Fprintf(stderr, "glovebox: %s\nTry: %s --help\n", shown(err.Error()), command)
		return exitUsage
	}
	s := &streams{stdin: stdin, stdout: stdout, stderr: stderr}
	if err := k.Run(s); err != nil {
		return failed(stdout, stderr, asJSON, s.exitOfError(err), err)
	}
	return s.code
}

// failed prints an error and returns the exit status.
func failed(stdout, stderr io.Writer, asJSON bool, status int, err error) int {
	if asJSON {
		return printError(stdout, stderr, status, err)
	}
	fmt.Fprintln(stderr, "glovebox:", shown(err.Error()))
	return status
}

// shown is an error's text for a terminal: what archives, registries and files
// say of themselves is often in it.
func shown(text string) string {
	text, _ = observe.Text([]byte(text))
	return text
}

// exitOfError is the exit status of a command that failed.
func (s *streams) exitOfError(err error) int {
	var usage usageError
	var refused policyError
	switch {
	case s.interrupted:
		return exitCancelled
	case errors.As(err, &refused):
		return exitPolicy
	case errors.As(err, &usage):
		return exitUsage
	}
	return exitOurs
}

// wantsJSON reports whether the arguments ask for JSON, which must be known of
// those that cannot be parsed, too.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end] // what follows is a program's
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// printError prints an error as one line of JSON, for who reads our output as
// such, and returns the exit status.
func printError(stdout, stderr io.Writer, status int, err error) int {
	next := glovebox.ActionAskHuman // to do the same again would fail again
	var busy *engine.BusyError
	switch {
	case status == exitCancelled:
		next = glovebox.StatusCancelled.Next()
	case errors.As(err, &busy):
		next = glovebox.ActionRetrySame
	}
	out := json.NewEncoder(stdout)
	out.SetEscapeHTML(false)
	failed := out.Encode(struct {
		Kind       string              `json:"kind"`
		Error      string              `json:"error"`
		Exit       int                 `json:"exit"`
		NextAction glovebox.NextAction `json:"next_action"`
	}{"error", err.Error(), status, next})
	if failed != nil {
		fmt.Fprintf(stderr, "glovebox: %v\n", errors.Join(err, failed))
	}
	return status
}

// exit is a panic that ends run.
type exit int
