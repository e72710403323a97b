// Package agent is the loop around the engine: a task and tests go in, a
// candidate for review with its evidence comes out.
//
//	libraries → baseline → plan → generate → run → observation → repair … → gate
//
// Code runs only in boxes, through a [glovebox.Runner]. Whatever a model, a program or a
// repository says is data: decisions follow from statuses, from counts and from
// what the caller wrote, never from the text of an output. What goes back to a
// model is bounded, redacted and marked as untrusted.
//
// A candidate is never applied by itself: the [Result] is a patch and a
// [Disposition] with its reasons.
package agent

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// Task is a goal, and its proof.
type Task struct {
	// Text says it in the caller's words. It is trusted.
	Text string
	// Language is the language of the solution; empty means that the model
	// chooses, or in a repository the one with the most files.
	Language string
	// Tests and Cases prove a solution. At least one is required, except in a
	// repository with its own tests.
	Tests []glovebox.File
	Cases []glovebox.Case
	// Entry is the function that the tests take as an argument.
	Entry string
	// HideTests keeps the tests' text from the model. What fails is told all
	// the same.
	HideTests bool
	// Start is a program for the model to repair, if not nil: it does not pass.
	Start *glovebox.Program

	// Repository is the working copy to change. Nil asks for a program.
	Repository *workcopy.Copy
	// Allow are the path prefixes that may change; empty means all paths except
	// dot files, which must be allowed by name.
	Allow []string
	// Skip are paths of the repository that no test needs: they are not staged
	// in the box.
	Skip []string
	// FailToPass are names of tests that must pass in the end. Empty means all
	// of Tests and all initial failures in the repository.
	FailToPass []string

	// Limits, Tier, Image and RequireProof apply to each run.
	Limits       glovebox.Limits
	Tier         glovebox.TierName
	Image        string
	RequireProof glovebox.Proof
	Secrets      map[string]string
}

// Config says how to go about it.
type Config struct {
	Runner glovebox.Runner
	Model  model.Model
	// Candidates is how many are tried at once, at most [MaxCandidates]; 0
	// means 1.
	Candidates int
	// Budget bounds all candidates together.
	Budget Budget
	// NoPlan goes to the code at once.
	NoPlan bool
	// ContextTokens bounds a prompt, ReplyTokens a reply; 0 means
	// [DefaultContextTokens] and [DefaultReplyTokens].
	ContextTokens int
	ReplyTokens   int
	// Patch bounds what a candidate may change.
	Patch PatchLimits
	// Record is called with all events, in order, by one goroutine at a time.
	// Nil records nothing.
	Record func(Record)
}

// Defaults and bounds of [Config].
const (
	DefaultContextTokens = 32_000
	DefaultReplyTokens   = 8_192
	// MinContextTokens is the minimum for a useful prompt.
	MinContextTokens = 3_000
	MaxCandidates    = 64
)

// Stop is why the loop ended. The set is closed and append-only.
type Stop string

// The stops.
const (
	// StopProven: a candidate passed with proof.
	StopProven Stop = "proven"
	// StopTurns: the turns are used up.
	StopTurns Stop = "turns"
	// StopTokens: the tokens are used up, or the next prompt would not fit.
	StopTokens Stop = "tokens"
	// StopWall: the time is used up.
	StopWall Stop = "wall"
	// StopCost: the money is used up.
	StopCost Stop = "cost"
	// StopBreaker: the same failure, or the same edit, three times in a row.
	StopBreaker Stop = "breaker"
	// StopCancelled: the caller gave up.
	StopCancelled Stop = "cancelled"
	// StopBeaten: another candidate was proven first.
	StopBeaten Stop = "beaten"
	// StopModel: the model cannot be reached.
	StopModel Stop = "model"
	// StopRefused: the model, or its provider, refuses to answer.
	StopRefused Stop = "refused"
	// StopSandbox: the box failed three times in a row, or the host lacks a
	// requirement; the code is not at fault.
	StopSandbox Stop = "sandbox"
	// StopPolicy: the policy refuses the run, or a person has to decide.
	StopPolicy Stop = "policy"
	// StopNothing: all tests pass before anything was changed.
	StopNothing Stop = "nothing_to_do"
	// StopTests: the tests cannot be run, whatever the code is.
	StopTests Stop = "tests"
)

// Disposition is the recommended treatment of a candidate.
type Disposition string

// The dispositions.
const (
	// Candidate: a person may review and apply the patch.
	Candidate Disposition = "candidate for review"
	// Blocked: it must not be applied; see the reasons.
	Blocked Disposition = "blocked"
)

// Result is what came of a task.
type Result struct {
	Disposition Disposition `json:"disposition"`
	// Reasons say why it is blocked.
	Reasons []string `json:"reasons,omitempty"`
	Stop    Stop     `json:"stop"`
	// StopReason says it in a sentence.
	StopReason string `json:"stop_reason"`
	Plan       *Plan  `json:"plan,omitempty"`
	// Baseline is the run before any change, in a repository.
	Baseline *glovebox.Observation `json:"baseline,omitempty"`
	// Attempts are the candidates, from 1.
	Attempts []Attempt `json:"attempts"`
	// Chosen is the number of the attempt behind Patch, or 0.
	Chosen int `json:"chosen"`
	// Signals are what the disposition rests on.
	Signals []Signal `json:"signals,omitempty"`
	// Patch is the change, in the form for git apply.
	Patch string `json:"patch,omitempty"`
	// Observation is the last one of the chosen attempt.
	Observation *glovebox.Observation `json:"observation,omitempty"`
	Usage       model.Usage           `json:"usage"`
	Cost        float64               `json:"cost,omitempty"`
	DurationMS  float64               `json:"duration_ms"`
}

// Attempt is one candidate's way.
type Attempt struct {
	Number     int    `json:"number"`
	Turns      []Turn `json:"turns"`
	Stop       Stop   `json:"stop"`
	StopReason string `json:"stop_reason"`
}

// Turn is one reply and its result.
type Turn struct {
	Number   int      `json:"number"`
	Strategy Strategy `json:"strategy"`
	// Hypothesis is the model's explanation of the error, if requested.
	Hypothesis string      `json:"hypothesis,omitempty"`
	Usage      model.Usage `json:"usage"`
	// Refused says why the edits could not be applied; nothing ran then.
	Refused string `json:"refused,omitempty"`
	// Status, Message, Passed and Total are those of the run.
	Status  glovebox.Status `json:"status,omitempty"`
	Message string          `json:"message,omitempty"`
	Passed  int             `json:"passed,omitempty"`
	Total   int             `json:"total,omitempty"`
	// Proven: the deciding tests passed. In a repository, earlier failures may
	// remain.
	Proven bool `json:"proven,omitempty"`
	// Signature names the failure; see [Signature].
	Signature string `json:"signature,omitempty"`
}

// Solve works on a task until a candidate is proven or a stop is reached. It
// returns an error only if the task or the configuration is wrong in itself;
// every other end is a Result. When Solve returns, none of its work is running.
func Solve(ctx context.Context, c Config, t Task) (*Result, error) {
	if err := c.check(&t); err != nil {
		return nil, err
	}
	begin := time.Now()
	if c.Budget.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Budget.Wall, halt{StopWall, fmt.Sprintf("the time of %v is used up", c.Budget.Wall)})
		defer cancel()
	}
	s := newSolver(c, t)
	r := s.solve(ctx)
	r.Usage, r.Cost = s.purse.spent()
	r.DurationMS = float64(time.Since(begin).Microseconds()) / 1000
	s.record(Record{Type: RecordEnd, Result: r})
	return r, nil
}

// check fills in the defaults and rejects an unusable configuration.
func (c *Config) check(t *Task) error {
	switch {
	case c.Runner == nil || c.Model == nil:
		return errors.New("a runner and a model are needed")
	case t.Text == "":
		return errors.New("the task is empty")
	case t.Repository == nil && len(t.Tests) == 0 && len(t.Cases) == 0:
		return errors.New("nothing would prove a solution: give tests or cases")
	case t.Repository != nil && len(t.Cases) > 0:
		return errors.New("cases are of programs, and a repository has tests")
	case c.Candidates < 0 || c.Candidates > MaxCandidates:
		return fmt.Errorf("%d candidates: at most %d are tried at once", c.Candidates, MaxCandidates)
	}
	if t.Language != "" && language.ByName(t.Language) == nil {
		return fmt.Errorf("the language %q is not known; there are %s", t.Language, language.All().Names())
	}
	for _, allow := range t.Allow {
		if _, err := glovebox.CleanPath(allow); err != nil && (allow == "" || path.Clean(allow) != ".") {
			return fmt.Errorf("an allowed path: %w", err)
		}
	}
	if err := c.Budget.check(); err != nil {
		return err
	}
	if c.Candidates == 0 {
		c.Candidates = 1
	}
	if c.ContextTokens <= 0 {
		c.ContextTokens = DefaultContextTokens
	}
	if c.ContextTokens < MinContextTokens {
		return fmt.Errorf("prompts of %d tokens: at least %d are needed", c.ContextTokens, MinContextTokens)
	}
	if c.ReplyTokens <= 0 {
		c.ReplyTokens = DefaultReplyTokens
	}
	c.Patch = c.Patch.withDefaults()
	return nil
}
