package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
)

// seen is what a watcher saw.
type seen struct {
	mu     sync.Mutex
	events []engine.Event
}

func (s *seen) add(e engine.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

// text puts a stream together, and checks that its events join.
func (s *seen) text(t *testing.T, stream string) (text string, bytes, missing int64) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, e := range s.events {
		switch {
		case e.Kind == engine.EventRestart:
			b.Reset()
			bytes, missing = 0, 0
		case e.Stream != stream:
			continue
		case e.Offset != bytes || e.Bytes <= 0 || e.Bytes > 64<<10 && e.Kind == engine.EventOutput:
			t.Fatalf("after %d bytes of %s: %s of %d bytes at %d", bytes, stream, e.Kind, e.Bytes, e.Offset)
		case e.Kind == engine.EventGap:
			missing += e.Bytes
		}
		b.WriteString(e.Text)
		bytes += e.Bytes
	}
	return b.String(), bytes, missing
}

func (s *seen) phases() (all []glovebox.Phase) {
	for _, e := range s.events {
		if e.Kind == engine.EventPhase {
			all = append(all, e.Phase)
		}
	}
	return all
}

func watch(t *testing.T, e *engine.Engine, job glovebox.Job, hold bool) (*glovebox.Observation, *seen) {
	t.Helper()
	s := new(seen)
	o, err := e.Watch(context.Background(), job, engine.Watcher{Event: s.add, Hold: hold})
	if err != nil {
		t.Fatal(err)
	}
	return o, s
}

// TestWatch: what a watcher sees is what the Observation says.
func TestWatch(t *testing.T) {
	const secret = "hV7-qq02/Zz1"
	for _, tt := range []struct {
		name, code     string
		stdout, stderr string
	}{
		{"nothing", "", "", ""},
		{"lines", "print('a\\nb')", "a\nb\n", ""},
		{"two streams", "import sys\nprint('out')\nsys.stdout.flush()\nprint('err', file=sys.stderr)", "out\n", "err\n"},
		{"byte by byte", "import os\nfor c in 'héllo 世界 🚀\\r\\n\\x1b[31mred\\x1b[0m\\rover'.encode(): os.write(1, bytes([c]))", "héllo 世界 🚀\nred\nover", ""},
		{"a secret in pieces", "import os\nfor c in b'see " + secret + ".': os.write(1, bytes([c])); __import__('time').sleep(0.005)", "see [redacted:secret:S].", ""},
		{"half a character at the end", `import os; os.write(1, b'a\xe4\xb8')`, `a\xe4\xb8`, ""},
		{"dropped at the end", `import os; os.write(1, b'a\x1b[')`, "a", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := open(t)
			need(t, e, language.Python)
			job := glovebox.Job{Program: python(tt.code), Tier: glovebox.TierProcess, Secrets: map[string]string{"S": secret}}
			o, s := watch(t, e, job, false)
			if o.Status != glovebox.StatusPass || o.Stdout != tt.stdout || o.Stderr != tt.stderr {
				t.Fatalf("%s: %s, %q, %q", o.Status, o.Message, o.Stdout, o.Stderr)
			}
			for stream, want := range map[string]string{"stdout": tt.stdout, "stderr": tt.stderr} {
				if got, _, missing := s.text(t, stream); got != want || missing != 0 {
					t.Errorf("the watcher saw %q of %s, want %q", got, stream, want)
				}
			}
			if p := s.phases(); !slices.Equal(p, []glovebox.Phase{"extract", "admit", "stage", "execute"}) {
				t.Errorf("phases %v", p)
			}
		})
	}
}

// TestWatchPhases: tests, cases and checks have phases of their own, and what
// was seen before a run starts over is void.
func TestWatchPhases(t *testing.T) {
	e := open(t)
	need(t, e, language.Python)
	job := glovebox.Job{Program: python("print('loaded')\ndef add(a, b): return a + b"), Tier: glovebox.TierProcess}
	job.Program.Main, job.Program.Files[0].Path = "solution.py", "solution.py"
	tested := func(test string) glovebox.Job {
		j := job
		j.Tests = []glovebox.File{{Path: "test_add.py", Data: []byte(test)}}
		return j
	}
	cased := job
	cased.Cases = []glovebox.Case{{Stdout: "loaded"}, {Stdout: "loaded"}}
	for _, tt := range []struct {
		name   string
		job    glovebox.Job
		phases []glovebox.Phase
		stdout string
	}{
		{"tests", tested("from solution import add\nassert add(2, 2) == 4"), []glovebox.Phase{"extract", "admit", "stage", "test"}, "loaded\n"},
		{"cases", cased, []glovebox.Phase{"extract", "admit", "stage", "execute"}, "loaded\nloaded\n"},
		{"starts over", tested("import solution, unittest.mock\nwith unittest.mock.patch('solution.add', return_value=5):\n    assert solution.add(2, 2) == 5"),
			[]glovebox.Phase{"extract", "admit", "stage", "test", "test"}, "loaded\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, s := watch(t, e, tt.job, true)
			if o.Status != glovebox.StatusPass {
				t.Fatalf("%s: %s", o.Status, o.Message)
			}
			if p := s.phases(); !slices.Equal(p, tt.phases) {
				t.Errorf("phases %v", p)
			}
			if got, _, _ := s.text(t, "stdout"); got != tt.stdout || o.Stdout != tt.stdout {
				t.Errorf("the watcher saw %q, the observation has %q", got, o.Stdout)
			}
			restarts := 0
			for _, ev := range s.events {
				if ev.Kind == engine.EventRestart {
					restarts++
				}
			}
			if tt.name == "starts over" && restarts == 0 {
				t.Error("no word of it")
			}
		})
	}
}

// TestWatchIsPrompt: what a program says before it pauses is seen while it
// does, but for what may be the beginning of a secret. The program would pause
// for longer than its limit: a watcher that sees the text ends it.
func TestWatchIsPrompt(t *testing.T) {
	for _, tt := range []struct{ name, says, seen string }{
		{"a line", "line\n", "line\n"},
		{"an open line", "What is your name? ", "What is your name? "},
		{"progress", "\r(7 of 9)", "\n(7 of 9)"},
		{"the beginning of a secret of the job", "see hV7-qq02/", "see "},
		{"the beginning of a token", "see ghp_XIxB7KMNdAr3zq", "see "},
		{"the beginning of a private key", "key:\n-----BEGIN RSA PRIV", "key:\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := open(t)
			need(t, e, language.Python)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var live strings.Builder
			job := glovebox.Job{
				Program: python(fmt.Sprintf("import sys, time\nsys.stdout.write(%q)\nsys.stdout.flush()\ntime.sleep(1000)", tt.says)),
				Tier:    glovebox.TierProcess, Secrets: map[string]string{"S": "hV7-qq02/Zz1"}, Limits: glovebox.Limits{Wall: 30 * time.Second},
			}
			o, err := e.Watch(ctx, job, engine.Watcher{Event: func(ev engine.Event) {
				if ctx.Err() == nil {
					live.WriteString(ev.Text)
				}
				if live.Len() >= len(tt.seen) {
					cancel()
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if o.Status != glovebox.StatusCancelled || live.String() != tt.seen {
				t.Errorf("%s, and live there was %q", o.Status, live.String())
			}
		})
	}
}

// printer prints n bytes and an end.
const printer = "import sys\nfor i in range(%d): sys.stdout.write('0123456789abcde\\n')\nsys.stdout.write('end')"

// TestSlowWatcher: a watcher that is not ready while the program runs changes
// nothing of the run, and is told what it has missed.
func TestSlowWatcher(t *testing.T) {
	ran := make(chan struct{})
	c := config()
	c.Govern = &governor{record: func(*glovebox.Observation) error { close(ran); return nil }}
	e, err := engine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	need(t, e, language.Python)
	s := new(seen)
	job := glovebox.Job{Program: python(fmt.Sprintf(printer, 1<<18)), Tier: glovebox.TierProcess, Limits: glovebox.Limits{Wall: time.Minute}}
	o, err := e.Watch(context.Background(), job, engine.Watcher{Event: func(ev engine.Event) {
		if ev.Kind == engine.EventOutput {
			<-ran
		}
		s.add(ev)
	}})
	if err != nil {
		t.Fatal(err)
	}
	const total = 4<<20 + 3
	if o.Status != glovebox.StatusPass || o.Truncated["stdout"].TotalBytes != total {
		t.Errorf("%s: %s, %+v", o.Status, o.Message, o.Truncated)
	}
	text, bytes, missing := s.text(t, "stdout")
	if bytes != total || missing == 0 || int64(len(text))+missing != total || len(text) < 256<<10 {
		t.Errorf("%d bytes were seen and %d missed, %d together", len(text), missing, bytes)
	}
}

// TestHold: a program waits for a watcher that asks for it, and nothing is
// missing.
func TestHold(t *testing.T) {
	e := open(t)
	need(t, e, language.Python)
	s := new(seen)
	job := glovebox.Job{Program: python(fmt.Sprintf(printer, 1<<18)), Tier: glovebox.TierProcess, Limits: glovebox.Limits{Wall: 5 * time.Minute, CPU: 5 * time.Minute}}
	o, err := e.Watch(context.Background(), job, engine.Watcher{Hold: true, Event: func(ev engine.Event) {
		time.Sleep(5 * time.Millisecond)
		s.add(ev)
	}})
	if err != nil {
		t.Fatal(err)
	}
	text, _, missing := s.text(t, "stdout")
	if o.Status != glovebox.StatusPass || missing != 0 || len(text) != 4<<20+3 || !strings.HasSuffix(text, "\nend") {
		t.Errorf("%s: %d bytes were seen and %d missed", o.Status, len(text), missing)
	}
}

// TestBadWatcher: a watcher that never returns, or panics, ends nothing but
// itself, and holds nothing up for longer than the job's own limit.
func TestBadWatcher(t *testing.T) {
	e := open(t)
	need(t, e, language.Python)
	forever := make(chan struct{})
	defer close(forever)
	stuck := func(ev engine.Event) {
		if ev.Kind == engine.EventOutput {
			<-forever
		}
	}
	for _, tt := range []struct {
		name   string
		w      engine.Watcher
		cancel bool
		status glovebox.Status
		panics bool
	}{
		{"never returns", engine.Watcher{Event: stuck}, false, glovebox.StatusPass, false},
		{"holds and never returns", engine.Watcher{Event: stuck, Hold: true}, false, glovebox.StatusTimeout, false},
		{"holds and is cancelled", engine.Watcher{Event: stuck, Hold: true}, true, glovebox.StatusCancelled, false},
		{"panics", engine.Watcher{Event: func(engine.Event) { panic("no") }}, false, glovebox.StatusPass, true},
		{"holds and panics", engine.Watcher{Event: func(ev engine.Event) {
			if ev.Offset > 100<<10 {
				panic("no")
			}
		}, Hold: true}, false, glovebox.StatusPass, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			job := glovebox.Job{Program: python(fmt.Sprintf(printer, 1<<18)), Tier: glovebox.TierProcess, Limits: glovebox.Limits{Wall: 20 * time.Second}}
			if tt.status == glovebox.StatusTimeout {
				job.Limits.Wall = 2 * time.Second
			}
			if tt.cancel {
				event := tt.w.Event
				tt.w.Event = func(ev engine.Event) {
					if ev.Kind == engine.EventOutput {
						cancel()
					}
					event(ev)
				}
			}
			o, err := e.Watch(ctx, job, tt.w)
			var bad *engine.WatchError
			if !errors.As(err, &bad) || tt.panics != (bad.Panic != nil) || tt.panics && len(bad.Stack) == 0 {
				t.Errorf("the error is %v", err)
			}
			if o == nil || o.Status != tt.status {
				t.Fatalf("%+v", o)
			}
			told := slices.ContainsFunc(o.Evidence, func(ev glovebox.Evidence) bool { return strings.Contains(ev.Fact, "for who watched it") })
			if tt.status == glovebox.StatusTimeout && !told {
				t.Errorf("no evidence of the wait: %v", o.Evidence)
			}
			if tt.status == glovebox.StatusPass && o.Truncated["stdout"].TotalBytes != 4<<20+3 {
				t.Errorf("the observation has %+v", o.Truncated)
			}
		})
	}
}

// TestWatchWrongJob: a Job that is wrong is an error as ever.
func TestWatchWrongJob(t *testing.T) {
	var wrong *engine.Error
	if _, err := open(t).Watch(context.Background(), glovebox.Job{Tier: "paper"}, engine.Watcher{Event: func(engine.Event) {}}); !errors.As(err, &wrong) || wrong.Field != "tier" {
		t.Errorf("%v", err)
	}
	if _, err := open(t).Watch(context.Background(), glovebox.Job{}, engine.Watcher{}); err == nil {
		t.Error("nobody watches, and that is no error")
	}
}
