package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// observed makes an observation of tests: a name that failed begins with "!",
// one that was skipped with "-".
func observed(names ...string) *glovebox.Observation {
	o := &glovebox.Observation{Status: glovebox.StatusPass, Tests: &glovebox.TestReport{Proof: glovebox.ProofOutOfProcess, Complete: true}}
	t := o.Tests
	for _, n := range names {
		c := glovebox.TestCase{Name: n, Status: "passed"}
		if rest, ok := strings.CutPrefix(n, "!"); ok {
			c = glovebox.TestCase{Name: rest, Status: "failed", Message: "1 != 2"}
			t.Failed++
			o.Status = glovebox.StatusTestFailed
		} else if rest, ok := strings.CutPrefix(n, "-"); ok {
			c = glovebox.TestCase{Name: rest, Status: "skipped"}
		} else {
			t.Passed++
		}
		t.Cases = append(t.Cases, c)
	}
	t.Total = len(t.Cases)
	return o
}

func TestNames(t *testing.T) {
	pytest := []string{"tests/test_a.py::test_one", "!tests/test_a.py::test_two", "tests/test_a.py::TestC::test_m[a]", "!tests/test_a.py::TestC::test_m[b/c::d.e]",
		"tests/unit/test_a.py::test_one", "tests/test_b.py::test_p[1]", "tests/test_b.py::test_p[2]", "!tests/test_u.py::One::test_sub (i=2)", "-tests/test_b.py::test_later", "tests/test_b.py::test_q[1]", "tests/test_b.py::test_q"}
	golang := []string{"TestAdd", "!TestAdd/big_one", "TestAdd/small", "pkg/x.TestOne", "pkg/y.TestOne", "!pkg/y.TestTwo/a.b"}
	js := []string{"cart > adds", "cart > removes one", "!total", "adds 1.5 to [x]"}
	for _, row := range []struct {
		cases []string
		name  string
		want  Result
	}{
		{pytest, "tests/test_a.py::test_one", Passed},
		{pytest, "tests/test_a.py::test_two", Failed},
		{pytest, "tests/test_a.py::TestC::test_m[a]", Passed},
		{pytest, "tests/test_a.py::TestC::test_m[b/c::d.e]", Failed},
		{pytest, "tests/test_a.py::TestC::test_m[c]", Missing},
		{pytest, "tests/test_a.py::TestC::test_m", Failed},
		{pytest, "tests/test_b.py::test_p", Passed},
		{pytest, "tests/test_b.py::test_q", Passed},
		{pytest, "tests/test_b.py::test_later", Failed},
		{pytest, "test_one", Missing},
		{pytest, "test_a.py::test_one", Missing},
		{pytest, "unit/test_a.py::test_one", Passed},
		{pytest, "repo/tests/test_a.py::test_two", Failed},
		{pytest, "test_two", Failed},
		{pytest, "tests.test_a.test_two", Failed},
		{pytest, "test_m[a] (tests.test_a.TestC)", Missing},
		{pytest, "test_sub (tests.test_u.One)", Failed},
		{pytest, "test_sub (tests.test_u.One.test_sub)", Failed},
		{pytest, "tests.test_u.One.test_sub", Failed},
		{pytest, "tests/test_a.py::test_on", Missing},
		{pytest, "est_two", Missing},
		{[]string{"test_m (a.test_x.C)"}, "a/test_x.py::C::test_m", Passed},
		{[]string{"a.test_x.C.test_m"}, "test_m (a.test_x.C)", Passed},
		{[]string{"test_m"}, "a/test_x.py::C::test_m", Passed},
		{[]string{"a  b"}, "a b", Passed},
		{[]string{"x", "!x"}, "x", Failed},
		{golang, "TestAdd", Passed},
		{golang, "TestAdd/big_one", Failed},
		{golang, "TestAdd/small", Passed},
		{golang, "TestOne", Missing},
		{golang, "pkg/x.TestOne", Passed},
		{golang, "pkg/x::TestOne", Passed},
		{golang, "pkg/x TestOne", Passed},
		{golang, "github.com/a/b/pkg/x.TestOne", Passed},
		{golang, "TestTwo", Failed},
		{golang, "TestTwo/a.b", Failed},
		{golang, "y.TestTwo/a.b", Failed},
		{golang, "TestAd", Missing},
		{js, "cart > adds", Passed},
		{js, "cart adds", Passed},
		{js, "removes one", Passed},
		{js, "shop > cart > removes one", Passed},
		{js, "total", Failed},
		{js, "adds 1.5 to [x]", Passed},
		{js, "adds 1.5 to [y]", Missing},
		{nil, "x", Missing},
		{js, "", Missing},
	} {
		j := Judge(observed(row.cases...), Want{FailToPass: []string{row.name}})
		if got := j.FailToPass[0].Result; got != row.want {
			t.Errorf("%q among %q: %s (%s, %s), want %s", row.name, row.cases, got, j.FailToPass[0].Case, j.FailToPass[0].Why, row.want)
		}
		if j.Resolved != (row.want == Passed) {
			t.Errorf("%q: resolved %v, %s", row.name, j.Resolved, j.Reason)
		}
	}
}

func TestResolved(t *testing.T) {
	change := func(o *glovebox.Observation, f func(o *glovebox.Observation)) *glovebox.Observation {
		f(o)
		return o
	}
	cut := func(o *glovebox.Observation) { // as the engine lists it: 2 of 5
		o.Tests.Total, o.Tests.Passed = 5, 5-o.Tests.Failed
	}
	for _, row := range []struct {
		name   string
		o      *glovebox.Observation
		w      Want
		want   bool
		reason string
	}{
		{"all", observed("a", "b"), Want{FailToPass: []string{"a"}, PassToPass: []string{"b"}}, true, ""},
		{"another test fails", observed("a", "b", "!c"), Want{FailToPass: []string{"a"}, PassToPass: []string{"b"}}, true, ""},
		{"a regression", observed("a", "!b"), Want{FailToPass: []string{"a"}, PassToPass: []string{"b"}}, false, "1 of the named tests failed and 0 are missing"},
		{"missing", observed("a"), Want{FailToPass: []string{"a", "b"}}, false, "0 of the named tests failed and 1 are missing"},
		{"no names, pass", observed("a"), Want{}, true, ""},
		{"no names, fail", observed("a", "!b"), Want{}, false, "1 of 2 tests failed"},
		{"no tests", &glovebox.Observation{Status: glovebox.StatusSyntaxError}, Want{FailToPass: []string{"a"}}, false, "no tests ran: syntax_error"},
		{"not complete", change(observed("a"), func(o *glovebox.Observation) { o.Tests.Complete = false; o.Status = glovebox.StatusTestFailed }), Want{FailToPass: []string{"a"}}, false, "did not complete"},
		{"timeout", change(observed("a"), func(o *glovebox.Observation) { o.Status = glovebox.StatusTimeout }), Want{FailToPass: []string{"a"}}, false, "timeout"},
		{"unproven", change(observed("a"), func(o *glovebox.Observation) { o.Status = glovebox.StatusUnproven }), Want{FailToPass: []string{"a"}}, false, "unproven"},
		{"weak proof", change(observed("a", "!b"), func(o *glovebox.Observation) { o.Tests.Proof = glovebox.ProofInProcess }), Want{FailToPass: []string{"a"}, RequireProof: glovebox.ProofOutOfProcess}, false, "in_process"},
		{"a list that was cut", change(observed("!f", "a"), cut), Want{FailToPass: []string{"a"}, PassToPass: []string{"b", "c", "d"}}, true, ""},
		{"a list that was cut, too many names", change(observed("!f", "a"), cut), Want{PassToPass: []string{"b", "c", "d", "e"}}, false, "only 3"},
		{"a list that was cut, of failures alone", change(observed("!f", "!a"), cut), Want{PassToPass: []string{"b"}}, false, "1 are missing"},
		{"a list that was cut, and not complete", change(observed("!f", "a"), func(o *glovebox.Observation) { cut(o); o.Tests.Complete = false }), Want{PassToPass: []string{"b"}}, false, "did not complete"},
	} {
		j := Judge(row.o, row.w)
		if j.Resolved != row.want || !strings.Contains(j.Reason, row.reason) || j.Resolved != (j.Reason == "") {
			t.Errorf("%s: %v, %q, want %v, %q", row.name, j.Resolved, j.Reason, row.want, row.reason)
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, s := range []string{"tests/test_a.py::TestC::test_m[a]", "test_m (a.b.C)", "TestX/sub", "a > b", "", "[", "::", "(", "...", "a::", "Test"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, is, want string) {
		o := observed()
		o.Tests.Cases = []glovebox.TestCase{{Name: is, Status: "failed"}, {Name: is + "2", Status: "passed"}}
		o.Tests.Total = 2
		j := Judge(o, Want{FailToPass: []string{want}})
		if squeeze(is) == squeeze(want) && j.FailToPass[0].Result != Failed {
			t.Errorf("%q: %+v", want, j.FailToPass[0])
		}
		if fmt.Sprint(readName(is)) == "" || len(readName(is).parts) == 0 {
			t.Errorf("%q has no parts", is)
		}
	})
}
