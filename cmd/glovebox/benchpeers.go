package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/gloveboxhq/glovebox/bench"
)

// runscDo is gVisor's own command line in the figures.
const runscDo = "runsc do"

// peers adds whoever else can run the interpreter on this machine.
func (c *benchCmd) peers(ctx context.Context, f *field, stderr io.Writer, py python) error {
	list, err := f.sandboxes(ctx, stderr, py)
	if err != nil {
		return err
	}
	if c.GoJudge != "" {
		judge, err := goJudge(c.GoJudge, py.command())
		if err != nil {
			return err
		}
		// Few servers show a box's tree to their programs, but most the host's
		// interpreter, with the host's own packages.
		if _, failed := judge.Do(ctx); failed != nil && py.file != "" {
			if judge, err = goJudge(c.GoJudge, []string{py.file, "-I", "-c", pythonLine}); err != nil {
				return err
			}
		}
		list = append(list, judge)
	}
	return f.tried(ctx, stderr, list...)
}

// hostCommand times a command of the host. does describes the command before its
// arguments.
func hostCommand(name, does string, args ...string) bench.Contestant {
	return commandWith(name, does, nil, args...)
}

// commandWith is hostCommand with more in its environment.
func commandWith(name, does string, env []string, args ...string) bench.Contestant {
	return bench.Contestant{Name: name, How: fmt.Sprintf("%s: %q", does, args), Do: func(ctx context.Context) (bool, error) {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		if env != nil {
			cmd.Env = append(cmd.Environ(), env...)
		}
		return false, prints(cmd)
	}}
}

// prints runs a command, which must print what the program does.
func prints(cmd *exec.Cmd) error {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w: %.200s", err, bytes.TrimSpace(exit.Stderr))
	}
	if err != nil {
		return err
	}
	return errPrinted(out)
}
