package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/agent"
	"github.com/gloveboxhq/glovebox/eval"
)

// generateFlags let a model make the samples of an evaluation.
type generateFlags struct {
	Generate    bool          `help:"Let a model make the samples, with the loop around it: pass@1 without and with repair."`
	SamplesEach int           `short:"n" default:"1" help:"With --generate: samples of each problem."`
	WithPlan    bool          `help:"With --generate: let the model plan first."`
	Turns       int           `help:"With --generate: most replies for a sample, the first included; 1 is no repair (default 6)." placeholder:"6"`
	Tokens      int64         `help:"With --generate: most tokens for a sample (default 200000)." placeholder:"200000"`
	Wall        time.Duration `help:"With --generate: longest time for a sample (default 10m)." placeholder:"10m"`
	modelFlags
}

// given tells whether any of the flags is.
func (f *generateFlags) given() bool {
	m := f.modelFlags
	return f.SamplesEach != 1 || f.WithPlan || f.Turns != 0 || f.Tokens != 0 || f.Wall != 0 ||
		m.Model != "" || m.ModelURL != "" || m.ModelKeyFile != "" || len(m.Header) > 0 || m.ModelTimeout != 0 || m.AllowHTTP
}

// work lists what a model is to make.
func (f *generateFlags) work(problems string, o eval.Options) (eval.Source, []*eval.Work, error) {
	list, err := eval.LoadProblems(problems)
	if err != nil {
		return eval.Source{}, nil, usageError{err}
	}
	if f.SamplesEach < 1 || f.SamplesEach > 10_000 {
		return eval.Source{}, nil, usagef("-n %d: it must be between 1 and 10000", f.SamplesEach)
	}
	if f.Turns < 0 || f.Tokens < 0 || f.Wall < 0 {
		return eval.Source{}, nil, usagef("--turns, --tokens, --wall: a budget is negative")
	}
	for _, p := range list {
		if strings.TrimSpace(p.Prompt) == "" {
			return eval.Source{}, nil, usagef("%s: the problem has no text that a model could be asked: it needs a field prompt", p.Where)
		}
	}
	c := f.config()
	return eval.Source{Problems: problems}, eval.GenerateWork(list, f.SamplesEach, o, f.Model, f.ModelURL, c.NoPlan, c.Budget), nil
}

func (f *generateFlags) config() agent.Config {
	return agent.Config{NoPlan: !f.WithPlan, Budget: agent.Budget{Turns: f.Turns, Tokens: f.Tokens, Wall: f.Wall}}
}

// do does one piece of the work of an evaluation.
type do = func(context.Context, *eval.Work) (eval.Row, error)

// judge is what does one piece of the work.
func (f *generateFlags) judge(e glovebox.Runner, o eval.Options, tell func(string)) (do, error) {
	c := f.config()
	var err error
	c.Model, err = f.open(func(n int, err error, wait time.Duration) {
		tell(fmt.Sprintf("the model fails (%v); try %d in %v", err, n+1, wait.Round(time.Millisecond)))
	})
	if err != nil {
		return nil, err
	}
	return eval.Generate(e, c, o), nil
}

// printGeneration writes how a model fared.
func printGeneration(b *strings.Builder, p painter, g *eval.Generation) {
	fmt.Fprintf(b, "%s %s  %s\n", p.paint(bold, "without repair"), p.paint(bold, fmt.Sprintf("%.3f", float64(g.First))),
		p.paint(dim, fmt.Sprintf("95 %% interval %.3f to %.3f", float64(g.FirstInterval.Low), float64(g.FirstInterval.High))))
	fmt.Fprintf(b, "%s    %s  %s\n", p.paint(bold, "with repair"), p.paint(bold, fmt.Sprintf("%.3f", float64(g.Repaired))),
		p.paint(dim, fmt.Sprintf("95 %% interval %.3f to %.3f", float64(g.RepairedInterval.Low), float64(g.RepairedInterval.High))))
	var turns []string
	for n := 1; len(turns) < len(g.Turns); n++ {
		if count, ok := g.Turns[n]; ok {
			turns = append(turns, fmt.Sprintf("%d in turn %d", count, n))
		}
	}
	if len(turns) > 0 {
		fmt.Fprintf(b, "solved: %s\n", strings.Join(turns, ", "))
	}
	fmt.Fprintf(b, "%.0f tokens a solved sample, %.0f %% accepted by the review gate, %.0f changed lines (median)\n\n",
		g.TokensPerSolved, 100*float64(g.Acceptance), g.PatchLines)
}
