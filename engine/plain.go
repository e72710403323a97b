package engine

import (
	"context"
	"os"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/tier"
)

// session is a box in which a plan's program is run, once or for each case.
type session struct {
	r      *run
	plan   *language.Plan
	box    tier.Box
	report *report // where the run checks by itself
	staged []glovebox.File
	waits  bool // the box has a standby command
}

// newSession opens a box for the program and checks it. A syntax error, or an
// outcome of the check that is not a plain end, is in facts.
func (r *run) newSession(ctx context.Context) (*session, error) {
	var plan *language.Plan
	var err error
	if r.lang == command {
		plan, err = r.commandPlan()
	} else {
		plan, err = r.lang.Plan(r.tools, r.program)
	}
	if err != nil {
		return nil, err
	}
	s := &session{r: r, plan: plan, staged: r.staged(plan.Files)}
	return s, s.open(ctx)
}

// staged puts the program's files and the inputs together.
func (r *run) staged(files []glovebox.File) []glovebox.File {
	return append(append([]glovebox.File(nil), files...), r.job.Inputs...)
}

func (s *session) open(ctx context.Context) error {
	if s.plan.Check == nil {
		if b := s.r.take(ctx, false, func() [][]byte { return [][]byte{orders(s.plan.Run, s.staged, s.r.job.Args)} }); b != nil {
			s.box, s.report, s.waits = b.candidate, b.parser, true
			return nil
		}
	}
	var fds []*os.File
	if s.plan.Check == nil && s.r.lang != command {
		var err error
		if s.report, err = newReport(firstEvent); err != nil {
			return err
		}
		fds = []*os.File{nil, nil, s.report.w}
	}
	box, err := s.r.open(ctx, s.staged, fds, s.r.job.Limits)
	if err != nil {
		s.close()
		return err
	}
	s.box = box
	return nil
}

func (s *session) close() {
	if s.box != nil {
		s.r.leave(s.box)
		s.box = nil
	}
	if s.report != nil {
		s.report.close()
		s.report = nil
	}
}

// check runs the plan's own check step. It is false when the way ends here.
func (s *session) check(ctx context.Context, facts *classify.Facts) bool {
	syntax, out := s.r.check(ctx, s.box, s.plan.Check, s.r.program.Main)
	facts.Syntax = syntax
	if out != nil {
		facts.Program = *out
	}
	return syntax == nil && out == nil
}

// command is the program's, with further arguments. The first of a box that
// waits for it is what it waits for.
func (s *session) command(args ...string) tier.Command {
	cmd := s.r.command(s.plan.Run, args...)
	cmd.Wall = s.r.job.Limits.Wall // a box that was ready knows no job's
	if s.waits {
		s.waits = false
		cmd = told(cmd, s.plan.Run, s.staged, s.r.job.Limits.Wall, args...)
	}
	return cmd
}

// run executes the program once.
func (s *session) run(ctx context.Context, cmd tier.Command) (glovebox.Outcome, *glovebox.SyntaxError) {
	begin := time.Now()
	s.r.watch.begin(glovebox.PhaseExecute, s.r.job.Limits.Wall)
	defer func() { s.r.o.Timings.Execute += since(begin) }()
	if s.report == nil {
		return s.box.Run(ctx, cmd), nil
	}
	s.report.start()
	out := s.box.Run(ctx, cmd)
	return out, s.report.syntax()
}

// plain runs the program without tests.
func (r *run) plain(ctx context.Context, facts *classify.Facts) error {
	s, err := r.newSession(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if !s.check(ctx, facts) {
		return nil
	}
	cmd := s.command(r.job.Args...)
	cmd.Stdin = r.job.Stdin
	cmd.Stdout, cmd.Stderr = r.stream("stdout"), r.stream("stderr")
	cmd.Look = paths(s.staged)
	facts.Program, facts.Syntax = s.run(ctx, cmd)
	if out := facts.Program; r.lang == command && !out.Started && notExecutable(out.Err) {
		return &Error{"command", out.Err}
	}
	if facts.Syntax == nil {
		r.collect(ctx, s.box, s.staged, s.plan.Run)
	}
	return nil
}
