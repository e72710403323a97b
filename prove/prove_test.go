package prove

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/tier/gvisor/statictest"
)

func TestMain(m *testing.M) { os.Exit(statictest.Main(m)) }

// TestTiers proves this host: every attack holds in each tier that it has.
func TestTiers(t *testing.T) {
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Toolchain(context.Background(), language.Python); err != nil {
		t.Skip(err)
	}
	for _, tr := range e.Tiers() {
		t.Run(string(tr.Name()), func(t *testing.T) {
			r, err := Tier(context.Background(), e, tr.Name())
			if err != nil {
				t.Fatal(err)
			}
			if r.Unusable != "" {
				t.Skip(r.Unusable)
			}
			for _, a := range r.Attacks {
				if !a.Held {
					t.Errorf("%s, which tries %s: %s: %s", a.Name, a.Tries, a.Saw, a.Why)
				}
			}
			if !r.Held || len(r.Attacks) < 10 {
				t.Errorf("held is %v after %d attacks; left: %q", r.Held, len(r.Attacks), r.Left)
			}
		})
	}
}

// TestJudge: what must not happen is not taken for a wall that held.
func TestJudge(t *testing.T) {
	b, err := newBait()
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	list := map[string]attack{}
	for _, a := range attacks {
		list[a.name] = a
	}
	held := func(change func(*glovebox.Observation)) *glovebox.Observation {
		o := &glovebox.Observation{Status: glovebox.StatusPass, Stdout: "held\n"}
		change(o)
		return o
	}
	for _, tt := range []struct {
		name   string
		attack string
		o      *glovebox.Observation
		why    string // empty: it held
	}{
		{"held", "file", held(func(o *glovebox.Observation) {}), ""},
		{"a file was read", "file", held(func(o *glovebox.Observation) { o.Stdout = "BREACH: read /x\nheld\n" }), "read /x"},
		{"its text came out", "file", held(func(o *glovebox.Observation) { o.Stderr = b.secret }), "came out"},
		{"a link came out", "file", held(func(o *glovebox.Observation) { o.Artifacts = []glovebox.Artifact{{Name: "stolen.txt"}} }), "stolen.txt"},
		{"our own variables came out", "environment", held(func(o *glovebox.Observation) { o.Stdout += b.variable }), "came out"},
		{"a secret came out", "secret", held(func(o *glovebox.Observation) { o.Feedback = b.token }), "came out"},
		{"a terminal was steered", "secret", held(func(o *glovebox.Observation) { o.Stdout += "\x1b[2J" }), "came out"},
		{"it never got there", "write", held(func(o *glovebox.Observation) { o.Stdout = "" }), "end"},
		{"the sandbox failed", "write", &glovebox.Observation{Status: glovebox.StatusSandboxError}, "sandbox_error"},
		{"no limit", "memory", held(func(o *glovebox.Observation) {}), "pass"},
		{"another limit", "loop", &glovebox.Observation{Status: glovebox.StatusTimeout, Limit: glovebox.LimitWall}, "limit"},
		{"the right limit", "loop", &glovebox.Observation{Status: glovebox.StatusTimeout, Limit: glovebox.LimitCPU}, ""},
		{"a forged pass", "report", &glovebox.Observation{Status: glovebox.StatusPass}, "pass"},
		{"a refused forgery", "report", &glovebox.Observation{Status: glovebox.StatusTestFailed}, ""},
		{"an honest failure", "honest", &glovebox.Observation{Status: glovebox.StatusTestFailed}, "test_failed"},
	} {
		ok, why := list[tt.attack].judge(tt.o, b)
		if ok != (tt.why == "") || !ok && !strings.Contains(why, tt.why) {
			t.Errorf("%s: held is %v: %s", tt.name, ok, why)
		}
	}
	b.connected = true
	if ok, _ := list["network"].judge(held(func(*glovebox.Observation) {}), b); ok {
		t.Error("a connection came in, and it held")
	}
}

// TestPrograms: every file is an attack, and Python has all of them.
func TestPrograms(t *testing.T) {
	names := map[string]bool{"tests": true}
	for _, a := range attacks {
		names[a.name] = true
		if program("python", a.name, "main") == nil {
			t.Errorf("%s is not there in Python", a.name)
		}
	}
	files, err := programs.ReadDir("attacks")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), filepath.Ext(f.Name())); !names[name] {
			t.Errorf("%s is no attack", f.Name())
		}
	}
}
