package engine

import (
	"bytes"
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/internal/tap"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/tier"
)

// exam runs the program's test files.
func (r *run) exam(ctx context.Context, facts *classify.Facts) error {
	x, err := r.lang.Exam(r.tools, r.untested(), language.Tests{Files: r.tests, Entry: r.job.Entry, Nonce: r.nonce})
	for x != nil && err == nil {
		var fallback string
		if fallback, err = r.sit(ctx, x, facts); err != nil || fallback == "" {
			return err
		}
		// The harness, which saw the tests only, says that they need more.
		if x.Fallback == nil {
			facts.Tests.Reason = fallback
			return nil
		}
		r.forget()
		facts.Program, facts.Harness, facts.Syntax = glovebox.Outcome{}, nil, nil
		if x, err = x.Fallback(); x != nil && x.Reason == "" {
			x.Reason = fallback
		}
	}
	var unrunnable *language.Unrunnable
	if !errors.As(err, &unrunnable) {
		return err
	}
	facts.Tests, facts.Unrunnable = &glovebox.TestReport{Reason: unrunnable.Reason, Missing: unrunnable.Missing}, true
	facts.Program = glovebox.Outcome{Cause: glovebox.CauseExit, ExitCode: -1}
	return nil
}

// untested is the program without files that have the names of the tests, or
// that have no place beside them: such a name is the tests', in whatever box.
func (r *run) untested() *glovebox.Program {
	p := *r.program
	p.Files = slices.DeleteFunc(slices.Clone(p.Files), func(f glovebox.File) bool {
		return slices.ContainsFunc(r.tests, func(t glovebox.File) bool {
			return t.Path == f.Path || strings.HasPrefix(t.Path, f.Path+"/") || strings.HasPrefix(f.Path, t.Path+"/")
		})
	})
	return &p
}

// sit runs one exam. It returns a reason where these tests need the weaker one.
func (r *run) sit(ctx context.Context, x *language.Exam, facts *classify.Facts) (fallback string, err error) {
	facts.Tests = &glovebox.TestReport{Proof: x.Proof, Reason: x.Reason}
	if x.Harness == nil {
		return r.sitTogether(ctx, x, facts)
	}
	return r.sitApart(ctx, x, facts)
}

// sitTogether runs tests and candidate in one process.
func (r *run) sitTogether(ctx context.Context, x *language.Exam, facts *classify.Facts) (string, error) {
	report, err := newReport(maxEvents)
	if err != nil {
		return "", err
	}
	defer report.close()
	in, w, err := tap.Pipe()
	if err != nil {
		return "", err
	}
	// A pipe holds the line; nobody needs to wait for the reader.
	_, err = io.WriteString(w, r.nonce+"\n")
	w.Close()
	defer in.Close()
	if err != nil {
		return "", err
	}
	staged := r.staged(x.Files)
	box, err := r.open(ctx, staged, []*os.File{in, nil, report.w}, r.job.Limits)
	if err != nil {
		return "", err
	}
	defer r.shut(box)
	if !r.checkCandidate(ctx, box, x, facts) {
		return "", nil
	}
	begin := time.Now()
	r.watch.begin(glovebox.PhaseTest, r.job.Limits.Wall)
	report.start()
	facts.Program = box.Run(ctx, r.candidate(x))
	r.o.Timings.Execute += since(begin)
	fallback := r.read(report, facts, r.nonce)
	// In process, the end of the harness is the end of the process.
	if o := facts.Program; o.Cause != glovebox.CauseExit || o.ExitCode != 0 {
		facts.Tests.Complete = facts.Tests.Complete && facts.Tests.Failed > 0
	}
	r.collect(ctx, box, staged, x.Candidate)
	return fallback, nil
}

// sitApart runs the candidate in one box and the tests in another, with two
// pipes between them.
func (r *run) sitApart(ctx context.Context, x *language.Exam, facts *classify.Facts) (string, error) {
	staged := r.staged(x.Files)
	// The tests outlive the candidate's deadline, so that it is the candidate
	// that a deadline is blamed on.
	patient := r.job.Limits
	patient.Wall += 2 * grace
	command, judge := r.candidate(x), r.ours(*x.Harness)
	judge.Files = nil // staged when the box is opened

	var s *ready
	if x.Check == nil {
		s = r.take(ctx, true, func() [][]byte {
			return [][]byte{orders(x.Candidate, staged, r.job.Args), orders(*x.Harness, nil, nil)}
		})
	}
	if s != nil {
		command = told(command, x.Candidate, staged, r.job.Limits.Wall, r.job.Args...)
		judge = told(judge, *x.Harness, x.Harness.Files, patient.Wall)
	} else {
		var err error
		if s, err = r.pair(ctx, staged, x.Harness.Files, patient); err != nil {
			return "", err
		}
	}
	defer s.parser.close()
	defer s.tests.close()
	defer r.leave(s.candidate, s.harness)
	if !r.checkCandidate(ctx, s.candidate, x, facts) {
		return "", nil
	}

	begin := time.Now()
	r.watch.begin(glovebox.PhaseTest, r.job.Limits.Wall)
	s.tests.start()
	s.parser.start()
	during, finished := context.WithCancel(ctx)
	defer finished()
	tests := make(chan glovebox.Outcome, 1)
	var said bytes.Buffer
	go func() {
		judge.Stderr = &bounded{b: &said}
		out := s.harness.Run(ctx, judge)
		// The link ends with the box; the candidate sees that and ends too, or
		// is ended.
		s.end(s.harness)
		time.AfterFunc(grace, finished)
		tests <- out
	}()
	facts.Program = s.candidate.Run(during, command)
	if facts.Program.Cause == glovebox.CauseCancelled && ctx.Err() == nil {
		facts.Program = glovebox.Outcome{Cause: glovebox.CauseExit, ExitCode: -1, Started: true, Usage: facts.Program.Usage}
	}
	r.collect(ctx, s.candidate, staged, x.Candidate)
	s.end(s.candidate) // tests without a program end, too
	out := <-tests
	facts.Harness = &out
	r.o.Timings.Execute += since(begin)
	facts.Syntax = s.parser.syntax()
	fallback := r.read(s.tests, facts, "")
	if t := facts.Tests; !t.Complete && t.Reason == "" && out.Cause == glovebox.CauseExit && out.ExitCode != 0 {
		t.Reason = "the process of the tests ended with " + classify.Exit(out) + ": " + r.short(said.String())
	}
	return fallback, nil
}

// pair opens the two boxes of an exam, with the files that they hold. The link
// is theirs alone then.
func (r *run) pair(ctx context.Context, staged, tests []glovebox.File, patient glovebox.Limits) (_ *ready, err error) {
	s := &ready{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.tests, err = newReport(maxEvents); err != nil {
		return nil, err
	}
	// The candidate's own report says what the parser says, before its code
	// starts; what comes after that is not read.
	if s.parser, err = newReport(firstEvent); err != nil {
		return nil, err
	}
	link, err := newLink()
	if err != nil {
		return nil, err
	}
	defer link.close()
	return s, both(func() (err error) {
		s.candidate, err = r.open(ctx, staged, []*os.File{link.toCandidate.r, link.toHarness.w, s.parser.w}, r.job.Limits)
		return err
	}, func() (err error) {
		s.harness, _, _, err = r.boot(ctx, tests, []*os.File{link.toHarness.r, link.toCandidate.w, s.tests.w}, patient)
		return err
	})
}

// both does two things at a time.
func both(one, other func() error) error {
	done := make(chan error, 1)
	go func() { done <- other() }()
	return errors.Join(one(), <-done)
}

// grace is how long a candidate may take to end after its tests.
const grace = time.Second

func (r *run) shut(box tier.Box) {
	if box == nil {
		return
	}
	begin := time.Now()
	if err := box.Close(); err != nil {
		r.o.Evidence = append(r.o.Evidence, glovebox.Evidence{Source: "supervisor", Fact: "after the run: " + err.Error()})
	}
	r.o.Timings.Teardown += since(begin)
}

func (r *run) checkCandidate(ctx context.Context, box tier.Box, x *language.Exam, facts *classify.Facts) bool {
	syntax, out := r.check(ctx, box, x.Check, r.program.Main)
	if syntax == nil && out == nil {
		return true
	}
	facts.Syntax = syntax
	if out != nil {
		facts.Program = *out
	}
	return false
}

func (r *run) candidate(x *language.Exam) tier.Command {
	cmd := r.command(x.Candidate, r.job.Args...)
	if r.job.Stdin != nil {
		cmd.Stdin = r.job.Stdin
	}
	cmd.Stdout, cmd.Stderr = r.stream("stdout"), r.stream("stderr")
	cmd.Look = paths(x.Files)
	return cmd
}

// read turns the events of a report into the test report. A nonce, where there
// is one, must be in the event that ends it.
func (r *run) read(p *report, facts *classify.Facts, nonce string) (fallback string) {
	t := facts.Tests
	var done *language.Event
	var failed int
	weakest := t.Proof
	for _, e := range p.stop() {
		if done != nil {
			p.refuse("it goes on after its end")
			break
		}
		switch e.Type {
		case "checked":
		case "syntax":
			if facts.Syntax == nil && e.Syntax != nil && len(t.Cases) == 0 {
				facts.Syntax = e.Syntax
			}
		case "case":
			if e.Case == nil {
				p.refuse("a case of it is empty")
				continue
			}
			c := r.bound(*e.Case)
			c.Proof = caseProof(c, t.Proof)
			switch c.Status {
			case "passed":
				t.Passed++
				weakest = weakest.Weaker(c.Proof)
			case "skipped":
			default:
				failed++
			}
			t.Cases = append(t.Cases, c)
		case "fallback":
			if len(t.Cases) > 0 {
				p.refuse("it asks for another form of the tests after one of them ran")
				continue
			}
			return r.short(e.Reason)
		case "unrunnable":
			if len(t.Cases) > 0 || nonce != "" && !sameNonce(e.Nonce, nonce) {
				p.refuse("it says too late, or without this run's secret, that the tests cannot run")
				continue
			}
			facts.Unrunnable = true
			t.Reason = r.short(e.Reason)
			for _, m := range e.Missing[:min(len(e.Missing), maxMissing)] {
				t.Missing = append(t.Missing, r.short(m))
			}
		case "broken":
			t.Reason = r.short(e.Reason)
		case "done":
			done = &e
		default:
			p.refuse("it has an event of an unknown type")
		}
	}
	t.Total, t.Failed = len(t.Cases), failed
	if t.Proof = weakest; facts.Unrunnable {
		t.Proof = glovebox.ProofNone
	}
	switch {
	case p.invalid != "":
		t.Reason = "the report of the tests cannot be used: " + p.invalid
	case done == nil:
	case nonce != "" && !sameNonce(done.Nonce, nonce):
		t.Reason = "the end of the tests was reported without this run's secret"
	case done.Total != t.Total || done.Passed != t.Passed || done.Failed != t.Failed:
		t.Reason = "the tests' own count does not fit their reports"
	case facts.Syntax != nil:
	default:
		t.Complete = true
		if t.Proof == glovebox.ProofCandidateJudged {
			t.Reason = cmp.Or(t.Reason, classify.Judged(t))
		}
		t.Framework = r.short(done.Framework)
	}
	most := maxCases
	if r.program.Main == "" {
		most = maxTreeCases
	}
	if len(t.Cases) > most {
		t.Cases = keepFailures(t.Cases, most)
	}
	return ""
}

// caseProof is what a pass of a case is worth: a harness can say of a case that
// it is worth less than its exam, and never that it is worth more.
func caseProof(c glovebox.TestCase, exam glovebox.Proof) glovebox.Proof {
	switch {
	case c.Status != "passed":
		return glovebox.ProofNone
	case slices.Contains(glovebox.Proofs, c.Proof):
		return exam.Weaker(c.Proof)
	}
	return exam
}

func sameNonce(said, nonce string) bool {
	return subtle.ConstantTimeCompare([]byte(said), []byte(nonce)) == 1
}

// bound makes a test case of a report one of an Observation.
func (r *run) bound(c glovebox.TestCase) glovebox.TestCase {
	c.Name = r.short(strings.Join(strings.Fields(c.Name), " "))
	c.Message, c.Expected, c.Actual = r.short(c.Message), r.short(c.Expected), r.short(c.Actual)
	switch c.Status {
	case "passed", "skipped", "failed", "error":
	default:
		c.Status = "failed"
	}
	return c
}

// short redacts a text and then bounds it: the other way around, a secret that
// is cut in two would not be found.
func (r *run) short(text string) string {
	return observe.Middle(r.redact.String("tests", text), maxValue)
}

// maxMissing is how many missing things an Observation lists.
const maxMissing = 20

// maxCases is how many test cases an Observation lists.
const maxCases = 500

// maxTreeCases is how many it lists of a program without a main file, whose
// tests are told apart by their names.
const maxTreeCases = 5000

// keepFailures shortens a list of cases; those that did not pass come first.
func keepFailures(all []glovebox.TestCase, most int) []glovebox.TestCase {
	var kept []glovebox.TestCase
	for _, pass := range []bool{false, true} {
		for _, c := range all {
			if (c.Status == "passed") == pass && len(kept) < most {
				kept = append(kept, c)
			}
		}
	}
	return kept
}

// pipe is one direction of a link.
type pipe struct{ r, w *os.File }

// link is the two pipes between a candidate and its tests.
type link struct{ toHarness, toCandidate pipe }

func newLink() (*link, error) {
	l := &link{}
	for _, p := range []*pipe{&l.toHarness, &l.toCandidate} {
		var err error
		if p.r, p.w, err = tap.Pipe(); err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

func (l *link) close() {
	for _, f := range []*os.File{l.toHarness.r, l.toHarness.w, l.toCandidate.r, l.toCandidate.w} {
		if f != nil {
			f.Close()
		}
	}
}
