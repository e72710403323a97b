package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// attempt is one candidate on its way.
type attempt struct {
	Attempt
	s     *solver
	model model.Model
	files *workcopy.Copy // as the last edits left them
	// change names the last turn's result in the files; empty if there was
	// none.
	change string

	proven   bool // the tests passed
	accepted bool // and the gate has nothing against it
	failing  int
	// signals and reasons are those of the last turn.
	signals     []Signal
	reasons     []string
	observation *glovebox.Observation
}

func (s *solver) newAttempt(number int) *attempt {
	return &attempt{
		Attempt: Attempt{Number: number, Turns: []Turn{}}, s: s, model: s.model(number),
		files: s.subject.start().Clone(), failing: math.MaxInt,
	}
}

// run goes on until a stop.
func (a *attempt) run(ctx context.Context) {
	h := a.s.reason(ctx, a.loop(ctx))
	a.Stop, a.StopReason = h.stop, h.reason
	if !a.accepted {
		a.reasons = append(a.reasons, h.reason)
	}
	a.s.decide(a.Number, "stop: %s: %s", h.stop, h.reason)
}

// loop asks, runs and asks again. Its error says why it ended.
func (a *attempt) loop(ctx context.Context) error {
	var (
		s        = a.s
		strategy = First
		breaker  breaker
		last     string
		ask      string
	)
	for n := 1; n <= s.purse.b.Turns; n++ {
		purpose := PurposeRepair
		if n == 1 {
			purpose = PurposeCode
		}
		reply, err := s.ask(ctx, a.model, a.Number, n, purpose, model.Request{
			System: s.system(), Messages: s.conversation(s.told, s.plan, last, ask),
		})
		if err != nil {
			return err
		}
		t := Turn{Number: n, Strategy: strategy, Usage: reply.Usage}
		if strategy == Explain {
			t.Hypothesis = s.secret(readHypothesis(reply.Text))
		}
		evidence, err := a.try(ctx, reply, &t)
		if err != nil {
			return err
		}
		a.Turns = append(a.Turns, t)
		s.record(Record{Type: RecordDecision, Candidate: a.Number, Turn: n, Text: t.summary(), Decision: &t})
		if a.accepted {
			return halt{StopProven, fmt.Sprintf("candidate %d passed in turn %d", a.Number, n)}
		}
		if reply.Finish != model.FinishLength {
			if err := breaker.see(t.Signature, a.change); err != nil {
				return err
			}
		} else {
			// A truncated answer proves nothing about the whole: the tokens end
			// this.
			evidence += fmt.Sprintf("Your answer was cut off after %d tokens: answer with less.\n", reply.Usage.Output)
		}
		strategy = choose(a.Turns, breaker.repeated())
		last, ask = reply.Text, s.repair(a.Turns, evidence, strategy)
	}
	return halt{StopTurns, fmt.Sprintf("all turns are used up: %d", s.purse.b.Turns)}
}

// try reads an answer, runs the result and fills in the turn. It returns the
// evidence for the next request. An error ends the candidate's way.
func (a *attempt) try(ctx context.Context, reply *model.Reply, t *Turn) (evidence string, err error) {
	a.change = ""
	next, err := a.s.subject.propose(a.files, reply.Text)
	if h, stop := errors.AsType[halt](err); stop {
		return "", h
	}
	if err != nil {
		t.Refused = observe.Middle(a.s.secret(err.Error()), maxRefusal)
		t.Signature = hash("refused", Normal(err.Error()))
		a.signals = []Signal{{Name: SignalPolicy, Detail: "the edits were refused", Reasons: []string{"the edits were refused: " + t.Refused}}}
		a.reasons = a.signals[0].Reasons
		return "None of your edits was applied, because:\n" + observe.Quote("edits", t.Refused), nil
	}
	a.files = next
	if changes := next.Changes(); len(changes) > 0 {
		a.change = digest(changes)
	}
	p, err := a.s.subject.prove(ctx, a.s.run(a.Number, t.Number), next, reply.Text)
	if err != nil {
		return "", err
	}
	a.observation, a.signals = p.observation, p.signals
	t.Status, t.Message, t.Passed, t.Total = p.observation.Status, p.observation.Message, p.passed, p.total
	t.Signature = Signature(p.observation)
	a.failing = p.total - p.passed
	if p.total == 0 {
		a.failing = math.MaxInt
	}
	t.Proven, a.proven = p.ok, p.ok
	if p.ok {
		if err := a.s.gate(ctx, a, next); err != nil {
			return "", err
		}
	}
	for _, signal := range a.signals {
		a.s.record(Record{Type: RecordSignal, Candidate: a.Number, Turn: t.Number, Signal: &signal})
	}
	a.reasons = reasons(a.signals)
	if a.accepted = p.ok && len(a.reasons) == 0; a.accepted {
		return "", nil
	}
	if p.ok || p.evidence == "" {
		// The tests have nothing against it; what has something is the failure.
		t.Signature = hash("blocked", a.reasons...)
		p.evidence += "The change cannot be accepted, because:\n" + observe.Quote("review", strings.Join(a.reasons, "\n"))
	}
	return p.evidence, nil
}

// maxRefusal bounds the report of refused edits for a model and a person, in
// bytes.
const maxRefusal = 8 << 10

// hash names a failure without an observation.
func hash(kind string, parts ...string) string {
	h := sha256.New()
	for _, p := range append([]string{kind}, parts...) {
		fmt.Fprintf(h, "%d:%s\n", len(p), Normal(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// sandboxTries is how often a job is run when the box fails and not the code.
const sandboxTries = 3

// run returns the function that runs the jobs of one turn. Its error ends a
// candidate's way: the model cannot fix the cause.
func (s *solver) run(candidate, turn int) runFunc {
	return func(ctx context.Context, purpose Purpose, job glovebox.Job) (*glovebox.Observation, error) {
		job.Limits, job.Secrets = merge(job.Limits, s.task.Limits), s.task.Secrets
		job.Tier, job.Image = s.task.Tier, s.task.Image
		if len(job.Tests)+len(job.Cases) > 0 {
			job.RequireProof = s.task.RequireProof
		}
		for try := 1; ; try++ {
			o, err := s.c.Runner.Run(ctx, job)
			if err != nil {
				return nil, halt{StopTests, "the run is wrong in itself: " + err.Error()}
			}
			s.record(Record{Type: RecordObservation, Candidate: candidate, Turn: turn, Purpose: purpose, Observation: o})
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if o.Status == glovebox.StatusSandboxError && o.NextAction == glovebox.ActionRetrySame && try < sandboxTries {
				continue
			}
			return o, s.beyond(o)
		}
	}
}

// runFunc runs a job for a purpose.
type runFunc func(ctx context.Context, purpose Purpose, job glovebox.Job) (*glovebox.Observation, error)

// beyond is the stop of an observation that no other code would change.
func (s *solver) beyond(o *glovebox.Observation) error {
	missing := s.missing(o)
	switch {
	case missing != nil:
		return missing
	case o.Status == glovebox.StatusDenied || o.Status == glovebox.StatusApprovalRequired:
		return halt{StopPolicy, o.Message}
	case o.NextAction == glovebox.ActionAskHuman:
		// The tests cannot be run, or prove too little.
		return halt{StopTests, o.Message}
	case o.Status == glovebox.StatusSandboxError:
		return halt{StopSandbox, fmt.Sprintf("the box failed %d times: %s", sandboxTries, o.Message)}
	}
	return nil
}

// missing is the stop of a host that lacks a requirement, such as an
// interpreter.
func (*solver) missing(o *glovebox.Observation) error {
	if o.Status == glovebox.StatusSandboxError && o.NextAction == glovebox.ActionAskHuman {
		return halt{StopSandbox, o.Message}
	}
	return nil
}

// merge returns the larger of the job's own limits and the task's.
func merge(job, task glovebox.Limits) glovebox.Limits {
	job.Wall, job.CPU = max(task.Wall, job.Wall), max(task.CPU, job.CPU)
	job.Memory, job.Processes = max(task.Memory, job.Memory), max(task.Processes, job.Processes)
	job.OpenFiles, job.FileSize = max(task.OpenFiles, job.OpenFiles), max(task.FileSize, job.FileSize)
	job.Disk, job.Files = max(task.Disk, job.Disk), max(task.Files, job.Files)
	job.Output, job.Reply = max(task.Output, job.Output), max(task.Reply, job.Reply)
	return job
}
