package agent

import (
	"context"
	"path"
	"slices"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/extract"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// subject is the object of a task: a new program, or a repository.
type subject interface {
	// start is what the candidates begin with. It is not changed.
	start() *workcopy.Copy
	// result is a candidate's files in the form for a person.
	result(files *workcopy.Copy) (*workcopy.Copy, error)
	// reproduce runs the code from before the first edit, if any. The run must
	// fail; a pass leaves nothing to do, and is the error.
	reproduce(ctx context.Context, run runFunc) (*glovebox.Observation, error)
	// focus selects the files of a plan, and reports whether the description
	// changes.
	focus(files []string) bool
	// describe describes the code to a model, in at most so many tokens.
	describe(room int) string
	// propose reads a model's answer and returns the files with its changes. An
	// error explains why the answer is unusable; the error goes to the model,
	// unless it is a [halt].
	propose(files *workcopy.Copy, reply string) (*workcopy.Copy, error)
	// prove runs what proves it. An error ends the candidate's way.
	prove(ctx context.Context, run runFunc, files *workcopy.Copy, reply string) (*proof, error)
}

// proof is the tests' result for a candidate.
type proof struct {
	// observation is the run that decided.
	observation   *glovebox.Observation
	ok            bool
	passed, total int
	signals       []Signal
	// evidence is for the model, unless ok.
	evidence string
}

// program is a task whose answer is a whole program.
type program struct {
	s    *solver
	base *workcopy.Copy
}

func newProgram(s *solver) (*program, error) {
	var files []glovebox.File
	if p := s.task.Start; p != nil {
		files = p.Files
	}
	base, err := workcopy.New(files)
	return &program{s, base}, err
}

func (p *program) start() *workcopy.Copy { return p.base }

func (p *program) result(files *workcopy.Copy) (*workcopy.Copy, error) { return files, nil }

func (p *program) focus([]string) bool { return false }

// describe has nothing to add: the brief holds the program.
func (p *program) describe(int) string { return "" }

func (p *program) reproduce(ctx context.Context, run runFunc) (*glovebox.Observation, error) {
	if p.s.task.Start == nil {
		return nil, nil
	}
	job := p.job()
	job.Program = p.s.task.Start
	o, err := run(ctx, PurposeBaseline, job)
	if err == nil && o.Status == glovebox.StatusPass {
		err = halt{StopNothing, "the program passes as it is: there is nothing to repair"}
	}
	return o, err
}

// propose takes the program out of the reply. A reply without one changes
// nothing: that is the engine's to say.
func (p *program) propose(_ *workcopy.Copy, reply string) (*workcopy.Copy, error) {
	next := p.base.Clone()
	found := p.extract(reply)
	if found == nil {
		return next, nil
	}
	for _, f := range found.Files {
		name := f.Path
		if name == found.Main {
			name = p.name(found)
		}
		if err := next.Write(name, f.Data); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// name is the name of the main file in the patch. A file without a name from
// the model gets the name in the tests, so that they run beside it.
func (p *program) name(found *glovebox.Program) string {
	l := p.s.language
	if l == nil || found.Main != l.Main || p.s.task.Start != nil {
		return found.Main
	}
	known := "solution" + path.Ext(found.Main)
	taken := slices.ContainsFunc(found.Files, func(f glovebox.File) bool { return f.Path == known })
	for _, f := range p.s.task.Tests {
		if solution().Match(f.Data) && !taken {
			return known
		}
	}
	return found.Main
}

// solution is the tests' name for a program without a name.
var solution = lazyre.New(`\bsolution\b`)

// extract finds the program in a reply, under the name of the program under
// repair.
func (p *program) extract(reply string) *glovebox.Program {
	task := p.s.task
	var tests []string
	for _, f := range task.Tests {
		tests = append(tests, f.Path)
	}
	found, err := extract.Extract(glovebox.Reply(reply), extract.Options{
		Language: p.language(), Tests: tests, MaxBytes: task.Limits.WithDefaults().Reply, Alone: len(tests) == 0,
	})
	if err != nil || found.Program == nil {
		return nil
	}
	if old := task.Start; old != nil && len(old.Files) == 1 && len(found.Program.Files) == 1 {
		found.Program.Files[0].Path, found.Program.Main = old.Main, old.Main
	}
	return found.Program
}

// job is the task's, without a program.
func (p *program) job() glovebox.Job {
	t := p.s.task
	return glovebox.Job{Language: p.language(), Tests: t.Tests, Cases: t.Cases, Entry: t.Entry}
}

func (p *program) language() string {
	if p.s.language != nil {
		return p.s.language.Name
	}
	return ""
}

func (p *program) prove(ctx context.Context, run runFunc, files *workcopy.Copy, reply string) (*proof, error) {
	task := p.s.task
	job := p.job()
	job.Reply = glovebox.Reply(reply)
	if task.Start != nil {
		job.Program = p.extract(reply) // under its old name
	}
	o, err := run(ctx, PurposeCode, job)
	if err != nil {
		return nil, err
	}
	r := &proof{observation: o, ok: o.Status == glovebox.StatusPass, evidence: observe.Feedback(o, task.Limits.WithDefaults())}
	if o.Tests != nil {
		r.passed, r.total = o.Tests.Passed, o.Tests.Total
	}
	r.signals = []Signal{testSignal(SignalTask, o)}
	return r, nil
}
