package lazyre

import (
	"regexp"
	"slices"
	"testing"
)

func TestNew(t *testing.T) {
	digits := New(`^\d+$`)
	first := digits()
	if !first.MatchString("12") || first.MatchString("a") || digits() != first {
		t.Error("it is not the expression, or compiled twice")
	}
}

func TestABadExpressionPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("nothing panicked")
		}
	}()
	New(`(`)
}

func TestNeeds(t *testing.T) {
	for expr, want := range map[string][]string{
		`abc`:                      {"abc"},
		`^\s*end\s*$`:              {"end"},
		`(?:const|let|my) \w+ = `:  {" = "},
		`\b(?:None|self\.\w+)\b`:   {"None", "self."},
		`(?:then|fi)$|\bdone`:      {"then", "fi", "done"},
		`x+(ab){2,}y?`:             {"ab"},
		`(?i)echo`:                 nil,
		`(?i:echo) off`:            {" off"},
		`a*`:                       nil,
		`a|b*`:                     nil,
		`(ab)?`:                    nil,
		`(ab){0,2}c`:               {"c"},
		`[;{]\s*$`:                 nil,
		`(?:^|\W)`:                 nil,
		`\x{e9}t\x{e9}`:            {"été"},
		`a\x{fffd}`:                nil,
		`(`:                        nil,
		`(?:interface|type) .*\{$`: {"interface", "type"},
	} {
		if got := needs(expr); !slices.Equal(got, want) {
			t.Errorf("%s needs %q, want %q", expr, got, want)
		}
	}
}

// FuzzMatcher: it matches what the expression matches.
func FuzzMatcher(f *testing.F) {
	for _, seed := range [][2]string{
		{`^def \w+\(`, "def f(x):"}, {`(?m)^\s*(?:if|for)\b.*:$`, "a\n for x:"}, {`(?i)straße|K`, "STRAßE k"},
		{`(a|b+c){1,3}|d?`, "bbc"}, {`(?:ab|a.)\x{fffd}`, "ab\xff"}, {`[;{]\s*$`, "x;"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 100 {
			return
		}
		if got, want := Matcher(expr)(text), re.MatchString(text); got != want {
			t.Errorf("%q matches %q: %v, want %v", expr, text, got, want)
		}
	})
}
