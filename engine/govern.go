package engine

import (
	"context"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/artifact"
)

// Governor decides which Jobs may run and keeps the record of what became of them. Its
// methods are called by many goroutines at once.
type Governor interface {
	// Admit decides on a Job before anything of it runs and before it has a box.
	Admit(ctx context.Context, c *Submission) Decision
	// Record is called with each finished Observation before the caller sees it, also for
	// Jobs without code and refused Jobs. Record may fill in Audit and Receipt. After an
	// error the caller gets an Observation of the error in place of the result.
	Record(ctx context.Context, c *Submission, o *glovebox.Observation) error
}

// Submission is a Job under a Governor's decision. A Governor must not change the Job.
type Submission struct {
	// Job is the Job with clean paths and the caller's own Limits: a policy may fill in
	// a zero field.
	Job *glovebox.Job
	// Digest is the [glovebox.Job.Digest] of Job.
	Digest string
	// Started is when the Job came.
	Started time.Time
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
	// Withhold sets the Job's.
	Withhold bool
	// Artifacts bounds the artifacts of the run; nil means the bounds of package artifact.
	Artifacts *ArtifactBudget
	// Grant is the ID of the approval that admitted the Job.
	Grant string
}

// ArtifactBudget is how many artifacts a run may have, and how many bytes they have
// together. Below 0 means the bound of package artifact.
type ArtifactBudget struct{ Files, Bytes int64 }

// artifactLimits are what the Governor leaves for further artifacts of the run, and false
// where there is nothing left.
func (r *run) artifactLimits() (artifact.Limits, bool) {
	var l artifact.Limits
	if r.submission == nil || r.submission.Decision.Artifacts == nil {
		return l, true
	}
	b := *r.submission.Decision.Artifacts
	for _, a := range r.artifacts {
		b.Bytes = max(b.Bytes-a.Size, min(b.Bytes, 0))
	}
	if b.Files >= 0 {
		l.Count = int(min(b.Files-int64(len(r.artifacts)), int64(artifact.DefaultLimits.Count)))
	}
	if b.Bytes >= 0 {
		l.TotalBytes = min(b.Bytes, artifact.DefaultLimits.TotalBytes)
	}
	return l, (b.Files < 0 || l.Count > 0) && (b.Bytes < 0 || l.TotalBytes > 0)
}

// submission is the Job as a Governor sees it. The limits are the caller's own.
func (e *Engine) submission(job glovebox.Job, asked glovebox.Limits) *Submission {
	if e.c.Govern == nil {
		return nil
	}
	job.Limits = asked
	return &Submission{Job: &job, Digest: job.Digest(), Started: time.Now()}
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
	r.job.Withhold = r.job.Withhold || d.Withhold
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
