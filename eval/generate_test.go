package eval_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/agent"
	"github.com/gloveboxhq/glovebox/eval"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
)

const shop = "../examples/eval/problems.jsonl"

// solver answers with nothing useful first and with the solution when it is told
// what failed; "boxes" it never solves, and "discount" at once.
func solver(t testing.TB) modeltest.Script {
	b, err := os.ReadFile(shop)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Prompt    string `json:"prompt"`
		Entry     string `json:"entry_point"`
		Canonical string `json:"canonical_solution"`
	}
	var rows []row
	for line := range strings.Lines(string(b)) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return func(c modeltest.Call) modeltest.Answer {
		for _, r := range rows {
			if !strings.Contains(c.Messages[0].Text, "def "+r.Entry+"(") {
				continue
			}
			right := "```python\n" + r.Prompt + r.Canonical + "```\n"
			switch {
			case r.Entry == "discount", r.Entry == "busiest" && strings.Contains(c.Last(), "Result: "):
				return modeltest.Answer{Text: right, Usage: &model.Usage{Input: 100, Output: 50}}
			}
			return modeltest.Answer{Text: "```python\ndef " + r.Entry + "(*args):\n    return 'no'\n```\n", Usage: &model.Usage{Input: 100, Output: 50}}
		}
		return modeltest.Answer{Status: 400, Message: "no such problem"}
	}
}

// TestGenerate drives a model over a problem set: one problem is solved at
// once, one by repair, and one never.
func TestGenerate(t *testing.T) {
	e := boxes(t, glovebox.TierProcess)
	problems, err := eval.LoadProblems(shop)
	if err != nil {
		t.Fatal(err)
	}
	s := modeltest.New(t, solver(t))
	o := eval.Options{Tier: glovebox.TierProcess}
	work := eval.GenerateWork(problems, 2, o, "scripted")
	results, err := eval.OpenResults(filepath.Join(t.TempDir(), "r"), eval.NewHeader(eval.Source{Problems: shop}, work, o), false)
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	r := eval.Runner{Do: eval.Generate(e, agent.Config{Model: s.Model(t, model.ProviderAnthropic), NoPlan: true}, o)}
	if _, err := r.Run(t.Context(), work, results); err != nil {
		t.Fatal(err)
	}
	rows := results.Rows(work)
	g := eval.SummarizeGeneration("scripted", rows)
	if g == nil || g.Tasks != 3 || g.First != eval.Ratio(1./3) || g.Repaired != eval.Ratio(2./3) {
		t.Fatalf("%+v", g)
	}
	if g.Turns[1] != 2 || g.Turns[2] != 2 || len(g.Turns) != 2 {
		t.Errorf("turns %v", g.Turns)
	}
	// 1, 2 and 3 turns of 150 tokens, twice; four samples are solved.
	if g.Tokens != 2*6*150 || g.TokensPerSolved != 450 {
		t.Errorf("%d tokens, %v a solved sample", g.Tokens, g.TokensPerSolved)
	}
	if g.Acceptance != eval.Ratio(4./6) || g.PatchLines == 0 {
		t.Errorf("acceptance %v, %v lines", g.Acceptance, g.PatchLines)
	}
	for _, row := range rows {
		if row.Generated == nil || row.Status == glovebox.StatusPass != row.Generated.Accepted {
			t.Errorf("%s: %s, %+v", row.Task, row.Status, row.Generated)
		}
	}
	for _, c := range s.Calls() {
		if strings.Contains(c.Messages[0].Text, "assert candidate(") {
			t.Fatalf("the model has seen the tests: %s", c.Text())
		}
	}
	if again, err := r.Run(t.Context(), work, results); err != nil || again.Samples != 0 {
		t.Errorf("all was done: %+v, %v", again, err)
	}
}

// TestGenerateStops ends the run where the model cannot be reached, and keeps
// what is done.
func TestGenerateStops(t *testing.T) {
	problems, err := eval.LoadProblems(shop)
	if err != nil {
		t.Fatal(err)
	}
	s := modeltest.New(t, modeltest.Always(modeltest.Answer{Status: 401, Message: "wrong key"}))
	work := eval.GenerateWork(problems, 1, eval.Options{})
	results, err := eval.OpenResults("", eval.NewHeader(eval.Source{Problems: shop}, work, eval.Options{}), false)
	if err != nil {
		t.Fatal(err)
	}
	do := eval.Generate(&pretended{}, agent.Config{Model: s.Model(t, model.ProviderOpenAI), NoPlan: true}, eval.Options{})
	_, err = (&eval.Runner{Do: do, Workers: 1}).Run(context.Background(), work, results)
	if err == nil || !strings.Contains(err.Error(), "Shop/0") || !strings.Contains(err.Error(), "auth") {
		t.Errorf("the run ends with %v", err)
	}
	if rows := results.Rows(work); len(rows) != 0 {
		t.Errorf("rows %+v", rows)
	}
}

// TestGenerateRepository lets a model solve a repository task, in the second
// turn. It never sees the test patch.
func TestGenerateRepository(t *testing.T) {
	e := boxes(t, glovebox.TierProcess)
	src := tasks(t, nil)
	problems, err := eval.LoadProblems(src.Problems)
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) string {
		return "shop/cart.py\n```python\n<<<<<<< SEARCH\n" + old + "\n=======\n" + new + "\n>>>>>>> REPLACE\n```\n"
	}
	const wrong = "    return sum(count for price, count in items)"
	s := modeltest.New(t, modeltest.Texts(
		change(strings.TrimSpace("    "+oldTotal[1:]), wrong),
		change("    return sum(price for price, count in items)", wrong),
		change(wrong, strings.TrimSuffix(newTotal[1:], "\n"))))
	o := eval.Options{Tier: glovebox.TierProcess, Limits: patient}
	work := eval.GenerateWork(problems, 1, o)
	results := memory(t)
	r := eval.Runner{Do: eval.Generate(e, agent.Config{Model: s.Model(t, model.ProviderOpenAI), NoPlan: true}, o)}
	if _, err := r.Run(t.Context(), work, results); err != nil {
		t.Fatal(err)
	}
	row := results.Rows(work)[0]
	if row.Status != glovebox.StatusPass || row.Generated.Turns != 3 || row.Generated.First != glovebox.StatusNoCode || row.Generated.PatchLines != 2 {
		t.Errorf("%s, %+v", row.Status, row.Generated)
	}
	for _, c := range s.Calls() {
		if strings.Contains(c.Text(), "def test_two") {
			t.Errorf("the model has seen the test patch: %s", c.Messages[0].Text)
		}
	}
}
