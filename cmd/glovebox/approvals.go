package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/audit"
	"github.com/gloveboxhq/glovebox/govern"
	"github.com/gloveboxhq/glovebox/policy/approval"
)

// approvalFlags say where the requests are that wait for a person.
type approvalFlags struct {
	Approvals string `env:"GLOVEBOX_APPROVALS" help:"The folder of the requests for approval (default: approvals in the folder glovebox of your settings)." placeholder:"DIR" type:"path"`
	keyFlags
}

// approvals opens the requests. Those that are new are recorded in the audit log in the
// folder log, if there is one.
func (f approvalFlags) approvals(j *govern.Journal, log string) (*approval.Store, error) {
	dir, err := stateFolder(f.Approvals, "approvals")
	if err != nil {
		return nil, err
	}
	ring, err := f.open()
	if err != nil {
		return nil, err
	}
	folder, err := stateFolder(f.Keys, "keys")
	if err != nil {
		return nil, err
	}
	return approval.Open(dir, approval.Options{
		Signer: ring, Trusted: ring.All(), Anchor: filepath.Join(folder, "anchors"), Record: j.Record, Log: log,
	})
}

// journal records the changes of requests.
func (f approvalFlags) journal(witness string) *govern.Journal {
	return &govern.Journal{Open: func(dir string) (*audit.Log, error) {
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
		ring, err := f.open()
		if err != nil {
			return nil, err
		}
		return openAudit(dir, ring, witness)
	}}
}

// with calls do with the requests.
func (f approvalFlags) with(s *streams, do func(context.Context, *approval.Store) error) error {
	defer s.interruptible()()
	j := f.journal("")
	store, err := f.approvals(j, "")
	if err == nil {
		err = do(s.ctx, store)
	}
	if err != nil {
		err = usageError{err}
	}
	return errors.Join(err, j.Close())
}

type approvalsCmd struct {
	List   approvalsListCmd   `cmd:"" default:"withargs" help:"List the requests: those that wait, those that are granted and, with --all, those that are closed."`
	Show   approvalsShowCmd   `cmd:"" help:"Print exactly what a request would run."`
	Cancel approvalsCancelCmd `cmd:"" help:"Take back a request, or a grant that is not used up."`
}

// Help is shown by glovebox approvals --help.
func (approvalsCmd) Help() string {
	return `A policy can want a person's approval of a job ("ask"). The run then ends as approval_required, and the
request waits here. With a grant, the same job runs; see docs/approvals.md.

Examples:
  glovebox approvals
  glovebox approvals show ask_0c42a1d0b7e5
  glovebox approve ask_0c42a1d0b7e5
  glovebox approvals cancel ask_0c42a1d0b7e5`
}

type approvalsListCmd struct {
	approvalFlags
	All  bool `short:"a" help:"List the closed requests, too."`
	JSON bool `name:"json" help:"Print JSON."`
}

// Run runs the command.
func (c *approvalsListCmd) Run(s *streams) error {
	return c.with(s, func(ctx context.Context, store *approval.Store) error {
		listed, err := store.List(ctx)
		if err != nil {
			return err
		}
		requests := []approval.Request{}
		for _, r := range listed {
			if c.All || r.State == approval.StateOpen || r.State == approval.StateGranted {
				requests = append(requests, r)
			}
		}
		if c.JSON {
			return printJSON(s.stdout, requests)
		}
		if len(requests) == 0 {
			_, err := fmt.Fprintln(s.stderr, "No request waits.")
			return err
		}
		for _, r := range requests {
			if _, err := fmt.Fprintln(s.stdout, shown(requestLine(r))); err != nil {
				return err
			}
		}
		return nil
	})
}

// requestLine is a request for people.
func requestLine(r approval.Request) string {
	line := fmt.Sprintf("%s  %-9s  asked %s  job %.12s", r.ID, r.State, clock(r.Requested), r.Job)
	if r.Tenant != "" {
		line += "  tenant " + r.Tenant
	}
	line += "  rules " + strings.Join(r.Rules, ", ")
	switch r.State {
	case approval.StateOpen:
		line += "  lapses " + clock(r.Expires)
	case approval.StateGranted:
		line += "  granted by " + r.Approver + " until " + clock(r.Until)
	default:
		line += "  since " + clock(r.Answered)
		if r.Approver != "" {
			line += "  by " + r.Approver
		}
	}
	if r.Reason != "" {
		line += ": " + r.Reason
	}
	return line
}

// clock is a time for people, in their zone.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

type requestArg struct {
	ID string `arg:"" help:"The request's ID, as the run and glovebox approvals print it."`
	approvalFlags
}

type approvalsShowCmd struct {
	requestArg
	JSON bool `name:"json" help:"Print the request as JSON, without the text of the job."`
}

// Help is shown by glovebox approvals show --help.
func (approvalsShowCmd) Help() string {
	return `Every byte of the job is in the text: each line has its number, and goes on below at a plus sign where
it is long. What cannot be seen, or looks like something else, is spelled out: <TAB>, <U+202E>.`
}

// Run runs the command.
func (c *approvalsShowCmd) Run(s *streams) error {
	return c.with(s, func(ctx context.Context, store *approval.Store) error {
		r, err := store.Get(ctx, c.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(s.stdout, r)
		}
		text, err := store.Display(ctx, c.ID)
		if err == nil {
			_, err = io.WriteString(s.stdout, text)
		}
		return err
	})
}

type approvalsCancelCmd struct {
	IDs []string `arg:"" name:"id" help:"The requests' IDs, as the runs and glovebox approvals print them."`
	approvalFlags
	Reason string `help:"Why, for the record." placeholder:"TEXT"`
}

// Run runs the command.
func (c *approvalsCancelCmd) Run(s *streams) error {
	return c.with(s, func(ctx context.Context, store *approval.Store) error {
		var errs []error
		for _, id := range c.IDs {
			r, err := store.Cancel(ctx, id, c.Reason, "")
			if err == nil {
				_, err = fmt.Fprintln(s.stdout, shown(requestLine(r)))
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
}

type approveCmd struct {
	requestArg
	Once   bool          `xor:"once" help:"Allow one run within an hour. This is the default."`
	For    time.Duration `xor:"once" help:"Allow any number of runs of this job for so long, such as 1h." placeholder:"DURATION"`
	Rule   bool          `help:"Allow any job of the same tenant and image for which only these rules ask, not this job alone."`
	Reason string        `help:"Why, for the record." placeholder:"TEXT"`
	Yes    bool          `short:"y" help:"Do not show the job first and ask, as is done on a terminal."`
}

// Help is shown by glovebox approve --help.
func (approveCmd) Help() string {
	return `Look at the job before you approve it: glovebox approvals show ID. On a terminal the job is shown first,
and you are asked. A grant is for the bytes that were shown, under the policy that asked: a changed byte,
another policy or a used grant asks anew.

Examples:
  glovebox approve ask_0c42a1d0b7e5
  glovebox approve ask_0c42a1d0b7e5 --for 1h --reason 'nightly report'
  glovebox approve ask_0c42a1d0b7e5 --for 8h --rule

Exit status: 0 granted, 2 not granted: it is answered already, has lapsed, or the policy does not let
you.`
}

// Run runs the command.
func (c *approveCmd) Run(s *streams) error {
	o := approval.GrantOptions{For: c.For, Many: c.For != 0, Reason: c.Reason}
	if c.Rule {
		o.Scope = approval.ScopeRule
	}
	return c.with(s, func(ctx context.Context, store *approval.Store) error {
		if err := c.confirm(ctx, s, store); err != nil {
			return err
		}
		r, err := store.Grant(ctx, c.ID, o)
		if err == nil {
			_, err = fmt.Fprintln(s.stdout, shown(requestLine(r)))
		}
		return err
	})
}

// confirm shows the job to a person on a terminal and asks.
func (c *approveCmd) confirm(ctx context.Context, s *streams, store *approval.Store) error {
	in, ok := s.stdin.(*os.File)
	if c.Yes || !ok || !isTerminal(in) {
		return nil
	}
	text, err := store.Display(ctx, c.ID)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.stdout, "%s\nApprove this? Type yes: ", text); err != nil {
		return err
	}
	answers := make(chan string, 1)
	go func() { // reading a terminal cannot be cancelled; the process ends then
		line, _ := bufio.NewReader(in).ReadString('\n')
		answers <- strings.TrimSpace(line)
	}()
	select {
	case answer := <-answers:
		if !strings.EqualFold(answer, "yes") && !strings.EqualFold(answer, "y") {
			return errors.New("not approved; the request still waits")
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type denyCmd struct {
	requestArg
	Reason string `help:"Why: goes back to the model, and into the record." placeholder:"TEXT"`
}

// Help is shown by glovebox deny --help.
func (denyCmd) Help() string {
	return `The same job is not asked about again: each run of it ends as denied, with the reason.

Examples:
  glovebox deny ask_0c42a1d0b7e5 --reason 'use the test database'`
}

// Run runs the command.
func (c *denyCmd) Run(s *streams) error {
	return c.with(s, func(ctx context.Context, store *approval.Store) error {
		r, err := store.Deny(ctx, c.ID, c.Reason, "")
		if err == nil {
			_, err = fmt.Fprintln(s.stdout, shown(requestLine(r)))
		}
		return err
	})
}
