// Package govern joins what governs a run: the policy that decides, the inspection that
// reads the code, the approvals that a person gives, the audit log and the receipts.
//
// A [Governor] is an [engine.Governor]. Each part may be missing: without a policy all
// is admitted, without a log nothing is recorded.
package govern

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/audit"
	"github.com/gloveboxhq/glovebox/audit/receipt"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/internal/keys"
	"github.com/gloveboxhq/glovebox/policy"
)

// Config are the parts of a Governor.
type Config struct {
	// Policy decides. Nil admits all under the limits of the Job.
	Policy *policy.Store
	// Inspect reads a program without running it, where the policy has rules about
	// findings. Nil refuses Jobs whose policy has such rules.
	Inspect func(context.Context, *glovebox.Program) []glovebox.Finding
	// Approvals finds a person's answers. Nil refuses each Job whose policy asks.
	Approvals Approvals
	// Audit records. Nil records nothing, and refuses Jobs under a policy with
	// "audit: required". Actor is the submitter, in the operator's words.
	Audit *audit.Log
	Actor string
	// Receipts makes and keeps the receipt of a run. Nil makes none, and refuses Jobs
	// whose policy says "receipts: required".
	Receipts *Receipts
	// Tiers are those that the host has; nil means unknown.
	Tiers []glovebox.TierName
}

// Approvals finds the answer to what a policy asks.
type Approvals interface {
	// Ask returns the grant that lets the Job run, which is used up by that; or the
	// request that waits for an answer; or the reason of a person who said no.
	Ask(ctx context.Context, s *engine.Submission, d policy.Decision) (Answer, error)
	io.Closer
}

// Answer is a person's answer to a Job. Exactly one field is set.
type Answer struct {
	// Grant is the ID of the grant that was used.
	Grant string
	// Pending is the request that waits.
	Pending *glovebox.ApprovalRequest
	// Denied is the reason of a no.
	Denied *string
}

// Receipts makes the receipts of runs.
type Receipts struct {
	// Signer signs them.
	Signer keys.Signer
	// Keep keeps the receipt of the run with this ID.
	Keep func(run string, envelope []byte) error
	// Facts are the version and commit of this program, and the kernel of this host.
	Facts receipt.Facts
}

// make signs and keeps the receipt of a run, and returns its SHA-256. What did not run
// has none.
func (r *Receipts) make(ctx context.Context, s *engine.Submission, o *glovebox.Observation) (string, error) {
	if o.Tier == "" {
		return "", nil
	}
	facts := r.Facts
	facts.Started, facts.Finished = s.Started, time.Now()
	facts.Limits = &s.Decision.Limits
	program := s.Program
	if s.Job.Command != nil {
		program = nil
	}
	statement, err := receipt.New(*s.Job, program, o, facts)
	if err != nil {
		return "", err
	}
	envelope, err := receipt.Sign(ctx, r.Signer, statement)
	if err != nil {
		return "", err
	}
	if err := r.Keep(o.ID, envelope); err != nil {
		return "", err
	}
	sum := sha256.Sum256(envelope)
	return hex.EncodeToString(sum[:]), nil
}

// Governor implements [engine.Governor].
type Governor struct{ c Config }

// New returns a Governor. Close it.
func New(c Config) *Governor { return &Governor{c} }

// Close closes the approvals and the audit log.
func (g *Governor) Close() error {
	var errs []error
	if g.c.Approvals != nil {
		errs = append(errs, g.c.Approvals.Close())
	}
	if g.c.Audit != nil {
		errs = append(errs, g.c.Audit.Close())
	}
	return errors.Join(errs...)
}

// Admit implements [engine.Governor].
func (g *Governor) Admit(ctx context.Context, s *engine.Submission) engine.Decision {
	p := g.current()
	var findings []glovebox.Finding
	if g.c.Inspect != nil && s.Program != nil && p.Inspects() {
		findings = g.c.Inspect(ctx, s.Program)
	}
	judged := p.Admit(policy.Request{Job: s.Job, Program: s.Program, Findings: findings, Tiers: g.c.Tiers})
	d := engine.Decision{
		Status: judged.Status(), Denials: slices.Concat(judged.Denials, judged.Asks), Findings: findings,
		Limits: judged.Limits, Tiers: judged.Tiers, Needs: judged.Needs, RequireProof: judged.RequireProof, Withhold: judged.Withhold,
	}
	if judged.ArtifactFiles >= 0 || judged.ArtifactBytes >= 0 {
		d.Artifacts = &engine.ArtifactBudget{Files: judged.ArtifactFiles, Bytes: judged.ArtifactBytes}
	}
	if p != nil {
		d.Policy = &judged.Policy
	}
	g.missing(&d, p, judged)
	switch d.Status {
	case glovebox.StatusDenied:
		d.Message = refusal(d.Denials)
	case glovebox.StatusApprovalRequired:
		g.ask(ctx, s, judged, &d)
	}
	if d.Status == "" && judged.Audit == policy.LevelRequired {
		if err := g.begin(ctx, s, d); err != nil {
			d.Status = glovebox.StatusSandboxError
			d.Message = fmt.Sprintf("The policy says that each run is recorded, and the audit log cannot be written: %v.", err)
		}
	}
	return d
}

// current is the policy that decides now; nil where there is none.
func (g *Governor) current() *policy.Policy {
	if g.c.Policy == nil {
		return nil
	}
	return g.c.Policy.Current()
}

// missing refuses what the policy demands and this Governor does not have.
func (g *Governor) missing(d *engine.Decision, p *policy.Policy, judged policy.Decision) {
	for _, part := range []struct {
		missing              bool
		rule, asked, message string
	}{
		{judged.Audit == policy.LevelRequired && g.c.Audit == nil, "audit", "a run without an audit log",
			"The policy says audit: required, and this run has no audit log: give --audit DIR."},
		{judged.Receipts == policy.LevelRequired && g.c.Receipts == nil, "receipts", "a run without a receipt",
			"The policy says receipts: required, and this run makes none: give --receipt FILE."},
		{p.Inspects() && g.c.Inspect == nil, "findings", "a run without an inspection",
			"The policy has rules about what an inspection of the code finds, and this build has no inspection."},
	} {
		if part.missing {
			d.Status = glovebox.StatusDenied
			d.Denials = append(d.Denials, glovebox.Denial{Rule: part.rule, Asked: part.asked, Message: part.message})
		}
	}
}

// ask looks for a person's answer.
func (g *Governor) ask(ctx context.Context, s *engine.Submission, judged policy.Decision, d *engine.Decision) {
	if g.c.Approvals == nil {
		d.Status, d.Message = glovebox.StatusDenied, "The policy asks for a person's approval, and there is nobody to ask."
		return
	}
	answer, err := g.c.Approvals.Ask(ctx, s, judged)
	switch {
	case err != nil:
		d.Status, d.Message = glovebox.StatusDenied, fmt.Sprintf("The policy asks for a person's approval, and that failed: %v.", err)
	case answer.Denied != nil:
		d.Status, d.Message = glovebox.StatusDenied, "A person refused this job"
		if *answer.Denied != "" {
			d.Message += ": " + *answer.Denied
		}
		d.Message = strings.TrimSuffix(d.Message, ".") + "."
	case answer.Pending != nil:
		d.Approval = answer.Pending
		d.Message = fmt.Sprintf("The policy asks for a person's approval: glovebox approve %s", answer.Pending.ID)
	case answer.Grant != "":
		d.Status, d.Grant = "", answer.Grant
		d.Denials = nil
	default:
		d.Status, d.Message = glovebox.StatusDenied, "The policy asks for a person's approval, and there is no answer."
	}
}

// begin records that a Job is going to run: a run that nobody could record does not
// begin, and one that ends with this process is in the log.
func (g *Governor) begin(ctx context.Context, s *engine.Submission, d engine.Decision) error {
	entry := audit.Execution(s.Job, &glovebox.Observation{Policy: d.Policy}, g.caller(d))
	entry.Kind = audit.KindDecision
	_, err := g.c.Audit.Append(ctx, entry)
	return err
}

// caller is what a decision adds to the record of a run.
func (g *Governor) caller(d engine.Decision) audit.Caller {
	c := audit.Caller{Actor: g.c.Actor, Grant: d.Grant}
	if d.Status == "" && d.Policy != nil {
		c.Limits = &d.Limits
	}
	return c
}

// refusal is a sentence for what was refused.
func refusal(denials []glovebox.Denial) string {
	if len(denials) == 1 {
		return "The policy refused the run: " + denials[0].Message
	}
	return fmt.Sprintf("The policy refused the run for %d reasons.", len(denials))
}

// Record implements [engine.Governor].
func (g *Governor) Record(ctx context.Context, s *engine.Submission, o *glovebox.Observation) error {
	if g.c.Receipts != nil {
		sum, err := g.c.Receipts.make(ctx, s, o)
		if err != nil {
			return fmt.Errorf("the receipt: %w", err)
		}
		o.Receipt = sum
	}
	if g.c.Audit != nil {
		entry, err := g.c.Audit.Append(ctx, audit.Execution(s.Job, o, g.caller(s.Decision)))
		if err != nil {
			return fmt.Errorf("the audit log: %w", err)
		}
		o.Audit = &entry
	}
	return nil
}
