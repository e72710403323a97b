package engine

import (
	"context"
	"slices"

	"github.com/gloveboxhq/glovebox"
)

// Governor decides which Jobs may run and keeps the record of what became of them. Its
// methods are called by many goroutines at once.
type Governor interface {
	// Admit decides on a Job before anything of it runs and before it has a box.
	Admit(ctx context.Context, c *Submission) Decision
	// Record is called with each finished Observation before anybody sees it, also of
	// Jobs that had no code or were refused. Record may fill in Audit and Receipt. After
	// an error nobody sees the Observation: in its place comes one that says so.
	Record(ctx context.Context, c *Submission, o *glovebox.Observation) error
}

// Submission is a Job that a Governor decides on. A Governor must not change it.
type Submission struct {
	// Job is the Job with clean paths. Its Limits are those that the caller gave: a zero
	// field is one that the policy may fill in.
	Job *glovebox.Job
	// Digest is the [glovebox.Job.Digest] of Job.
	Digest string
	// Program is what was found in the Reply, or the Job's own. It is nil where the
	// reply has no code, and empty for a Command.
	Program *glovebox.Program
	// Tests are the Job's tests.
	Tests []glovebox.File
	// Decision is what Admit said; it is zero where Admit was not asked.
	Decision Decision
}

// Decision is what a Governor says to a Job.
type Decision struct {
	// Status is empty to admit, [glovebox.StatusDenied] or
	// [glovebox.StatusApprovalRequired].
	Status glovebox.Status
	// Message says in a sentence why, where the Job is not admitted.
	Message string
	// Denials are all rules that refuse the Job or ask.
	Denials []glovebox.Denial
	// Findings are what an inspection saw in the program.
	Findings []glovebox.Finding
	// Policy is what decided, Approval the request that waits for an answer.
	Policy   *glovebox.Policy
	Approval *glovebox.ApprovalRequest
	// Limits, where the Job is admitted, take the place of the Job's.
	Limits glovebox.Limits
	// Tiers are those that the Job may run in; nil means any.
	Tiers []glovebox.TierName
	// Needs are needs beside the Job's. RequireProof is the weakest proof that makes a
	// pass, where that is more than the Job asks for.
	Needs        []glovebox.Need
	RequireProof glovebox.Proof
	// Grant is the ID of the approval that admitted the Job.
	Grant string
}

// submission is the Job as a Governor sees it. The limits are the caller's own.
func (e *Engine) submission(job glovebox.Job, asked glovebox.Limits) *Submission {
	if e.c.Govern == nil {
		return nil
	}
	job.Limits = asked
	return &Submission{Job: &job, Digest: job.Digest()}
}

// admit lets the Governor decide.
func (r *run) admit(ctx context.Context) bool {
	if r.e.c.Govern == nil {
		return true
	}
	c := r.submission
	c.Program, c.Tests = r.program, r.tests
	c.Decision = r.e.c.Govern.Admit(ctx, c)
	d := c.Decision
	r.o.Policy, r.o.Denials, r.o.Findings, r.o.Approval = d.Policy, slices.Clone(d.Denials), slices.Clone(d.Findings), d.Approval
	switch {
	case ctx.Err() != nil:
		return r.broke(ctx, glovebox.PhaseAdmit, ctx.Err())
	case d.Status != "":
		return r.end(d.Status, glovebox.PhaseAdmit, "policy", "%s", d.Message)
	}
	r.job.Limits = d.Limits.WithDefaults()
	r.job.Needs = slices.Concat(r.job.Needs, d.Needs)
	if !r.job.RequireProof.Meets(d.RequireProof) {
		r.job.RequireProof = d.RequireProof
	}
	return true
}

// allows reports whether the Governor lets the Job run in a tier.
func (r *run) allows(t glovebox.TierName) bool {
	return r.submission == nil || r.submission.Decision.Tiers == nil || slices.Contains(r.submission.Decision.Tiers, t)
}

// record has the Governor keep what became of the Job. What cannot be recorded is not
// given out.
func (r *run) record(ctx context.Context, o *glovebox.Observation) *glovebox.Observation {
	if r.submission == nil {
		return o
	}
	// A caller that has gone does not take the record with it.
	err := r.e.c.Govern.Record(context.WithoutCancel(ctx), r.submission, o)
	if err == nil {
		return o
	}
	withheld := newRun(r.e, r.job)
	withheld.o.ID, withheld.o.Policy = o.ID, o.Policy
	withheld.o.NextAction = glovebox.ActionAskHuman
	withheld.end(glovebox.StatusSandboxError, glovebox.PhaseRecord, "audit", "The run could not be recorded, so its result is not given out: %v.", err)
	withheld.observe(ctx)
	return withheld.o
}
