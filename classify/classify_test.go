package classify

import (
	"errors"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

func TestClassify(t *testing.T) {
	exit := func(code int, hits ...glovebox.LimitName) glovebox.Outcome {
		o := glovebox.Outcome{Cause: glovebox.CauseExit, ExitCode: code, Started: true}
		for _, h := range hits {
			o.Hits = append(o.Hits, glovebox.Hit{Limit: h, Evidence: glovebox.Evidence{Source: "kernel", Fact: string(h)}})
		}
		return o
	}
	by := func(c glovebox.Cause) glovebox.Outcome {
		return glovebox.Outcome{Cause: c, ExitCode: -1, Signal: "SIGKILL", Started: true}
	}
	harness := func(o glovebox.Outcome) *glovebox.Outcome { return &o }
	report := func(passed, failed int, complete bool, p glovebox.Proof) *glovebox.TestReport {
		return &glovebox.TestReport{Total: passed + failed, Passed: passed, Failed: failed, Complete: complete, Proof: p}
	}
	judged := func(names ...string) *glovebox.TestReport {
		r := report(len(names), 0, true, glovebox.ProofCandidateJudged)
		for _, n := range names {
			c := glovebox.TestCase{Name: n, Proof: glovebox.ProofCandidateJudged}
			if n == "" {
				c.Proof = glovebox.ProofOutOfProcess
			}
			r.Cases = append(r.Cases, c)
		}
		r.Reason = Judged(r) // as a run has it
		return r
	}
	const out, in = glovebox.ProofOutOfProcess, glovebox.ProofInProcess
	tests := []struct {
		name    string
		facts   Facts
		status  glovebox.Status
		limit   glovebox.LimitName
		message string
	}{
		{"clean exit", Facts{Program: exit(0)}, "pass", "", "no tests were given"},
		{"exit code", Facts{Program: exit(3)}, "runtime_error", "", "exit code 3"},
		{"signal", Facts{Program: glovebox.Outcome{Cause: "exit", ExitCode: -1, Signal: "SIGSEGV"}}, "runtime_error", "", "SIGSEGV"},
		{"syntax", Facts{Syntax: &glovebox.SyntaxError{File: "main.py", Line: 3, Column: 5, Message: "invalid syntax"}}, "syntax_error", "", "main.py:3:5: invalid syntax"},
		{"ours", Facts{Broken: errors.New("no room")}, "sandbox_error", "", "not the code: no room"},
		{"wall", Facts{Program: by("wall")}, "timeout", "wall", "10s"},
		{"cpu", Facts{Program: by("cpu")}, "timeout", "cpu", "processor"},
		{"memory", Facts{Program: by("memory")}, "memory_limit", "memory", "512 MiB"},
		{"output", Facts{Program: by("output")}, "output_limit", "output", "8 MiB"},
		{"cancelled", Facts{Program: by("cancelled")}, "cancelled", "", "cancelled"},
		{"box", Facts{Program: by("box")}, "sandbox_error", "", "Glovebox failed"},
		{"killed by nobody we know", Facts{Program: glovebox.Outcome{Cause: "exit", ExitCode: -1, Signal: "SIGKILL"}}, "runtime_error", "", "SIGKILL"},
		{"exit code 137 is no evidence", Facts{Program: exit(137)}, "runtime_error", "", "137"},
		{"exit code 124 is no evidence", Facts{Program: exit(124)}, "runtime_error", "", "124"},
		{"a child was killed for memory", Facts{Program: exit(1, "memory")}, "memory_limit", "memory", ""},
		{"refused forks", Facts{Program: exit(1, "processes")}, "process_limit", "processes", "64 processes"},
		{"a full disk", Facts{Program: exit(1, "disk")}, "disk_limit", "disk", "64 MiB"},
		{"too many files", Facts{Program: exit(1, "files")}, "disk_limit", "files", "4096 files"},
		{"a large file", Facts{Program: exit(1, "file_size")}, "disk_limit", "file_size", ""},
		{"a limit that was coped with", Facts{Program: exit(0, "processes", "disk")}, "pass", "", ""},
		{"tests passed", Facts{Tests: report(3, 0, true, out), Program: exit(0)}, "pass", "", "3 tests passed"},
		{"tests passed, then the candidate ran on", Facts{Tests: report(3, 0, true, out), Program: by("wall")}, "pass", "", ""},
		{"a test failed", Facts{Tests: report(2, 1, true, out), Program: exit(0)}, "test_failed", "", "1 of 3 tests failed"},
		{"no test", Facts{Tests: report(0, 0, true, out), Program: exit(0)}, "test_failed", "", "No test"},
		{"exit before the end", Facts{Tests: report(3, 0, false, out), Program: exit(0)}, "test_failed", "", "did not complete: the program ended by itself with exit code 0"},
		{"exit in process", Facts{Tests: report(3, 0, false, in), Program: exit(0)}, "test_failed", "", "did not complete"},
		{"the candidate hit a limit in a test", Facts{Tests: report(2, 1, true, out), Program: by("memory")}, "memory_limit", "memory", ""},
		{"the tests ran forever", Facts{Tests: report(0, 0, false, out), Program: exit(0), Harness: harness(by("wall"))}, "timeout", "wall", "process of the tests"},
		{"the harness broke", Facts{Tests: report(0, 0, false, out), Program: exit(0), Harness: harness(by("box"))}, "sandbox_error", "", ""},
		{"weak proof", Facts{Tests: report(3, 0, true, in), Program: exit(0), Required: out}, "unproven", "", "in_process"},
		{"the candidate judged", Facts{Tests: report(3, 0, true, glovebox.ProofCandidateJudged), Program: exit(0)}, "pass", "", "candidate's own comparisons"},
		{"the cases that the candidate judged", Facts{Tests: judged("a", "", "b", "c", "d"), Program: exit(0), Required: out}, "unproven", "", "took part in a, b, c and 1 more."},
		{"the candidate judged, and must not", Facts{Tests: report(3, 0, true, glovebox.ProofCandidateJudged), Program: exit(0), Required: out}, "unproven", "", "candidate_judged"},
		{"tests that cannot run", Facts{Tests: &glovebox.TestReport{Reason: "the tests need lodash, which is not here"}, Unrunnable: true, Program: exit(1)}, "tests_unrunnable", "", "cannot run here: the tests need lodash, which is not here."},
		{"enough proof", Facts{Tests: report(3, 0, true, glovebox.ProofComparedOutside), Program: exit(0), Required: out}, "pass", "", ""},
		{"weak proof of a failure", Facts{Tests: report(2, 1, true, in), Program: exit(0), Required: out}, "test_failed", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.facts.Limits = glovebox.DefaultLimits
			got := Classify(tt.facts)
			if got.Status != tt.status || got.Limit != tt.limit || !strings.Contains(got.Message, tt.message) {
				t.Errorf("got %+v, want %s, %q and %q", got, tt.status, tt.limit, tt.message)
			}
			if len(got.Evidence) == 0 && got.Status != glovebox.StatusTimeout && got.Limit == "" {
				t.Error("no evidence")
			}
		})
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{1: "1 byte", 100: "100 bytes", 1536: "1.5 KiB", 512 << 20: "512 MiB", 2 << 30: "2 GiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
