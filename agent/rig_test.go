package agent_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/agent"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
	"github.com/gloveboxhq/glovebox/tier/gvisor/statictest"
)

func TestMain(m *testing.M) { os.Exit(statictest.Main(m)) }

// newEngine makes an engine for a test.
func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// fake is a runner that observes what it is told to, without a box.
type fake struct {
	mu   sync.Mutex
	jobs []glovebox.Job
	see  func(n int, job glovebox.Job) *glovebox.Observation
}

func (f *fake) Run(ctx context.Context, job glovebox.Job) (*glovebox.Observation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.jobs = append(f.jobs, job)
	o := f.see(len(f.jobs)-1, job)
	if o.NextAction == "" {
		o.NextAction = o.Status.Next()
	}
	return o, nil
}

// always is a fake that sees the same each time it runs tests.
func always(status glovebox.Status, message string) *fake {
	return &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation {
		if len(job.Tests)+len(job.Cases) == 0 {
			return &glovebox.Observation{Status: glovebox.StatusPass}
		}
		o := &glovebox.Observation{Status: status, Message: message, Language: "python"}
		if status == glovebox.StatusPass {
			o.Tests = &glovebox.TestReport{Complete: true, Total: 1, Passed: 1}
		}
		return o
	}}
}

// fence is a reply with Python code.
func fence(code string) string { return "Here it is:\n\n```python\n" + code + "\n```\n" }

// add is a task: the tests of a function add.
func add() agent.Task {
	return agent.Task{
		Text: "Write add(a, b).", Language: "python", Tier: glovebox.TierProcess,
		Tests: []glovebox.File{{Path: "test_add.py", Data: []byte("from solution import add\n\ndef test_small():\n    assert add(2, 2) == 4\n\ndef test_negative():\n    assert add(-1, 1) == 0\n")}},
	}
}

const (
	right = "def add(a, b):\n    return a + b"
	wrong = "def add(a, b):\n    return a * b"
)

// transcript collects records.
type transcript struct{ records []agent.Record }

func (t *transcript) record(r agent.Record) { t.records = append(t.records, r) }

// signals says in a line what the signals are.
func signals(list []agent.Signal) string {
	var b strings.Builder
	for _, s := range list {
		sign := "ok"
		switch {
		case s.Skipped:
			sign = "skipped"
		case !s.OK:
			sign = "blocks"
		}
		fmt.Fprintf(&b, "%s %s; ", s.Name, sign)
	}
	return b.String()
}

// solve solves with a scripted model that speaks one of the formats.
func solve(t *testing.T, c agent.Config, task agent.Task, script modeltest.Script) (*agent.Result, *modeltest.Server) {
	t.Helper()
	s := modeltest.New(t, script)
	c.Model = s.Model(t, model.ProviderOpenAI)
	r, err := agent.Solve(t.Context(), c, task)
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}
