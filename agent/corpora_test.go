package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/agent"
	"github.com/gloveboxhq/glovebox/internal/corpus"
	"github.com/gloveboxhq/glovebox/internal/sample"
	"github.com/gloveboxhq/glovebox/model/modeltest"
)

// rows reads a corpus, or eight of its rows.
func rows[T any](t *testing.T, name string) []T {
	all := corpus.Rows[T](t, name)
	return sample.Some(all, max(1, len(all)/8))
}

// repair lets a model that answers first with the fault and then without it
// repair a program, and looks at what the observation of the fault names.
func repair(t *testing.T, run glovebox.Runner, name, buggy, correct string, task agent.Task) {
	t.Helper()
	var observed *glovebox.Observation
	r, _ := solve(t, agent.Config{Runner: run, NoPlan: true, Record: func(rec agent.Record) {
		if rec.Type == agent.RecordObservation && rec.Turn == 1 {
			observed = rec.Observation
		}
	}}, task, modeltest.Texts(fence(buggy), fence(correct)))
	turns := r.Attempts[0].Turns
	if len(turns) != 2 || turns[0].Status == glovebox.StatusPass || turns[1].Status != glovebox.StatusPass {
		t.Errorf("%s: %s, %s: %+v", name, r.Stop, r.StopReason, turns)
		return
	}
	if observed.Limit != "" {
		return // it names the limit
	}
	if observed.Tests != nil {
		for _, c := range observed.Tests.Cases {
			if c.Status != "passed" && c.Name != "" {
				return
			}
		}
	}
	t.Errorf("%s: the observation names neither a case nor a limit: %s (%s) %+v", name, observed.Status, observed.Message, observed.Tests)
}

// TestHumanEvalPack repairs the faults of HumanEvalPack.
func TestHumanEvalPack(t *testing.T) {
	type row struct {
		TaskID      string `json:"task_id"`
		Declaration string `json:"declaration"`
		Instruction string `json:"instruction"`
		Entry       string `json:"entry_point"`
		Canonical   string `json:"canonical_solution"`
		Buggy       string `json:"buggy_solution"`
		Test        string `json:"test"`
	}
	e := newEngine(t)
	for _, r := range rows[row](t, "repair/humanevalpack-python.jsonl.gz") {
		repair(t, e, r.TaskID, r.Declaration+r.Buggy, r.Declaration+r.Canonical, agent.Task{
			Text: "Repair the function " + r.Entry + ".", Language: "python", Entry: r.Entry, Tier: glovebox.TierProcess,
			Tests: []glovebox.File{{Path: "test_humaneval.py", Data: []byte(r.Test)}},
		})
	}
}

// slow need longer than the others, even when they are right.
var slow = map[string]glovebox.Limits{
	"knapsack":    {Wall: time.Minute, Memory: 2 * glovebox.GiB},
	"levenshtein": {Wall: 2 * time.Minute},
}

// endless is a case that no machine of ours finishes: the right levenshtein
// makes 2.7e21 calls of its fourth, and the right knapsack a dictionary of 154
// million tuples of its tenth.
func endless(name string, i int) bool {
	return name == "levenshtein" && i == 3 || name == "knapsack" && i == 9
}

// TestQuixBugs repairs the faults of QuixBugs, each case a test.
func TestQuixBugs(t *testing.T) {
	type row struct {
		Name    string `json:"name"`
		Buggy   string `json:"buggy"`
		Correct string `json:"correct"`
		Cases   []struct {
			Input  json.RawMessage `json:"input"`
			Output json.RawMessage `json:"output"`
		} `json:"cases"`
	}
	e := newEngine(t)
	for _, r := range rows[row](t, "repair/quixbugs.jsonl.gz") {
		limits, long := slow[r.Name]
		if !long {
			limits.Wall = 5 * time.Second
		}
		var tests strings.Builder
		fmt.Fprintf(&tests, "import json\nfrom solution import %s\ndef plain(v):\n    return json.loads(json.dumps(list(v) if hasattr(v, '__next__') else v))\n", r.Name)
		for i, c := range r.Cases {
			if endless(r.Name, i) {
				continue
			}
			fmt.Fprintf(&tests, "def test_%d():\n    assert plain(%s(*json.loads(%q))) == json.loads(%q)\n", i, r.Name, c.Input, c.Output)
		}
		repair(t, e, r.Name, r.Buggy, r.Correct, agent.Task{
			Text: "Repair the function " + r.Name + ".", Language: "python", Tier: glovebox.TierProcess, Limits: limits,
			Tests: []glovebox.File{{Path: "test_quixbugs.py", Data: []byte(tests.String())}},
		})
	}
}
