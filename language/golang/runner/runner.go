//go:build glovebox_box

// Package runner runs the tests of a Go program with package testing and reports
// each test. It is compiled into the tests' binary.
package runner

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/internal/testdeps"

	"glovebox/wire"
)

// Suite is the tests of a package.
type Suite struct {
	// Dir is the working directory of the tests, relative to the workspace.
	Dir      string
	Tests    []Test
	TestMain func(*testing.M)
	// Remote: the program is in another process.
	Remote bool
	// Subtests means subtests are reported individually.
	Subtests bool
}

// Test is a test function, an example or a fuzz target. Label is the name of its
// case.
type Test struct {
	Label, Name string
	F           func(*testing.T)
	Fuzz        func(*testing.F)
	Example     func()
	Output      string
	Unordered   bool
	// NaN: the test does not mention NaN, though others do. Inf: the test does not
	// mention infinity, and divides. The test fails on such numbers.
	NaN, Inf bool
	// Bound: the test does not mention infinity, though others do.
	Bound bool
	// Judged: a pass rests on a decision of the program itself.
	Judged bool
}

// framework names the test framework and its version.
var framework = "go test " + strings.TrimPrefix(runtime.Version(), "go")

// workspace is the directory of the files in a box.
const workspace = "/workspace"

// Tree runs the suite numbered by the first argument.
func Tree(suites []Suite) {
	n := 0
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	Main(suites[n])
}

// Main runs a suite and exits. If the suite shares the program's process, the
// report carries a secret read from descriptor 3.
func Main(s Suite) {
	r := &run{suite: s}
	if s.Remote {
		wire.Start()
	} else {
		secret, _ := bufio.NewReader(os.NewFile(3, "secret")).ReadString('\n')
		r.secret = strings.TrimSpace(secret)
		if err := os.Chdir(path.Join(workspace, s.Dir)); err != nil {
			r.broken(err.Error())
		}
	}
	var tests []testing.InternalTest
	var examples []testing.InternalExample
	var targets []testing.InternalFuzzTarget
	for i, t := range s.Tests {
		switch {
		case t.F != nil:
			tests = append(tests, testing.InternalTest{Name: t.Name, F: func(tt *testing.T) {
				defer r.record(i, tt)
				t.F(tt)
			}})
		case t.Fuzz != nil:
			targets = append(targets, testing.InternalFuzzTarget{Name: t.Name, Fn: func(f *testing.F) {
				defer r.record(i, f)
				t.Fuzz(f)
			}})
		case t.Example != nil:
			examples = append(examples, testing.InternalExample{Name: t.Name, F: t.Example, Output: t.Output, Unordered: t.Unordered})
		}
	}
	// The log of opened files is requested only for its end: package testing closes
	// the log when the tests are over, even if a TestMain exits instead of
	// returning.
	os.Args = []string{os.Args[0], "-test.v=test2json", "-test.testlogfile=/dev/null", "-test.paniconexit0", "-test.timeout=0"}
	r.capture()
	m := testing.MainStart(deps{end: r.end}, tests, nil, targets, examples)
	r.m = m
	if s.TestMain == nil {
		os.Exit(m.Run())
	}
	s.TestMain(m)
	if !r.ended {
		r.broken("TestMain came back and did not run the tests")
	}
	os.Exit(int(reflect.ValueOf(m).Elem().FieldByName("exitCode").Int()))
}

// deps implements the dependencies of package testing and reports the end of the
// tests.
type deps struct {
	testdeps.TestDeps
	end func()
}

func (d deps) StopTestLog() error {
	err := d.TestDeps.StopTestLog()
	d.end()
	return err
}

// run is a running suite.
type run struct {
	suite  Suite
	secret string
	m      *testing.M
	ended  bool

	mu    sync.Mutex
	cases map[int]*wire.Case
	text  strings.Builder
	read  func()
}

func (r *run) broken(reason string) {
	wire.Report(wire.Event{Type: "broken", Reason: reason, Nonce: r.secret})
	os.Exit(1)
}

// record notes the result of a test when its function ends.
func (r *run) record(i int, t testing.TB) {
	c := &wire.Case{Name: r.suite.Tests[i].Label, Status: "passed"}
	crash := recover()
	for _, reason := range wire.Fouls() {
		t.Error(reason)
	}
	nan, inf, unbounded := wire.Numbers()
	if unbounded && r.suite.Tests[i].Bound {
		t.Error("the test asks for the order of an infinite number and does not speak of infinity")
	}
	if nan != "" && r.suite.Tests[i].NaN {
		t.Error(nan + " gave NaN, and the test does not speak of it: no comparison with NaN is true")
	}
	if inf != "" && r.suite.Tests[i].Inf {
		t.Error(inf + " gave infinity, and the test divides and does not speak of it: what it divides may be NaN, and no comparison with that is true")
	}
	switch {
	case crash != nil:
		c.Status, c.Message = "error", fmt.Sprint(crash)
		if _, ok := crash.(error); ok {
			c.Message = "panic: " + c.Message
		}
		t.Errorf("panic: %v", crash)
	case t.Failed():
		c.Status = "failed"
	case t.Skipped():
		c.Status = "skipped"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cases == nil {
		r.cases = map[int]*wire.Case{}
	}
	r.cases[i] = c
}

// end reports all cases after package testing has run the tests.
func (r *run) end() {
	if r.ended {
		return
	}
	r.ended = true
	r.read()
	said := readVerbose(r.text.String())
	done := wire.Event{Type: "done", Nonce: r.secret, Framework: framework}
	for i, t := range r.suite.Tests {
		c, s := r.cases[i], said.cases[t.Name]
		if c == nil && t.Example != nil && s != nil && s.Status != "" {
			c = &wire.Case{Name: t.Label, Status: s.Status}
		}
		if c == nil {
			r.broken(fmt.Sprintf("%s did not run to its end", t.Name))
		}
		if s != nil {
			// A failing parallel subtest fails its parent after the parent's
			// function returned.
			if s.Status == "failed" && c.Status == "passed" {
				c.Status = "failed"
			}
			if c.Status != "passed" {
				c.Message = cmp.Or(said.message(t.Name), c.Message)
			}
		}
		if t.Judged && c.Status == "passed" {
			c.Proof = "candidate_judged"
		}
		r.report(&done, c)
		if !r.suite.Subtests {
			continue
		}
		for _, sub := range said.order {
			if strings.HasPrefix(sub, t.Name+"/") && done.Total < maxCases {
				s := *said.cases[sub]
				s.Name = t.Label + strings.TrimPrefix(sub, t.Name)
				s.Message = strings.TrimSpace(s.Message)
				r.report(&done, &s)
			}
		}
	}
	failed := r.m != nil && reflect.ValueOf(r.m).Elem().FieldByName("exitCode").Int() != 0
	switch {
	case r.suite.Remote && wire.Calls() == 0 && done.Failed == 0:
		r.broken("the tests never called the program")
	case failed && done.Failed == 0:
		r.broken("no test failed, and go test's exit status is 1: " + said.message(""))
	}
	wire.Report(done)
}

// maxCases bounds the cases of a package.
const maxCases = 2000

func (r *run) report(done *wire.Event, c *wire.Case) {
	done.Total++
	switch c.Status {
	case "passed":
		done.Passed++
	case "skipped":
	default:
		done.Failed++
	}
	wire.Report(wire.Event{Type: "case", Case: c, Nonce: r.secret})
}
