package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/agent"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
)

const plan = "FILES:\n- solution.py: the function\nSTEPS:\n1. add the numbers\nLIBRARIES: none\n"

// TestSolve repairs with both wire formats, in real boxes.
func TestSolve(t *testing.T) {
	e := newEngine(t)
	for _, provider := range []string{model.ProviderOpenAI, model.ProviderAnthropic} {
		t.Run(provider, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Texts(plan, fence(wrong), fence(right)))
			var log transcript
			r, err := agent.Solve(t.Context(), agent.Config{Runner: e, Model: s.Model(t, provider), Record: log.record}, add())
			if err != nil {
				t.Fatal(err)
			}
			if r.Disposition != agent.Candidate || r.Stop != agent.StopProven || len(r.Reasons) > 0 {
				t.Fatalf("%s, %s, %q; signals %s", r.Disposition, r.Stop, r.Reasons, signals(r.Signals))
			}
			turns := r.Attempts[0].Turns
			if len(turns) != 2 || turns[0].Status != glovebox.StatusTestFailed || turns[1].Status != glovebox.StatusPass || turns[1].Strategy != agent.Direct {
				t.Errorf("turns %+v", turns)
			}
			if r.Plan == nil || len(r.Plan.Steps) != 1 {
				t.Errorf("plan %+v", r.Plan)
			}
			if !strings.Contains(r.Patch, "+    return a + b") || !strings.Contains(r.Patch, "new file mode") {
				t.Errorf("patch %s", r.Patch)
			}
			if r.Observation == nil || r.Observation.Tests.Proof != glovebox.ProofOutOfProcess {
				t.Errorf("observation %+v", r.Observation)
			}
			if r.Usage.Total() == 0 {
				t.Error("no usage")
			}
			calls := s.Calls()
			if repair := calls[2].Last(); !strings.Contains(repair, "test_negative") || !strings.Contains(repair, "<untrusted") {
				t.Errorf("the repair was asked for with %s", repair)
			}
			if first := calls[1].Messages[0].Text; !strings.Contains(first, "assert add(2, 2) == 4") {
				t.Errorf("the brief is %s", first)
			}
			kinds := map[agent.RecordType]int{}
			for _, rec := range log.records {
				kinds[rec.Type]++
			}
			if kinds[agent.RecordPrompt] != 3 || kinds[agent.RecordReply] != 3 || kinds[agent.RecordPlan] != 1 || kinds[agent.RecordEnd] != 1 || kinds[agent.RecordLibraries] != 1 {
				t.Errorf("records %v", kinds)
			}
		})
	}
}

// TestStops reaches every stop.
func TestStops(t *testing.T) {
	pass := glovebox.StatusPass
	never := modeltest.Always(modeltest.Answer{Text: fence(wrong)})
	// Another failure and another edit each time.
	changing := func(c modeltest.Call) modeltest.Answer {
		return modeltest.Answer{Text: fence(wrong + strings.Repeat(" * a", c.N))}
	}
	failing := func() *fake {
		return &fake{see: func(n int, job glovebox.Job) *glovebox.Observation {
			return &glovebox.Observation{Status: glovebox.StatusRuntimeError, Language: "python",
				Failure: &glovebox.Failure{Type: "E", Message: strings.Repeat("x", n)}}
		}}
	}
	tests := []struct {
		name   string
		run    *fake
		script modeltest.Script
		c      agent.Config
		change func(*agent.Task)
		stop   agent.Stop
		turns  int
		reason string
	}{
		{"proven", always(pass, ""), modeltest.Texts(fence(right)), agent.Config{}, nil, agent.StopProven, 1, "candidate 1"},
		{"the same failure", always(glovebox.StatusRuntimeError, "m"), changing, agent.Config{}, nil, agent.StopBreaker, 3, "same failure"},
		{"the same edit", failing(), never, agent.Config{}, nil, agent.StopBreaker, 3, "same edit"},
		{"turns", failing(), changing, agent.Config{Budget: agent.Budget{Turns: 4}}, nil, agent.StopTurns, 4, "used up: 4"},
		{"tokens, before the first reply", always(pass, ""), never, agent.Config{Budget: agent.Budget{Tokens: 100}}, nil, agent.StopTokens, 0, "100 tokens"},
		{"cost", always(pass, ""), never, agent.Config{Budget: agent.Budget{Cost: 0.0001, Prices: agent.Prices{Input: 1, Output: 10}}}, nil, agent.StopCost, 0, "spent"},
		{"the model refuses", always(pass, ""), modeltest.Always(modeltest.Answer{Text: "No.", Finish: model.FinishRefused}), agent.Config{}, nil, agent.StopRefused, 0, "refuses"},
		{"a wrong key", always(pass, ""), modeltest.Always(modeltest.Answer{Status: 401, Message: "bad key"}), agent.Config{}, nil, agent.StopModel, 0, "auth"},
		{"the box fails", always(glovebox.StatusSandboxError, "no room"), never, agent.Config{}, nil, agent.StopSandbox, 0, "no room"},
		{"no interpreter", &fake{see: func(int, glovebox.Job) *glovebox.Observation {
			return &glovebox.Observation{Status: glovebox.StatusSandboxError, NextAction: glovebox.ActionAskHuman, Message: "install python3"}
		}}, never, agent.Config{}, nil, agent.StopSandbox, 0, "install python3"},
		{"the policy", always(glovebox.StatusDenied, "the rule says no"), never, agent.Config{}, nil, agent.StopPolicy, 0, "the rule"},
		{"an approval", always(glovebox.StatusApprovalRequired, "ask Ann"), never, agent.Config{}, nil, agent.StopPolicy, 0, "Ann"},
		{"too weak a proof", always(glovebox.StatusUnproven, "only in process"), never, agent.Config{}, nil, agent.StopTests, 0, "in process"},
		{"nothing to repair", always(pass, ""), never, agent.Config{}, func(t *agent.Task) {
			t.Start = &glovebox.Program{Language: "python", Main: "add.py", Files: []glovebox.File{{Path: "add.py", Data: []byte(right)}}}
		}, agent.StopNothing, 0, "as it is"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			task := add()
			if test.change != nil {
				test.change(&task)
			}
			test.c.Runner, test.c.NoPlan = test.run, true
			r, _ := solve(t, test.c, task, test.script)
			turns := 0
			for _, a := range r.Attempts {
				turns += len(a.Turns)
			}
			if r.Stop != test.stop || turns != test.turns || !strings.Contains(r.StopReason, test.reason) {
				t.Errorf("stop %s after %d turns: %s", r.Stop, turns, r.StopReason)
			}
			if want := test.stop == agent.StopProven; (r.Disposition == agent.Candidate) != want {
				t.Errorf("disposition %s, reasons %q", r.Disposition, r.Reasons)
			}
			if r.Disposition == agent.Blocked && len(r.Reasons) == 0 {
				t.Error("blocked without a reason")
			}
		})
	}
}

// TestLength: a model whose replies are always cut off ends by tokens.
func TestLength(t *testing.T) {
	n := 0
	run := &fake{see: func(int, glovebox.Job) *glovebox.Observation {
		n++
		return &glovebox.Observation{Status: glovebox.StatusNoCode, Language: "python", Message: strings.Repeat("x", n),
			Failure: &glovebox.Failure{Message: strings.Repeat("y", n)}}
	}}
	r, s := solve(t, agent.Config{Runner: run, NoPlan: true, ReplyTokens: 1000, Budget: agent.Budget{Tokens: 9000, Turns: 100}}, add(),
		func(c modeltest.Call) modeltest.Answer {
			return modeltest.Answer{Text: strings.Repeat("word ", c.MaxTokens), Finish: model.FinishLength,
				Usage: &model.Usage{Input: 200, Output: int64(c.MaxTokens) - int64(c.N)}}
		})
	if r.Stop != agent.StopTokens {
		t.Fatalf("stop %s: %s", r.Stop, r.StopReason)
	}
	if r.Usage.Total() > 9000 {
		t.Errorf("%d tokens are used", r.Usage.Total())
	}
	if last := s.Calls()[1].Last(); !strings.Contains(last, "cut off after 1000 tokens") {
		t.Errorf("the model is told %s", last)
	}
}

// TestCancel ends while the model is silent, and while the code runs.
func TestCancel(t *testing.T) {
	t.Run("while the model is silent", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := modeltest.New(t, func(modeltest.Call) modeltest.Answer {
			cancel()
			return modeltest.Answer{Text: fence(right), Wait: make(chan struct{})}
		})
		r, err := agent.Solve(ctx, agent.Config{Runner: always(glovebox.StatusPass, ""), Model: s.Model(t, model.ProviderAnthropic), NoPlan: true}, add())
		if err != nil || r.Stop != agent.StopCancelled || r.Disposition != agent.Blocked {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("while the code runs", func(t *testing.T) {
		e := newEngine(t)
		ctx, cancel := context.WithCancel(t.Context())
		s := modeltest.New(t, modeltest.Texts(fence("def add(a, b):\n    while True: pass")))
		started := runnerFunc(func(inner context.Context, job glovebox.Job) (*glovebox.Observation, error) {
			if len(job.Tests) > 0 {
				time.AfterFunc(300*time.Millisecond, cancel)
			}
			return e.Run(inner, job)
		})
		r, err := agent.Solve(ctx, agent.Config{Runner: started, Model: s.Model(t, model.ProviderOpenAI), NoPlan: true}, add())
		if err != nil || r.Stop != agent.StopCancelled {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("when the time is over", func(t *testing.T) {
		s := modeltest.New(t, modeltest.Always(modeltest.Answer{Text: "x", Wait: make(chan struct{})}))
		r, err := agent.Solve(t.Context(), agent.Config{Runner: always(glovebox.StatusPass, ""), Model: s.Model(t, model.ProviderOpenAI), NoPlan: true,
			Budget: agent.Budget{Wall: 50 * time.Millisecond}}, add())
		if err != nil || r.Stop != agent.StopWall {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

type runnerFunc func(context.Context, glovebox.Job) (*glovebox.Observation, error)

func (f runnerFunc) Run(ctx context.Context, job glovebox.Job) (*glovebox.Observation, error) {
	return f(ctx, job)
}

// TestCandidates: the first that is proven wins, the others are cancelled.
func TestCandidates(t *testing.T) {
	e := newEngine(t)
	hold := make(chan struct{}) // never closed: the losers wait for it
	var file bytes.Buffer
	record, _ := agent.Writer(&file)
	r, s := solve(t, agent.Config{Runner: e, NoPlan: true, Candidates: 3, Record: record}, add(), func(c modeltest.Call) modeltest.Answer {
		if c.N == 1 {
			return modeltest.Answer{Text: fence(right)}
		}
		return modeltest.Answer{Text: "", Wait: hold}
	})
	if r.Disposition != agent.Candidate || r.Stop != agent.StopProven || len(r.Attempts) != 3 {
		t.Fatalf("%s, %s, %+v", r.Disposition, r.Stop, r.Attempts)
	}
	beaten := 0
	for _, a := range r.Attempts {
		if a.Stop == agent.StopBeaten {
			beaten++
		} else if a.Number != r.Chosen {
			t.Errorf("candidate %d: %s", a.Number, a.Stop)
		}
	}
	m, err := agent.ReadReplay(&file)
	if err != nil {
		t.Fatal(err)
	}
	again, err := agent.Solve(t.Context(), agent.Config{Runner: e, Model: m, NoPlan: true, Candidates: 3}, add())
	if err != nil || again.Chosen != r.Chosen || again.Patch != r.Patch || again.Attempts[r.Chosen%3].Stop != agent.StopBeaten {
		t.Errorf("the replay is %+v, %v", again, err)
	}
	if beaten != 2 || len(s.Calls()) > 3 {
		t.Errorf("%d were beaten, %d calls", beaten, len(s.Calls()))
	}
}

// TestReplay: a transcript gives the same turns without a model.
func TestReplay(t *testing.T) {
	e := newEngine(t)
	var file bytes.Buffer
	record, failed := agent.Writer(&file)
	first, _ := solve(t, agent.Config{Runner: e, Record: record}, add(), modeltest.Texts(plan, fence("def add(a, b:"), "I cannot.", fence(wrong), fence(right)))
	if err := failed(); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(file.Bytes()) {
		var rec agent.Record
		if err := json.Unmarshal(line, &rec); err != nil || rec.Time.IsZero() || rec.Type == "" {
			t.Fatalf("%s: %v", line, err)
		}
	}
	m, err := agent.ReadReplay(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var prompts []string
	again, err := agent.Solve(t.Context(), agent.Config{Runner: e, Model: m, Record: func(r agent.Record) {
		if r.Type == agent.RecordPrompt {
			b, _ := json.Marshal(r.Request)
			prompts = append(prompts, string(b))
		}
	}}, add())
	if err != nil {
		t.Fatal(err)
	}
	if again.Patch != first.Patch || again.Stop != first.Stop || len(again.Attempts[0].Turns) != 4 {
		t.Errorf("the replay is %+v", again)
	}
	for i, turn := range again.Attempts[0].Turns {
		if was := first.Attempts[0].Turns[i]; turn.Signature != was.Signature || turn.Status != was.Status || turn.Strategy != was.Strategy {
			t.Errorf("turn %d is %+v and was %+v", i+1, turn, was)
		}
	}
	n := 0
	for line := range bytes.Lines(file.Bytes()) {
		var rec agent.Record
		json.Unmarshal(line, &rec)
		if rec.Type == agent.RecordPrompt {
			if b, _ := json.Marshal(rec.Request); string(b) != prompts[n] {
				t.Errorf("prompt %d differs:\n%s\n%s", n, b, prompts[n])
			}
			n++
		}
	}
	t.Run("a transcript that is too short", func(t *testing.T) {
		short, _, _ := bytes.Cut(file.Bytes(), []byte(`"type":"plan"`))
		m, err := agent.ReadReplay(bytes.NewReader(short[:bytes.LastIndexByte(short, '\n')+1]))
		if err != nil {
			t.Fatal(err)
		}
		r, err := agent.Solve(t.Context(), agent.Config{Runner: e, Model: m}, add())
		if err != nil || r.Stop != agent.StopModel || !strings.Contains(r.StopReason, "no further reply") {
			t.Errorf("%+v, %v", r, err)
		}
	})
	for name, text := range map[string]string{"nothing": "", "no transcript": "{}\n", "no JSON": "hello\n"} {
		if _, err := agent.ReadReplay(strings.NewReader(text)); err == nil {
			t.Errorf("%s is taken for a transcript", name)
		}
	}
}

// TestWrongTasks are refused before a model is asked.
func TestWrongTasks(t *testing.T) {
	s := modeltest.New(t, modeltest.Texts())
	c := agent.Config{Runner: always(glovebox.StatusPass, ""), Model: s.Model(t, model.ProviderOpenAI)}
	tests := map[string]func(*agent.Config, *agent.Task){
		"no text":       func(_ *agent.Config, t *agent.Task) { t.Text = "" },
		"nothing tests": func(_ *agent.Config, t *agent.Task) { t.Tests = nil },
		"language":      func(_ *agent.Config, t *agent.Task) { t.Language = "cobol" },
		"candidates":    func(c *agent.Config, _ *agent.Task) { c.Candidates = -1 },
		"budget":        func(c *agent.Config, _ *agent.Task) { c.Budget.Tokens = -1 },
		"no model":      func(c *agent.Config, _ *agent.Task) { c.Model = nil },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			c, task := c, add()
			spoil(&c, &task)
			if _, err := agent.Solve(t.Context(), c, task); err == nil {
				t.Error("it is taken")
			}
		})
	}
	if n := len(s.Calls()); n > 0 {
		t.Errorf("the model was asked %d times", n)
	}
}
