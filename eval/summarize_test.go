package eval_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/eval"
)

// rowsOf makes a row of each status, of one task.
func rowsOf(task, lang string, statuses ...glovebox.Status) (work []*eval.Work, rows []eval.Row) {
	for i, s := range statuses {
		w := &eval.Work{Problem: &eval.Problem{ID: task, Language: lang}, N: i}
		work = append(work, w)
		rows = append(rows, eval.RowOf(w, &glovebox.Observation{Status: s, Timings: glovebox.Timings{Total: float64(i + 1)}}))
	}
	return work, rows
}

func TestSummarize(t *testing.T) {
	w1, r1 := rowsOf("a", "python", "pass", "pass", "timeout")
	w2, r2 := rowsOf("b", "lua", "test_failed", "no_code")
	w3, r3 := rowsOf("c", "lua", "pass", "pass", "sandbox_error")
	s := eval.Summarize(slices.Concat(w1, w2, w3), slices.Concat(r1, r2, r3), []int{1, 2, 3}, eval.Ran{})
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		// (2/3 + 0 + 1) / 3, (1 + 0 + 1) / 3
		`"pass_at_k":{"1":0.555555555556,"2":0.666666666667}`,
		`"unavailable":{"3":"2 of 3 tasks have fewer than 3 samples with a verdict: b has 2"}`,
		`"counts":{"no_code":1,"pass":4,"sandbox_error":1,"test_failed":1,"timeout":1}`,
		`{"task":"c","language":"lua","n":2,"passed":2,"statuses":{"pass":2,"sandbox_error":1}}`,
		`{"language":"lua","tasks":2,"samples":5,"passed":2,"pass_at_k":{"1":0.5,"2":0.5},`,
		`"p50_ms":2,"p95_ms":3,"max_ms":3,"total_ms":15`,
		`"samples":8,"missing":0`,
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("there is no %s in\n%s", want, b)
		}
	}
	// A sample that was not run leaves pass@1 without a value, not with a lower
	// or higher one.
	s = eval.Summarize(slices.Concat(w1, w2), r1, []int{1}, eval.Ran{})
	if len(s.PassAtK) != 0 || s.Missing != 2 || !strings.Contains(s.Unavailable["1"], "b has 0") {
		t.Errorf("%+v", s)
	}
}

// TestRatio: six of fifteen are 0.4, however that was added up.
func TestRatio(t *testing.T) {
	b, err := json.Marshal(map[string]eval.Ratio{"1": 1, "2": 0, "3": 0.25, "4": 1e-9, "5": 0.3999999999999999})
	if err != nil || string(b) != `{"1":1.0,"2":0.0,"3":0.25,"4":1e-09,"5":0.4}` {
		t.Errorf("%s, %v", b, err)
	}
}

func TestCompare(t *testing.T) {
	tasks := func(specs ...string) []eval.Task {
		var list []eval.Task
		for _, s := range specs {
			list = append(list, eval.Task{Task: s[:1], N: len(s) - 1, Passed: strings.Count(s, "+")})
		}
		return list
	}
	tests := []struct {
		name       string
		a, b       []eval.Task
		up, down   string
		only       string
		common     int
		difference float64
		p          float64 // 0: none, for the reason
		reason     string
	}{
		{"the same", tasks("a+", "b-"), tasks("a+", "b-"), "", "", "", 2, 0, 1, ""},
		{"one each way", tasks("a+", "b-", "c-"), tasks("a-", "b+", "c-"), "b", "a", "", 3, 0, 1, ""},
		{"five better", tasks("a-", "b-", "c-", "d-", "e-"), tasks("a+", "b+", "c+", "d+", "e+"), "abcde", "", "", 5, 1, 0.0625, ""},
		{"other tasks", tasks("a+", "b-"), tasks("b+", "c-"), "b", "", "ac", 1, 1, 1, ""},
		{"several samples", tasks("a+-", "b--"), tasks("a++", "b-+"), "b", "", "", 2, 0.5, 0, "one sample of each task"},
		{"nothing in common", tasks("a+"), tasks("b+"), "", "", "ab", 0, 0, 0, "no task in common"},
		{"no verdict", tasks("a+", "b"), tasks("a+", "b+"), "", "", "b", 1, 0, 1, ""},
	}
	for _, c := range tests {
		got := eval.Compare("x/old", c.a, "y/new", c.b)
		if strings.Join(got.NewlyPassing, "") != c.up || strings.Join(got.NewlyFailing, "") != c.down ||
			strings.Join(append(got.A.Only, got.B.Only...), "") != c.only || got.Common != c.common || got.Difference != c.difference {
			t.Errorf("%s: %+v", c.name, got)
		}
		switch {
		case c.p == 0 && (got.P != nil || !strings.Contains(got.PReason, c.reason)):
			t.Errorf("%s: a p value of %v, %s", c.name, got.P, got.PReason)
		case c.p != 0 && (got.P == nil || *got.P < c.p-1e-12 || *got.P > c.p+1e-12):
			t.Errorf("%s: the p value is not %v: %+v", c.name, c.p, got)
		}
		if sum := got.SamePassing + got.SameFailing + len(got.NewlyPassing) + len(got.NewlyFailing) + len(got.Better) + len(got.Worse); sum != got.Common {
			t.Errorf("%s: %d tasks are counted, of %d", c.name, sum, got.Common)
		}
	}
}

// TestCompareFiles reads two results files back.
func TestCompareFiles(t *testing.T) {
	dir := t.TempDir()
	runAll(t, texts("pass", "fail"), &pretended{}, dir+"/a")
	runAll(t, texts("pass", "pass"), &pretended{}, dir+"/b")
	var tasks [2][]eval.Task
	for i, name := range []string{"a", "b"} {
		_, rows, err := eval.ReadResults(dir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		tasks[i] = eval.TasksOf(rows)
	}
	if c := eval.Compare("a", tasks[0], "b", tasks[1]); len(c.NewlyPassing) != 1 || c.NewlyPassing[0] != "b" || c.SamePassing != 1 {
		t.Errorf("%+v", c)
	}
	if _, _, err := eval.ReadResults(dir + "/none"); err == nil {
		t.Error("a file that is not there is read")
	}
}
