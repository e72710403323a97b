package suite

import (
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// Want names the deciding tests, as in SWE-bench: tests that a right change
// turns from failing to passing, and tests that must go on passing. [Judge]
// describes the matching of names. With no names, every test decides.
type Want struct {
	FailToPass []string `json:"fail_to_pass"`
	PassToPass []string `json:"pass_to_pass"`
	// RequireProof is the weakest proof that counts; empty means any.
	RequireProof glovebox.Proof `json:"require_proof,omitempty"`
}

// Result is the result of one named test.
type Result string

// The results.
const (
	Passed Result = "passed"
	// Failed: it failed, broke or was skipped.
	Failed Result = "failed"
	// Missing: no test of this name reported, or the name is ambiguous.
	Missing Result = "missing"
	// Unlisted: the observation lists only failures, without this test.
	Unlisted Result = "unlisted"
)

// Verdict is the verdict on one named test.
type Verdict struct {
	Name   string `json:"name"`
	Result Result `json:"result"`
	// Case is the name in the test's report, if different.
	Case string `json:"case,omitempty"`
	// Why explains a result other than a pass. Why may quote the program's
	// output and is untrusted.
	Why string `json:"why,omitempty"`
}

// Judgement is a run's verdict on the deciding tests.
type Judgement struct {
	// Resolved: every named test passed, with proof that the tests ran to their
	// end.
	Resolved   bool      `json:"resolved"`
	FailToPass []Verdict `json:"fail_to_pass"`
	PassToPass []Verdict `json:"pass_to_pass"`
	// Reason says why it is not resolved.
	Reason string `json:"reason,omitempty"`
}

// Judge compares the tests of an observation with the deciding tests.
//
// A name matches the test that reported it, up to white space. Else names are
// read as pytest's (tests/test_x.py::TestC::test_m[a]), unittest's (test_m
// (tests.test_x.TestC), with or without the method again, or dotted), Go's
// (TestX/sub, with or without the package) or a plain name with " > " between
// its parts, and match where the parts of one are the last parts of the other
// and only one test is meant. A name without parameters stands for all its
// parameters and sub-tests, unless a test has exactly this name.
//
// The tests have to be complete: a run cut short, for any reason, resolves
// nothing, even with passes until then.
func Judge(o *glovebox.Observation, w Want) Judgement {
	j := Judgement{FailToPass: []Verdict{}, PassToPass: []Verdict{}}
	t := o.Tests
	if t == nil {
		t = &glovebox.TestReport{}
	}
	x := newIndex(t)
	for _, name := range w.FailToPass {
		j.FailToPass = append(j.FailToPass, x.judge(name))
	}
	for _, name := range w.PassToPass {
		j.PassToPass = append(j.PassToPass, x.judge(name))
	}
	j.Reason = x.reason(o, w, j)
	j.Resolved = j.Reason == ""
	return j
}

// reason says why an observation resolves nothing, or "".
func (x *index) reason(o *glovebox.Observation, w Want, j Judgement) string {
	t := o.Tests
	switch {
	case t == nil:
		return fmt.Sprintf("no tests ran: %s", o.Status)
	case o.Status != glovebox.StatusPass && o.Status != glovebox.StatusTestFailed:
		return fmt.Sprintf("the run ended as %s", o.Status)
	case !t.Complete:
		if t.Reason != "" {
			return "the tests did not complete: " + t.Reason
		}
		return "the tests did not complete"
	case !t.Proof.Meets(w.RequireProof):
		return fmt.Sprintf("the tests ran with proof %q, and %q is required", t.Proof, w.RequireProof)
	case len(w.FailToPass)+len(w.PassToPass) == 0:
		if o.Status != glovebox.StatusPass {
			return fmt.Sprintf("%d of %d tests failed", t.Failed, t.Total)
		}
		return ""
	}
	counts := map[Result]int{}
	for _, v := range append(j.FailToPass[:len(j.FailToPass):len(j.FailToPass)], j.PassToPass...) {
		counts[v.Result]++
	}
	switch {
	case counts[Failed]+counts[Missing] > 0:
		return fmt.Sprintf("%d of the named tests failed and %d are missing", counts[Failed], counts[Missing])
	case counts[Unlisted] > x.unlisted:
		return fmt.Sprintf("%d of the named tests are not listed, and only %d that are not listed passed", counts[Unlisted], x.unlisted)
	}
	return ""
}

// index finds test cases by name.
type index struct {
	exact    map[string][]int
	cases    []glovebox.TestCase
	names    []name
	last     map[string][]int // by the last part, without parameters
	joined   map[string][]int // by all parts with spaces between
	unlisted int              // tests that passed and are not listed
}

func newIndex(t *glovebox.TestReport) *index {
	x := &index{exact: map[string][]int{}, cases: t.Cases, last: map[string][]int{}, joined: map[string][]int{}}
	listed, other := 0, 0
	for i, c := range t.Cases {
		n := readName(c.Name)
		x.names = append(x.names, n)
		x.exact[squeeze(c.Name)] = append(x.exact[squeeze(c.Name)], i)
		end := n.parts[len(n.parts)-1]
		x.last[end] = append(x.last[end], i)
		whole := strings.Join(n.parts, " ") + n.param
		x.joined[whole] = append(x.joined[whole], i)
		if c.Status == "passed" {
			listed++
		} else {
			other++
		}
	}
	// The list is cut from the end, among the passes.
	if t.Complete && t.Total > len(t.Cases) && listed > 0 && other >= t.Failed {
		x.unlisted = t.Passed - listed
	}
	return x
}

// judge finds the test that a name means.
func (x *index) judge(want string) Verdict {
	v := Verdict{Name: want}
	found, ambiguous := x.find(want)
	switch {
	case ambiguous:
		v.Result, v.Why = Missing, fmt.Sprintf("%d tests could be meant, such as %s and %s", len(found), x.cases[found[0]].Name, x.cases[found[1]].Name)
		return v
	case len(found) == 0 && x.unlisted > 0:
		v.Result, v.Why = Unlisted, fmt.Sprintf("%d tests that passed are not listed", x.unlisted)
		return v
	case len(found) == 0:
		v.Result, v.Why = Missing, "no test of this name reported"
		return v
	}
	v.Result = Passed
	if c := x.cases[found[0]]; len(found) == 1 && c.Name != want {
		v.Case = c.Name
	}
	for _, i := range found {
		c := x.cases[i]
		if c.Status == "passed" {
			continue
		}
		v.Result, v.Why = Failed, c.Status
		if c.Message != "" {
			v.Why += ": " + c.Message
		}
		if c.Name != want {
			v.Case = c.Name
		}
		break
	}
	return v
}

// find returns the tests meant by a name: all of the same name, or of one
// function with parameters.
func (x *index) find(want string) (found []int, ambiguous bool) {
	if found = x.exact[squeeze(want)]; len(found) > 0 {
		return found, false
	}
	w := readName(want)
	var whole, group []int // with these parameters; with any
	for _, i := range x.last[w.parts[len(w.parts)-1]] {
		n := x.names[i]
		if !suffix(n.parts, w.parts) && !suffix(w.parts, n.parts) {
			continue
		}
		if n.param == w.param {
			whole = append(whole, i)
		} else if w.param == "" {
			group = append(group, i)
		}
	}
	for _, list := range [][]int{whole, x.joined[strings.Join(w.parts, " ")+w.param], group} {
		if len(list) > 0 {
			return list, !x.same(list)
		}
	}
	return nil, false
}

// same reports whether all listed cases are of one test.
func (x *index) same(list []int) bool {
	first := strings.Join(x.names[list[0]].parts, "\x00")
	for _, i := range list[1:] {
		if strings.Join(x.names[i].parts, "\x00") != first {
			return false
		}
	}
	return true
}
