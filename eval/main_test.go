package eval_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/eval"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/tier/gvisor/statictest"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(childResults); name != "" {
		os.Exit(child(name))
	}
	os.Exit(statictest.Main(cleanUp{m}))
}

// cleanUp closes what the tests share.
type cleanUp struct{ *testing.M }

func (c cleanUp) Run() int {
	code := c.M.Run()
	if e, err := shared(); err == nil {
		e.Close()
	}
	return code
}

// shared is one engine for all tests of this package.
var shared = sync.OnceValues(func() (*engine.Engine, error) { return engine.New(engine.Config{}) })

// boxes is the engine, where a tier can be enforced on this host.
func boxes(t testing.TB, tier glovebox.TierName) *engine.Engine {
	t.Helper()
	e, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Toolchain(context.Background(), language.Python); err != nil {
		t.Skipf("no Python here: %v", err)
	}
	o, err := e.Run(context.Background(), glovebox.Job{Tier: tier, Program: &glovebox.Program{
		Language: "python", Main: "main.py", Files: []glovebox.File{{Path: "main.py", Data: []byte("")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if o.Status == glovebox.StatusSandboxError {
		t.Skip(o.Message)
	}
	return e
}

// set makes n problems with two samples each. The samples are words that the
// pretended engine goes by.
func set(t testing.TB, n int) *eval.Set {
	t.Helper()
	s := &eval.Set{}
	for i := range n {
		p := &eval.Problem{ID: fmt.Sprintf("Own/%d", i), Kind: eval.KindHumanEval, Language: "python"}
		s.Problems = append(s.Problems, p)
		for j := range 2 {
			word := "pass"
			if (i+j)%3 == 0 {
				word = "fail"
			}
			s.Samples = append(s.Samples, &eval.Sample{Problem: p.ID, N: j, Form: eval.FormReply, Text: word})
		}
	}
	return s
}

// pretended is an engine that goes by the reply's words.
type pretended struct {
	mu  sync.Mutex
	ran map[string]int // how often, by reply
	// before is called before each run; it may be nil.
	before func(ctx context.Context)
}

func (e *pretended) Run(ctx context.Context, job glovebox.Job) (*glovebox.Observation, error) {
	if e.before != nil {
		e.before(ctx)
	}
	text := string(job.Reply)
	e.mu.Lock()
	if e.ran == nil {
		e.ran = map[string]int{}
	}
	e.ran[text]++
	ran := e.ran[text]
	e.mu.Unlock()
	o := &glovebox.Observation{Status: glovebox.StatusPass, Tests: &glovebox.TestReport{Proof: glovebox.ProofOutOfProcess, Complete: true, Total: 2, Passed: 2}}
	switch word, _, _ := strings.Cut(text, " "); {
	case ctx.Err() != nil:
		o = &glovebox.Observation{Status: glovebox.StatusCancelled}
	case word == "fail":
		o.Status, o.Tests.Passed, o.Tests.Failed = glovebox.StatusTestFailed, 1, 1
		o.Tests.Cases = []glovebox.TestCase{{Name: "a", Status: "passed"}, {Name: "b", Status: "failed", Message: strings.Repeat("long ", 1000)}}
	case word == "ours", word == "twice" && ran <= 2:
		o = &glovebox.Observation{Status: glovebox.StatusSandboxError, Message: "no box"}
	case word == "wrong":
		return nil, fmt.Errorf("a wrong job")
	}
	o.Timings.Total, o.Usage.CPUMS, o.Usage.MemoryPeak = 5, 2, 1<<20
	return o, nil
}
