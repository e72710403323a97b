package wasm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// patience bounds the steps of a process before and after the code.
const patience = 30 * time.Second

// grace is how long a killed process may take to end.
const grace = 5 * time.Second

// sampleEvery is how often processor time is looked at.
const sampleEvery = 20 * time.Millisecond

// box is a process of our own that runs modules.
type box struct {
	t        *Tier
	limits   glovebox.Limits
	controls []glovebox.Control

	cmd   *exec.Cmd
	to    lane
	in    io.WriteCloser
	from  *os.File
	words *head // what the process says of itself
	dead  chan struct{}

	busy  sync.Mutex
	alive atomic.Bool
	close sync.Once
}

// head keeps the first bytes written to it.
type head struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if room := 4096 - h.b.Len(); room > 0 {
		h.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.String()
}

// boot starts a box's process and waits until it is up.
func (t *Tier) boot(ctx context.Context, spec tier.Spec, apart bool) (*box, error) {
	exe, err := executable()
	if err != nil {
		return nil, err
	}
	b := &box{t: t, limits: spec.Limits, words: &head{}, dead: make(chan struct{})}
	b.cmd = &exec.Cmd{Path: exe, Args: []string{childName}, Env: []string{}, Stderr: b.words, WaitDelay: time.Second}
	if runtime.GOOS == "windows" {
		b.cmd.Env = []string{"SystemRoot=" + os.Getenv("SystemRoot")} // nothing starts without it
	} else {
		b.cmd.Dir = "/"
	}
	own(b.cmd, apart)
	s := setup{
		Tree: spec.Root.Tree, Cache: t.c.Cache, Limits: spec.Limits, Files: spec.Files, Fixed: t.c.Fixed,
		Given: give(b.cmd, spec.Descriptors),
	}
	if b.in, err = b.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	b.to.w = b.in
	var theirs *os.File
	if b.from, theirs, err = os.Pipe(); err != nil {
		b.in.Close()
		return nil, err
	}
	b.cmd.Stdout = theirs
	err = b.start()
	theirs.Close()
	if err != nil {
		b.in.Close()
		b.from.Close()
		return nil, &startError{err}
	}
	if err := b.greet(ctx, s, apart); err != nil {
		err = errors.Join(err, b.Close())
		if words := b.words.String(); words != "" {
			err = fmt.Errorf("%w (its process says %q)", err, words)
		}
		return nil, err
	}
	b.alive.Store(true)
	return b, nil
}

// start starts the process on a thread that lives as long as the process: the
// kernel kills the process when the thread ends.
func (b *box) start() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := b.cmd.Start()
		started <- err
		if err == nil {
			_ = b.cmd.Wait()
		}
		close(b.dead)
	}()
	return <-started
}

// greet sends the process its setup, and waits for the answer.
func (b *box) greet(ctx context.Context, s setup, apart bool) error {
	late := time.AfterFunc(patience, b.kill)
	defer late.Stop()
	stop := context.AfterFunc(ctx, b.kill)
	defer stop()
	if err := b.to.tell(kindSetup, s); err != nil {
		return err
	}
	k, payload, err := receive(b.from, maxFrame)
	if err != nil {
		return err
	}
	var u up
	if err := json.Unmarshal(payload, &u); err != nil || k != kindUp {
		return fmt.Errorf("a frame of kind %q came: %w", k, err)
	}
	if u.Err != "" {
		return errors.New(u.Err)
	}
	b.controls = controls(apart, u.Confined)
	if !stop() {
		return context.Cause(ctx) // it is being killed
	}
	return nil
}

// kill kills the process. It does not wait.
func (b *box) kill() {
	b.alive.Store(false)
	_ = b.cmd.Process.Kill()
}

// Alive implements [tier.Box].
func (b *box) Alive() bool {
	select {
	case <-b.dead:
		return false
	default:
		return b.alive.Load()
	}
}

// Controls implements [tier.Box].
func (b *box) Controls() []glovebox.Control { return b.controls }

// Close implements [tier.Box].
func (b *box) Close() error {
	b.close.Do(func() {
		b.kill()
		<-b.dead
		b.in.Close()
		b.busy.Lock() // whoever reads from it has ended
		defer b.busy.Unlock()
		b.from.Close()
	})
	return nil
}

// Workspace implements [tier.Box].
func (b *box) Workspace() (fs.FS, error) {
	b.busy.Lock()
	defer b.busy.Unlock()
	if !b.Alive() {
		return nil, errors.New("the box is gone, and its files with it")
	}
	late := time.AfterFunc(patience, b.kill)
	defer late.Stop()
	err := b.to.send(kindCollect, nil)
	var s *snapshot
	if err == nil {
		s, err = readSnapshot(b.from, b.limits)
	}
	if err != nil {
		b.kill()
		return nil, fmt.Errorf("read the workspace: %w", err)
	}
	return s, nil
}

// Run implements [tier.Box].
func (b *box) Run(ctx context.Context, cmd tier.Command) glovebox.Outcome {
	b.busy.Lock()
	defer b.busy.Unlock()
	begin := time.Now()
	out := b.run(ctx, cmd)
	out.Usage.Duration = time.Since(begin)
	return out
}

func (b *box) run(ctx context.Context, cmd tier.Command) glovebox.Outcome {
	broken := func(err error) glovebox.Outcome {
		return glovebox.Outcome{Cause: glovebox.CauseBox, ExitCode: -1, Err: err}
	}
	switch {
	case !b.Alive():
		return broken(errors.New("the box is gone"))
	case ctx.Err() != nil:
		return glovebox.Outcome{Cause: glovebox.CauseCancelled, ExitCode: -1}
	case len(cmd.Args) == 0 || !path.IsAbs(cmd.Args[0]):
		return broken(fmt.Errorf("the command %q does not begin with an absolute path", cmd.Args))
	}
	before, _, metered := usage(b.cmd.Process.Pid)
	late := time.AfterFunc(patience, b.kill)
	err := b.to.tell(kindRun, command{
		Args: cmd.Args, Env: cmd.Env, Dir: cmp.Or(cmd.Dir, tier.Workspace), Stdin: cmd.Stdin, Files: cmd.Files,
	})
	late.Stop()
	if err != nil {
		b.kill()
		return broken(err)
	}
	said := make(chan answered, 1)
	go func() { said <- b.listen(cmd) }()

	wall := cmp.Or(cmd.Wall, b.limits.Wall)
	deadline, ticker := time.NewTimer(wall), time.NewTicker(sampleEvery)
	defer deadline.Stop()
	defer ticker.Stop()
	var out glovebox.Outcome
	var cpu time.Duration
	finished := ctx.Done()
	end := func(cause glovebox.Cause, limit glovebox.LimitName, format string, args ...any) {
		if out.Cause != "" {
			return
		}
		out.Cause = cause
		if limit != "" {
			out.Hits = append(out.Hits, hit(limit, format, args...))
		}
		b.kill()
	}
	sample := func() {
		if now, _, err := usage(b.cmd.Process.Pid); err == nil && metered == nil {
			cpu = max(cpu, now-before)
		}
	}
	var got answered
wait:
	for {
		select {
		case got = <-said:
			break wait
		case <-deadline.C:
			end(glovebox.CauseWall, glovebox.LimitWall, "the deadline of %v passed", wall)
		case <-finished:
			finished = nil
			end(glovebox.CauseCancelled, "", "")
		case <-ticker.C:
			if sample(); cpu > b.limits.CPU {
				end(glovebox.CauseCPU, glovebox.LimitCPU, "the box's process used %v of %v", cpu, b.limits.CPU)
			}
		}
	}
	sample()
	out.Usage.CPU = cpu
	out.Started, out.ExitCode = true, -1
	switch {
	case out.Cause != "":
	case got.full:
		end(glovebox.CauseOutput, glovebox.LimitOutput, "a stream grew past %d bytes", b.limits.Output)
	case got.writer != nil:
		end(glovebox.CauseBox, "", "")
		out.Err = got.writer
	case got.err != nil:
		b.kill()
		b.died(&out, got.err, cmd.Stderr)
	case got.done.Err != "":
		out.Started, out.Cause, out.Err = false, glovebox.CauseBox, fmt.Errorf("start %s: %s", cmd.Args[0], got.done.Err)
	default:
		b.read(&out, got.done)
	}
	return out
}

// answered is how the process's part in a command ended.
type answered struct {
	done   done
	full   bool  // a stream grew past its limit
	writer error // of the caller's
	err    error
}

// listen takes the streams of a command until its end.
func (b *box) listen(cmd tier.Command) (a answered) {
	streams := map[kind]io.Writer{kindStdout: cmd.Stdout, kindStderr: cmd.Stderr}
	room := map[kind]int64{kindStdout: b.limits.Output, kindStderr: b.limits.Output}
	for {
		k, payload, err := receive(b.from, maxFrame)
		if err != nil {
			return answered{err: err}
		}
		switch k {
		case kindStdout, kindStderr:
			keep := payload[:min(int64(len(payload)), room[k])]
			room[k] -= int64(len(keep))
			if w := streams[k]; w != nil {
				if _, err := w.Write(keep); err != nil {
					return answered{writer: err}
				}
			}
			if len(keep) < len(payload) {
				return answered{full: true}
			}
		case kindDone:
			if err := json.Unmarshal(payload, &a.done); err != nil {
				return answered{err: err}
			}
			return a
		default:
			return answered{err: fmt.Errorf("a frame of kind %q came", k)}
		}
	}
}

// maxFact bounds a fact reported by the process.
const maxFact = 300

// read takes the process's word for how a command ended.
func (b *box) read(out *glovebox.Outcome, d done) {
	out.Cause, out.ExitCode = glovebox.CauseExit, d.Exit&0xff
	if d.Trap != "" {
		out.ExitCode, out.Signal = -1, signalOf(d.Trap)
	}
	out.Usage.MemoryPeak = min(max(d.Peak, 0), b.limits.Memory)
	for _, limit := range []glovebox.LimitName{
		glovebox.LimitMemory, glovebox.LimitDisk, glovebox.LimitFiles, glovebox.LimitFileSize, glovebox.LimitOpenFiles,
	} {
		if fact, ok := d.Hits[limit]; ok {
			out.Hits = append(out.Hits, hit(limit, "%.*s", maxFact, strings.ToValidUTF8(fact, "\uFFFD")))
		}
	}
}

// died reads the end of a process that we did not kill. Any such end is the
// code's doing: our own part was over before the code ran.
func (b *box) died(out *glovebox.Outcome, err error, stderr io.Writer) {
	select {
	case <-b.dead:
	case <-time.After(grace):
		out.Cause, out.Err = glovebox.CauseBox, fmt.Errorf("the box's process does not end: %w", err)
		return
	}
	words, state := b.words.String(), b.cmd.ProcessState.String()
	switch {
	case strings.Contains(words, "out of memory") || strings.Contains(words, "cannot allocate memory"):
		out.Cause = glovebox.CauseMemory
		out.Hits = append(out.Hits, hit(glovebox.LimitMemory, "the box's process could not have more memory"))
	case strings.Contains(state, "killed"):
		out.Cause = glovebox.CauseMemory
		out.Hits = append(out.Hits, hit(glovebox.LimitMemory, "the host killed the box's process"))
	default:
		out.Cause, out.Signal = glovebox.CauseExit, "SIGABRT"
		if stderr != nil {
			_, _ = fmt.Fprintf(stderr, "wasm trap: the module's process ended: %s (%v): %.*q\n", state, err, maxFact, words)
		}
	}
}

// signalOf names the signal that a program of machine code would have received.
func signalOf(trap string) string {
	switch {
	case strings.Contains(trap, "out of bounds"), strings.Contains(trap, "stack overflow"):
		return "SIGSEGV"
	case strings.Contains(trap, "integer"), strings.Contains(trap, "invalid conversion"):
		return "SIGFPE"
	case strings.Contains(trap, "unreachable"):
		return "SIGABRT"
	}
	return "SIGILL"
}

func hit(limit glovebox.LimitName, format string, args ...any) glovebox.Hit {
	return glovebox.Hit{Limit: limit, Evidence: glovebox.Evidence{Source: "supervisor", Fact: fmt.Sprintf(format, args...)}}
}
