package approval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The model test has two processes that work on one store at the same moment, and kills
// them at random ones. Each process appends what its Recorder gets to a log, and what it
// runs to another. The model below reads the log and knows nothing of the store.

// childVariable has the test binary be one of the processes.
const childVariable = "GLOVEBOX_APPROVAL_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		serve(os.Stdin, os.Stdout)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// order is what a process is told to do.
type order struct {
	Do     string // open, ask, grant, deny, cancel, use, list, sweep
	Dir    string
	Now    time.Time
	ID     string
	Code   string
	Policy string
	Grant  GrantOptions
}

// reply is what came of an order.
type reply struct {
	Error    string
	Refusal  bool // the error is one that the model expects at times
	Request  Request
	Grant    Grant
	Requests []Request
}

// run is a line of the log of runs.
type run struct {
	Grant, Code, Policy string
	Now                 time.Time
}

// serve does orders until there are no more.
func serve(in io.Reader, out io.Writer) {
	var store *Store
	var dir string
	var now atomic.Pointer[time.Time]
	orders, replies := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o order
		if err := orders.Decode(&o); err != nil {
			return
		}
		now.Store(&o.Now)
		var r reply
		var err error
		ctx := context.Background()
		q := question(o.Code)
		q.Policy, q.TTL = o.Policy, time.Hour
		switch o.Do {
		case "open":
			dir = o.Dir
			store, err = Open(filepath.Join(dir, "store"), Options{
				Signer: keyOf("a"), Anchor: filepath.Join(dir, "keys"),
				Clock:  func() time.Time { return *now.Load() },
				Record: func(_ context.Context, e Event) error { return appendLine(filepath.Join(dir, "events"), e) },
			})
		case "ask":
			r.Request, err = store.Ask(ctx, q)
		case "grant":
			r.Request, err = store.Grant(ctx, o.ID, o.Grant)
		case "deny":
			r.Request, err = store.Deny(ctx, o.ID, "no", "denier")
		case "cancel":
			r.Request, err = store.Cancel(ctx, o.ID, "", "canceller")
		case "use":
			if r.Grant, err = store.Use(ctx, q); err == nil {
				err = appendLine(filepath.Join(dir, "runs"), run{r.Grant.ID, o.Code, o.Policy, o.Now})
			}
		case "list":
			r.Requests, err = store.List(ctx)
		case "sweep":
			err = store.Sweep(ctx)
		}
		var answered *AnsweredError
		if err != nil {
			r.Error = err.Error()
			r.Refusal = errors.As(err, &answered) || errors.Is(err, ErrNoGrant) || errors.Is(err, ErrDenied) || errors.Is(err, ErrUnknown)
		}
		if replies.Encode(r) != nil {
			return
		}
	}
}

// appendLine appends a line in one write.
func appendLine(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	return errors.Join(err, f.Close())
}

func readLines[T any](t testing.TB, name string) []T {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var lines []T
	for s := bufio.NewScanner(strings.NewReader(string(data))); s.Scan(); {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, v)
	}
	return lines
}

// child is a process that does orders.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	orders  *json.Encoder
	replies *json.Decoder
}

func newChild(t testing.TB) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return &child{cmd, in, json.NewEncoder(in), json.NewDecoder(out)}
}

func (c *child) send(t testing.TB, o order) {
	t.Helper()
	if err := c.orders.Encode(o); err != nil {
		t.Fatal(err)
	}
}

func (c *child) receive(t testing.TB) reply {
	t.Helper()
	var r reply
	if err := c.replies.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

// kill kills the process, and waits for its end.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func (c *child) end() {
	_ = c.in.Close()
	_ = c.cmd.Wait()
}

// interleaving is one store that the two processes work on.
type interleaving struct {
	t        *testing.T
	r        *rand.Rand
	dir      string
	now      time.Time
	children [2]*child
	asked    map[string]bool  // IDs that an Ask returned
	answers  map[string]State // answers that a process was told
	kills    int
	orders   int
}

func TestInterleavings(t *testing.T) {
	count := 20
	if os.Getenv("GLOVEBOX_SAMPLE") == "all" {
		count = 10_000
	}
	i := interleaving{t: t, r: rand.New(rand.NewPCG(13, 5)), children: [2]*child{newChild(t), newChild(t)}}
	defer func() {
		for _, c := range i.children {
			c.end()
		}
	}()
	var runs, kills, orders int
	base := t.TempDir()
	for n := range count {
		i.dir = filepath.Join(base, fmt.Sprint(n))
		runs += i.play()
		kills, orders = kills+i.kills, orders+i.orders
		if t.Failed() {
			t.Fatalf("in interleaving %d", n)
		}
		if err := os.RemoveAll(i.dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d interleavings, %d orders, %d kills, %d runs", count, orders, kills, runs)
	if runs == 0 || kills == 0 {
		t.Error("the interleavings try too little")
	}
}

// play gives orders at random and returns how many runs there were.
func (i *interleaving) play() int {
	if err := os.MkdirAll(i.dir, 0o700); err != nil {
		i.t.Fatal(err)
	}
	i.now, i.asked, i.answers, i.kills, i.orders = start, map[string]bool{}, map[string]State{}, 0, 0
	for c := range i.children {
		i.do(c, order{Do: "open"})
	}
	for range 6 + i.r.IntN(8) {
		first, second := i.order(), i.order()
		if i.r.IntN(4) == 0 {
			second = first // the same by both
		}
		steps := []time.Duration{0, 0, 0, 0, 0, 0, time.Second, time.Second, 25 * time.Minute, 25 * time.Minute, -30 * time.Second, -time.Hour}
		i.now = i.now.Add(steps[i.r.IntN(len(steps))])
		i.both(first, second)
	}
	// One more change tells whether the last recorded one happened.
	i.do(0, order{Do: "ask", Code: "last", Policy: "last"})
	final := i.do(0, order{Do: "list"})
	return i.judge(final.Requests)
}

// order makes an order, most often about what there is.
func (i *interleaving) order() order {
	codes, policies := []string{"print(1)", "print(2)"}, []string{"policy-1", "policy-1", "policy-2"}
	o := order{Code: codes[i.r.IntN(len(codes))], Policy: policies[i.r.IntN(len(policies))]}
	ids := slices.Sorted(func(yield func(string) bool) {
		for id := range i.asked {
			if !yield(id) {
				return
			}
		}
	})
	if len(ids) == 0 {
		o.Do = "ask"
		return o
	}
	o.ID = ids[i.r.IntN(len(ids))]
	o.Do = []string{"ask", "ask", "grant", "grant", "grant", "use", "use", "use", "use", "use", "use", "deny", "cancel", "sweep"}[i.r.IntN(14)]
	o.Grant = GrantOptions{Approver: "granter", Many: i.r.IntN(3) == 0, For: []time.Duration{0, 20 * time.Minute}[i.r.IntN(2)]}
	if i.r.IntN(4) == 0 {
		o.Grant.Scope = ScopeRule
	}
	return o
}

// do gives one order and takes the reply.
func (i *interleaving) do(c int, o order) reply {
	i.send(c, o)
	return i.receive(c, o)
}

func (i *interleaving) send(c int, o order) {
	o.Dir, o.Now = i.dir, i.now
	i.orders++
	i.children[c].send(i.t, o)
}

func (i *interleaving) receive(c int, o order) reply {
	r := i.children[c].receive(i.t)
	if r.Error != "" && !r.Refusal {
		i.t.Errorf("%s: %s", o.Do, r.Error)
	}
	if r.Error == "" && r.Request.ID != "" {
		i.asked[r.Request.ID] = true
		if o.Do == "grant" || o.Do == "deny" {
			if before, again := i.answers[r.Request.ID]; again {
				i.t.Errorf("request %s was answered with %s and with %s", r.Request.ID, before, r.Request.State)
			}
			i.answers[r.Request.ID] = r.Request.State
		}
	}
	return r
}

// both gives two orders at once, and now and then kills one of the processes meanwhile.
func (i *interleaving) both(first, second order) {
	i.send(0, first)
	i.send(1, second)
	victim := -1
	if i.r.IntN(12) == 0 {
		victim = i.r.IntN(2)
		time.Sleep(time.Duration(i.r.IntN(1<<i.r.IntN(14))) * time.Microsecond)
		i.children[victim].kill()
		i.kills++
	}
	for c, o := range []order{first, second} {
		if c != victim {
			i.receive(c, o)
		}
	}
	if victim >= 0 {
		i.children[victim] = newChild(i.t)
		i.do(victim, order{Do: "open"})
	}
}

// judge reads the logs. Nothing in it uses the store.
func (i *interleaving) judge(final []Request) int {
	t := i.t
	events := happened(readLines[Event](t, filepath.Join(i.dir, "events")))
	m := map[string]*Request{}
	grants := map[string]*Request{}
	used := map[string][]Event{}
	denied := map[string]bool{}
	for _, e := range events {
		r := m[e.Request.ID]
		if e.Kind != EventAsked && e.Request.ID != "" && r == nil {
			t.Errorf("%s of %s, which nobody asked", e.Kind, e.Request.ID)
			continue
		}
		at := func(states ...State) {
			if !slices.Contains(states, r.State) {
				t.Errorf("%s of %s, which is %s", e.Kind, r.ID, r.State)
			}
		}
		become := func(s State) {
			if e.Request.State != s {
				t.Errorf("%s makes %s of %s", e.Kind, e.Request.State, r.ID)
			}
			request := e.Request
			m[r.ID] = &request
		}
		switch e.Kind {
		case EventAsked:
			if r != nil {
				t.Errorf("%s was asked twice", r.ID)
			}
			request := e.Request
			m[request.ID] = &request
		case EventGranted:
			at(StateOpen)
			if denied[r.Job] || !e.Time.Before(r.Expires) {
				t.Errorf("%s was granted, denied before or lapsed", r.ID)
			}
			become(StateGranted)
			grants[e.Request.Grant] = m[r.ID]
		case EventDenied:
			at(StateOpen)
			become(StateDenied)
			denied[r.Job] = true
		case EventCancelled:
			at(StateOpen, StateGranted)
			become(StateCancelled)
		case EventLapsed:
			at(StateOpen)
			become(StateLapsed)
		case EventExpired:
			at(StateGranted)
			become(StateExpired)
		case EventVoid:
			if r != nil {
				at(StateGranted)
				become(StateVoid)
			}
		case EventUsed:
			at(StateGranted)
			if !e.Time.Before(r.Until) {
				t.Errorf("%s was used after its end", r.ID)
			}
			if r.Scope == ScopeJob && denied[r.Job] {
				t.Errorf("%s was used after its job was denied", r.ID)
			}
			if r.Single {
				become(StateUsed)
			} else {
				become(StateGranted)
			}
			used[r.Grant] = append(used[r.Grant], e)
		}
	}
	// 0 runs without a live grant, 0 grants used twice.
	runs := readLines[run](t, filepath.Join(i.dir, "runs"))
	count := map[string]int{}
	for _, run := range runs {
		g := grants[run.Grant]
		if g == nil {
			t.Errorf("a run by grant %q, which nobody gave", run.Grant)
			continue
		}
		q := question(run.Code)
		if g.Policy != run.Policy || g.Scope != ScopeRule && g.Job != q.Job.Digest() {
			t.Errorf("%q under %s ran by a grant for another: %+v", run.Code, run.Policy, g)
		}
		if count[run.Grant]++; g.Single && count[run.Grant] > 1 {
			t.Errorf("grant %s was used %d times", run.Grant, count[run.Grant])
		}
		if count[run.Grant] > len(used[run.Grant]) {
			t.Errorf("grant %s ran %d times and was used %d times", run.Grant, count[run.Grant], len(used[run.Grant]))
		}
	}
	// 0 requests lost, and each one is as the record says.
	states := map[string]State{}
	for _, r := range final {
		states[r.ID] = r.State
	}
	for id := range i.asked {
		if m[id] == nil || states[id] == "" {
			t.Errorf("request %s is lost", id)
		}
	}
	for id, r := range m {
		want := r.State
		// A look shows what time has changed before that is written.
		if got := states[id]; got != want && !(want == StateOpen && got == StateLapsed) && !(want == StateGranted && (got == StateExpired || got == StateVoid)) {
			t.Errorf("request %s is %q and was recorded as %s", id, got, want)
		}
	}
	for id, answer := range i.answers {
		if r := m[id]; r != nil && r.State == StateOpen {
			t.Errorf("the answer %s to %s is not recorded", answer, id)
		}
	}
	return len(runs)
}

// happened leaves out events of changes that were recorded and not written: the process
// was killed between, and the next change has the same number.
func happened(events []Event) []Event {
	var kept []Event
	for _, e := range events {
		for len(kept) > 0 && kept[len(kept)-1].Sequence >= e.Sequence && e.Change != kept[len(kept)-1].Change {
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, e)
	}
	return kept
}
