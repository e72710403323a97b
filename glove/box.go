package glove

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/internal/tap"
	"github.com/gloveboxhq/glovebox/tier"
)

// Ground is what a tier does for a box whose inside the glove looks after: it
// kills and measures from outside. Its methods may be called from any
// goroutine.
type Ground interface {
	// Kill kills everything in the box, the glove too, at once. It is
	// idempotent and does not wait.
	Kill()
	// Dead is closed when the box has ended, for whatever reason.
	Dead() <-chan struct{}
	// Sample measures the box as it is now. It is called fifty times a
	// second or more while a command runs. An error means that nothing is known now.
	Sample() (Sample, error)
	// Evidence returns the limits that the box has touched so far: by the
	// kernel's word or, where the kernel has none, by peak, the most that the
	// command was seen to use at once.
	Evidence(peak Sample) []glovebox.Hit
	// Close kills, reaps and removes everything of the box. It is idempotent.
	Close() error
}

// Sample is what a box uses at one moment. Zero means unknown.
type Sample struct {
	// CPU is the processor time of everything in the box since it was made.
	CPU time.Duration
	// Memory and Processes are what there is now.
	Memory    int64
	Processes int64
}

// Config says how a tier's box differs from another's.
type Config struct {
	Tier   glovebox.TierName
	Spec   tier.Spec
	Ends   Ends
	Ground Ground
	// Prologue appends the calls of a command's own process, after its
	// descriptors and before it is executed: the user, the limits, the walls
	// that are the process's own.
	Prologue func(s *Script)
	// Owner tells that the glove is another user than the commands and may
	// give files away. Else read-only files are bind-mounted on themselves.
	Owner bool
	// HostTime tells that processor time is what the ground samples, and not
	// what the box's kernel says of its processes: a kernel of its own may
	// count the time in which the host lets it wait.
	HostTime bool
	// Controls are what this box enforces.
	Controls []glovebox.Control
	// Within tells that the glove lies in a copy of the process that is to be the
	// standby command; see [Script.Fork]. That is forked and goes on where the
	// glove was called, in place of being executed.
	Within bool
	// Lent tells that the glove is one that a process lent itself for, see
	// [Script.Lend]: the ends are not the box's to close, and the end of the box is
	// its ground's to bring about, in order unless it was told to kill before.
	Lent bool

	// See Begin.
	begun, staged bool
	// Waiting is the process of the standby command in a box that is a copy of
	// one where it waits already, glove and all; see [Box.Waiting]. It gets
	// ready once more. Else 0.
	Waiting int64
}

// KillPatience bounds the end of a box that was killed. One that is frozen, or that
// waits for a device, ends when it can; nobody waits for it.
const KillPatience = 10 * time.Second

var killPatience = KillPatience // a test has less

const (
	// grace is how long the killer inside has before the ground kills.
	grace = 2 * time.Second
	// blindness is how long a command runs in a box that cannot be measured.
	blindness = 5 * time.Second
	// patience bounds a script that does not wait for a command.
	patience = 20 * time.Second
	// sampleEvery is the pause between two samples, at the most, and sampleSoonest
	// at the least.
	sampleEvery   = 20 * time.Millisecond
	sampleSoonest = 2 * time.Millisecond
	// fillsPerSecond are the bytes that a program fills in a second, more or less.
	fillsPerSecond = 8 << 30
)

// samplePause is the pause between two samples of a box with a limit of memory. In
// that a program does not fill half of the limit.
func samplePause(memory int64) time.Duration {
	half := time.Duration(float64(memory) / 2 / fillsPerSecond * float64(time.Second))
	return max(min(half, sampleEvery), sampleSoonest)
}

// Box is a [tier.Box] on a [Ground].
type Box struct {
	c     Config
	alive atomic.Bool
	busy  sync.Mutex // held by whoever talks to the glove

	children time.Duration // processor time of the commands that have ended
	standby  int64         // the standby command's process while it waits, else 0
	used     bool          // a command ran
	look     *look         // what was seen at the end of the last command, if anything

	closeOnce sync.Once
	closeErr  error
}

// NewBox takes over a glove whose walls stand, and stages the files of the
// Spec. When it fails, the ground and the ends are closed.
func NewBox(c Config) (*Box, error) {
	b := &Box{c: c, standby: c.Waiting}
	b.alive.Store(true)
	err := b.begin()
	if err == nil && !b.c.staged && len(c.Spec.Files) > 0 {
		st := b.stager()
		if err = st.files(c.Spec.Files); err == nil {
			err = st.flush()
		}
	}
	switch {
	case err != nil || c.Spec.Standby == nil:
	case b.standby == 0:
		err = b.startStandby()
	default:
		err = b.wakeStandby()
	}
	if err != nil {
		err = &tier.Error{Tier: c.Tier, Op: "prepare the box", Kind: tier.KindBroken, Err: err}
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// begin makes the glove ready for commands, unless its boot did or it is the copy
// of one that is.
func (b *Box) begin() error {
	if b.standby != 0 || b.c.begun {
		return nil
	}
	s := new(Script)
	b.c.Begin(s)
	_, err := b.c.Ends.Do(s, time.Now().Add(patience))
	return err
}

// fewFiles are the files that Begin stages at the most.
const fewFiles = 64

// Begin ends a script with the calls that make a glove ready for commands and
// write the files of the Spec, if those are few. The tier whose boot script ends
// with it, before it has a box, spares the box a script of its own.
func (c *Config) Begin(s *Script) {
	if !c.Lent { // else the process that lent itself did
		s.calm()
	}
	if len(c.Spec.Files) <= fewFiles {
		before := len(s.ins)
		st := newStager(nil, s, c.Owner, true)
		if c.staged = st.files(c.Spec.Files) == nil; !c.staged {
			s.ins = s.ins[:before] // it is NewBox's to do
		}
	}
	s.Jump(killer)
	c.begun = true
}

// calm makes this process a glove, whatever it was before.
func (s *Script) calm() {
	s.Call("umask", linux.SYS_UMASK, 0)
	// What this process ignores must not be ignored by the commands.
	for sig := 1; sig < 32; sig++ {
		s.Call("default signal", linux.SYS_RT_SIGACTION, sig, s.Buffer(32), 0, 8).Ignore()
	}
	s.Call("not dumpable", linux.SYS_PRCTL, linux.PR_SET_DUMPABLE, 0, 0, 0, 0)
	timer := s.Buffer(8)
	s.Call("make a clock", linux.SYS_TIMERFD_CREATE, linux.CLOCK_MONOTONIC, linux.TFD_NONBLOCK|linux.TFD_CLOEXEC).To(timer)
	s.Renumber(timer, fdTimer)
}

// alarm appends the call after which the killer inside kills everything when so much
// time has passed; 0 means that it does not.
func (s *Script) alarm(after time.Duration) {
	s.Call("set the clock", linux.SYS_TIMERFD_SETTIME, fdTimer, 0, s.Words(0, 0, int64(after/time.Second), int64(after%time.Second)), 0)
}

// Waiting returns the number that the standby command's process has in the box,
// or 0 where none waits.
func (b *Box) Waiting() int64 {
	b.busy.Lock()
	defer b.busy.Unlock()
	return b.standby
}

// Alive implements [tier.Box].
func (b *Box) Alive() bool {
	select {
	case <-b.c.Ground.Dead():
		return false
	default:
		return b.alive.Load()
	}
}

// Dead is closed when the box has ended, for whatever reason.
func (b *Box) Dead() <-chan struct{} { return b.c.Ground.Dead() }

// Controls implements [tier.Box].
func (b *Box) Controls() []glovebox.Control { return b.c.Controls }

// Close implements [tier.Box].
func (b *Box) Close() error {
	b.closeOnce.Do(func() {
		if b.c.Lent {
			b.closeErr = b.giveBack()
			return
		}
		b.alive.Store(false)
		b.c.Ground.Kill()
		err := b.c.Ground.Close()
		b.closeErr = errors.Join(err, b.c.Ends.Close())
	})
	return b.closeErr
}

// giveBack closes a box whose glove is lent. Where it is not known to wait for a
// script, what lent it is not used again.
func (b *Box) giveBack() error {
	alive := b.alive.Swap(false)
	idle := b.busy.TryLock()
	if idle {
		defer b.busy.Unlock()
	}
	if !alive || !idle {
		b.c.Ground.Kill()
	}
	return b.c.Ground.Close()
}

// Run implements [tier.Box].
func (b *Box) Run(ctx context.Context, cmd tier.Command) glovebox.Outcome {
	b.busy.Lock()
	defer b.busy.Unlock()
	begin := time.Now()
	out := b.run(ctx, cmd)
	out.Usage.Duration = time.Since(begin)
	return out
}

func (b *Box) run(ctx context.Context, cmd tier.Command) glovebox.Outcome {
	broken := func(err error) glovebox.Outcome {
		b.alive.Store(false)
		b.c.Ground.Kill()
		return b.explain(glovebox.Outcome{Cause: glovebox.CauseBox, ExitCode: -1, Err: err})
	}
	if !b.Alive() {
		return broken(errors.New("the box is gone"))
	}
	if ctx.Err() != nil {
		return glovebox.Outcome{Cause: glovebox.CauseCancelled, ExitCode: -1}
	}
	switch {
	case cmd.Orders != nil && b.standby == 0:
		return broken(errors.New("there are orders and no standby command that waits for them"))
	case cmd.Orders == nil && b.standby != 0:
		return broken(errors.New("the standby command waits for its orders"))
	case cmd.Orders == nil && (len(cmd.Args) == 0 || !path.IsAbs(cmd.Args[0])):
		return glovebox.Outcome{Cause: glovebox.CauseBox, ExitCode: -1,
			Err: fmt.Errorf("the command %q does not begin with an absolute path", cmd.Args)}
	}
	cmd.Look = lookable(cmd.Look)
	if room := tap.Room(b.c.Ends.Reply); room > 0 && room < endSize+lookSize(cmd.Look)+16 {
		cmd.Look = nil // the glove writes all of a reply or a part, and looks at neither
	}
	limits := b.c.Spec.Limits
	wall := cmp.Or(cmd.Wall, limits.Wall)
	st := b.stager()
	b.used, b.look = true, nil
	err := st.files(cmd.Files)
	if err == nil {
		err = st.stdin(cmd.Stdin)
	}
	switch {
	case err != nil:
	case cmd.Orders != nil:
		st.s.alarm(wall + grace)
		err = b.order(st, cmd)
	default:
		if err = st.room(chunk / 4); err == nil {
			st.s.alarm(wall + grace)
			b.command(st.s, cmd)
		}
	}
	if err != nil {
		return broken(err)
	}
	script := st.s

	// The streams end the run when they grow past their limit or when their
	// writer fails.
	full := make(chan streamEnd, 2)
	stdout := copyStream(b.c.Ends.Stdout, cmd.Stdout, limits.Output, full)
	stderr := copyStream(b.c.Ends.Stderr, cmd.Stderr, limits.Output, full)
	drain := func() { stdout.Stop(); stderr.Stop() }

	base, _ := b.c.Ground.Sample()
	sent := time.Now()
	if err := b.c.Ends.send(script, time.Now().Add(patience)); err != nil {
		drain()
		return broken(err)
	}
	type answer struct {
		body   []byte
		killed bool
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		body, killed, err := b.c.Ends.receive(script, time.Time{})
		answers <- answer{body, killed, err}
	}()

	var (
		out      glovebox.Outcome
		peak     Sample
		blind    time.Time // since when no sample succeeds
		deadline = time.NewTimer(wall)
		ticker   = time.NewTicker(samplePause(limits.Memory))
		last     <-chan time.Time // when the killer inside had its chance
		gone     <-chan time.Time // when the box as a whole had its chance to end
		done     = ctx.Done()
	)
	defer deadline.Stop()
	defer ticker.Stop()
	end := func(cause glovebox.Cause, hit *glovebox.Hit, err error) {
		if out.Cause != "" {
			return
		}
		out.Cause, out.Err = cause, err
		if hit != nil {
			out.Hits = append(out.Hits, *hit)
		}
		b.c.Ends.Kill.SetWriteDeadline(time.Now().Add(grace))
		b.c.Ends.Kill.Write([]byte{1})
		last = time.After(grace)
	}
	var got answer
wait:
	for {
		select {
		case got = <-answers:
			if time.Since(sent) > wall+grace && got.err == nil && wasKilled(got.body) {
				// We were stopped, and the killer inside was not.
				end(glovebox.CauseWall, hit(glovebox.LimitWall, "supervisor", "the deadline of %v passed long ago", wall), nil)
			}
			break wait
		case <-deadline.C:
			end(glovebox.CauseWall, hit(glovebox.LimitWall, "supervisor", "the deadline of %v passed", wall), nil)
		case <-done:
			done = nil
			end(glovebox.CauseCancelled, nil, nil)
		case e := <-full:
			if e.err != nil {
				end(glovebox.CauseBox, nil, e.err)
			} else {
				end(glovebox.CauseOutput, hit(glovebox.LimitOutput, "supervisor", "a stream grew past %d bytes", limits.Output), nil)
			}
		case <-ticker.C:
			now, err := b.c.Ground.Sample()
			if err != nil {
				if blind.IsZero() {
					blind = time.Now()
				} else if time.Since(blind) > blindness {
					// A limit could be passed unseen.
					end(glovebox.CauseBox, nil, fmt.Errorf("the box cannot be measured: %w", err))
				}
				continue
			}
			blind = time.Time{}
			peak = peak.most(now)
			if used := now.CPU - base.CPU; used > limits.CPU {
				end(glovebox.CauseCPU, hit(glovebox.LimitCPU, "supervisor", "all processes together used %v of %v", used.Round(time.Millisecond), limits.CPU), nil)
			}
			if now.Memory > limits.Memory {
				end(glovebox.CauseMemory, hit(glovebox.LimitMemory, "supervisor", "the box used %d of %d bytes", now.Memory, limits.Memory), nil)
			}
		case <-last:
			last = nil
			b.c.Ground.Kill()
			gone = time.After(killPatience)
		case <-gone:
			// Its kernel cannot end it now: it is frozen, or waits for a device. We
			// go on without it.
			b.alive.Store(false)
			b.c.Ends.Reply.SetReadDeadline(time.Now())
			got = <-answers
			break wait
		case <-b.c.Ground.Dead():
			b.alive.Store(false)
			// The reply pipe ends with the box.
			b.c.Ends.Reply.SetReadDeadline(time.Now().Add(grace))
			got = <-answers
			break wait
		}
	}
	if now, err := b.c.Ground.Sample(); err == nil {
		peak = peak.most(now)
	}
	if out.Cause != "" && !got.killed && b.Alive() {
		// Else the killer might find the next command.
		if err := b.c.Ends.receiveKilled(time.Now().Add(grace)); err != nil {
			b.alive.Store(false)
			b.c.Ground.Kill()
		}
	}
	drain()

	out.Usage.CPU = max(peak.CPU-base.CPU, 0)
	out.Usage.MemoryPeak, out.Usage.ProcessesPeak = peak.Memory, peak.Processes
	if got.err == nil && len(got.body) == endSize+lookSize(cmd.Look) {
		out.Started = true
		b.readEnd(&out, got.body[:endSize])
		if len(cmd.Look) > 0 {
			b.look = &look{cmd.Look, got.body[endSize:]}
		}
	} else {
		b.alive.Store(false)
		out.ExitCode = -1
		var f *Fault
		if errors.As(got.err, &f) && f.Child {
			// The command's process could not be executed; the box is well.
			b.alive.Store(true)
			if out.Cause == "" {
				out.Cause, out.Err = glovebox.CauseBox, fmt.Errorf("start %q: %w", cmd.Args, got.err)
			}
		} else {
			b.c.Ground.Kill()
			out.Started = f == nil // else it was not even staged
			if out.Cause == "" {
				out.Cause, out.Err = glovebox.CauseBox, got.err
			}
		}
	}
	// What the streams said after the command's end counts too.
	select {
	case e := <-full:
		switch {
		case out.Cause != glovebox.CauseExit:
		case e.err != nil:
			out.Cause, out.Err = glovebox.CauseBox, e.err
		default:
			out.Cause = glovebox.CauseOutput
			out.Hits = append(out.Hits, *hit(glovebox.LimitOutput, "supervisor", "a stream grew past %d bytes", limits.Output))
		}
	default:
	}
	return b.explain(out)
}

// explain adds what the ground knows, and lets it speak where the box broke or
// the command was killed by a signal that it did not send itself.
func (b *Box) explain(out glovebox.Outcome) glovebox.Outcome {
	hits := b.c.Ground.Evidence(Sample{CPU: out.Usage.CPU, Memory: out.Usage.MemoryPeak, Processes: out.Usage.ProcessesPeak})
	for _, h := range hits {
		if h.Limit != glovebox.LimitMemory {
			continue
		}
		if out.Cause == glovebox.CauseBox || out.Cause == glovebox.CauseExit && out.Signal == "SIGKILL" {
			out.Cause, out.Err = glovebox.CauseMemory, nil
		}
	}
	out.Hits = append(out.Hits, hits...)
	return out
}

func hit(limit glovebox.LimitName, source, format string, args ...any) *glovebox.Hit {
	return &glovebox.Hit{Limit: limit, Evidence: glovebox.Evidence{Source: source, Fact: fmt.Sprintf(format, args...)}}
}

func (s Sample) most(t Sample) Sample {
	return Sample{max(s.CPU, t.CPU), max(s.Memory, t.Memory), max(s.Processes, t.Processes)}
}

// The reply of a command: its wait status, its resource usage, that of all
// that were waited for, the file systems' state, and how many processes the
// command left behind.
const (
	rusageSize = 144
	statfsSize = 120
	endLeft    = 8 + 2*rusageSize + 2*statfsSize
	endSize    = endLeft + 8
)

// command appends the calls that start a command, wait for its end, kill and
// reap all that is left, and reply.
func (b *Box) command(s *Script, cmd tier.Command) {
	child := s.Label()
	forked := fork(s, child)
	forked.To(awaitEnd(s, 0, cmd.Look).Compare())
	b.child(s, child, cmd, func() { s.closeFrom(3 + len(b.c.Spec.Descriptors)) })
}

// fork appends the calls that make a process, which goes on at child, and
// returns the instruction whose result is its number. The two share their memory
// until the process executes something; the first is stopped until then.
func fork(s *Script, child *Label) *Ins {
	clone := s.Call("fork", linux.SYS_CLONE, linux.CLONE_VM|linux.CLONE_VFORK|uint64(linux.SIGCHLD), 0, 0, 0, 0)
	forked := s.add("forked", opAdd).IfEqual(0, child)
	clone.To(forked.Arg(0))
	return forked
}

// awaitEnd appends the calls that wait for the end of a process, kill and reap
// all that is left, look at the workspace if there are names, and reply. It
// returns the instruction that compares with the process's number.
func awaitEnd(s *Script, pid int64, names []string) *Ins {
	result := s.Buffer(endSize)
	left, junk := result.Plus(endLeft), s.Buffer(8)
	reap, killing, reaped := s.Label(), s.Label(), s.Label()
	s.Place(reap)
	wait := s.Call("wait", linux.SYS_WAIT4, -1, result, 0, result.Plus(8))
	who := s.add("who", opAdd).IfOther(pid, reap)
	wait.To(who.Arg(0))
	s.Place(killing)
	s.Call("kill the rest", linux.SYS_KILL, -1, linux.SIGKILL).Ignore()
	s.Call("reap the rest", linux.SYS_WAIT4, -1, junk, 0, 0).IfError(reaped)
	s.AddTo(left, 1)
	s.Jump(killing)
	s.Place(reaped)
	s.alarm(0)
	s.Call("usage", linux.SYS_GETRUSAGE, linux.RUSAGE_CHILDREN, result.Plus(8+rusageSize))
	s.Call("statfs", linux.SYS_STATFS, tier.Workspace, result.Plus(8+2*rusageSize))
	s.Call("statfs", linux.SYS_STATFS, tier.Temp, result.Plus(8+2*rusageSize+statfsSize))
	if len(names) == 0 {
		s.replyAtOnce(result, endSize)
	} else {
		seen, size := s.lookAround(names)
		s.replyBoth(result, endSize, seen, size)
	}
	return who
}

// child appends the steps of a command's own process up to its program. descriptors
// appends the steps for descriptors other than stdin.
func (b *Box) child(s *Script, start *Label, cmd tier.Command, descriptors func()) {
	b.childThat(s, start, cmd, descriptors, func() {
		s.execute(&cmd)
	})
}

// childThat is child with what follows when all walls stand.
func (b *Box) childThat(s *Script, start *Label, cmd tier.Command, descriptors, become func()) {
	failed := s.Label()
	s.OnFail(failed)
	s.Place(start)
	b.childCalls(s, cmd, descriptors)
	become()
	s.Place(failed)
	s.sendFault(tagChild)
	s.add("exit", linux.SYS_EXIT_GROUP, 127)
}

func (b *Box) childCalls(s *Script, cmd tier.Command, descriptors func()) {
	s.Call("setsid", linux.SYS_SETSID)
	s.Call("umask", linux.SYS_UMASK, 0o022)
	s.Call("signal mask", linux.SYS_RT_SIGPROCMASK, linux.SIG_SETMASK, s.Buffer(8), 0, 8)
	s.Call("stdin", linux.SYS_DUP3, fdStdin, 0, 0)
	descriptors()
	s.Call("chdir", linux.SYS_CHDIR, cmp.Or(cmd.Dir, tier.Workspace))
	if b.c.Prologue != nil {
		b.c.Prologue(s)
	}
}

// wasKilled tells whether awaitEnd replied that the command died by SIGKILL.
func wasKilled(end []byte) bool {
	if len(end) < endSize {
		return false
	}
	status := linux.WaitStatus(binary.LittleEndian.Uint32(end))
	return status.Signaled() && status.Signal() == linux.SIGKILL
}

// readEnd reads what awaitEnd replied.
func (b *Box) readEnd(out *glovebox.Outcome, end []byte) {
	word := func(off int) int64 { return int64(binary.LittleEndian.Uint64(end[off:])) }
	cpu := func(off int) time.Duration {
		return time.Duration(word(off)+word(off+16))*time.Second + time.Duration(word(off+8)+word(off+24))*time.Microsecond
	}
	status := linux.WaitStatus(binary.LittleEndian.Uint32(end))
	own := cpu(8)
	children := cpu(8 + rusageSize)
	if b.c.HostTime && out.Usage.CPU > 0 {
		own = out.Usage.CPU
	} else {
		out.Usage.CPU = max(out.Usage.CPU, own, children-b.children)
	}
	b.children = children
	if out.Usage.MemoryPeak == 0 {
		out.Usage.MemoryPeak = word(8+32) * 1024
	}

	// Processes left behind ran beside the command.
	out.Usage.ProcessesPeak = max(out.Usage.ProcessesPeak, 1+word(endLeft))

	out.ExitCode = -1
	if status.Exited() {
		out.ExitCode = status.ExitStatus()
	} else {
		out.Signal = status.Signal().Name()
	}
	limits := b.c.Spec.Limits
	switch {
	case out.Cause != "":
	case status.Signaled() && (status.Signal() == linux.SIGXCPU || status.Signal() == linux.SIGKILL) && own >= limits.CPU/2:
		// A program can send itself SIGXCPU, but not the time. The limit counts
		// ticks and the usage counts nanoseconds: on a busy machine they differ.
		out.Cause = glovebox.CauseCPU
		out.Hits = append(out.Hits, *hit(glovebox.LimitCPU, "kernel", "%s after %v of processor time", out.Signal, own.Round(time.Millisecond)))
	default:
		out.Cause = glovebox.CauseExit
	}
	if status.Signaled() && status.Signal() == linux.SIGXFSZ {
		out.Hits = append(out.Hits, *hit(glovebox.LimitFileSize, "kernel", "SIGXFSZ: a file would have grown past %d bytes", limits.FileSize))
	}
	for i, dir := range []string{tier.Workspace, tier.Temp} {
		off := 8 + 2*rusageSize + i*statfsSize
		blocks, available, files, free := word(off+16), word(off+32), word(off+40), word(off+48)
		if blocks > 0 && available == 0 {
			out.Hits = append(out.Hits, *hit(glovebox.LimitDisk, "kernel", "statfs: %s has none of its %d blocks free", dir, blocks))
		}
		if files > 0 && free == 0 {
			out.Hits = append(out.Hits, *hit(glovebox.LimitFiles, "kernel", "statfs: %s has none of its %d files free", dir, files))
		}
	}
}

// Workspace implements [tier.Box].
func (b *Box) Workspace() (fs.FS, error) {
	if !b.Alive() {
		return nil, errors.New("the box is gone, and its workspace with it")
	}
	return &workspace{b: b, look: b.look}, nil
}

// do runs a short script.
func (b *Box) do(s *Script) ([]byte, error) {
	if !b.alive.Load() {
		return nil, errors.New("the box is gone") // its pipes may be another's
	}
	out, err := b.c.Ends.Do(s, time.Now().Add(patience))
	var f *Fault
	if err != nil && !errors.As(err, &f) {
		// The glove and we are no longer in step.
		b.alive.Store(false)
		b.c.Ground.Kill()
	}
	return out, err
}

// streamEnd says why a stream ended a run: it is full, or its writer failed.
type streamEnd struct{ err error }

// stream hands one stream of a command on to its writer, up to the limit. What
// comes after that is thrown away, so that the box is never stuck on a full
// pipe.
type stream struct {
	to   io.Writer
	left int64
	full chan<- streamEnd
	over bool
}

func copyStream(from *os.File, to io.Writer, limit int64, full chan<- streamEnd) *tap.Tap {
	if to == nil {
		to = io.Discard
	}
	return tap.Open(from, &stream{to: to, left: limit, full: full})
}

func (s *stream) Write(p []byte) (int, error) {
	if s.over {
		return len(p), nil
	}
	part := p[:min(int64(len(p)), s.left)]
	s.left -= int64(len(part))
	_, err := s.to.Write(part)
	if len(part) < len(p) || err != nil {
		s.over = true
		s.full <- streamEnd{err}
	}
	return len(p), nil
}
