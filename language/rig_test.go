package language

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// The rig runs the steps of a language the way the engine does, but under
// plain bubblewrap: the languages are tested apart from the tiers.

// rigWall bounds one exam in the rig.
var rigWall = 30 * time.Second

// rigTool finds a language's toolchain and builds its root, once per test
// binary. What the host lacks skips the test.
func rigTool(t testing.TB, l *Language) (*Toolchain, string) {
	t.Helper()
	if modules[l] {
		tc, tree, err := moduleTool(l)
		if err != nil {
			t.Fatal(err)
		}
		return tc, tree
	}
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Skip("bubblewrap is not installed: apt-get install bubblewrap")
	}
	if out, err := exec.Command("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true").CombinedOutput(); err != nil {
		t.Skipf("bubblewrap does not work for this user: %v: %s", err, out)
	}
	v, _ := rigTools.LoadOrStore(l.Name, sync.OnceValue(func() rigFound { return rigFind(l) }))
	found := v.(func() rigFound)()
	if found.err != nil {
		t.Skipf("no %s here: %v", l.Title, found.err)
	}
	return found.tc, found.tree
}

var rigTools sync.Map

type rigFound struct {
	tc   *Toolchain
	tree string
	err  error
}

func rigFind(l *Language) rigFound {
	ctx := context.Background()
	tc, err := l.Find(ctx, host.New())
	if err != nil {
		return rigFound{err: err}
	}
	store, err := rootfs.Open("")
	if err != nil {
		return rigFound{err: err}
	}
	root, err := store.Tree(ctx, tc.Root)
	if err != nil {
		return rigFound{err: err}
	}
	return rigFound{tc: tc, tree: root.Tree}
}

// rigRun is what became of one command in the rig.
type rigRun struct {
	stdout, stderr string
	exit           int
	timedOut       bool
	events         []Event
	report         string
}

// rigStart stages files and starts a step in a bubblewrap box. fds are its
// descriptors 3, 4 and 5; nil leaves one closed.
func rigStart(t testing.TB, ctx context.Context, tc *Toolchain, tree string, step Step, files []glovebox.File, fds [3]*os.File) func() rigRun {
	t.Helper()
	if tc.isModule() {
		return moduleStart(t, ctx, tc, tree, step, files, fds)
	}
	ws := t.TempDir()
	for _, f := range append(append([]glovebox.File(nil), files...), step.Files...) {
		p := filepath.Join(ws, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if f.Executable {
			mode = 0o755
		}
		if err := os.WriteFile(p, f.Data, mode); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{
		"--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--uid", "1000", "--gid", "1000",
		"--ro-bind", tree, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", ws, "/workspace",
		"--chdir", "/workspace", "--setenv", "PATH", tc.Path, "--setenv", "HOME", "/workspace", "--setenv", "LANG", "C.UTF-8",
	}
	for _, e := range append(append([]string(nil), tc.Env...), step.Env...) {
		name, value, _ := strings.Cut(e, "=")
		args = append(args, "--setenv", name, value)
	}
	args = append(args, goKeeps(step)...)
	cmd := exec.CommandContext(ctx, "bwrap", append(append(args, "--"), step.Args...)...)
	cmd.Stdin = bytes.NewReader(step.Stdin)
	var stdout, stderr rigBuffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.ExtraFiles = fds[:]
	cmd.WaitDelay = time.Second
	endGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range fds {
		if f != nil {
			f.Close()
		}
	}
	return func() rigRun {
		err := cmd.Wait()
		os.RemoveAll(ws)
		r := rigRun{stdout: stdout.String(), stderr: stderr.String(), timedOut: ctx.Err() != nil}
		r.exit = cmd.ProcessState.ExitCode()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) && ctx.Err() == nil && !errors.Is(err, exec.ErrWaitDelay) {
			t.Logf("bwrap: %v", err)
		}
		return r
	}
}

// rigBuffer keeps the first MiB.
type rigBuffer struct{ bytes.Buffer }

func (b *rigBuffer) Write(p []byte) (int, error) {
	if room := 1<<20 - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func rigPipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// rigReport reads a report until its end.
func rigReport(r *os.File) func() ([]Event, string) {
	got := make(chan string, 1)
	go func() {
		defer r.Close()
		b, _ := io.ReadAll(io.LimitReader(r, 4<<20))
		got <- string(b)
	}()
	return func() ([]Event, string) {
		text := <-got
		var events []Event
		for line := range strings.Lines(text) {
			var e Event
			if json.Unmarshal([]byte(line), &e) != nil {
				e = Event{Type: "garbage", Reason: line}
			}
			events = append(events, e)
		}
		return events, text
	}
}

// rigPlan runs a program without tests.
func rigPlan(t testing.TB, l *Language, p *glovebox.Program, stdin string) rigRun {
	t.Helper()
	tc, tree := rigTool(t, l)
	plan, err := l.Plan(tc, p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), rigWall)
	defer cancel()
	if fault := rigCheck(t, ctx, l, plan.Check, plan.Files, p.Main); fault != nil {
		return *fault
	}
	r, w := rigPipe(t)
	plan.Run.Stdin = []byte(stdin)
	wait := rigStart(t, ctx, tc, tree, plan.Run, plan.Files, [3]*os.File{nil, nil, w})
	report := rigReport(r)
	run := wait()
	run.events, run.report = report()
	return run
}

// rigCheck runs a check step that is a start of its own. It returns what a
// driver would have reported of a fault, or nil.
func rigCheck(t testing.TB, ctx context.Context, l *Language, check *Step, files []glovebox.File, main string) *rigRun {
	t.Helper()
	if check == nil {
		return nil
	}
	tc, tree := rigTool(t, l)
	run := rigStart(t, ctx, tc, tree, *check, files, [3]*os.File{})()
	fault := l.ReadSyntax(CheckOutput{Stdout: []byte(run.stdout), Stderr: []byte(run.stderr), ExitCode: run.exit, Main: main})
	if fault == nil {
		return nil
	}
	run.events = []Event{{Type: "syntax", Syntax: fault}}
	return &run
}

// rigVerdict is what came of an exam.
type rigVerdict struct {
	proof     glovebox.Proof
	pass      bool
	why       string
	candidate rigRun
	harness   rigRun
}

const rigNonce = "b3d9c1d4a7f24e1f8e6d"

// rigExam runs a program's tests and judges the report as the engine does.
func rigExam(t testing.TB, l *Language, p *glovebox.Program, tests Tests) rigVerdict {
	t.Helper()
	tc, _ := rigTool(t, l)
	tests.Nonce = rigNonce
	exam, err := l.Exam(tc, p, tests)
	if err != nil {
		return rigVerdict{why: "no exam: " + err.Error()}
	}
	return rigSit(t, l, exam)
}

func rigSit(t testing.TB, l *Language, exam *Exam) rigVerdict {
	t.Helper()
	tc, tree := rigTool(t, l)
	ctx, cancel := context.WithTimeout(context.Background(), rigWall)
	defer cancel()
	v := rigVerdict{proof: exam.Proof}
	if fault := rigCheck(t, ctx, l, exam.Check, exam.Files, ""); fault != nil {
		v.candidate = *fault
		v.judge(v.candidate, false)
		return v
	}
	cr, cw := rigPipe(t) // the candidate's report
	if exam.Harness == nil {
		nr, nw := rigPipe(t)
		io.WriteString(nw, rigNonce+"\n")
		nw.Close()
		wait := rigStart(t, ctx, tc, tree, exam.Candidate, exam.Files, [3]*os.File{nr, nil, cw})
		report := rigReport(cr)
		v.candidate = wait()
		v.candidate.events, v.candidate.report = report()
		v.judge(v.candidate, true)
		return v
	}
	toCandidate, fromHarness := rigPipe(t)
	toHarness, fromCandidate := rigPipe(t)
	hr, hw := rigPipe(t)
	waitC := rigStart(t, ctx, tc, tree, exam.Candidate, exam.Files, [3]*os.File{toCandidate, fromCandidate, cw})
	waitH := rigStart(t, ctx, tc, tree, goKept(l, *exam.Harness), nil, [3]*os.File{toHarness, fromHarness, hw})
	reportC, reportH := rigReport(cr), rigReport(hr)
	v.harness = waitH()
	v.harness.events, v.harness.report = reportH()
	// The harness may find out in the middle that calls are not enough.
	fallback := slices.ContainsFunc(v.harness.events, func(e Event) bool { return e.Type == "fallback" })
	if fallback {
		cancel()
	}
	v.candidate = waitC()
	v.candidate.events, v.candidate.report = reportC()
	if fallback && exam.Fallback != nil {
		weaker, err := exam.Fallback()
		if err != nil {
			v.why = err.Error()
			return v
		}
		again := rigSit(t, l, weaker)
		again.harness = v.harness // it says why
		return again
	}
	v.judge(v.harness, false)
	return v
}

// judge decides by the trusted report alone.
func (v *rigVerdict) judge(r rigRun, nonce bool) {
	for _, e := range v.candidate.events {
		if e.Type == "syntax" {
			v.why = "syntax: " + e.Syntax.Message
			return
		}
	}
	if r.timedOut {
		v.why = "timeout"
		return
	}
	done := false
	for i, e := range r.events {
		switch e.Type {
		case "broken", "fallback", "unrunnable", "garbage":
			v.why = e.Type + ": " + e.Reason
			return
		case "case":
			if e.Case == nil || e.Case.Status != "passed" && e.Case.Status != "skipped" {
				v.why = "case: " + e.Case.Name + ": " + e.Case.Message
			}
		case "done":
			last := i == len(r.events)-1
			done = last && e.Passed > 0 && e.Failed == 0 && (!nonce || e.Nonce == rigNonce)
		}
	}
	v.pass = done && v.why == ""
	if !v.pass && v.why == "" {
		v.why = "the tests did not complete"
	}
}

// forgeAll tells whether every trick is tried in every form of tests. Else each
// is tried in one of them.
func forgeAll() bool { return os.Getenv("GLOVEBOX_FORGE") == "all" }
