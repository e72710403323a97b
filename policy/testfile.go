package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// testDocument is the form of a file of jobs and expected decisions.
type testDocument struct {
	Version int        `json:"version" jsonschema:"The version of this form: 1."`
	Tests   []testCase `json:"tests" jsonschema:"Jobs with the decision that the policy must give."`
}

type testCase struct {
	Name string     `json:"name" jsonschema:"The name of the test."`
	Job  ExampleJob `json:"job" jsonschema:"The job."`
	Want action     `json:"want" jsonschema:"The decision."`
	// Rules are those of the denials or asks, in any order; nil means any.
	Rules []string `json:"rules,omitempty" jsonschema:"All rules that refuse or ask."`
}

// TestResult is what became of a test of a test file.
type TestResult struct {
	Name string `json:"name"`
	At   Place  `json:"at"`
	OK   bool   `json:"ok"`
	// Want and Got are "allow", "ask" or "deny".
	Want string `json:"want"`
	Got  string `json:"got"`
	// Message says how the decision differs.
	Message string            `json:"message,omitempty"`
	Denials []glovebox.Denial `json:"denials,omitempty"`
}

// Test runs a file of tests. The file begins with version: 1
// and has tests, each with name, job, want (allow, ask or deny) and, if wished, rules.
// The error is of type [Faults] where the file cannot be read.
func (p *Policy) Test(name string, data []byte) ([]TestResult, error) {
	r := &reader{base: Place{File: name}}
	root := r.read(data)
	if root != nil {
		r.check(root, testSchema(), "")
	}
	var doc testDocument
	if len(r.faults) == 0 {
		if err := decode(root, testSchema(), &doc); err != nil {
			r.fault(root.at, "", "cannot be read: %v", err)
		}
	}
	if len(r.faults) > 0 {
		return nil, Faults(r.faults)
	}
	var results []TestResult
	for i := range doc.Tests {
		t := &doc.Tests[i]
		d := p.admit(t.Job.facts())
		got, denials := actionAllow, d.Denials
		switch d.Status() {
		case glovebox.StatusDenied:
			got = actionDeny
		case glovebox.StatusApprovalRequired:
			got, denials = actionAsk, d.Asks
		}
		res := TestResult{Name: t.Name, At: root.get("tests").items[i].at, Want: string(t.Want), Got: string(got), Denials: denials, OK: got == t.Want}
		var rules []string
		for _, n := range denials {
			rules = append(rules, n.Rule)
		}
		slices.Sort(rules)
		want := slices.Sorted(slices.Values(t.Rules))
		switch {
		case !res.OK:
			res.Message = fmt.Sprintf("want %s, got %s by [%s]", t.Want, got, strings.Join(rules, ", "))
		case t.Rules != nil && !slices.Equal(rules, want):
			res.OK = false
			res.Message = fmt.Sprintf("want the rules [%s], got [%s]", strings.Join(want, ", "), strings.Join(rules, ", "))
		}
		results = append(results, res)
	}
	return results, nil
}
