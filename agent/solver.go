package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/redact"
)

// solver is one task on its way.
type solver struct {
	c      Config
	task   Task
	purse  *purse
	redact *redact.Redactor

	// Common to all candidates; made before the first of them starts.
	language  *language.Language // nil: the model chooses
	libraries string
	subject   subject
	baseline  *glovebox.Observation // nil: there was nothing to run
	plan      *Plan
	told      string // the brief of the candidates

	recording sync.Mutex
}

func newSolver(c Config, t Task) *solver {
	s := &solver{c: c, task: t, purse: &purse{b: c.Budget}, redact: redact.New(redact.Config{Secrets: t.Secrets})}
	if t.Language != "" {
		s.language = language.ByName(t.Language)
	}
	if s.language == nil && t.Start != nil {
		s.language = language.ByName(t.Start.Language)
	}
	if s.language == nil && t.Repository == nil {
		s.language = languageOf(t.Tests)
	}
	return s
}

// languageOf is the language of the test files, if known.
func languageOf(tests []glovebox.File) *language.Language {
	var of *language.Language
	for _, f := range tests {
		l := language.All().ByPath(f.Path)
		if l != nil && of != nil && of != l {
			return nil
		}
		of = cmp.Or(l, of)
	}
	return of
}

func (s *solver) record(r Record) {
	if s.c.Record == nil {
		return
	}
	s.recording.Lock()
	defer s.recording.Unlock()
	r.Time = time.Now()
	s.c.Record(r)
}

// decide records a decision in words.
func (s *solver) decide(candidate int, format string, args ...any) {
	s.record(Record{Type: RecordDecision, Candidate: candidate, Text: fmt.Sprintf(format, args...)})
}

// solve is the way of a task.
func (s *solver) solve(ctx context.Context) *Result {
	r := &Result{Disposition: Blocked, Attempts: []Attempt{}}
	if err := s.prepare(ctx); err != nil {
		r.Baseline, r.Plan = s.baseline, s.plan
		return r.stopped(s.reason(ctx, err))
	}
	r.Baseline, r.Plan = s.baseline, s.plan
	attempts := s.compete(ctx)
	for _, a := range attempts {
		r.Attempts = append(r.Attempts, a.Attempt)
	}
	best := choice(attempts)
	r.Chosen, r.Signals, r.Observation = best.Number, best.signals, best.observation
	r.Stop, r.StopReason, r.Reasons = best.Stop, best.StopReason, best.reasons
	if best.accepted {
		r.Disposition = Candidate
	}
	patch, err := s.patch(best)
	if err != nil {
		r.Disposition = Blocked
		r.Reasons = append(r.Reasons, "the patch cannot be written: "+err.Error())
	}
	if r.Patch = patch; r.Patch == "" {
		r.Chosen = 0
	}
	return r
}

func (s *solver) patch(a *attempt) (string, error) {
	files, err := s.subject.result(a.files)
	if err != nil {
		return "", err
	}
	patch, err := files.Patch()
	return string(patch), err
}

// stopped fills in a result that ended before there was a candidate.
func (r *Result) stopped(h halt) *Result {
	r.Stop, r.StopReason, r.Reasons = h.stop, h.reason, []string{h.reason}
	return r
}

// reason is the stop corresponding to an error.
func (s *solver) reason(ctx context.Context, err error) halt {
	var h halt
	switch {
	case errors.As(err, &h) && h.stop == StopProven: // whoever gave up meanwhile
	case errors.As(context.Cause(ctx), &h):
	case ctx.Err() != nil:
		return halt{StopCancelled, "the caller gave up"}
	case errors.As(err, &h):
	default:
		return halt{StopModel, err.Error()}
	}
	return h
}

// prepare makes what all candidates share.
func (s *solver) prepare(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	s.record(Record{Type: RecordStart, Task: s.about()})
	if err := s.askBox(ctx); err != nil {
		return err
	}
	baseline, err := s.subject.reproduce(ctx, s.run(0, 0))
	if s.baseline = baseline; err != nil {
		return err
	}
	s.told = s.brief()
	if s.c.NoPlan {
		return nil
	}
	request := model.Request{System: s.system(), Messages: []model.Message{
		{Role: model.User, Text: s.told + "\n" + planForm},
	}}
	reply, err := s.ask(ctx, s.model(0), 0, 0, PurposePlan, request)
	if err != nil {
		return err
	}
	s.plan = readPlan(reply.Text)
	s.record(Record{Type: RecordPlan, Plan: s.plan})
	if s.subject.focus(s.plan.Files) {
		s.told = s.brief()
	}
	return nil
}

// open makes the subject.
func (s *solver) open(ctx context.Context) (err error) {
	if s.task.Repository != nil {
		s.subject, err = openRepository(ctx, s)
	} else {
		s.subject, err = newProgram(s)
	}
	if err != nil && ctx.Err() == nil {
		err = halt{StopTests, err.Error()}
	}
	return err
}

// about is a transcript's description of the task.
func (s *solver) about() *TaskRecord {
	t := s.task
	r := &TaskRecord{Text: s.secret(t.Text), Cases: len(t.Cases), Repository: t.Repository != nil, Candidates: s.c.Candidates}
	for _, f := range t.Tests {
		r.Tests = append(r.Tests, f.Path)
	}
	if s.language != nil {
		r.Language = s.language.Name
	}
	return r
}

// askBox asks the box for its libraries, where the language supports the
// question. The answer is informative: a failure is recorded without
// consequence.
func (s *solver) askBox(ctx context.Context) error {
	if s.language == nil {
		return nil
	}
	job, ok := s.language.LibrariesJob()
	if !ok {
		return nil
	}
	job.Tier, job.Image = s.task.Tier, s.task.Image
	o, err := s.c.Runner.Run(ctx, job)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return err
	}
	if missing := s.missing(o); missing != nil {
		return missing // better to know before a model is asked
	}
	if o.Status != glovebox.StatusPass {
		s.decide(0, "the box cannot say which libraries it has: %s", o.Message)
		return nil
	}
	s.libraries = o.Stdout
	s.record(Record{Type: RecordLibraries, Text: o.Stdout})
	return nil
}

// model is the model that answers a candidate, or for 0 the shared one.
func (s *solver) model(candidate int) model.Model {
	if p, ok := s.c.Model.(perCandidate); ok {
		return p.For(candidate)
	}
	return s.c.Model
}

// maxTokenBytes exceeds the average bytes per token of any text. Longer replies
// than requested are cut off, as an honest provider does.
const maxTokenBytes = 32

// ask sends a request under the budget.
func (s *solver) ask(ctx context.Context, m model.Model, candidate, turn int, purpose Purpose, r model.Request) (*model.Reply, error) {
	n := model.CountRequest(r)
	bound, err := s.purse.reserve(n, s.c.ReplyTokens)
	if err != nil {
		return nil, err
	}
	r.MaxTokens = bound
	s.record(Record{Type: RecordPrompt, Candidate: candidate, Turn: turn, Purpose: purpose, Request: &r, Tokens: n})
	reply, err := m.Complete(ctx, r, nil)
	if err != nil {
		// The use of a broken-off request is unknown; the prompt was sent. A
		// refused request has used nothing.
		var used model.Usage
		if kind := model.KindOf(err); kind == "" || kind == model.KindNetwork || kind == model.KindMalformed {
			used = model.Usage{Input: int64(n), Estimated: true}
		}
		s.purse.settle(n, bound, used)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, halt{StopModel, err.Error()}
	}
	if most := bound * maxTokenBytes; len(reply.Text) > most {
		reply.Text, reply.Finish = strings.ToValidUTF8(reply.Text[:most], ""), model.FinishLength
	}
	reply.Usage = believed(reply, n)
	s.purse.settle(n, bound, reply.Usage)
	s.record(Record{Type: RecordReply, Candidate: candidate, Turn: turn, Purpose: purpose, Reply: reply})
	if reply.Finish == model.FinishRefused {
		return nil, halt{StopRefused, "the model refuses to answer"}
	}
	return reply, nil
}

// compete runs the candidates at once. The first accepted candidate wins and
// the rest are cancelled; on return all have ended.
func (s *solver) compete(ctx context.Context) []*attempt {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	attempts := make([]*attempt, s.c.Candidates)
	var wg sync.WaitGroup
	for i := range attempts {
		attempts[i] = s.newAttempt(i + 1)
		wg.Go(func() {
			if attempts[i].run(ctx); attempts[i].accepted {
				cancel(halt{StopBeaten, fmt.Sprintf("candidate %d was proven first", i+1)})
			}
		})
	}
	wg.Wait()
	return attempts
}

// choice is the best of the attempts: an accepted attempt, else the attempt
// with the fewest failing tests.
func choice(attempts []*attempt) *attempt {
	return slices.MinFunc(attempts, func(a, b *attempt) int {
		return cmp.Or(-compareBool(a.accepted, b.accepted), -compareBool(a.proven, b.proven), cmp.Compare(a.failing, b.failing), cmp.Compare(a.Number, b.Number))
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
