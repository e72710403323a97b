package eval_test

import (
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox/eval"
	"github.com/gloveboxhq/glovebox/internal/schema"
)

// TestSchema holds the published schema to what an evaluation gives.
func TestSchema(t *testing.T) {
	s := schema.Of[eval.Summary](t, "../docs/schema/evaluation.json", "What glovebox eval --json prints", nil)
	w1, r1 := rowsOf("a", "python", "pass", "pass", "timeout")
	w2, r2 := rowsOf("b", "lua", "test_failed", "no_code")
	for _, sum := range []eval.Summary{
		eval.Summarize(nil, nil, []int{1}, eval.Ran{}),
		eval.Summarize(slices.Concat(w1, w2), slices.Concat(r1, r2), []int{1, 2, 3}, eval.Ran{}),
	} {
		if err := s.Check(sum); err != nil {
			t.Errorf("%v: %+v", err, sum)
		}
	}
}
