package govern_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/audit"
	"github.com/gloveboxhq/glovebox/audit/receipt"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/govern"
	"github.com/gloveboxhq/glovebox/internal/keys"
	"github.com/gloveboxhq/glovebox/policy"
)

// store has a policy of one file.
func store(t *testing.T, text string) *policy.Store {
	t.Helper()
	name := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(name, []byte("version: 1\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := policy.OpenStore(policy.File{Path: name, Layer: policy.LayerOperator})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ring(t *testing.T) *keys.Ring {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "keys")
	r, err := keys.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// log is an audit log, and its folder.
func log(t *testing.T, signer keys.Signer) (*audit.Log, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "log")
	l, err := audit.Open(dir, audit.Options{Origin: "glovebox.test/log", Signer: signer})
	if err != nil {
		t.Fatal(err)
	}
	return l, dir
}

// submission is a Job of Python.
func submission() *engine.Submission {
	p := &glovebox.Program{Language: "python", Main: "main.py", Files: []glovebox.File{{Path: "main.py", Data: []byte("print(1)")}}}
	job := &glovebox.Job{Program: p, Tier: glovebox.TierAuto}
	return &engine.Submission{Job: job, Program: p, Digest: job.Digest()}
}

// answers is a person that says the same to each question.
type answers struct {
	answer govern.Answer
	err    error
	asked  int
}

func (a *answers) Ask(context.Context, *engine.Submission, policy.Decision) (govern.Answer, error) {
	a.asked++
	return a.answer, a.err
}

func (a *answers) Close() error { return nil }

func TestAdmit(t *testing.T) {
	no := "not today"
	for _, tt := range []struct {
		name    string
		policy  string // none where empty
		config  func(*govern.Config)
		want    glovebox.Status
		message string
		rules   string
	}{
		{"no policy", "", nil, "", "", ""},
		{"a policy that allows", "languages: [python]\n", nil, "", "", ""},
		{"one rule refuses", "languages: [bash]\n", nil, glovebox.StatusDenied, "The policy refused the run: ", "languages"},
		{"two rules refuse", "languages: [bash]\nimages: {required: true}\n", nil, glovebox.StatusDenied, "for 2 reasons", "images.required languages"},
		{"an audit log that is missing", "audit: required\n", nil, glovebox.StatusDenied, "--audit DIR", "audit"},
		{"a receipt that is missing", "receipts: required\n", nil, glovebox.StatusDenied, "--receipt FILE", "receipts"},
		{"an inspection that is missing", "findings: [{severity: high, action: deny}]\n", nil, glovebox.StatusDenied, "no inspection", "findings"},
		{"a finding that is refused", "findings: [{severity: high, action: deny}]\n", func(c *govern.Config) {
			c.Inspect = func(context.Context, *glovebox.Program) []glovebox.Finding {
				return []glovebox.Finding{{Rule: "network", Severity: glovebox.SeverityHigh}}
			}
		}, glovebox.StatusDenied, "", "findings[0]"},
		{"nobody to ask", asks, nil, glovebox.StatusDenied, "nobody to ask", "careful"},
		{"a question that waits", asks, func(c *govern.Config) {
			c.Approvals = &answers{answer: govern.Answer{Pending: &glovebox.ApprovalRequest{ID: "ask_1"}}}
		}, glovebox.StatusApprovalRequired, "glovebox approve ask_1", "careful"},
		{"a yes", asks, func(c *govern.Config) { c.Approvals = &answers{answer: govern.Answer{Grant: "grant_1"}} }, "", "", ""},
		{"a no", asks, func(c *govern.Config) { c.Approvals = &answers{answer: govern.Answer{Denied: &no}} }, glovebox.StatusDenied, "A person refused this job: not today.", "careful"},
		{"an answer that cannot be read", asks, func(c *govern.Config) { c.Approvals = &answers{err: errors.New("no disk")} }, glovebox.StatusDenied, "no disk", "careful"},
		{"no answer at all", asks, func(c *govern.Config) { c.Approvals = &answers{} }, glovebox.StatusDenied, "", "careful"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := govern.Config{}
			if tt.policy != "" {
				c.Policy = store(t, tt.policy)
			}
			if tt.config != nil {
				tt.config(&c)
			}
			g := govern.New(c)
			defer g.Close()
			d := g.Admit(t.Context(), submission())
			var rules []string
			for _, denial := range d.Denials {
				rules = append(rules, denial.Rule)
			}
			if d.Status != tt.want || !strings.Contains(d.Message, tt.message) || len(strings.Fields(tt.rules)) != len(rules) {
				t.Errorf("got %q %q %v", d.Status, d.Message, rules)
			}
			for _, r := range strings.Fields(tt.rules) {
				if !strings.Contains(strings.Join(rules, " "), r) {
					t.Errorf("the rules are %v, want %s", rules, r)
				}
			}
			if (d.Policy != nil) != (tt.policy != "") {
				t.Errorf("the policy is %v", d.Policy)
			}
		})
	}
}

// TestRefusedIsNotAsked: who asks for what no person may allow is not asked about.
func TestRefusedIsNotAsked(t *testing.T) {
	a := &answers{answer: govern.Answer{Grant: "grant_1"}}
	g := govern.New(govern.Config{Approvals: a, Policy: store(t, "languages: [bash]\nconditions: [{name: careful, ask: 'job.language == \"python\"'}]\n")})
	if d := g.Admit(t.Context(), submission()); d.Status != glovebox.StatusDenied || a.asked != 0 {
		t.Errorf("got %s, asked %d times", d.Status, a.asked)
	}
}

// TestRecord: what ran is in the log and has a receipt, and both can be verified with
// the public key alone.
func TestRecord(t *testing.T) {
	r := ring(t)
	l, dir := log(t, r)
	var envelope []byte
	g := govern.New(govern.Config{
		Policy: store(t, "limits: {default: {wall: 3s}}\naudit: required\nreceipts: required\n"), Audit: l, Actor: "tester",
		Receipts: &govern.Receipts{Signer: r, Keep: func(_ string, e []byte) error { envelope = e; return nil }},
	})
	s := submission()
	s.Decision = g.Admit(t.Context(), s)
	if s.Decision.Status != "" {
		t.Fatalf("got %s: %s", s.Decision.Status, s.Decision.Message)
	}
	o := &glovebox.Observation{ID: "run_1", Status: glovebox.StatusPass, Phase: glovebox.PhaseExecute, Tier: glovebox.TierProcess, Stdout: "the output", Policy: s.Decision.Policy}
	if err := g.Record(t.Context(), s, o); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(envelope)
	if o.Receipt != hex.EncodeToString(sum[:]) || o.Audit == nil || o.Audit.Checkpoint == "" {
		t.Errorf("receipt %q, audit %+v", o.Receipt, o.Audit)
	}
	if _, err := receipt.Verify(envelope, r.All()); err != nil {
		t.Error(err)
	}
	report, err := audit.Verify(dir, audit.VerifyOptions{Keys: r.All(), Remembered: []string{o.Audit.Checkpoint}})
	if err != nil || report.Entries != 3 { // the key, the decision, the execution
		t.Errorf("%d entries, %v", report.Entries, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "log.jsonl"))
	if err != nil || strings.Contains(string(text), "the output") || !strings.Contains(string(text), s.Digest) || strings.Count(string(text), `"wall":3000000000`) != 2 {
		t.Errorf("%v: %s", err, text)
	}
}

// TestUnwritten: where the log cannot be written, a Job that must be recorded does not
// begin, and what ran has no result.
func TestUnwritten(t *testing.T) {
	l, _ := log(t, ring(t))
	g := govern.New(govern.Config{Policy: store(t, "audit: required\n"), Audit: l})
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	s := submission()
	if d := g.Admit(t.Context(), s); d.Status != glovebox.StatusSandboxError || !strings.Contains(d.Message, "cannot be written") {
		t.Errorf("got %s: %s", d.Status, d.Message)
	}
	if err := g.Record(t.Context(), s, &glovebox.Observation{Status: glovebox.StatusPass, Tier: glovebox.TierProcess}); err == nil {
		t.Error("a result was given out")
	}
}
