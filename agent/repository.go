package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/edit"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/repomap"
	"github.com/gloveboxhq/glovebox/suite"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// repository is a task that changes a repository. There are up to two suites:
// the task's, which must pass in the end, and the regression suite, where
// earlier passes must remain passes. If the caller gives no tests, the
// repository's own tests are both: their failures are the task.
type repository struct {
	s     *solver
	base  *workcopy.Copy // with the task's tests in it
	rules edit.Rules

	task       suite.Suite
	want       suite.Want // of the task; empty: every test
	regression *suite.Suite
	keep       []string // names of the regression suite that passed before

	m     *repomap.Map
	files []string // the plan's
	given []string // paths of tests that the caller brought

	// What the suites were before any change.
	taskBefore, regressionBefore *glovebox.Observation
	// judges reports whether a path belongs to the tests of a candidate, as a
	// test or beside one. No run would reveal a change there.
	judges func(path string) bool
}

func openRepository(ctx context.Context, s *solver) (*repository, error) {
	r := &repository{s: s, base: s.task.Repository.Clone()}
	known, own := suite.Discover(r.base)
	if s.language == nil {
		if s.language = language.ByName(known); s.language == nil {
			return nil, errors.New("there are no files of a known language in the repository")
		}
	}
	if s.language.Name != known {
		own = suite.Tests(r.base, s.language.Name)
	}
	for _, f := range s.task.Tests {
		p, err := glovebox.CleanPath(f.Path)
		if err == nil {
			err = r.base.Write(p, f.Data)
		}
		if err != nil {
			return nil, fmt.Errorf("the test %s: %w", f.Path, err)
		}
		r.given = append(r.given, p)
	}
	own = slices.DeleteFunc(own, func(p string) bool { return slices.Contains(r.given, p) })
	// The tests come from the base; a candidate's files beside them are
	// ignored.
	base := suite.Suite{Language: s.language.Name, From: r.base, Skip: s.task.Skip, Limits: s.task.Limits, Tier: s.task.Tier, Image: s.task.Image, RequireProof: s.task.RequireProof}
	r.task, r.want = base, suite.Want{FailToPass: s.task.FailToPass}
	switch {
	case len(r.given) == 0 && len(own) == 0:
		return nil, errors.New("there are no tests, in the repository or given: nothing would prove a change")
	case len(r.given) == 0:
		r.task.Tests = own
	default:
		// Files beside test files may be their requirements.
		r.task.Tests = slices.DeleteFunc(slices.Clone(r.given), func(p string) bool { return !suite.IsTest(p) })
		if len(r.task.Tests) == 0 {
			r.task.Tests = r.given
		}
		if len(own) > 0 {
			regression := base
			regression.Tests = own
			r.regression = &regression
		}
	}
	r.rules = edit.Rules{Allow: s.task.Allow, Deny: slices.Concat(r.given, own)}
	inTask, err := r.task.Judges()
	if err != nil {
		return nil, err
	}
	inRegression := inTask
	if r.regression != nil {
		if inRegression, err = r.regression.Judges(); err != nil {
			return nil, err
		}
	}
	r.judges = func(p string) bool { return inTask(p) || inRegression(p) || suite.IsTest(p) }
	shown := r.base
	if s.task.HideTests {
		shown = s.task.Repository
	}
	r.m, err = repomap.Build(ctx, shown, repomap.Options{Count: model.Count})
	return r, err
}

func (r *repository) start() *workcopy.Copy { return r.base }

// result has the caller's tests taken out again: they are no part of a change.
func (r *repository) result(files *workcopy.Copy) (*workcopy.Copy, error) {
	out := files.Clone()
	for _, p := range r.given {
		old, err := r.s.task.Repository.Read(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = out.Delete(p)
		case err == nil:
			err = out.Write(p, old)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *repository) focus(files []string) bool {
	r.files = files
	return len(files) > 0
}

// reproduce runs both suites unchanged. The regression suite's own failures do
// not matter: only current passes are watched.
func (r *repository) reproduce(ctx context.Context, run runFunc) (*glovebox.Observation, error) {
	o, err := r.runSuite(ctx, run, PurposeBaseline, r.task, r.base)
	if err != nil {
		return o, err
	}
	if o.Status == glovebox.StatusPass {
		for _, v := range suite.Judge(o, r.want).FailToPass {
			if v.Result == suite.Missing {
				return o, halt{StopTests, fmt.Sprintf("none of the tests that ran is %s, and all of them pass", observe.Line(v.Name))}
			}
		}
		return o, halt{StopNothing, "all tests of the task pass before anything is changed"}
	}
	r.taskBefore = o
	if len(r.given) == 0 && len(r.want.FailToPass) == 0 {
		r.want.FailToPass = names(o, "failed", "error")
	}
	if len(r.want.FailToPass) > 0 {
		r.want.PassToPass = names(o, "passed")
	}
	if r.regression != nil {
		before, err := r.runSuite(ctx, run, PurposeRegression, *r.regression, r.base)
		var h halt
		switch {
		case errors.As(err, &h) && h.stop == StopTests:
			r.s.decide(0, "the repository's own tests cannot be run and are left out: %s", h.reason)
			r.regression = nil
			return o, nil
		case err != nil:
			return o, err
		}
		r.regressionBefore, r.keep = before, names(before, "passed")
	}
	return o, nil
}

// names are the tests of an observation with one of the statuses.
func names(o *glovebox.Observation, statuses ...string) []string {
	var list []string
	if o.Tests != nil {
		for _, c := range o.Tests.Cases {
			if slices.Contains(statuses, c.Status) {
				list = append(list, c.Name)
			}
		}
	}
	return list
}

func (r *repository) runSuite(ctx context.Context, run runFunc, purpose Purpose, su suite.Suite, files *workcopy.Copy) (*glovebox.Observation, error) {
	job, err := su.Job(files)
	if err != nil {
		return nil, halt{StopTests, err.Error()}
	}
	return run(ctx, purpose, job)
}

// propose applies a reply's edits, all or none.
func (r *repository) propose(files *workcopy.Copy, reply string) (*workcopy.Copy, error) {
	set, err := edit.Parse(reply)
	if err != nil {
		return nil, err
	}
	next := files.Clone()
	if err := set.Apply(next, r.rules); err != nil {
		if len(edit.Problems(err)) == 0 {
			err = halt{StopTests, "the repository cannot be read any more: " + err.Error()}
		}
		return nil, err
	}
	var wrong []error
	for _, c := range next.Changes() {
		if !slices.Contains(r.given, c.Path) && r.judges(c.Path) {
			wrong = append(wrong, fmt.Errorf("%s: it is a test, or stands beside tests: what the change is judged by may not be changed or added to", c.Path))
		}
	}
	return next, errors.Join(wrong...)
}

func (r *repository) prove(ctx context.Context, run runFunc, files *workcopy.Copy, _ string) (*proof, error) {
	o, err := r.runSuite(ctx, run, PurposeCode, r.task, files)
	if err != nil {
		return nil, err
	}
	p := &proof{observation: o, evidence: observe.RepairFeedback(o, r.s.task.Limits.WithDefaults())}
	if o.Tests != nil {
		p.passed, p.total = o.Tests.Passed, o.Tests.Total
	}
	task := testSignal(SignalTask, o)
	if len(r.want.FailToPass) > 0 {
		task = judge(SignalTask, o, r.want)
	}
	task.block(worse(r.taskBefore, o))
	p.signals = []Signal{task}
	if p.ok = task.OK; !p.ok {
		if p.evidence == "" {
			p.evidence = "These tests have to pass:\n" + observe.Quote("tests", strings.Join(task.Reasons, "\n"))
		}
		return p, nil
	}
	regression, err := r.regress(ctx, run, files, p)
	if err != nil {
		return nil, err
	}
	p.signals = append(p.signals, regression)
	return p, nil
}

// judge reads an observation by the wanted names. Other tests may still fail.
func judge(name SignalName, o *glovebox.Observation, want suite.Want) Signal {
	j := suite.Judge(o, want)
	s := Signal{Name: name, OK: j.Resolved}
	passed, all := 0, slices.Concat(j.FailToPass, j.PassToPass)
	for _, v := range all {
		switch v.Result {
		case suite.Passed:
			passed++
		case suite.Unlisted:
		default:
			if len(s.Reasons) < maxFindings {
				s.Reasons = append(s.Reasons, fmt.Sprintf("%s %s", observe.Line(v.Name), v.Result))
			}
		}
	}
	if !s.OK && len(s.Reasons) == 0 {
		s.Reasons = []string{observe.Line(j.Reason)}
	}
	s.Detail = fmt.Sprintf("%d of %d tests pass", passed, len(all))
	return s
}

// regress runs the regression suite.
func (r *repository) regress(ctx context.Context, run runFunc, files *workcopy.Copy, p *proof) (Signal, error) {
	s := Signal{Name: SignalRegression}
	switch {
	case len(r.given) == 0 && len(r.want.PassToPass) > 0:
		// The task's suite is the regression suite, too.
		s.OK, s.Detail = true, fmt.Sprintf("%d tests that passed before pass still", len(r.want.PassToPass))
		return s, nil
	case len(r.keep) == 0:
		s.Skipped, s.Detail = true, "no further test passed before"
		return s, nil
	}
	o, err := r.runSuite(ctx, run, PurposeRegression, *r.regression, files)
	if err != nil {
		return s, err
	}
	s = judge(SignalRegression, o, suite.Want{PassToPass: r.keep})
	for i, why := range s.Reasons {
		s.Reasons[i] = why + ": it passed before the change"
	}
	if s.block(worse(r.regressionBefore, o)); !s.OK {
		p.ok, p.observation, p.passed, p.total = false, o, max(0, len(r.keep)-len(s.Reasons)), len(r.keep)
		p.evidence = "The change breaks tests that passed before it.\n" + observe.Quote("tests", strings.Join(s.Reasons, "\n")) +
			observe.RepairFeedback(o, r.s.task.Limits.WithDefaults())
	}
	return s, nil
}

// worse lists losses in a run of a suite since the change, beyond the names of
// tests: a report does not list each passing test, and tests can become fewer
// or be skipped.
func worse(before, after *glovebox.Observation) []string {
	if before == nil || before.Tests == nil || after.Tests == nil || !before.Tests.Complete {
		return nil // a module that could not be imported, say: its tests are new
	}
	var reasons []string
	b, a := before.Tests, after.Tests
	if a.Total < b.Total {
		reasons = append(reasons, fmt.Sprintf("%d tests ran before the change, and %d do now", b.Total, a.Total))
	}
	if a.Passed < b.Passed {
		reasons = append(reasons, fmt.Sprintf("%d tests passed before the change, and %d do now", b.Passed, a.Passed))
	}
	was := map[string]string{}
	for _, c := range b.Cases {
		was[c.Name] = c.Status
	}
	listed := len(names(before, "failed", "error")) == b.Failed
	for _, c := range a.Cases {
		old, known := was[c.Name]
		switch c.Status {
		case "skipped":
			if known && old != c.Status {
				reasons = append(reasons, observe.Line(c.Name)+" is skipped, and was not before the change")
			}
		case "failed", "error":
			if !known && listed && b.Total > len(b.Cases) {
				reasons = append(reasons, observe.Line(c.Name)+" fails, and did not before the change")
			}
		}
		if len(reasons) == maxFindings {
			break
		}
	}
	return reasons
}

// describe is the tree, the signatures and the most important files.
func (r *repository) describe(room int) string {
	focus := repomap.Focus{Files: r.files, Text: r.s.task.Text}
	var b strings.Builder
	add := func(head, source, text string) {
		b.WriteString("\n" + head + "\n" + observe.Quote(r.s.secret(source), r.s.secret(text)))
	}
	add("The files of the repository:", "tree", r.m.Tree(room/8))
	add("What they define:", "signatures", r.m.Signatures(room/4, focus))
	for _, section := range r.m.Context(focus, room/2).Sections {
		add("A file:", "file "+section.Path+", "+section.Why, section.Text)
	}
	return b.String()
}
