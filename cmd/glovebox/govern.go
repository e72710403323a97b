package main

import (
	"context"
	"fmt"
	"os"

	"github.com/gloveboxhq/glovebox/audit/receipt"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/govern"
	"github.com/gloveboxhq/glovebox/internal/account"
	"github.com/gloveboxhq/glovebox/policy"
	"github.com/gloveboxhq/glovebox/policy/approval"
	"github.com/gloveboxhq/glovebox/policy/inspect"
)

// governFlags say what decides on programs, and where the record of them is.
type governFlags struct {
	Policy  []string `env:"GLOVEBOX_POLICY" help:"A policy that decides what may run (see glovebox policy); repeat it for narrower ones. This host's own, /etc/glovebox/policy.yaml, is above all." placeholder:"FILE" sep:"none"`
	Audit   string   `env:"GLOVEBOX_AUDIT" help:"Record each run in the audit log in this folder (see glovebox audit)." placeholder:"DIR" type:"path"`
	Witness string   `env:"GLOVEBOX_WITNESS" help:"Write each signed head of the audit log to this file, too, best on another disk." placeholder:"FILE" type:"path"`
	Wait    bool     `help:"Where the policy wants a person's approval, wait for the answer (see glovebox approvals)."`
	approvalFlags

	// keep takes the receipts of runs; nil means that there are none.
	keep func(run string, envelope []byte) error
	// bars refuses jobs before the policy is asked; nil refuses none.
	bars func(*engine.Submission) *engine.Decision
	// store has the policy, once there is a governor of one.
	store *policy.Store
}

// receiptFlag is of commands that make one run.
type receiptFlag struct {
	Receipt string `help:"Write a signed receipt of the run to this file (see glovebox receipt)." placeholder:"FILE" type:"path"`
}

// keep writes the receipt to the file, if there is one.
func (f receiptFlag) keep() func(run string, envelope []byte) error {
	if f.Receipt == "" {
		return nil
	}
	return func(_ string, envelope []byte) error { return os.WriteFile(f.Receipt, envelope, 0o644) }
}

// governor makes what the flags ask for; nil where nothing governs.
func (f *governFlags) governor(s *streams) (engine.Governor, error) {
	if f.Witness != "" && f.Audit == "" {
		return nil, usagef("--witness keeps the heads of an audit log: it needs --audit")
	}
	files, err := policyFiles(f.Policy)
	if err != nil {
		return nil, usageError{err}
	}
	if len(files) == 0 && f.Audit == "" && f.keep == nil && f.bars == nil {
		return nil, nil
	}
	c := govern.Config{Actor: account.Name()}
	if len(files) > 0 {
		if c.Policy, err = policy.OpenStore(files...); err != nil {
			return nil, usageError{err}
		}
		f.store, c.Approvals, c.Inspect = c.Policy, f.requests(s), inspect.Program
	}
	if f.Audit != "" || f.keep != nil {
		ring, err := f.open()
		if err != nil {
			return nil, err
		}
		if f.keep != nil {
			c.Receipts = &govern.Receipts{Signer: ring, Facts: receiptFacts(), Keep: f.keep}
		}
		if f.Audit != "" {
			if c.Audit, err = openAudit(f.Audit, ring, f.Witness); err != nil {
				return nil, err
			}
		}
	}
	if f.bars != nil {
		return barrier{govern.New(c), f.bars}, nil
	}
	return govern.New(c), nil
}

// requests are where the policy's questions go.
func (f *governFlags) requests(s *streams) *govern.Requests {
	r := &govern.Requests{Journal: f.journal(f.Witness)}
	r.Open = func() (*approval.Store, error) { return f.approvals(r.Journal, f.Audit) }
	if f.Wait {
		r.Waiting = func(asked approval.Request) {
			fmt.Fprintf(s.stderr, "glovebox: the run waits for a person, until %s: glovebox approve %s\n", clock(asked.Expires), asked.ID)
		}
	}
	return r
}

// barrier is a Governor that a command has beside the policy.
type barrier struct {
	*govern.Governor
	bars func(*engine.Submission) *engine.Decision
}

// Admit implements [engine.Governor].
func (b barrier) Admit(ctx context.Context, s *engine.Submission) engine.Decision {
	if d := b.bars(s); d != nil {
		return *d
	}
	return b.Governor.Admit(ctx, s)
}

// receiptFacts are what a receipt says of this program and host.
func receiptFacts() receipt.Facts {
	b := built()
	return receipt.Facts{Glovebox: b.Version, Commit: b.Commit, Kernel: kernelRelease()}
}
