package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"text/tabwriter"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/bench"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
)

type benchCmd struct {
	N    int  `short:"n" default:"40" help:"How many requests of each kind."`
	JSON bool `name:"json" help:"Print the figures as JSON."`
}

// Help is shown by glovebox bench --help.
func (benchCmd) Help() string {
	return `Each tier runs a Python program that prints one line, from the request to the whole
observation, cold: nothing is kept warm between two runs. Beside it stand the bare interpreter
(python3 -I -c) and bubblewrap, where it is installed. Contestants take turns; trust the ratios.`
}

// pythonLine is the program that everybody runs.
const pythonLine = "print(1)"

// Run runs the command.
func (c *benchCmd) Run(s *streams) error {
	if c.N < 1 {
		return usagef("-n %d: it must be at least 1", c.N)
	}
	defer s.interruptible()()
	e, err := engine.New(engine.Config{})
	if err != nil {
		return err
	}
	defer e.Close()
	list, err := contestants(s.ctx, e)
	if err != nil {
		return err
	}
	stop := progress(s.stderr, "timing")
	figures, err := bench.Run(s.ctx, list, c.N)
	stop()
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(s.stdout)
		out.SetIndent("", "  ")
		return out.Encode(map[string]any{"figures": figures})
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
func contestants(ctx context.Context, e *engine.Engine) ([]bench.Contestant, error) {
	tc, err := e.Toolchain(ctx, language.Python)
	if err != nil {
		return nil, err
	}
	python, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		if python, err = exec.LookPath("python3"); err != nil {
			return nil, err
		}
	}
	list := []bench.Contestant{command("bare", python, "-I", "-c", pythonLine)}
	if bwrap, err := exec.LookPath("bwrap"); err == nil {
		c := command("bubblewrap", bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc",
			"--dev", "/dev", "--tmpfs", "/tmp", python, "-I", "-c", pythonLine)
		if c.Do(ctx) == nil {
			list = append(list, c)
		}
	}
	for _, t := range e.Tiers() {
		job := glovebox.Job{
			Tier:    t.Name(),
			Program: &glovebox.Program{Language: tc.Language, Main: "main.py", Files: []glovebox.File{{Path: "main.py", Data: []byte(pythonLine)}}},
		}
		c := bench.Contestant{Name: string(t.Name()), How: "engine.Run, cold, of " + pythonLine, Do: func(ctx context.Context) error {
			o, err := e.Run(ctx, job)
			if err == nil && (o.Status != glovebox.StatusPass || o.Stdout != "1\n") {
				err = errors.New(o.Message)
			}
			return err
		}}
		if err := c.Do(ctx); err != nil {
			fmt.Fprintf(os.Stderr, "glovebox: %s is left out: %v\n", t.Name(), err)
			continue
		}
		list = append(list, c)
	}
	return list, nil
}

// command times a command of the host.
func command(name string, args ...string) bench.Contestant {
	return bench.Contestant{Name: name, How: fmt.Sprintf("%q", args), Do: func(ctx context.Context) error {
		out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
		if err == nil && string(out) != "1\n" {
			err = fmt.Errorf("printed %q", out)
		}
		return err
	}}
}
