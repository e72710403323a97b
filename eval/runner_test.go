package eval_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/eval"
)

// texts makes problems with one sample each.
func texts(words ...string) *eval.Set {
	s := &eval.Set{}
	for i, w := range words {
		id := string(rune('a' + i))
		s.Problems = append(s.Problems, &eval.Problem{ID: id, Kind: eval.KindHumanEval, Language: "python"})
		s.Samples = append(s.Samples, &eval.Sample{Problem: id, Form: eval.FormReply, Text: w, Where: "s:1"})
	}
	return s
}

func memory(t *testing.T) *eval.Results {
	t.Helper()
	r, err := eval.OpenResults("", eval.Header{}, false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRunner(t *testing.T) {
	work := texts("pass", "fail", "ours", "twice").Work(eval.Options{})
	e, results := &pretended{}, memory(t)
	var last eval.Progress
	calls := 0
	r := eval.Runner{Do: eval.Judge(e), Workers: 2, Progress: func(p eval.Progress) { last = p; calls++ }}
	ran, err := r.Run(context.Background(), work, results)
	if err != nil || ran.Samples != 4 || calls != 4 || last.Done != 4 || last.Total != 4 || last.Passed != 2 {
		t.Errorf("%+v, %v; %d calls, the last with %+v", ran, err, calls, last)
	}
	rows := results.Rows(work)
	want := []struct {
		status   glovebox.Status
		attempts int
	}{{"pass", 1}, {"test_failed", 1}, {"sandbox_error", 3}, {"pass", 3}}
	for i, w := range want {
		if rows[i].Status != w.status || rows[i].Measured.SandboxAttempts != w.attempts {
			t.Errorf("row %d is %+v, want %+v", i, rows[i], w)
		}
	}
	if f := rows[1].Measured.Failures; len(f) != 1 || f[0].Name != "b" || len(f[0].Message) > 700 {
		t.Errorf("the failures are %+v", f)
	}
	// What has a verdict is not run again; what we failed at is.
	ran, err = r.Run(context.Background(), work, results)
	if err != nil || ran.Samples != 1 || e.ran["pass"] != 1 || e.ran["ours"] != 6 {
		t.Errorf("%+v, %v, %v", ran, err, e.ran)
	}
}

func TestRunnerStops(t *testing.T) {
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		work := set(t, 10).Work(eval.Options{})
		results := memory(t)
		r := eval.Runner{Workers: 3, Do: eval.Judge(&pretended{}), Progress: func(p eval.Progress) {
			if p.Done == 5 {
				cancel()
			}
		}}
		_, err := r.Run(ctx, work, results)
		if !eval.Interrupted(err) {
			t.Errorf("the error is %v", err)
		}
		rows := results.Rows(work)
		if len(rows) < 5 || len(rows) == len(work) {
			t.Errorf("%d rows", len(rows))
		}
		for _, row := range rows {
			if row.Status == glovebox.StatusCancelled {
				t.Errorf("%s has a row and was cancelled", row.Task)
			}
		}
	})
	t.Run("a wrong job", func(t *testing.T) {
		work := texts("pass", "wrong").Work(eval.Options{})
		r := eval.Runner{Workers: 1, Do: eval.Judge(&pretended{})}
		_, err := r.Run(context.Background(), work, memory(t))
		if err == nil || !strings.Contains(err.Error(), "s:1: sample 0 of b: a wrong job") {
			t.Error(err)
		}
	})
	t.Run("a host where nothing runs", func(t *testing.T) {
		var words []string
		for range 20 {
			words = append(words, "ours")
		}
		do := func(ctx context.Context, w *eval.Work) (eval.Row, error) {
			return eval.RowOf(w, &glovebox.Observation{Status: glovebox.StatusSandboxError, Message: "no box"}), nil
		}
		_, err := (&eval.Runner{Workers: 1, Do: do}).Run(context.Background(), texts(words...).Work(eval.Options{}), memory(t))
		if err == nil || !strings.Contains(err.Error(), "the first 12 samples could not be run: no box") {
			t.Error(err)
		}
	})
	t.Run("a disk that is full", func(t *testing.T) {
		work := texts("pass").Work(eval.Options{})
		results, err := eval.OpenResults(t.TempDir()+"/r", eval.Header{}, false)
		if err != nil {
			t.Fatal(err)
		}
		results.Close() // writing fails from now on
		_, err = (&eval.Runner{Do: eval.Judge(&pretended{})}).Run(context.Background(), work, results)
		if err == nil || errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestApart: the samples of an evaluation are one batch, which is no other's; those
// that are to be apart are of none, and are other work.
func TestApart(t *testing.T) {
	names := func(o eval.Options) (names []string, hash string) {
		work := texts("pass", "pass").Work(o)
		r := eval.Runner{Workers: 1, Do: eval.Judge(batches{&names})}
		if _, err := r.Run(t.Context(), work, memory(t)); err != nil {
			t.Fatal(err)
		}
		return names, eval.NewHeader(eval.Source{}, work, o).Hash
	}
	one, hash := names(eval.Options{})
	other, same := names(eval.Options{})
	if len(one) != 2 || one[0] == "" || one[0] != one[1] || one[0] == other[0] || hash != same {
		t.Errorf("batches %q and %q of %s and %s", one, other, hash, same)
	}
	apart, different := names(eval.Options{Apart: true})
	if !slices.Equal(apart, []string{"", ""}) || hash == different {
		t.Errorf("apart they are of %q, %s and %s", apart, hash, different)
	}
}

// batches is an engine that notes the batch of each job.
type batches struct{ names *[]string }

func (b batches) Run(ctx context.Context, job glovebox.Job) (*glovebox.Observation, error) {
	*b.names = append(*b.names, job.Batch)
	return &glovebox.Observation{Status: glovebox.StatusPass}, nil
}
