package approval

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/keys"
)

// copyTo copies a folder; the files in it are replaced.
func copyTo(t testing.TB, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadDir(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range old {
		if err := os.Remove(filepath.Join(to, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	// CopyFS leaves the modes to the umask.
	err = filepath.WalkDir(to, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = os.Chmod(name, 0o600)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// backup copies the store's folder.
func (w *world) backup() string {
	dir := w.t.TempDir()
	copyTo(w.t, w.dir, dir)
	return dir
}

func (w *world) granted(o GrantOptions) (Question, Request) {
	q := question("print(1)")
	return q, w.grant(w.ask(q, StateOpen).ID, o)
}

// TestCopy: a grant is worth nothing in a copy of the folder, before and after its use,
// and the copy does no harm to the original.
func TestCopy(t *testing.T) {
	w := newWorld(t)
	q, r := w.granted(GrantOptions{})
	open := w.ask(question("open"), StateOpen)
	denied := w.ask(question("denied"), StateOpen)
	w.deny(denied.ID, "no")
	w.kinds()

	other := filepath.Join(t.TempDir(), "copy")
	copyTo(t, w.dir, other)
	clone := w.open(other)
	w.runs(clone, q, ErrNoGrant)
	if got := w.kinds(); got != "void void" {
		t.Errorf("recorded: %s", got)
	}
	if again, err := clone.Get(t.Context(), r.ID); err != nil || again.State != StateVoid {
		t.Errorf("%+v, %v", again, err)
	}
	w.runs(clone, question("denied"), ErrDenied)
	if again, err := clone.Ask(t.Context(), question("open")); err != nil || again.ID != open.ID {
		t.Errorf("an open request is lost in the copy: %+v, %v", again, err)
	}
	// The copy is a store of its own.
	again, err := clone.Ask(t.Context(), q)
	if err != nil || again.State != StateOpen {
		t.Fatal(again, err)
	}
	if _, err := clone.Grant(t.Context(), again.ID, GrantOptions{}); err != nil {
		t.Fatal(err)
	}
	w.runs(clone, q, nil)
	// The original's grant has its one use.
	w.runs(w.Store, q, nil)
	w.runs(w.Store, q, ErrNoGrant)
	w.runs(clone, q, ErrNoGrant)

	// The copy's files in the place of the original's.
	copyTo(t, other, w.dir)
	if _, err := clone.Grant(t.Context(), open.ID, GrantOptions{}); err != nil {
		t.Fatal(err)
	}
	copyTo(t, other, w.dir)
	w.runs(w.Store, question("open"), ErrNoGrant)
}

// TestMoved: a folder under another name is the same one.
func TestMoved(t *testing.T) {
	w := newWorld(t)
	q, _ := w.granted(GrantOptions{})
	if err := os.Rename(w.dir, w.dir+"2"); err != nil {
		t.Skip(err)
	}
	w.runs(w.open(w.dir+"2"), q, nil)
}

// TestRollback: files that are put back do not bring back a use.
func TestRollback(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    GrantOptions
		then func(w *world, q Question, r Request)
	}{
		{"after the use", GrantOptions{}, func(w *world, q Question, _ Request) { w.runs(w.Store, q, nil) }},
		{"after the grant was cancelled", GrantOptions{Many: true}, func(w *world, _ Question, r Request) {
			if _, err := w.Cancel(w.t.Context(), r.ID, "", ""); err != nil {
				w.t.Fatal(err)
			}
		}},
		{"after more changes", GrantOptions{}, func(w *world, q Question, _ Request) {
			w.runs(w.Store, q, nil)
			for _, code := range []string{"a", "b", "c"} {
				w.ask(question(code), StateOpen)
			}
		}},
		{"after a restart", GrantOptions{}, func(w *world, q Question, _ Request) {
			w.runs(w.Store, q, nil)
			w.Store = w.open(w.dir)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			q, r := w.granted(tt.o)
			before := w.backup()
			tt.then(w, q, r)
			w.kinds()
			copyTo(t, before, w.dir)
			w.runs(w.Store, q, ErrNoGrant)
			w.runs(w.open(w.dir), q, ErrNoGrant)
			if got := w.kinds(); !strings.HasPrefix(got, "void void") {
				t.Errorf("recorded: %s", got)
			}
			// The store goes on.
			w.grant(w.ask(q, StateOpen).ID, GrantOptions{})
			w.runs(w.Store, q, nil)
		})
	}
}

// TestSingleFilesPutBack: one file of the store from before, the others as they are.
func TestSingleFilesPutBack(t *testing.T) {
	w := newWorld(t)
	q, r := w.granted(GrantOptions{})
	before := w.backup()
	w.runs(w.Store, q, nil)
	after := w.backup()
	files, err := os.ReadDir(before)
	if err != nil || len(files) != 5 { // lock, state, content, display, grant
		t.Fatal(files, err)
	}
	for i := range 1 << len(files) {
		copyTo(t, after, w.dir)
		for n, f := range files {
			if i>>n&1 == 1 {
				data, err := os.ReadFile(filepath.Join(before, f.Name()))
				if err == nil {
					err = os.WriteFile(filepath.Join(w.dir, f.Name()), data, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		w.runs(w.open(w.dir), q, ErrNoGrant)
	}
	if again := w.ask(q, StateOpen); again.ID == r.ID {
		t.Error("the used request is open")
	}
}

// TestAnchorLost: without the anchor nobody knows whether a grant was used.
func TestAnchorLost(t *testing.T) {
	w := newWorld(t)
	q, r := w.granted(GrantOptions{})
	name, err := anchorName(w.Store.o.Anchor, w.Store.dir)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "{}", "[", string(data[:len(data)/2]), strings.Replace(string(data), `"sequence":`, `"sequence":-`, 1), string(data) + "x", strings.Repeat("[", 50_000), strings.Repeat(" ", maxAnchor+1)} {
		if err := os.WriteFile(name, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Use(t.Context(), q); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("anchor %.20q: %v", bad, err)
		}
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	w.runs(w.Store, q, ErrNoGrant)
	w.state(r.ID, StateVoid)
	if err := os.Remove(filepath.Join(w.dir, stateFile)); err != nil {
		t.Fatal(err)
	}
	w.kinds()
	w.runs(w.Store, q, ErrNoGrant)
	if got := w.kinds(); got != "void" {
		t.Errorf("recorded: %s", got)
	}
	w.grant(w.ask(q, StateOpen).ID, GrantOptions{})
	w.runs(w.Store, q, nil)
}

// TestCrash: the process is killed at each step of writing a use.
func TestCrash(t *testing.T) {
	w := newWorld(t)
	q, r := w.granted(GrantOptions{})
	anchors := t.TempDir()
	copyTo(t, w.anchor, anchors)
	before := w.backup()

	// Before the state was renamed: temporary files are there.
	for _, name := range []string{stateFile + ".tmp", r.ID + grantEnding + ".tmp", "ask_000000000000.txt"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.state(r.ID, StateGranted)
	w.runs(w.open(w.dir), q, nil)
	// After the state was renamed and before the anchor was: the use is lost.
	copyTo(t, anchors, w.anchor)
	w.state(r.ID, StateUsed)
	w.runs(w.open(w.dir), q, ErrNoGrant)
	// The next change makes good what the anchor missed.
	next := w.ask(q, StateOpen)
	w.state(r.ID, StateUsed)
	w.grant(next.ID, GrantOptions{})
	w.runs(w.Store, q, nil)
	if strings.Contains(w.kinds(), "void") {
		t.Error("a crash is taken for a copy")
	}
	if files, err := os.ReadDir(w.dir); err != nil || len(files) != 2 {
		t.Errorf("files are left: %v, %v", files, err)
	}
	// A crash and files that were put back: the run never began.
	copyTo(t, before, w.dir)
	copyTo(t, anchors, w.anchor)
	w.runs(w.open(w.dir), q, nil)
	w.runs(w.open(w.dir), q, ErrNoGrant)
}

// TestCrashTwice: a change after a crash anchors first what the crash left, or a second
// crash would put the state two changes ahead of its anchor.
func TestCrashTwice(t *testing.T) {
	w := newWorld(t)
	q, _ := w.granted(GrantOptions{Many: true})
	anchors := t.TempDir()
	copyTo(t, w.anchor, anchors)
	other := w.ask(question("other"), StateOpen)
	copyTo(t, anchors, w.anchor)
	crashed := w.backup()
	blocked := filepath.Join(w.dir, stateFile+".tmp", "x")
	w.fail = func(Event) error { return os.MkdirAll(blocked, 0o700) }
	if _, err := w.Deny(t.Context(), other.ID, "", ""); err == nil {
		t.Error("no crash")
	}
	if err := os.RemoveAll(filepath.Dir(blocked)); err != nil {
		t.Fatal(err)
	}
	w.fail = nil
	anchors = t.TempDir()
	copyTo(t, w.anchor, anchors)
	w.deny(other.ID, "")
	copyTo(t, anchors, w.anchor) // as if killed after the state
	w.runs(w.open(w.dir), q, nil)
	// And what the first crash left is no way back.
	copyTo(t, crashed, w.dir)
	w.runs(w.open(w.dir), q, ErrNoGrant)
}

// TestFirstCrash: the process is killed between the first state and its anchor.
func TestFirstCrash(t *testing.T) {
	w, q := newWorld(t), question("x")
	r := w.ask(q, StateOpen)
	name, err := anchorName(w.Store.o.Anchor, w.Store.dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := readAnchor(name)
	if err != nil {
		t.Fatal(err)
	}
	first := anchor{Store: a.Store, Folder: a.Folder} // as written before the state
	if err := first.write(name); err != nil {
		t.Fatal(err)
	}
	w.kinds()
	w.grant(r.ID, GrantOptions{})
	w.runs(w.open(w.dir), q, nil)
	if got := w.kinds(); got != "granted used" {
		t.Errorf("recorded: %s", got)
	}
}

// TestEdited: no file of the store can be changed by who does not have the key.
func TestEdited(t *testing.T) {
	w := newWorld(t)
	q, r := w.granted(GrantOptions{Many: true, For: time.Hour})
	good := w.backup()
	files, err := os.ReadDir(good)
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	for _, f := range files {
		if f.Name() == lockFile {
			continue
		}
		data, err := os.ReadFile(filepath.Join(good, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		bad := [][]byte{nil, data[:len(data)/2], append(bytes.Clone(data), '\n'), append([]byte(" "), data...), bytes.Repeat(data, 2), []byte("null\n"), []byte("{}\n")}
		for at := 0; at < len(data); at += max(len(data)/40, 1) {
			flipped := bytes.Clone(data)
			flipped[at] ^= 1
			bad = append(bad, flipped)
		}
		for _, b := range bad {
			copyTo(t, good, w.dir)
			if err := os.WriteFile(filepath.Join(w.dir, f.Name()), b, 0o600); err != nil {
				t.Fatal(err)
			}
			tries++
			// The text for the person is not read by a run.
			if g, err := w.Use(t.Context(), q); err == nil && (strings.HasSuffix(f.Name(), grantEnding) || f.Name() == stateFile) {
				t.Errorf("%s: %+v", f.Name(), g)
			} else if err == nil {
				if _, err := w.Display(t.Context(), r.ID); err == nil {
					t.Errorf("%s was changed, and is shown", f.Name())
				}
				w.Store = w.open(w.dir)
				good = w.backup()
			}
		}
	}
	copyTo(t, good, w.dir)
	w.runs(w.Store, q, nil)
	t.Logf("%d changed files", tries)
}

// TestChangedDisplay: what is not shown as it was asked about cannot be granted, and the
// next question makes a new text.
func TestChangedDisplay(t *testing.T) {
	for _, ending := range []string{displayEnding, contentEnding} {
		w, q := newWorld(t), question("evil()")
		r := w.ask(q, StateOpen)
		name := filepath.Join(w.dir, r.ID+ending)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range [][]byte{bytes.ReplaceAll(data, []byte("evil"), []byte("good")), nil} {
			if bytes.Equal(bad, data) {
				bad = data[1:]
			}
			if err := os.WriteFile(name, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if text, err := w.Display(t.Context(), r.ID); err == nil {
				t.Error(text)
			}
			if _, err := w.Grant(t.Context(), r.ID, GrantOptions{}); err == nil {
				t.Error("granted")
			}
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Grant(t.Context(), r.ID, GrantOptions{}); err == nil {
			t.Error("granted")
		}
		if again := w.ask(q, StateOpen); again.ID != r.ID {
			t.Error("the request is lost")
		}
		if text, err := w.Display(t.Context(), r.ID); err != nil || !strings.Contains(text, "evil()") {
			t.Error(text, err)
		}
		w.grant(r.ID, GrantOptions{})
	}
}

// TestForged: states and grants that another key signed, or the right key for something
// else. A grant is in the state by its hash, so no other grant takes its place.
func TestForged(t *testing.T) {
	type files map[string][]byte
	for _, tt := range []struct {
		name     string
		rightful bool // the job with the grant still runs
		put      func(f *forgery) files
	}{
		{"a grant by another key", false, func(f *forgery) files { return files{f.grantFile: f.sealed("b", grantType, f.grant)} }},
		{"a longer grant by another key", false, func(f *forgery) files {
			f.grant.Uses, f.grant.Expires = 0, f.grant.Expires.Add(maxLife)
			return files{f.grantFile: f.sealed("b", grantType, f.grant)}
		}},
		{"a longer grant by our key", false, func(f *forgery) files {
			f.grant.Uses, f.grant.Expires = 0, f.grant.Expires.Add(maxLife)
			return files{f.grantFile: f.sealed("a", grantType, f.grant)}
		}},
		{"a wider grant by our key", false, func(f *forgery) files {
			f.grant.Scope, f.grant.Rules = ScopeRule, nil
			return files{f.grantFile: f.sealed("a", grantType, f.grant)}
		}},
		{"no grant", false, func(f *forgery) files { return files{f.grantFile: nil} }},
		{"a state as a grant", false, func(f *forgery) files { return files{f.grantFile: f.stateData} }},
		{"a grant as a state", false, func(f *forgery) files { return files{stateFile: f.grantData} }},
		{"a grant with the state's type", false, func(f *forgery) files { return files{f.grantFile: f.sealed("a", stateType, f.grant)} }},
		{"a state with the grant's type", false, func(f *forgery) files { return files{stateFile: f.sealed("a", grantType, f.reopened())} }},
		{"a state by another key", false, func(f *forgery) files {
			return files{stateFile: f.sealed("b", stateType, f.reopened()), f.otherFile: f.grantData}
		}},
		{"a state by our key that was never written", false, func(f *forgery) files {
			return files{stateFile: f.sealed("a", stateType, f.reopened()), f.otherFile: f.grantData}
		}},
		{"a replayed grant for another job", true, func(f *forgery) files { return files{f.otherFile: f.grantData} }},
		{"a signed grant for another job", true, func(f *forgery) files {
			f.grant.Request, f.grant.Job, f.grant.Program = f.other.ID, f.other.Job, ""
			return files{f.otherFile: f.sealed("a", grantType, f.grant)}
		}},
		{"another spelling", false, func(f *forgery) files {
			return files{f.grantFile: bytes.Replace(f.grantData, []byte("{"), []byte("{ "), 1)}
		}},
		{"a field twice", false, func(f *forgery) files {
			return files{f.grantFile: append(bytes.TrimSuffix(f.grantData, []byte("}\n")), ",\"payloadType\":\"x\"}\n"...)}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newForgery(t)
			for file, data := range tt.put(f) {
				if err := os.WriteFile(filepath.Join(f.dir, file), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if g, err := f.Use(t.Context(), question("other")); err == nil {
				t.Errorf("the other job runs by %+v", g)
			}
			if g, err := f.Use(t.Context(), question("print(1)")); (err == nil) != tt.rightful {
				t.Errorf("%+v, %v", g, err)
			}
		})
	}
}

// forgery is a store with a granted request and an open one, and what an attacker reads.
type forgery struct {
	*world
	granted, other       Request
	grantFile, otherFile string
	grantData, stateData []byte
	grant                Grant
	state                state
}

func newForgery(t *testing.T) *forgery {
	f := &forgery{world: newWorld(t)}
	_, f.granted = f.world.granted(GrantOptions{})
	f.other = f.ask(question("other"), StateOpen)
	f.grantFile, f.otherFile = f.granted.ID+grantEnding, f.other.ID+grantEnding
	var err error
	if f.grantData, err = os.ReadFile(filepath.Join(f.dir, f.grantFile)); err != nil {
		t.Fatal(err)
	}
	if f.stateData, err = os.ReadFile(filepath.Join(f.dir, stateFile)); err != nil {
		t.Fatal(err)
	}
	trusted := f.Store.o.Trusted
	if _, err := unseal(f.grantData, grantType, trusted, &f.grant); err != nil {
		t.Fatal(err)
	}
	if _, err := unseal(f.stateData, stateType, trusted, &f.state); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *forgery) sealed(by, payloadType string, v any) []byte {
	data, err := seal(f.t.Context(), keyOf(by), payloadType, v)
	if err != nil {
		f.t.Fatal(err)
	}
	return data
}

// reopened is a state in which the open request has the grant of the other one.
func (f *forgery) reopened() state {
	e := &f.state.Requests[1]
	e.State, e.Capability, e.Grant = StateGranted, sum(f.grantData), f.grant.ID
	e.Scope, e.Until, e.Single = f.grant.Scope, f.grant.Expires, true
	return f.state
}

// TestRotation: after a rotation of keys the store goes on, and the old key signs nothing
// new.
func TestRotation(t *testing.T) {
	w := newWorld(t)
	q, _ := w.granted(GrantOptions{Many: true, For: time.Hour})
	old := keyOf("a").Public()
	old.Until = start.Add(time.Minute)
	w.options.Signer, w.options.Trusted = keyOf("b"), []keys.Public{old, keyOf("b").Public()}
	anchors := t.TempDir()
	copyTo(t, w.anchor, anchors)

	// A stolen old key signs the next state, which no anchor holds.
	file, err := os.ReadFile(filepath.Join(w.dir, stateFile))
	if err != nil {
		t.Fatal(err)
	}
	var s state
	if _, err := unseal(file, stateType, []keys.Public{old}, &s); err != nil {
		t.Fatal(err)
	}
	s.Sequence, s.Previous = s.Sequence+1, sum(file)
	forged, err := seal(t.Context(), keyOf("a"), stateType, s)
	if err != nil {
		t.Fatal(err)
	}
	good := w.backup()
	if err := os.WriteFile(filepath.Join(w.dir, stateFile), forged, 0o600); err != nil {
		t.Fatal(err)
	}
	w.runs(w.open(w.dir), q, ErrNoGrant)

	copyTo(t, good, w.dir)
	copyTo(t, anchors, w.anchor)
	w.Store = w.open(w.dir)
	w.runs(w.Store, q, nil)
	w.runs(w.Store, q, nil)
	w.options.Trusted = []keys.Public{keyOf("b").Public()}
	w.runs(w.open(w.dir), q, ErrNoGrant) // the grant's key is not trusted any more
	w.options.Trusted = []keys.Public{keyOf("c").Public()}
	if _, err := Open(w.dir, w.options); err == nil || !strings.Contains(err.Error(), "another key signed it") {
		t.Error(err)
	}
}

// TestClock: a clock that goes back does not lengthen a grant.
func TestClock(t *testing.T) {
	w := newWorld(t)
	q, r := w.granted(GrantOptions{Many: true, For: time.Hour})
	w.pass(-tolerance) // time stands still
	if g := w.runs(w.Store, q, nil); !g.Expires.Equal(start.Add(time.Hour)) {
		t.Error(g.Expires)
	}
	w.pass(tolerance + 30*time.Minute)
	w.runs(w.Store, q, nil)
	w.pass(-2 * time.Minute)
	w.runs(w.Store, q, ErrNoGrant)
	w.state(r.ID, StateVoid)
	w.pass(time.Hour)
	w.runs(w.Store, q, ErrNoGrant)

	// Also where the later time was only seen by a look of this process.
	q2 := question("y")
	w.grant(w.ask(q2, StateOpen).ID, GrantOptions{Many: true, For: time.Hour})
	w.pass(2 * time.Hour)
	if _, err := w.List(t.Context()); err != nil {
		t.Error(err)
	}
	w.pass(-2 * time.Hour)
	w.runs(w.Store, q2, ErrNoGrant)
}

// TestClockAhead: a clock that was far ahead for a while does not stop the store.
func TestClockAhead(t *testing.T) {
	w := newWorld(t)
	w.pass(80 * 365 * 24 * time.Hour)
	q, r := w.granted(GrantOptions{})
	waits := question("waits")
	waiting := w.ask(waits, StateOpen)
	w.pass(-80 * 365 * 24 * time.Hour)
	w.runs(w.Store, q, ErrNoGrant)
	w.state(r.ID, StateVoid)
	if again := w.ask(waits, StateOpen); again.ID != waiting.ID || !again.Expires.Equal(start.Add(defaultTTL)) {
		t.Errorf("the open request is %+v", again)
	}
	w.grant(w.ask(q, StateOpen).ID, GrantOptions{})
	w.runs(w.Store, q, nil)
	w.runs(w.open(w.dir), q, ErrNoGrant)
}

// TestUnrecorded: what cannot be recorded does not happen.
func TestUnrecorded(t *testing.T) {
	w, q := newWorld(t), question("x")
	no := errors.New("the log is full")
	fails := func(kind EventKind) {
		w.fail = func(e Event) error {
			if e.Kind == kind {
				return no
			}
			return nil
		}
	}
	fails(EventAsked)
	if _, err := w.Ask(t.Context(), q); !errors.Is(err, no) {
		t.Error(err)
	}
	if all, err := w.List(t.Context()); err != nil || len(all) != 0 {
		t.Error(all, err)
	}
	fails(EventGranted)
	r := w.ask(q, StateOpen)
	if _, err := w.Grant(t.Context(), r.ID, GrantOptions{}); !errors.Is(err, no) {
		t.Error(err)
	}
	w.state(r.ID, StateOpen)
	w.runs(w.Store, q, ErrNoGrant)
	fails(EventDenied)
	if _, err := w.Deny(t.Context(), r.ID, "", ""); !errors.Is(err, no) {
		t.Error(err)
	}
	w.state(r.ID, StateOpen)
	fails(EventUsed)
	w.grant(r.ID, GrantOptions{})
	w.runs(w.Store, q, no)
	fails(EventCancelled)
	if _, err := w.Cancel(t.Context(), r.ID, "", ""); !errors.Is(err, no) {
		t.Error(err)
	}
	fails("")
	w.runs(w.Store, q, nil)
	for i, e := range w.events {
		if e.Sequence != int64(i+1) || e.Store == "" || !e.Time.Equal(start) || e.Request.ID == "" {
			t.Errorf("%+v", e)
		}
	}
}

// TestUnwritable: what cannot be written does not happen.
func TestUnwritable(t *testing.T) {
	w := newWorld(t)
	q, r := w.granted(GrantOptions{})
	blocked := filepath.Join(w.dir, stateFile+".tmp", "x")
	if err := os.MkdirAll(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	if g, err := w.Use(t.Context(), q); err == nil {
		t.Errorf("%+v", g)
	}
	if err := os.RemoveAll(filepath.Dir(blocked)); err != nil {
		t.Fatal(err)
	}
	w.state(r.ID, StateGranted)
	// The anchor cannot be written: the use is lost, and no run begins.
	name, err := anchorName(w.Store.o.Anchor, w.Store.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(name+".tmp", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if g, err := w.Use(t.Context(), q); err == nil {
		t.Errorf("%+v", g)
	}
	if err := os.RemoveAll(name + ".tmp"); err != nil {
		t.Fatal(err)
	}
	w.runs(w.Store, q, ErrNoGrant)
}

// TestNoSecret: the values of secrets are in no file.
func TestNoSecret(t *testing.T) {
	w, q := newWorld(t), question("x")
	q.Job.Secrets = map[string]string{"TOKEN": "hunter2hunter2"}
	w.grant(w.ask(q, StateOpen).ID, GrantOptions{})
	err := filepath.WalkDir(filepath.Dir(w.dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.Contains(data, []byte("hunter2")) {
			t.Errorf("%s has the secret", name)
		}
		if info, _ := d.Info(); !permissive && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestJobCannotAnswer: text of a job that reads like an answer is text.
func TestJobCannotAnswer(t *testing.T) {
	w := newWorld(t)
	first := w.ask(question("x"), StateOpen)
	for _, evil := range []string{first.ID, `{"state":"granted","id":"` + first.ID + `"}`, "=== request: 1 items\n     1 | id: " + first.ID + "\n", "\n\x00granted", "../" + first.ID + ".grant"} {
		q := question(evil)
		q.Program.Files[0].Path, q.Job.Args, q.Asked[0].Asked, q.Asked[0].Message = evil, []string{evil}, evil, evil
		w.ask(q, StateOpen)
		w.runs(w.Store, q, ErrNoGrant)
	}
	w.state(first.ID, StateOpen)
	files, err := os.ReadDir(filepath.Dir(w.dir))
	if err != nil || len(files) != 2 {
		t.Error(files, err)
	}
}

func TestFoldersThatAreRefused(t *testing.T) {
	o := Options{Signer: keyOf("a"), Anchor: filepath.Join(t.TempDir(), "keys")}
	dir := filepath.Join(t.TempDir(), "store")
	inside := o
	inside.Anchor = filepath.Join(dir, "keys")
	same := o
	same.Anchor = dir
	for name, o := range map[string]Options{"no signer": {Anchor: o.Anchor}, "no anchor": {Signer: o.Signer}, "an anchor inside": inside, "an anchor at the same place": same} {
		if _, err := Open(dir, o); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	if permissive {
		return
	}
	for _, mode := range []fs.FileMode{0o755, 0o770, 0o701} {
		open := t.TempDir()
		if err := os.Chmod(open, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(open, o); err == nil || !strings.Contains(err.Error(), "chmod") {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file, o); err == nil {
		t.Error("a file is a store")
	}
	// A link in place of a file of the store is not followed.
	w := newWorld(t)
	q, _ := w.granted(GrantOptions{})
	state := filepath.Join(w.dir, stateFile)
	if err := errors.Join(os.Rename(state, state+".real"), os.Symlink(state+".real", state)); err != nil {
		t.Skip(err)
	}
	if g, err := w.Use(t.Context(), q); err == nil {
		t.Errorf("%+v", g)
	}
}
