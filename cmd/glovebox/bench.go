package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/bench"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

type benchCmd struct {
	N    int      `short:"n" default:"40" help:"How many requests of each kind."`
	Tier []string `help:"Only this tier; repeat it." placeholder:"TIER"`
	hostFlags
	JSON bool `name:"json" help:"Print the figures as JSON."`
}

// Help is shown by glovebox bench --help.
func (benchCmd) Help() string {
	return `Each tier runs a Python program that prints one line, from the request to the whole
observation, cold: nothing is kept warm between two runs. (The microvm tier restores a snapshot of a
booted guest.) The wasm tier runs JavaScript that prints the same. Beside them stand the bare
interpreter (python3 -I -c) and, where they are installed, bubblewrap, runc, crun and podman run without limits.
Contestants take turns; trust the ratios.

Examples:
  glovebox bench
  glovebox bench -n 10 --tier gvisor --tier microvm --allow-emulation`
}

// pythonLine is the program that everybody runs.
const pythonLine = "print(1)"

// Run runs the command.
func (c *benchCmd) Run(s *streams) error {
	if c.N < 1 {
		return usagef("-n %d: it must be at least 1", c.N)
	}
	defer s.interruptible()()
	flags := boxFlags{Tier: string(glovebox.TierAuto), hostFlags: c.hostFlags}
	e, err := flags.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	list, done, err := c.contestants(s.ctx, e)
	if err != nil {
		return err
	}
	stop := progress(s.stderr, "timing")
	figures, err := bench.Run(s.ctx, list, c.N)
	stop()
	done() // before anything is printed: who reads it may have gone
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s.stdout, map[string]any{"figures": figures})
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "mode\tcontestant\tmin ms\tp50 ms\tp95 ms\tratio\t")
	for _, f := range figures {
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%.1f\t%.1f\t%.2f\t\n", f.Mode, f.Name, f.Min, f.P50, f.P95, f.Ratio)
	}
	return w.Flush()
}

// contestants are bare execution, the peers that are installed, and the tiers
// that this host can enforce.
func (c *benchCmd) contestants(ctx context.Context, e *engine.Engine) (list []bench.Contestant, done func(), err error) {
	tc, err := e.Toolchain(ctx, language.Python)
	if err != nil {
		return nil, nil, err
	}
	python, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		if python, err = exec.LookPath("python3"); err != nil {
			return nil, nil, err
		}
	}
	list = []bench.Contestant{command("bare", python, "-I", "-c", pythonLine)}
	var peers []bench.Contestant
	if bwrap, err := exec.LookPath("bwrap"); err == nil {
		peers = append(peers, command("bubblewrap", bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc",
			"--dev", "/dev", "--tmpfs", "/tmp", python, "-I", "-c", pythonLine))
	}
	roots, err := rootfs.Open("")
	if err != nil {
		return nil, nil, err
	}
	root, err := roots.Tree(ctx, tc.Root)
	if err != nil {
		return nil, nil, err
	}
	containers, done, err := runtimes(root.Tree, tc.Exe)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range e.Tiers() {
		if len(c.Tier) == 0 || slices.Contains(c.Tier, string(t.Name())) {
			peers = append(peers, coldRun(e, t))
		}
	}
	for _, p := range append(containers, peers...) {
		if err := p.Do(ctx); err != nil {
			if ctx.Err() != nil {
				done()
				return nil, nil, ctx.Err()
			}
			fmt.Fprintf(os.Stderr, "glovebox: %s is left out: %v\n", p.Name, err)
			continue
		}
		list = append(list, p)
	}
	return list, done, nil
}

// coldRun times a whole run in a tier.
func coldRun(e *engine.Engine, t tier.Tier) bench.Contestant {
	p := &glovebox.Program{Language: language.Python.Name, Main: "main.py", Files: []glovebox.File{{Path: "main.py", Data: []byte(pythonLine)}}}
	if _, ok := t.(tier.Modules); ok {
		p = &glovebox.Program{Language: language.JavaScript.Name, Main: "main.js", Files: []glovebox.File{{Path: "main.js", Data: []byte("console.log(1)")}}}
	}
	job := glovebox.Job{Tier: t.Name(), Program: p, Limits: glovebox.Limits{Wall: time.Minute}}
	return bench.Contestant{Name: string(t.Name()), How: "engine.Run, cold, of " + string(p.Files[0].Data), Do: func(ctx context.Context) error {
		o, err := e.Run(ctx, job)
		if err == nil && (o.Status != glovebox.StatusPass || o.Stdout != "1\n") {
			err = errors.New(o.Message)
		}
		return err
	}}
}

// command times a command of the host.
func command(name string, args ...string) bench.Contestant {
	return bench.Contestant{Name: name, How: fmt.Sprintf("%q", args), Do: func(ctx context.Context) error {
		return prints(exec.CommandContext(ctx, args[0], args[1:]...))
	}}
}

// prints runs a command, which must print what the program does.
func prints(cmd *exec.Cmd) error {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %.200s", err, bytes.TrimSpace(exit.Stderr))
	}
	if err == nil && string(out) != "1\n" {
		err = fmt.Errorf("printed %q", out)
	}
	return err
}
