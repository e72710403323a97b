package govern_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/audit"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/govern"
	"github.com/gloveboxhq/glovebox/internal/keys"
	"github.com/gloveboxhq/glovebox/policy/approval"
)

const asks = "conditions: [{name: careful, ask: 'job.language == \"python\"'}]\n"

// requests is a store of requests whose changes are in a log, in the folders of a test.
func requests(t *testing.T, r *keys.Ring) (*approval.Store, *govern.Requests, string) {
	t.Helper()
	dir := t.TempDir()
	l, logDir := log(t, r)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	j := &govern.Journal{Open: func(dir string) (*audit.Log, error) {
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
		return audit.Open(dir, audit.Options{Origin: "glovebox.test/log", Signer: r})
	}}
	open := func() (*approval.Store, error) {
		return approval.Open(filepath.Join(dir, "requests"), approval.Options{
			Signer: r, Anchor: filepath.Join(dir, "anchors"), Record: j.Record, Log: logDir,
		})
	}
	store, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return store, &govern.Requests{Open: open, Journal: j}, logDir
}

// kinds are the kinds of the approval entries of a log.
func kinds(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	for r, err := range audit.Search(dir, audit.Filter{Kind: audit.KindApproval}) {
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(r.Data), `"kind":"`)
		kind, _, _ := strings.Cut(rest, `"`)
		list = append(list, kind)
	}
	return strings.Join(list, " ")
}

// TestRequests: a Job that the policy asks about runs once a person says yes, once, and
// only that Job under that policy; each question and answer is in the log.
func TestRequests(t *testing.T) {
	r := ring(t)
	people, ask, dir := requests(t, r)
	g := govern.New(govern.Config{Policy: store(t, asks), Approvals: ask})
	other := govern.New(govern.Config{Policy: store(t, "name: other\n"+asks), Approvals: ask})
	defer g.Close()
	admit := func(g *govern.Governor, s *engine.Submission, want glovebox.Status) engine.Decision {
		t.Helper()
		d := g.Admit(t.Context(), s)
		if d.Status != want {
			t.Fatalf("got %q: %s", d.Status, d.Message)
		}
		return d
	}
	first := admit(g, submission(), glovebox.StatusApprovalRequired)
	if again := admit(g, submission(), glovebox.StatusApprovalRequired); again.Approval.ID != first.Approval.ID {
		t.Errorf("the same job has two requests: %s and %s", first.Approval.ID, again.Approval.ID)
	}
	if _, err := people.Grant(t.Context(), first.Approval.ID, approval.GrantOptions{}); err != nil {
		t.Fatal(err)
	}
	changed := submission()
	changed.Program.Files[0].Data = []byte("print(2)")
	changed.Digest = changed.Job.Digest()
	second := admit(g, changed, glovebox.StatusApprovalRequired)
	admit(other, submission(), glovebox.StatusApprovalRequired)
	if d := admit(g, submission(), ""); d.Grant == "" || len(d.Denials) != 0 {
		t.Errorf("granted: %+v", d)
	}
	if again := admit(g, submission(), glovebox.StatusApprovalRequired); again.Approval.ID == first.Approval.ID {
		t.Error("the used request is open again")
	}
	if _, err := people.Deny(t.Context(), second.Approval.ID, "not this", "alice"); err != nil {
		t.Fatal(err)
	}
	if d := admit(g, changed, glovebox.StatusDenied); d.Message != "A person refused this job: not this." {
		t.Errorf("the model is told %q", d.Message)
	}
	if got, want := kinds(t, dir), "asked granted asked asked used asked denied"; got != want {
		t.Errorf("the log has %q, want %q", got, want)
	}
}

// TestOneGrantManyRuns: of many runs at once one uses the grant.
func TestOneGrantManyRuns(t *testing.T) {
	people, ask, _ := requests(t, ring(t))
	g := govern.New(govern.Config{Policy: store(t, asks), Approvals: ask})
	defer g.Close()
	id := g.Admit(t.Context(), submission()).Approval.ID
	if _, err := people.Grant(t.Context(), id, approval.GrantOptions{}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	decisions := make([]engine.Decision, 8)
	for i := range decisions {
		wg.Go(func() { decisions[i] = g.Admit(t.Context(), submission()) })
	}
	wg.Wait()
	ran := 0
	for _, d := range decisions {
		switch d.Status {
		case "":
			ran++
		case glovebox.StatusApprovalRequired:
		default:
			t.Errorf("%s: %s", d.Status, d.Message)
		}
	}
	if ran != 1 {
		t.Errorf("%d of %d runs used one grant", ran, len(decisions))
	}
}

// TestWaiting: a Job that waits goes on with the answer, and ends with its context.
func TestWaiting(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(context.Context, *approval.Store, string) error
		want   glovebox.Status
	}{
		{"yes", func(ctx context.Context, s *approval.Store, id string) error {
			_, err := s.Grant(ctx, id, approval.GrantOptions{})
			return err
		}, ""},
		{"no", func(ctx context.Context, s *approval.Store, id string) error {
			_, err := s.Deny(ctx, id, "", "")
			return err
		}, glovebox.StatusDenied},
		{"taken back", func(ctx context.Context, s *approval.Store, id string) error {
			_, err := s.Cancel(ctx, id, "", "")
			return err
		}, glovebox.StatusDenied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			people, ask, _ := requests(t, ring(t))
			failed := make(chan error, 1)
			ask.Waiting = func(r approval.Request) { failed <- tt.answer(t.Context(), people, r.ID) }
			g := govern.New(govern.Config{Policy: store(t, asks), Approvals: ask})
			defer g.Close()
			if d := g.Admit(t.Context(), submission()); d.Status != tt.want {
				t.Errorf("got %q: %s", d.Status, d.Message)
			}
			if err := <-failed; err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("nobody answers", func(t *testing.T) {
		_, ask, _ := requests(t, ring(t))
		ctx, stop := context.WithCancel(t.Context())
		ask.Waiting = func(approval.Request) { stop() }
		g := govern.New(govern.Config{Policy: store(t, asks), Approvals: ask})
		defer g.Close()
		if d := g.Admit(ctx, submission()); d.Status == "" {
			t.Error("a job runs that nobody approved")
		}
	})
}

// TestLogGone: without the log that has the request, nobody is given a right, and a
// person can still say no.
func TestLogGone(t *testing.T) {
	people, ask, dir := requests(t, ring(t))
	g := govern.New(govern.Config{Policy: store(t, asks), Approvals: ask})
	id := g.Admit(t.Context(), submission()).Approval.ID
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := people.Grant(t.Context(), id, approval.GrantOptions{}); err == nil || !strings.Contains(fmt.Sprint(err), "is gone") {
		t.Errorf("granted without a log: %v", err)
	}
	if _, err := people.Deny(t.Context(), id, "", ""); err != nil {
		t.Error(err)
	}
}
