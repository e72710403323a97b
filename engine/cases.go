package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/compare"
)

// maxValue is how many bytes of an expected or actual value a test case of an
// Observation holds.
const maxValue = 2 << 10

// cases runs the program once for each input/output case and compares outside
// of the box. A case ended by a limit is the last.
func (r *run) cases(ctx context.Context, facts *classify.Facts) error {
	s, err := r.newSession(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if !s.check(ctx, facts) {
		return nil
	}
	report := &glovebox.TestReport{Proof: glovebox.ProofComparedOutside, Total: len(r.job.Cases), Complete: true}
	facts.Tests = report
	stdout, stderr := r.stream("stdout"), r.stream("stderr")
	var usage glovebox.Usage
	for i, c := range r.job.Cases {
		if !s.box.Alive() {
			s.close()
			if err := s.open(ctx); err != nil {
				return err
			}
		}
		out, syntax, tc := r.oneCase(ctx, s, i, c, stdout, stderr)
		add(&usage, out.Usage)
		if syntax != nil {
			facts.Syntax, facts.Tests = syntax, nil
			return nil
		}
		report.Cases = append(report.Cases, tc)
		if tc.Status == "passed" {
			report.Passed++
		} else {
			report.Failed++
			// The first case that did not pass explains the verdict.
			if report.Failed == 1 {
				facts.Program = out
			}
		}
		if out.Cause != glovebox.CauseExit {
			report.Complete = i == len(r.job.Cases)-1
			facts.Program = out
			break
		}
	}
	if report.Failed == 0 {
		facts.Program = glovebox.Outcome{Cause: glovebox.CauseExit, Started: true}
	}
	facts.Program.Usage = usage
	return nil
}

// oneCase runs the program with a case's input and compares.
func (r *run) oneCase(ctx context.Context, s *session, i int, c glovebox.Case, stdout, stderr io.Writer) (glovebox.Outcome, *glovebox.SyntaxError, glovebox.TestCase) {
	tc := glovebox.TestCase{Name: c.Name, Status: "failed"}
	if tc.Name == "" {
		tc.Name = fmt.Sprintf("case %d", i+1)
	}
	// One byte more than expected output could match is enough to know.
	seen := &prefix{left: int(min(r.job.Limits.Output, int64(len(c.Stdout))*2+64<<10))}
	cmd := s.command(slices.Concat(r.job.Args, c.Args)...)
	cmd.Stdin = []byte(c.Stdin)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(stdout, seen), stderr
	out, syntax := s.run(ctx, cmd)
	switch {
	case syntax != nil:
		return out, syntax, tc
	case out.Cause != glovebox.CauseExit:
		tc.Status, tc.Message = "error", "the run was ended: "+string(out.Cause)
	case out.ExitCode != 0 || out.Signal != "":
		tc.Status, tc.Message = "error", "the program ended with "+classify.Exit(out)
	case seen.more:
		tc.Message = "the output is far longer than expected"
	default:
		tc.Message = compare.Output(c, seen.b.String())
		if tc.Message == "" {
			tc.Status = "passed"
			return out, nil, tc
		}
	}
	tc.Expected, tc.Actual = r.short(c.Stdout), r.short(seen.b.String())
	return out, nil, tc
}

// prefix keeps the first bytes of what is written to it.
type prefix struct {
	b    bytes.Buffer
	left int
	more bool
}

func (p *prefix) Write(b []byte) (int, error) {
	n := min(len(b), p.left)
	p.b.Write(b[:n])
	p.left -= n
	p.more = p.more || n < len(b)
	return len(b), nil
}

// add sums up what two runs of one program used.
func add(u *glovebox.Usage, v glovebox.Usage) {
	u.Duration += v.Duration
	u.CPU += v.CPU
	u.MemoryPeak = max(u.MemoryPeak, v.MemoryPeak)
	u.ProcessesPeak = max(u.ProcessesPeak, v.ProcessesPeak)
}

// examAndCases runs the cases after tests that passed; a pass needs both, and
// is worth what the weaker proof is.
func (r *run) examAndCases(ctx context.Context, facts *classify.Facts) error {
	tests, usage := facts.Tests, facts.Program.Usage
	facts.Tests = nil // until the cases have passed too, nothing has
	if err := r.cases(ctx, facts); err != nil {
		return err
	}
	add(&facts.Program.Usage, usage)
	if facts.Tests == nil {
		return nil
	}
	t := facts.Tests
	t.Total += tests.Total
	t.Passed += tests.Passed
	t.Cases = append(tests.Cases, t.Cases...)
	if !tests.Proof.Meets(t.Proof) {
		t.Proof, t.Reason = tests.Proof, tests.Reason
	}
	return nil
}
