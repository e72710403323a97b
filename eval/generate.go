package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/agent"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// Generated describes a model's way to a sample, with the loop around the
// model.
type Generated struct {
	// First is the status of the first reply, without any repair.
	First glovebox.Status `json:"first"`
	// Turns is the number of replies with code.
	Turns int        `json:"turns"`
	Stop  agent.Stop `json:"stop"`
	// Accepted: the review gate let it through.
	Accepted bool `json:"accepted"`
	// Tokens is the sum over all requests, read and written.
	Tokens int64 `json:"tokens"`
	// PatchLines is how many lines the candidate adds and removes.
	PatchLines int `json:"patch_lines"`
}

// GenerateWork lists n samples of each problem for a model to make under the
// options. model identifies the model and its settings: a change of either
// makes other results.
func GenerateWork(problems []*Problem, n int, o Options, model ...any) []*Work {
	var list []*Work
	for _, p := range problems {
		for i := range n {
			list = append(list, &Work{Problem: p, N: i, Options: o, Hash: Hash(p, o, model, i)})
		}
	}
	return list
}

// Generate returns a function for [Runner].Do in which a model solves problems.
// The tests stay hidden from the model, except for their failures. An
// unreachable model ends the run; a later run resumes it.
func Generate(e glovebox.Runner, c agent.Config, o Options) func(context.Context, *Work) (Row, error) {
	c.Runner = e
	return func(ctx context.Context, w *Work) (Row, error) {
		begin := time.Now()
		task, err := w.Problem.task(o)
		if err != nil {
			return Row{}, err
		}
		r, err := agent.Solve(ctx, c, task)
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return Row{}, err
		}
		if r.Stop == agent.StopModel {
			return Row{}, fmt.Errorf("%s: %s", w.Problem.ID, r.StopReason)
		}
		row := RowOf(w, last(r))
		row.Measured.DurationMS = float64(time.Since(begin).Microseconds()) / 1000
		row.Generated = generated(r)
		if turns := chosen(r); len(turns) > 0 && turns[len(turns)-1].Proven {
			row.Status = glovebox.StatusPass // whatever other tests do
		}
		return row, nil
	}
}

// last is the last observation of the chosen candidate.
func last(r *agent.Result) *glovebox.Observation {
	o := &glovebox.Observation{Status: glovebox.StatusNoCode, Phase: glovebox.PhaseExtract, Message: r.StopReason}
	switch {
	case r.Observation != nil:
		return r.Observation
	case r.Stop == agent.StopNothing:
		return r.Baseline
	case r.Stop == agent.StopTests || r.Stop == agent.StopSandbox || r.Stop == agent.StopPolicy:
		o.Status, o.Phase = glovebox.StatusSandboxError, glovebox.PhaseStage // no word on the model
	}
	return o // the budget was too small for any code, or the model refused
}

// chosen are the turns of the chosen candidate, or of the first.
func chosen(r *agent.Result) []agent.Turn {
	for _, a := range r.Attempts {
		if a.Number == max(r.Chosen, 1) {
			return a.Turns
		}
	}
	return nil
}

func generated(r *agent.Result) *Generated {
	g := &Generated{First: glovebox.StatusNoCode, Stop: r.Stop, Accepted: r.Disposition == agent.Candidate, Tokens: r.Usage.Total()}
	turns := chosen(r)
	if g.Turns = len(turns); g.Turns > 0 {
		switch first := turns[0]; {
		case first.Proven:
			g.First = glovebox.StatusPass
		case first.Refused == "":
			g.First = first.Status
		}
	}
	for line := range strings.Lines(r.Patch) {
		if strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "--- ") {
			g.PatchLines++
		}
	}
	return g
}

// task is the problem as a task for a model.
func (p *Problem) task(o Options) (agent.Task, error) {
	if strings.TrimSpace(p.Prompt) == "" {
		return agent.Task{}, fmt.Errorf("%s: the problem has no text that a model could be asked", p.Where)
	}
	if p.Repo != nil {
		return p.Repo.task(p, o)
	}
	job, err := p.Job(&Sample{Form: FormReply, Where: p.Where}, o)
	if err != nil {
		return agent.Task{}, err
	}
	t := agent.Task{
		Text: p.Prompt, Language: p.Language, Tests: job.Tests, Cases: job.Cases, Entry: p.Entry, HideTests: true,
		Limits: job.Limits, Tier: job.Tier, RequireProof: job.RequireProof,
	}
	if p.Kind == KindHumanEval || p.Kind == KindMultiPLE {
		t.Text = "Complete this code. Answer with the whole program, what is given included:\n\n" + p.Prompt
	}
	// HumanEvalPack asks for a repair.
	if buggy, ok := p.Own["buggy_solution"]; ok {
		l := language.ByName(p.Language)
		t.Text = "Repair this program. Its behaviour is described in:\n\n" + p.Prompt
		t.Start = &glovebox.Program{Language: l.Name, Main: l.Main, Files: []glovebox.File{{Path: l.Main, Data: []byte(p.Before + buggy + p.After)}}}
	}
	return t, nil
}

// task is a repository task for a model: the model sees the repository
// unchanged, and the deciding tests come from the test patch.
func (r *Repository) task(p *Problem, o Options) (agent.Task, error) {
	tested, err := r.tested()
	if err != nil {
		return agent.Task{}, err
	}
	there, err := r.open()
	if err != nil {
		return agent.Task{}, err
	}
	t := agent.Task{
		Text: p.Prompt, Language: p.Language, Repository: there.files, HideTests: true, FailToPass: r.Want.FailToPass,
		Limits: o.Limits, Tier: o.Tier, Image: o.Image, RequireProof: o.RequireProof,
	}
	for _, c := range tested.Changes() {
		if c.Kind != workcopy.Deleted {
			t.Tests = append(t.Tests, glovebox.File{Path: c.Path, Data: c.New, Executable: c.Executable})
		}
	}
	return t, nil
}

// SummarizeGeneration counts a model's results. It is nil if no row is a
// model's.
func SummarizeGeneration(model string, rows []Row) *Generation {
	g := &Generation{Model: model, Turns: map[int]int{}}
	first, repaired := map[string]*Task{}, map[string]*Task{}
	var order []string
	var lines []int
	accepted, solved, samples := 0, 0, 0
	for _, r := range rows {
		if r.Generated == nil {
			continue
		}
		if first[r.Task] == nil {
			first[r.Task], repaired[r.Task] = &Task{Task: r.Task}, &Task{Task: r.Task}
			order = append(order, r.Task)
		}
		samples++
		first[r.Task].N++
		repaired[r.Task].N++
		if r.Generated.First == glovebox.StatusPass {
			first[r.Task].Passed++
		}
		if r.Status == glovebox.StatusPass {
			repaired[r.Task].Passed++
			solved++
			g.Turns[r.Generated.Turns]++
		}
		if r.Generated.Accepted {
			accepted++
		}
		g.Tokens += r.Generated.Tokens
		if r.Generated.PatchLines > 0 {
			lines = append(lines, r.Generated.PatchLines)
		}
	}
	if samples == 0 {
		return nil
	}
	g.Tasks = len(order)
	at1 := func(tasks map[string]*Task) (Ratio, Interval) {
		list := make([]Task, 0, len(order))
		for _, name := range order {
			list = append(list, *tasks[name])
		}
		rates, intervals, _ := passAtKs(list, []int{1})
		return rates["1"], intervals["1"]
	}
	g.First, g.FirstInterval = at1(first)
	g.Repaired, g.RepairedInterval = at1(repaired)
	if solved > 0 {
		g.TokensPerSolved = float64(g.Tokens) / float64(solved)
	}
	g.Acceptance = Ratio(float64(accepted) / float64(samples))
	if slices.Sort(lines); len(lines) > 0 {
		g.PatchLines = float64(lines[(len(lines)-1)/2]+lines[len(lines)/2]) / 2
	}
	return g
}
