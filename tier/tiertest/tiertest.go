// Package tiertest is the conformance suite of [tier.Tier]: every promise of
// package tier, as a test that can fail. Every tier runs it.
//
// The suite needs no interpreter: its programs are a few system calls (see
// [glove.Program]), in a root with only the entries of every root.
package tiertest

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/internal/sample"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// Kind is a kind of tier under test.
type Kind struct {
	// New makes a tier and sweeps the remains of dead ones, as the kind does.
	New func() (tier.Tier, error)
	// Root builds a root file system with the entries of a plan.
	Root func(ctx context.Context, store *rootfs.Store, plan rootfs.Plan) (*rootfs.Root, error)
	// Kernel means that the boxes share the host's kernel.
	Kernel bool
	// Slow means that the boxes' processor is emulated: a command may take a
	// second to begin on a busy host.
	Slow bool
	// Silent means that the limit of processes is enforced without evidence of
	// the offender.
	Silent bool
	// Pids lists the boxes' processes of all owners, if they belong to a
	// different program; nil if the processes are below the opener of the
	// boxes.
	Pids func(t *testing.T) []int
	// Kept are suffixes of names of descriptors that a tier keeps until closed.
	Kept []string
}

// Run holds a kind of tier to the contract. Run starts the calling test again,
// in a process to be killed, so the test must get here the same way each time.
func Run(t *testing.T, k Kind) {
	tr, err := k.New()
	if err != nil {
		t.Fatal(err)
	}
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := k.Root(context.Background(), store, rootfs.Base().Merge(standbyRoot()))
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{kind: k, tier: tr, root: root}
	if isOwner() {
		s.own()
	}
	if os.Getenv(nextEnv) != "" {
		run(s.open(t, program("p", func(*glove.Script) {})), "p").ok(t)
		return
	}
	box, err := tr.Open(context.Background(), s.spec())
	if tier.IsKind(err, tier.KindUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Close(); err != nil {
		t.Fatal(err)
	}
	before := leftover.Look(t, leftover.Options{})
	for _, group := range []struct {
		name  string
		tests map[string]func(*suite, *testing.T)
	}{
		{"command", commandTests},
		{"files", fileTests},
		{"walls", wallTests},
		{"ends", endTests},
		{"open", openTests},
		{"standby", standbyTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			for name, test := range group.tests {
				t.Run(name, func(t *testing.T) {
					sample.Row(t, 1)
					t.Parallel() // they mostly wait
					test(s, t)
				})
			}
		})
	}
	// A tier's stock for making boxes faster goes with it.
	if c, ok := tr.(io.Closer); ok {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	before.Same(t)
	// Last, since they look at everything.
	t.Run("owner killed", s.ownerKilled)
	t.Run("nothing left", s.nothingLeft)
}

type suite struct {
	kind Kind
	tier tier.Tier
	root *rootfs.Root
}

// ample is a wall time that only a hanging test meets.
const ample = time.Minute

// soon is the wall limit of a command meant to hit the limit, after some first work.
func (s *suite) soon() time.Duration {
	if s.kind.Slow {
		return 3 * time.Second
	}
	return 300 * time.Millisecond
}

func (s *suite) spec(files ...glovebox.File) tier.Spec {
	l := glovebox.Limits{Wall: ample, CPU: ample, Memory: 96 << 20, Processes: 16, OpenFiles: 64, Output: 1 << 20}
	return tier.Spec{Root: s.root, Limits: l.WithDefaults(), Files: files}
}

// open opens a box that is closed with the test; a failure to close fails the
// test.
func (s *suite) open(t *testing.T, files ...glovebox.File) tier.Box {
	t.Helper()
	return s.openSpec(t, s.spec(files...))
}

func (s *suite) openSpec(t *testing.T, spec tier.Spec) tier.Box {
	t.Helper()
	box, err := s.tier.Open(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return box
}

// program is an executable file that executes a script, and ends with the
// number of the first error.
func program(name string, script func(s *glove.Script)) glovebox.File {
	s := new(glove.Script)
	script(s)
	image, err := glove.Program(s)
	if err != nil {
		panic(err)
	}
	return glovebox.File{Path: name, Data: image, Executable: true}
}

// result is what came of a command.
type result struct {
	glovebox.Outcome
	stdout, stderr bytes.Buffer
}

// run runs one of the programs of a box.
func run(box tier.Box, name string, change ...func(*tier.Command)) *result {
	r := &result{}
	cmd := tier.Command{Args: []string{tier.Workspace + "/" + name}, Stdout: &r.stdout, Stderr: &r.stderr}
	for _, f := range change {
		f(&cmd)
	}
	r.Outcome = box.Run(context.Background(), cmd)
	return r
}

// ok fails where a command did not end well.
func (r *result) ok(t *testing.T) *result {
	t.Helper()
	if r.Cause != glovebox.CauseExit || r.ExitCode != 0 || r.Signal != "" || !r.Started || r.Err != nil {
		t.Fatalf("ended with %+v (error %s)", r.Outcome, linux.Errno(max(r.ExitCode, 0)).Name())
	}
	return r
}

func (r *result) hit(l glovebox.LimitName) bool {
	return slices.ContainsFunc(r.Hits, func(h glovebox.Hit) bool {
		return h.Limit == l && h.Evidence.Source != "" && h.Evidence.Fact != ""
	})
}

// Pieces of programs.

func pause(s *glove.Script) { s.Call("pause", linux.SYS_PPOLL, 0, 0, 0, 0) }

func loop(s *glove.Script) {
	again := s.Label()
	s.Place(again)
	s.Jump(again)
}

func sleep(s *glove.Script, d time.Duration) {
	s.Call("sleep", linux.SYS_NANOSLEEP, s.Words(int64(d/time.Second), int64(d%time.Second)), 0)
}

func write(s *glove.Script, fd int, text string) {
	s.Call("write", linux.SYS_WRITE, fd, text, len(text))
}

func create(s *glove.Script, path, text string) {
	fd := s.Buffer(8)
	s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, path, linux.O_CREAT|linux.O_WRONLY|linux.O_TRUNC, 0o644).To(fd)
	s.CallOn(fd, "write", linux.SYS_WRITE, text, len(text))
	s.CallOn(fd, "close", linux.SYS_CLOSE)
}

// fork makes a child that executes body and ends.
func fork(s *glove.Script, body func(s *glove.Script)) {
	pid, on := s.Buffer(8), s.Label()
	s.Call("fork", linux.SYS_CLONE, uint64(linux.SIGCHLD), 0, 0, 0, 0).To(pid)
	s.Load(pid).IfOther(0, on)
	body(s)
	s.Call("exit", linux.SYS_EXIT_GROUP, 0)
	s.Place(on)
}

// copyTo copies the contents of the descriptor in a word.
func copyTo(s *glove.Script, from glove.Ref, to int) {
	again, end := s.Label(), s.Label()
	const atomic = 4 << 10 // of more, a pipe may take a part
	buf, n := s.Scratch(atomic), s.Buffer(8)
	s.Place(again)
	s.CallOn(from, "read", linux.SYS_READ, buf, atomic).To(n)
	s.Load(n).IfEqual(0, end)
	count := s.Load(n)
	count.To(s.Call("write", linux.SYS_WRITE, to, buf, 0).Arg(2))
	s.Jump(again)
	s.Place(end)
}

// print writes a file to stdout.
func print(s *glove.Script, path string) {
	fd := s.Buffer(8)
	s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, path, linux.O_RDONLY, 0).To(fd)
	copyTo(s, fd, 1)
}

// must ends the program with exit code 99 where a call does not fail with want.
func must(s *glove.Script, want linux.Errno, nr uintptr, args ...any) {
	wrong := exits(s, 99)
	s.Call("must fail", nr, args...).IfOther(-int64(want), wrong)
}

// refused ends the program with exit code 98 where a call succeeds.
func refused(s *glove.Script, nr uintptr, args ...any) {
	succeeded, failed := exits(s, 98), s.Label()
	s.Call("must be refused", nr, args...).IfError(failed)
	s.Jump(succeeded)
	s.Place(failed)
}

// alone ends the program with exit code 97 if it may signal any process but
// process 1. (A signal to all also succeeds if only the agent takes it, and the
// agent is not process 1 in every tier.)
func alone(s *glove.Script) {
	other, again, next := exits(s, 97), s.Label(), s.Label()
	own, pid := s.Words(0), s.Words(2)
	s.Call("getpid", linux.SYS_GETPID).To(own)
	s.Place(again)
	number := s.Load(pid)
	number.To(s.Call("kill", linux.SYS_KILL, 0, 0).IfError(next).Arg(0))
	self := s.Load(own)
	self.To(s.Load(pid).IfOther(0, other).Compare())
	s.Place(next)
	s.AddTo(pid, 1).IfOther(1000, again)
}

// exits returns a label where the program ends with an exit code.
func exits(s *glove.Script, code int) *glove.Label {
	end, on := s.Label(), s.Label()
	s.Jump(on)
	s.Place(end)
	s.Call("exit", linux.SYS_EXIT_GROUP, code)
	s.Place(on)
	return end
}
