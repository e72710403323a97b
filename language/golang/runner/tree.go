//go:build glovebox_box

package runner

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/internal/testdeps"

	"glovebox/wire"
)

// Package is a package of a tree, whose tests run in its folder.
type Package struct {
	Dir   string
	Tests []Test
}

// Test is a test function. Label is what its case is called.
type Test struct {
	Label, Name string
	F           func(*testing.T)
}

// workspace is where the tree is in a box.
const workspace = "/workspace"

// maxSubtests bounds the subtests of a package that are reported by themselves.
const maxSubtests = 2000

// Tree runs the tests of packages, one package after the other, and exits. A
// case is reported for each test and, as far as the tests' own output tells of
// it, for each subtest.
func Tree(packages []Package) {
	nonce, _ := bufio.NewReader(os.NewFile(3, "nonce")).ReadString('\n')
	os.Args = []string{os.Args[0], "-test.v"}
	done := wire.Event{Type: "done", Nonce: strings.TrimSpace(nonce)}
	status := 0
	for _, p := range packages {
		if err := os.Chdir(path.Join(workspace, p.Dir)); err != nil {
			wire.Broken(err.Error())
		}
		cases, code := p.run()
		status = max(status, code)
		for _, c := range cases {
			done.Total++
			switch c.Status {
			case "passed":
				done.Passed++
			case "skipped":
			default:
				done.Failed++
			}
			wire.Report(wire.Event{Type: "case", Case: c})
		}
	}
	if status != 0 && done.Failed == 0 {
		wire.Broken(fmt.Sprintf("no test failed, and the exit status is %d", status))
	}
	wire.Report(done)
	os.Exit(status)
}

// run runs the tests of one package.
func (p Package) run() ([]*wire.Case, int) {
	r := &recorder{}
	labels := map[string]string{}
	var tests []testing.InternalTest
	for _, t := range p.Tests {
		labels[t.Name] = t.Label
		tests = append(tests, testing.InternalTest{Name: t.Name, F: func(tt *testing.T) {
			defer r.record(tt)
			t.F(tt)
		}})
	}
	read := r.capture()
	code := testing.MainStart(testdeps.TestDeps{}, tests, nil, nil, nil).Run()
	read()
	if len(r.cases) != len(tests) {
		wire.Broken(fmt.Sprintf("%d of %d tests ran to their end, exit status %d", len(r.cases), len(tests), code))
	}
	said := readVerbose(r.text.String())
	var all []*wire.Case
	for _, c := range r.cases {
		name := c.Name
		c.Name = labels[name]
		if s := said.cases[name]; s != nil && c.Status != "passed" {
			c.Message = cmp.Or(strings.TrimSpace(s.Message), c.Message)
		}
		all = append(all, c)
		for _, sub := range said.order {
			if strings.HasPrefix(sub, name+"/") && len(all) < maxSubtests {
				s := *said.cases[sub]
				s.Name = labels[name] + strings.TrimPrefix(sub, name)
				s.Message = strings.TrimSpace(s.Message)
				all = append(all, &s)
			}
		}
	}
	return all, code
}

// verbose is what a verbose run printed of each test and subtest.
type verbose struct {
	cases map[string]*wire.Case
	order []string
}

var (
	turn   = regexp.MustCompile(`^=== (?:RUN|CONT|NAME|PAUSE) +(\S+)$`)
	result = regexp.MustCompile(`^ *--- (PASS|FAIL|SKIP): (\S+) \(`)
)

// readVerbose reads it. What is said twice, by a test that prints such lines
// itself, counts as failed where one of them says so.
func readVerbose(text string) verbose {
	v := verbose{cases: map[string]*wire.Case{}}
	of := func(name string) *wire.Case {
		if v.cases[name] == nil {
			v.cases[name] = &wire.Case{Name: name}
		}
		return v.cases[name]
	}
	var current *wire.Case
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := turn.FindStringSubmatch(line); m != nil {
			current = of(m[1])
		} else if m := result.FindStringSubmatch(line); m != nil {
			current = of(m[2])
			status := map[string]string{"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}[m[1]]
			if current.Status == "" {
				v.order = append(v.order, m[2])
			}
			if current.Status != "failed" {
				current.Status = status
			}
		} else if current != nil && len(current.Message) < maxCapture/64 {
			current.Message += strings.TrimSpace(line) + "\n"
		}
	}
	return v
}
