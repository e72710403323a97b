package approval

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/keys"
)

// key is a Signer whose key follows from a name.
type key struct{ private ed25519.PrivateKey }

func keyOf(name string) key {
	return key{ed25519.NewKeyFromSeed([]byte((name + strings.Repeat("-", ed25519.SeedSize))[:ed25519.SeedSize]))}
}

func (k key) Public() keys.Public {
	return keys.Public{Key: k.private.Public().(ed25519.PublicKey), Since: start}
}

func (k key) Sign(_ context.Context, message []byte) ([]byte, error) {
	return ed25519.Sign(k.private, message), nil
}

var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// world is a store with its folders, its clock and its record.
type world struct {
	*Store
	t           testing.TB
	dir, anchor string
	options     Options

	mu     sync.Mutex
	now    time.Time
	events []Event
	fail   func(Event) error
}

func newWorld(t testing.TB) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{t: t, dir: filepath.Join(base, "approvals"), anchor: filepath.Join(base, "keys"), now: start}
	w.options = Options{Signer: keyOf("a"), Anchor: w.anchor, Clock: w.clock, Record: w.record}
	w.Store = w.open(w.dir)
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) record(_ context.Context, e Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		if err := w.fail(e); err != nil {
			return err
		}
	}
	w.events = append(w.events, e)
	return nil
}

// kinds lists what was recorded since the last call.
func (w *world) kinds() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var kinds []string
	for _, e := range w.events {
		kinds = append(kinds, string(e.Kind))
	}
	w.events = nil
	return strings.Join(kinds, " ")
}

// open opens a folder as another process would.
func (w *world) open(dir string) *Store {
	w.t.Helper()
	s, err := Open(dir, w.options)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// question asks about a program of one line.
func question(code string) Question {
	p := &glovebox.Program{Language: "python", Main: "main.py", Files: []glovebox.File{{Path: "main.py", Data: []byte(code)}}}
	return Question{
		Job: &glovebox.Job{Program: p, Tenant: "acme", Image: "python:3.12"}, Program: p, Policy: "policy-1",
		Asked: []glovebox.Denial{{Rule: "careful", Where: "policy.yaml:3:5", Asked: "job that meets careful", Message: "A person must look.", Ask: true}},
	}
}

func (w *world) ask(q Question, want State) Request {
	w.t.Helper()
	r, err := w.Ask(w.t.Context(), q)
	if err != nil || r.State != want {
		w.t.Fatalf("asked: %+v, %v; want %s", r, err, want)
	}
	return r
}

func (w *world) grant(id string, o GrantOptions) Request {
	w.t.Helper()
	r, err := w.Grant(w.t.Context(), id, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) deny(id, reason string) {
	w.t.Helper()
	if _, err := w.Deny(w.t.Context(), id, reason, "bob"); err != nil {
		w.t.Fatal(err)
	}
}

// runs fails unless a Job may run, or may not because of an error.
func (w *world) runs(s *Store, q Question, want error) Grant {
	w.t.Helper()
	g, err := s.Use(w.t.Context(), q)
	if !errors.Is(err, want) || want == nil && g.ID == "" || want != nil && g.ID != "" {
		w.t.Fatalf("use: %+v, %v; want %v", g, err, want)
	}
	return g
}

func (w *world) state(id string, want State) Request {
	w.t.Helper()
	r, err := w.Get(w.t.Context(), id)
	if err != nil || r.State != want {
		w.t.Fatalf("request %s is %s, %v; want %s", id, r.State, err, want)
	}
	return r
}

func TestYes(t *testing.T) {
	w, q := newWorld(t), question("print(1)")
	w.runs(w.Store, q, ErrNoGrant)
	r := w.ask(q, StateOpen)
	if r.Job != q.Job.Digest() || r.Policy != q.Policy || len(r.Asked) != 1 || !r.Expires.Equal(start.Add(defaultTTL)) || r.Tenant != "acme" || !slices.Equal(r.Rules, []string{"careful"}) {
		t.Errorf("%+v", r)
	}
	if again := w.ask(q, StateOpen); again.ID != r.ID {
		t.Error("asked twice, there are two requests")
	}
	w.runs(w.Store, q, ErrNoGrant)
	g := w.grant(r.ID, GrantOptions{Approver: "alice", Reason: "fine"})
	if g.State != StateGranted || g.Approver != "alice" || !g.Until.Equal(start.Add(defaultLife)) || !g.Single {
		t.Errorf("%+v", g)
	}
	if again := w.ask(q, StateGranted); again.ID != r.ID {
		t.Error("a granted job is asked about again")
	}
	grant := w.runs(w.open(w.dir), q, nil)
	if grant.Request != r.ID || grant.ID != g.Grant || grant.Job != r.Job || grant.Uses != 1 || len(grant.Rules) != 1 || grant.Rules[0].Target == "" || grant.Approver != "alice" {
		t.Errorf("%+v", grant)
	}
	w.runs(w.Store, q, ErrNoGrant)
	w.state(r.ID, StateUsed)
	if again := w.ask(q, StateOpen); again.ID == r.ID {
		t.Error("a used request is open again")
	}
	if got := w.kinds(); got != "asked granted used asked" {
		t.Errorf("recorded: %s", got)
	}
}

func TestNo(t *testing.T) {
	w, q := newWorld(t), question("print(1)")
	r := w.ask(q, StateOpen)
	w.deny(r.ID, "no network")
	for _, policy := range []string{q.Policy, "policy-2"} {
		q.Policy = policy
		if r := w.ask(q, StateDenied); r.Reason != "no network" || r.Approver != "bob" {
			t.Errorf("%+v", r)
		}
		w.runs(w.Store, q, ErrDenied)
	}
	w.pass(365 * 24 * time.Hour)
	w.ask(q, StateDenied)
	w.ask(question("print(2)"), StateOpen)
}

// TestNoWins: of two requests about one Job, one denied, the other cannot be granted, and
// a grant from before is worth nothing.
func TestNoWins(t *testing.T) {
	w := newWorld(t)
	one, two, three := question("x"), question("x"), question("x")
	two.Policy, three.Policy = "policy-2", "policy-3"
	first, second, third := w.ask(one, StateOpen), w.ask(two, StateOpen), w.ask(three, StateOpen)
	w.grant(third.ID, GrantOptions{})
	w.deny(first.ID, "")
	var answered *AnsweredError
	if _, err := w.Grant(t.Context(), second.ID, GrantOptions{}); !errors.As(err, &answered) || answered.Request.ID != first.ID {
		t.Error(err)
	}
	w.runs(w.Store, three, ErrDenied)
}

// TestGrantFits: a grant lets exactly what was asked about run.
func TestGrantFits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Question)
		job    bool // the grant for the Job fits
		rule   bool // the grant for the rule fits
	}{
		{"the same", func(*Question) {}, true, true},
		{"a byte of the program", func(q *Question) { q.Program.Files[0].Data[0]++ }, false, true},
		{"a byte that only the extraction changed", func(q *Question) {
			p := *q.Program
			p.Files = []glovebox.File{{Path: "main.py", Data: []byte("print(3)")}}
			q.Program = &p
		}, false, true},
		{"an argument", func(q *Question) { q.Job.Args = []string{"-v"} }, false, true},
		{"the environment", func(q *Question) { q.Job.Env = map[string]string{"A": "b"} }, false, true},
		{"a name of a secret", func(q *Question) { q.Job.Secrets = map[string]string{"A": "b"} }, false, true},
		{"a limit", func(q *Question) { q.Job.Limits.Wall++ }, false, true},
		{"the path of a file", func(q *Question) { q.Program.Files[0].Path = "x.py" }, false, true},
		{"a command", func(q *Question) { q.Job.Command = []string{"ls"} }, false, true},
		{"the tenant", func(q *Question) { q.Job.Tenant = "evil" }, false, false},
		{"the image", func(q *Question) { q.Job.Image = "python:3.13" }, false, false},
		{"the policy", func(q *Question) { q.Policy = "policy-2" }, false, false},
		{"the rule's place", func(q *Question) { q.Asked[0].Where = "policy.yaml:4:5" }, false, false},
		{"the rule's name", func(q *Question) { q.Asked[0].Rule = "other" }, false, false},
		{"the rule's words", func(q *Question) { q.Asked[0].Message = "Other." }, false, true},
		{"the rule's target", func(q *Question) { q.Asked[0].Asked = "finding b" }, false, true},
		{"one rule more", func(q *Question) {
			q.Asked = append(q.Asked, glovebox.Denial{Rule: "more", Where: "policy.yaml:9:1", Ask: true})
		}, false, false},
		{"the same rule twice", func(q *Question) { q.Asked = append(q.Asked, q.Asked[0]) }, true, true},
		{"a key of idempotency", func(q *Question) { q.Job.Key = "again" }, true, true},
	} {
		for _, scope := range []Scope{ScopeJob, ScopeRule} {
			t.Run(tt.name+"/"+string(scope), func(t *testing.T) {
				w := newWorld(t)
				w.grant(w.ask(question("print(1)"), StateOpen).ID, GrantOptions{Scope: scope})
				q := question("print(1)")
				tt.change(&q)
				want, state := ErrNoGrant, StateOpen
				if fits := map[Scope]bool{ScopeJob: tt.job, ScopeRule: tt.rule}; fits[scope] {
					want, state = nil, StateGranted
				}
				w.ask(q, state)
				w.runs(w.Store, q, want)
			})
		}
	}
}

func TestGrantOptions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy func(*Question)
		o      GrantOptions
		want   error // nil: granted
		life   time.Duration
		runs   int // of three tries
	}{
		{"nothing said", nil, GrantOptions{}, nil, time.Hour, 1},
		{"many", nil, GrantOptions{Many: true, For: 2 * time.Hour}, nil, 2 * time.Hour, 3},
		{"once for long", nil, GrantOptions{For: 48 * time.Hour}, nil, 48 * time.Hour, 1},
		{"shorter policy", func(q *Question) { q.GrantLife = time.Minute }, GrantOptions{}, nil, time.Minute, 1},
		{"longer than the policy", func(q *Question) { q.GrantLife = time.Minute }, GrantOptions{For: time.Hour}, ErrRefused, 0, 0},
		{"many where the policy says once", func(q *Question) { q.Once = true }, GrantOptions{Many: true}, ErrRefused, 0, 0},
		{"an approver", func(q *Question) { q.Approvers = []string{"bob", "al*e"} }, GrantOptions{Approver: "alice"}, nil, time.Hour, 1},
		{"no approver", func(q *Question) { q.Approvers = []string{"bob", "al*e"} }, GrantOptions{Approver: "alicex"}, ErrRefused, 0, 0},
		{"nobody may", func(q *Question) { q.Approvers = []string{} }, GrantOptions{Approver: "alice"}, ErrRefused, 0, 0},
		{"a rule without a line", func(q *Question) { q.Asked[0].Where = "" }, GrantOptions{Scope: ScopeRule}, ErrRefused, 0, 0},
		{"a rule that stands for more", func(q *Question) { q.Asked[0].Asked = "more" }, GrantOptions{Scope: ScopeRule}, ErrRefused, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, q := newWorld(t), question("x")
			if tt.policy != nil {
				tt.policy(&q)
			}
			id := w.ask(q, StateOpen).ID
			r, err := w.Grant(t.Context(), id, tt.o)
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Fatalf("%v, want %v", err, tt.want)
			}
			if tt.want != nil {
				w.state(id, StateOpen)
			} else if got := r.Until.Sub(start); got != tt.life {
				t.Errorf("lives for %v, want %v", got, tt.life)
			}
			runs := 0
			for range 3 {
				if _, err := w.Use(t.Context(), q); err == nil {
					runs++
				}
			}
			if runs != tt.runs {
				t.Errorf("%d runs, want %d", runs, tt.runs)
			}
		})
	}
	w := newWorld(t)
	id := w.ask(question("x"), StateOpen).ID
	for _, o := range []GrantOptions{{For: -1}, {For: maxLife + 1}, {Scope: "all"}, {Approver: "a\x1b[2J"}, {Approver: "a\u202eb"}, {Reason: "a\nb"}, {Reason: strings.Repeat("x", maxText+1)}, {Reason: "\xff"}} {
		if _, err := w.Grant(t.Context(), id, o); err == nil {
			t.Errorf("granted %+v", o)
		}
	}
	w.state(id, StateOpen)
}

// TestManyFirst: a grant for one run is not used where another one will do.
func TestManyFirst(t *testing.T) {
	w := newWorld(t)
	one, all := question("x"), question("y")
	oneID, allID := w.ask(one, StateOpen).ID, w.ask(all, StateOpen).ID
	w.grant(oneID, GrantOptions{})
	w.grant(allID, GrantOptions{Many: true, Scope: ScopeRule, For: time.Hour})
	if g := w.runs(w.Store, one, nil); g.Request != allID {
		t.Error("the grant for one run was used")
	}
	if r := w.state(allID, StateGranted); r.Runs != 1 {
		t.Errorf("%d runs are counted", r.Runs)
	}
}

func TestTime(t *testing.T) {
	w, q := newWorld(t), question("x")
	q.TTL = time.Hour
	lapses := w.ask(q, StateOpen)
	w.pass(time.Hour - time.Millisecond)
	w.state(lapses.ID, StateOpen)
	w.pass(time.Millisecond)
	var answered *AnsweredError
	if _, err := w.Grant(t.Context(), lapses.ID, GrantOptions{}); !errors.As(err, &answered) || answered.Request.State != StateLapsed {
		t.Errorf("%v", err)
	}
	if _, err := w.Deny(t.Context(), lapses.ID, "", ""); !errors.As(err, &answered) {
		t.Errorf("%v", err)
	}
	again := w.ask(q, StateOpen)
	if again.ID == lapses.ID {
		t.Error("a lapsed request is open again")
	}
	w.grant(again.ID, GrantOptions{Many: true, For: time.Minute})
	w.pass(time.Minute - time.Millisecond)
	w.runs(w.Store, q, nil)
	w.pass(time.Millisecond)
	w.runs(w.Store, q, ErrNoGrant)
	w.state(again.ID, StateExpired)
	if got := w.kinds(); got != "asked lapsed asked granted used expired" {
		t.Errorf("recorded: %s", got)
	}
}

func TestCancel(t *testing.T) {
	w, q := newWorld(t), question("x")
	open := w.ask(q, StateOpen)
	if r, err := w.Cancel(t.Context(), open.ID, "not needed", "carol"); err != nil || r.State != StateCancelled || r.Approver != "carol" {
		t.Errorf("%+v, %v", r, err)
	}
	var answered *AnsweredError
	if _, err := w.Grant(t.Context(), open.ID, GrantOptions{}); !errors.As(err, &answered) {
		t.Error(err)
	}
	granted := w.ask(q, StateOpen)
	w.grant(granted.ID, GrantOptions{})
	if _, err := w.Cancel(t.Context(), granted.ID, "", ""); err != nil {
		t.Error(err)
	}
	w.runs(w.Store, q, ErrNoGrant)
	denied := w.ask(q, StateOpen)
	w.deny(denied.ID, "")
	if _, err := w.Cancel(t.Context(), denied.ID, "", ""); !errors.As(err, &answered) {
		t.Errorf("a denial was taken back: %v", err)
	}
	if _, err := w.Cancel(t.Context(), "ask_000000000000", "", ""); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// TestRace: of many people who answer at once, through stores of their own, one wins,
// and the others learn the answer of that one.
func TestRace(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		q := question(fmt.Sprint(len(w.events)))
		id := w.ask(q, StateOpen).ID
		var wait sync.WaitGroup
		results := make([]error, 8)
		for i := range results {
			s := w.open(w.dir)
			wait.Go(func() {
				if name := fmt.Sprint("person", i); i%2 == 0 {
					_, results[i] = s.Grant(t.Context(), id, GrantOptions{Approver: name})
				} else {
					_, results[i] = s.Deny(t.Context(), id, "", name)
				}
			})
		}
		wait.Wait()
		r, _ := w.Get(t.Context(), id)
		winners := 0
		for i, err := range results {
			var answered *AnsweredError
			switch {
			case err == nil:
				if winners++; r.Approver != fmt.Sprint("person", i) {
					t.Errorf("person%d won, and the answer is that of %s", i, r.Approver)
				}
			case !errors.As(err, &answered):
				t.Error(err)
			case answered.Request.Approver != r.Approver || !strings.Contains(err.Error(), r.Approver):
				t.Errorf("the loser learns %v, and %s won", err, r.Approver)
			}
		}
		if winners != 1 {
			t.Errorf("%d people won", winners)
		}
		var used sync.Map
		for range 8 {
			s := w.open(w.dir)
			wait.Go(func() {
				if g, err := s.Use(t.Context(), q); err == nil {
					if _, again := used.LoadOrStore(g.ID, true); again {
						t.Error("a grant was used twice")
					}
				}
			})
		}
		wait.Wait()
	}
}

// TestAskAtOnce: one question that many processes ask at once is one request.
func TestAskAtOnce(t *testing.T) {
	w, q := newWorld(t), question("x")
	var wait sync.WaitGroup
	ids := make([]string, 16)
	for i := range ids {
		s := w.open(w.dir)
		wait.Go(func() {
			r, err := s.Ask(t.Context(), q)
			if err != nil {
				t.Error(err)
			}
			ids[i] = r.ID
		})
	}
	wait.Wait()
	if slices.Sort(ids); ids[0] == "" || ids[0] != ids[len(ids)-1] {
		t.Errorf("%q", ids)
	}
}

// TestBounds: who asks forever fills neither the disk nor the list.
func TestBounds(t *testing.T) {
	w := newWorld(t)
	asks := maxTenantOpen + 5
	if os.Getenv("GLOVEBOX_SAMPLE") == "all" {
		asks = 100_000
	}
	refused := 0
	for i := range asks {
		_, err := w.Ask(t.Context(), question(fmt.Sprint(i)))
		if errors.Is(err, ErrFull) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if refused != asks-maxTenantOpen {
		t.Errorf("%d of %d were refused", refused, asks)
	}
	w.ask(question("0"), StateOpen) // an open one needs no room
	other := question("x")
	other.Job.Tenant = "other"
	w.ask(other, StateOpen)
	if files, err := os.ReadDir(w.dir); err != nil || len(files) != 2*(maxTenantOpen+1)+2 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestForget: a tenant that closes many requests makes the store forget its own, and its
// denials outlive them.
func TestForget(t *testing.T) {
	var s state
	i := 0
	add := func(tenant string, as State, n int) {
		for range n {
			e := entry{}
			i++
			e.ID, e.Tenant, e.State, e.Answered = fmt.Sprint(i), tenant, as, start.Add(time.Duration(i))
			s.Requests = append(s.Requests, e)
		}
	}
	check := func(name, want string) {
		t.Helper()
		s.forget()
		count := map[string]int{}
		for _, e := range s.Requests {
			count[e.Tenant+" "+string(e.State)]++
		}
		if got := fmt.Sprint(count); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	add("a", StateDenied, 2)
	add("b", StateUsed, 3)
	add("a", StateOpen, 5)
	add("a", StateUsed, 2*maxClosed)
	check("many closed", "map[a denied:2 a open:5 a used:64 b used:3]")
	if last := s.Requests[len(s.Requests)-1].ID; last != fmt.Sprint(i) {
		t.Errorf("the last one is %s", last)
	}
	add("a", StateDenied, 2*maxDenied)
	check("many denied", "map[a denied:256 a open:5 a used:64 b used:3]")
	for tenant := range 40 {
		add(fmt.Sprint("t", tenant), StateLapsed, maxClosed)
	}
	add("a", StateGranted, maxLive-5)
	s.forget()
	live, denied := 0, 0
	for _, e := range s.Requests {
		if e.State.live() {
			live++
		}
		if e.State == StateDenied {
			denied++
		}
	}
	if live != maxLive || denied != maxDenied || len(s.Requests) != maxRequests-maxLive {
		t.Errorf("%d requests, %d live, %d denied", len(s.Requests), live, denied)
	}
	if err := s.room("new"); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
}

func TestQuestionsThatAreNone(t *testing.T) {
	w := newWorld(t)
	for name, change := range map[string]func(*Question){
		"no job":                  func(q *Question) { q.Job = nil },
		"no program":              func(q *Question) { q.Program = nil },
		"nothing asks":            func(q *Question) { q.Asked = nil },
		"too much asks":           func(q *Question) { q.Asked = slices.Repeat(q.Asked, maxAsked+1) },
		"a rule that refuses":     func(q *Question) { q.Asked[0].Ask = false },
		"a rule that is no UTF-8": func(q *Question) { q.Asked[0].Rule = "\xff" },
		"a huge rule":             func(q *Question) { q.Asked[0].Message = strings.Repeat("x", maxContent) },
		"no policy":               func(q *Question) { q.Policy = "" },
		"a tenant that hides":     func(q *Question) { q.Job.Tenant = "acme\u200b" },
		"a tenant that fills":     func(q *Question) { q.Job.Tenant = "a\u3164" },
		"a tenant of bytes":       func(q *Question) { q.Job.Tenant = "\xfe" },
		"a long image":            func(q *Question) { q.Job.Image = strings.Repeat("x", maxText+1) },
		"a long life":             func(q *Question) { q.TTL = maxTTL + 1 },
		"a negative life":         func(q *Question) { q.TTL = -1 },
		"a negative grant":        func(q *Question) { q.GrantLife = -1 },
		"many approvers":          func(q *Question) { q.Approvers = slices.Repeat([]string{"a"}, maxApprovers+1) },
		"a hidden approver":       func(q *Question) { q.Approvers = []string{"a\x00"} },
		"a huge program":          func(q *Question) { q.Program.Files[0].Data = make([]byte, maxDisplay+1) },
		"a program that grows":    func(q *Question) { q.Program.Files[0].Data = make([]byte, maxDisplay/2) },
		"a program of lines":      func(q *Question) { q.Program.Files[0].Data = []byte(strings.Repeat("\n", maxDisplay/8)) },
	} {
		q := question("x")
		change(&q)
		if r, err := w.Ask(t.Context(), q); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
		if _, err := w.Use(t.Context(), q); err == nil {
			t.Errorf("%s: runs", name)
		}
	}
	if all, err := w.List(t.Context()); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
}

func TestList(t *testing.T) {
	w := newWorld(t)
	var ids []string
	for i := range 5 {
		ids = append(ids, w.ask(question(fmt.Sprint(i)), StateOpen).ID)
		w.pass(time.Second)
	}
	w.deny(ids[0], "")
	w.pass(time.Second)
	w.deny(ids[1], "")
	w.grant(ids[2], GrantOptions{})
	all, err := w.List(t.Context())
	if err != nil || len(all) != 5 {
		t.Fatal(all, err)
	}
	for i, want := range []string{ids[3], ids[4], ids[2], ids[1], ids[0]} {
		if all[i].ID != want {
			t.Errorf("%d is %s, %s", i, all[i].ID, all[i].State)
		}
		if asked := len(all[i].Asked); (asked == 1) != all[i].State.live() {
			t.Errorf("%s has %d rules", all[i].State, asked)
		}
	}
	w.pass(2 * defaultTTL)
	all, _ = w.List(t.Context())
	for _, r := range all {
		if r.State.live() {
			t.Errorf("%s is %s after two days", r.ID, r.State)
		}
	}
	if got := w.kinds(); strings.Contains(got, "lapsed") {
		t.Error("a look changes the store")
	}
	if err := w.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	if got := w.kinds(); got != "expired lapsed lapsed" {
		t.Errorf("recorded: %s", got)
	}
	if files, err := os.ReadDir(w.dir); err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
}

func TestWait(t *testing.T) {
	w := newWorld(t)
	q := question("x")
	id := w.ask(q, StateOpen).ID
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := w.Wait(ctx, id); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, tt := range []struct {
		do   func(id string) error
		want State
	}{
		{func(id string) error { _, err := w.Grant(t.Context(), id, GrantOptions{}); return err }, StateGranted},
		{func(id string) error { _, err := w.Deny(t.Context(), id, "", ""); return err }, StateDenied},
		{func(id string) error { _, err := w.Cancel(t.Context(), id, "", ""); return err }, StateCancelled},
		{func(string) error { w.pass(2 * defaultTTL); return nil }, StateLapsed},
	} {
		id := w.ask(question(string(tt.want)), StateOpen).ID
		other := w.open(w.dir)
		done := make(chan error)
		go func() {
			r, err := other.Wait(t.Context(), id)
			if err == nil && r.State != tt.want {
				err = fmt.Errorf("waited for %s", r.State)
			}
			done <- err
		}()
		if err := errors.Join(tt.do(id), <-done); err != nil {
			t.Errorf("%s: %v", tt.want, err)
		}
	}
	if _, err := w.Wait(t.Context(), "ask_1"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"*", "abc", true},
		{"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "ac", true}, {"a*c", "abd", false}, {"ab*ba", "aba", false},
		{"a**b", "ab", true}, {"*b*", "abc", true}, {"*x*", "abc", false}, {"a*b*c", "aXbYc", true}, {"a*a", "a", false}, {"A*", "a", false},
	} {
		if got := matches(tt.pattern, tt.text); got != tt.want {
			t.Errorf("%q of %q: %v", tt.pattern, tt.text, got)
		}
	}
}
