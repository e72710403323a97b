package agent

import (
	"errors"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/model"
)

func TestBreaker(t *testing.T) {
	type turn struct{ failure, change string }
	tests := []struct {
		name  string
		turns []turn
		at    int // the turn that halts, from 1; 0 for none
		why   string
	}{
		{"three equal failures", []turn{{"f", "1"}, {"f", "2"}, {"f", "3"}}, 3, "same failure"},
		{"three equal edits", []turn{{"f", "1"}, {"g", "1"}, {"h", "1"}}, 3, "same edit"},
		{"two and two", []turn{{"f", "1"}, {"f", "2"}, {"g", "3"}, {"g", "4"}}, 0, ""},
		{"back and forth", []turn{{"f", "1"}, {"g", "2"}, {"f", "1"}, {"g", "2"}, {"f", "1"}}, 0, ""},
		{"nothing is not equal to nothing", []turn{{"", ""}, {"", ""}, {"", ""}}, 0, ""},
		{"after a change", []turn{{"f", "1"}, {"g", "2"}, {"g", "3"}, {"g", "4"}}, 4, "same failure"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b breaker
			for n, turn := range test.turns {
				err := b.see(turn.failure, turn.change)
				if (n+1 == test.at) != (err != nil) {
					t.Fatalf("turn %d: %v", n+1, err)
				}
				if err == nil {
					continue
				}
				var h halt
				if !errors.As(err, &h) || h.stop != StopBreaker || !strings.Contains(h.reason, test.why) {
					t.Errorf("the halt is %v", err)
				}
			}
		})
	}
}

func TestPurse(t *testing.T) {
	halted := func(t *testing.T, err error, want Stop) {
		t.Helper()
		var h halt
		if !errors.As(err, &h) || h.stop != want {
			t.Errorf("got %v, want the stop %s", err, want)
		}
	}
	t.Run("a reply is as long as what is left", func(t *testing.T) {
		p := &purse{b: Budget{Tokens: 1000}}
		if n, err := p.reserve(400, 5000); n != 600 || err != nil {
			t.Errorf("got %d, %v", n, err)
		}
	})
	t.Run("two at once cannot overdraw", func(t *testing.T) {
		p := &purse{b: Budget{Tokens: 1000}}
		if _, err := p.reserve(200, 500); err != nil {
			t.Fatal(err)
		}
		_, err := p.reserve(200, 500)
		halted(t, err, StopTokens)
		p.settle(200, 500, model.Usage{Input: 200, Output: 10})
		if n, err := p.reserve(200, 500); n != 500 || err != nil {
			t.Errorf("after the first was cheap: %d, %v", n, err)
		}
	})
	t.Run("money", func(t *testing.T) {
		p := &purse{b: Budget{Tokens: 1e9, Cost: 1, Prices: Prices{Input: 1, Output: 10}}}
		_, err := p.reserve(1000, 100_000)
		halted(t, err, StopCost)
		if _, err := p.reserve(1000, 90_000); err != nil {
			t.Error(err)
		}
		p.settle(1000, 90_000, model.Usage{Input: 1e6})
		if _, cost := p.spent(); cost != 1 {
			t.Errorf("spent %v", cost)
		}
		_, err = p.reserve(1, 1)
		halted(t, err, StopCost)
	})
	t.Run("wrong budgets", func(t *testing.T) {
		for _, b := range []Budget{{Turns: -1}, {Tokens: -1}, {Wall: -1}, {Cost: 1}, {Cost: -1}} {
			if b.check() == nil {
				t.Errorf("%+v is taken", b)
			}
		}
	})
}

func TestChoose(t *testing.T) {
	turn := func(s glovebox.Status, passed, total int) Turn { return Turn{Status: s, Passed: passed, Total: total} }
	const failed = glovebox.StatusTestFailed
	tests := []struct {
		name     string
		turns    []Turn
		repeated bool
		want     Strategy
	}{
		{"the first failure", []Turn{turn(failed, 1, 3)}, false, Direct},
		{"fewer fail", []Turn{turn(failed, 1, 3), turn(failed, 2, 3)}, false, Direct},
		{"as many fail", []Turn{turn(failed, 1, 3), turn(failed, 1, 3)}, false, Explain},
		{"the same again", []Turn{turn(failed, 1, 3)}, true, Explain},
		{"too slow", []Turn{turn(glovebox.StatusTimeout, 0, 0)}, false, Explain},
		{"too much memory", []Turn{turn(glovebox.StatusMemoryLimit, 0, 0)}, false, Explain},
		{"a parser says it", []Turn{turn(glovebox.StatusSyntaxError, 0, 0)}, true, Direct},
		{"an edit says it", []Turn{turn(failed, 1, 3), {Refused: "no"}}, true, Direct},
		{"past a refused edit", []Turn{turn(failed, 1, 3), {Refused: "no"}, turn(failed, 0, 3)}, false, Explain},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := choose(test.turns, test.repeated); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestReadPlan(t *testing.T) {
	p := readPlan("Sure!\n\n**FILES:**\n- `src/a.py`: the rounding\n- ../../etc/passwd: no\n* b.py\n\nSTEPS:\n1. Round half up.\n2) Test zero.\n\nLIBRARIES: none\n")
	if len(p.Files) != 2 || p.Files[0] != "src/a.py" || p.Files[1] != "b.py" {
		t.Errorf("files %q", p.Files)
	}
	if len(p.Steps) != 2 || p.Steps[1] != "Test zero." {
		t.Errorf("steps %q", p.Steps)
	}
	if len(p.Libraries) != 0 {
		t.Errorf("libraries %q", p.Libraries)
	}
	if p := readPlan("\xff\xfe just prose"); len(p.Files) != 0 || p.Text == "" {
		t.Errorf("a plan in prose is %+v", p)
	}
}

func TestReadHypothesis(t *testing.T) {
	got := readHypothesis("Hm.\n**HYPOTHESIS:** the loop ends early\n\nINVARIANT: i < n\nHYPOTHESIS: late\n```py\n```")
	if got != "HYPOTHESIS:** the loop ends early\nINVARIANT: i < n" && got != "HYPOTHESIS: the loop ends early\nINVARIANT: i < n" {
		t.Errorf("got %q", got)
	}
}
