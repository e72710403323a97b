//go:build linux

package glove

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// bareGround is a box with hardly a wall: user, pid and mount namespaces made
// by os/exec, and tmpfs over /workspace and /tmp in a root of its own. It shows
// what the glove does, for programs that this test wrote.
type bareGround struct {
	cmd  *exec.Cmd
	dead chan struct{}
	// stuck makes a box that cannot be killed, as one that waits for a device.
	stuck atomic.Bool
	// hidden makes a box that cannot be measured.
	hidden atomic.Bool
}

func (g *bareGround) Kill() {
	if !g.stuck.Load() {
		g.cmd.Process.Kill()
	}
}

func (g *bareGround) Sample() (Sample, error) {
	if g.hidden.Load() {
		return Sample{}, errors.New("hidden")
	}
	return Sample{}, nil
}

func (g *bareGround) Dead() <-chan struct{}          { return g.dead }
func (g *bareGround) Evidence(Sample) []glovebox.Hit { return nil }
func (g *bareGround) Close() error {
	g.Kill()
	<-g.dead
	return nil
}

func openBare(t *testing.T, limits glovebox.Limits, files ...glovebox.File) *Box {
	t.Helper()
	image := filepath.Join(t.TempDir(), "glove")
	if err := os.WriteFile(image, Image(), 0o755); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	ends, in, err := Pipes()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(image)
	for fd := 3; fd <= FDKill; fd++ {
		cmd.ExtraFiles = append(cmd.ExtraFiles, in[fd])
	}
	cmd.Stdout, cmd.Stderr = in[1], in[2]
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	if err := cmd.Start(); err != nil {
		ends.Close()
		in.Close()
		t.Skipf("this host has no user namespaces for this user: %v", err)
	}
	in.Close()
	g := &bareGround{cmd: cmd, dead: make(chan struct{})}
	go func() { cmd.Wait(); close(g.dead) }()

	s := new(Script)
	s.Call("root", unix.SYS_MOUNT, "tmpfs", root, "tmpfs", 0, 0)
	for _, d := range []string{"usr", "dev", "workspace", "tmp", "bin", "lib", "lib64"} {
		s.Call("mkdir "+d, unix.SYS_MKDIRAT, unix.AT_FDCWD, root+"/"+d, 0o755)
	}
	for _, d := range []string{"usr", "dev", "bin", "lib", "lib64"} {
		if _, err := os.Stat("/" + d); err == nil {
			s.Call("bind "+d, unix.SYS_MOUNT, "/"+d, root+"/"+d, 0, unix.MS_BIND|unix.MS_REC, 0)
		}
	}
	s.Call("workspace", unix.SYS_MOUNT, "tmpfs", root+"/workspace", "tmpfs", 0, "size=1m,nr_inodes=64")
	s.Call("tmp", unix.SYS_MOUNT, "tmpfs", root+"/tmp", "tmpfs", 0, "size=1m")
	s.Call("chroot", unix.SYS_CHROOT, root)
	if _, err := ends.Do(s, soon()); err != nil {
		t.Fatal(err)
	}
	b, err := NewBox(Config{Tier: "bare", Ends: ends, Ground: g, Spec: tier.Spec{Limits: limits.WithDefaults(), Files: files}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func sh(script string) tier.Command {
	return tier.Command{Args: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}
}

func TestRun(t *testing.T) {
	tests := []struct {
		name   string
		limits glovebox.Limits
		cmd    tier.Command
		want   glovebox.Outcome
		stdout string
		stderr string
		hit    glovebox.LimitName
	}{
		{name: "streams", cmd: sh("echo out; echo err >&2"), want: glovebox.Outcome{Cause: "exit"}, stdout: "out\n", stderr: "err\n"},
		{name: "exit code", cmd: sh("exit 7"), want: glovebox.Outcome{Cause: "exit", ExitCode: 7}},
		{name: "signal", cmd: sh("kill -SEGV $$"), want: glovebox.Outcome{Cause: "exit", ExitCode: -1, Signal: "SIGSEGV"}},
		{name: "stdin", cmd: tier.Command{Args: []string{"/bin/cat"}, Stdin: []byte("hello")}, want: glovebox.Outcome{Cause: "exit"}, stdout: "hello"},
		{name: "no stdin", cmd: tier.Command{Args: []string{"/bin/cat"}}, want: glovebox.Outcome{Cause: "exit"}},
		{name: "descriptors", cmd: tier.Command{Args: []string{"/bin/bash", "-c", "for f in 3 4 30 31 32 33; do if { true <&$f; } 2>/dev/null; then echo $f; fi; done"}}, want: glovebox.Outcome{Cause: "exit"}},
		{name: "wall", limits: glovebox.Limits{Wall: 200 * time.Millisecond}, cmd: sh("echo before; sleep 100"),
			want: glovebox.Outcome{Cause: "wall", ExitCode: -1, Signal: "SIGKILL"}, stdout: "before\n", hit: "wall"},
		{name: "output", limits: glovebox.Limits{Output: 3}, cmd: sh("echo 123456; sleep 100"),
			want: glovebox.Outcome{Cause: "output", ExitCode: -1, Signal: "SIGKILL"}, stdout: "123", hit: "output"},
		{name: "left behind", cmd: sh("sleep 100 & sleep 100 & echo done"), want: glovebox.Outcome{Cause: "exit"}, stdout: "done\n"},
		{name: "disk", cmd: sh("dd if=/dev/zero of=big bs=64k 2>/dev/null"), want: glovebox.Outcome{Cause: "exit", ExitCode: 1}, hit: "disk"},
		{name: "files", cmd: sh("i=0; while : >f$i; do i=$((i+1)); done 2>/dev/null"), want: glovebox.Outcome{Cause: "exit", ExitCode: 2}, hit: "files"},
		{name: "not there", cmd: tier.Command{Args: []string{"/bin/nothing"}}, want: glovebox.Outcome{Cause: "box", ExitCode: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := openBare(t, tt.limits)
			var stdout, stderr bytes.Buffer
			tt.cmd.Stdout, tt.cmd.Stderr = &stdout, &stderr
			got := b.Run(context.Background(), tt.cmd)
			if got.Cause != tt.want.Cause || got.ExitCode != tt.want.ExitCode || got.Signal != tt.want.Signal {
				t.Errorf("got %+v (%v), want %+v", got, got.Err, tt.want)
			}
			if stdout.String() != tt.stdout || stderr.String() != tt.stderr {
				t.Errorf("streams are %q and %q, want %q and %q", stdout.String(), stderr.String(), tt.stdout, tt.stderr)
			}
			if tt.hit != "" && (len(got.Hits) == 0 || got.Hits[0].Limit != tt.hit) {
				t.Errorf("hits are %v, want %s", got.Hits, tt.hit)
			}
			// The box is as good as new.
			stdout.Reset()
			again := sh("echo 2")
			again.Stdout = &stdout
			if got := b.Run(context.Background(), again); got.Cause != "exit" || stdout.String() != "2\n" {
				t.Errorf("afterwards: %+v, %q", got, stdout.String())
			}
		})
	}
}

// A command may end at the very moment when it is killed; the kill must not
// reach the next one.
func TestKillAtTheEnd(t *testing.T) {
	b := openBare(t, glovebox.Limits{Output: 3})
	for range 50 {
		cmd := sh("echo 123456")
		var out bytes.Buffer
		cmd.Stdout = &out
		if got := b.Run(context.Background(), cmd); got.Cause != glovebox.CauseOutput || out.String() != "123" {
			t.Fatalf("got %+v, %q", got, out.String())
		}
		if got := b.Run(context.Background(), sh("exit 3")); got.ExitCode != 3 {
			t.Fatalf("the next one: %+v", got)
		}
	}
}

// A command ends at its time even where nobody tells the killer.
func TestKillerInside(t *testing.T) {
	b := openBare(t, glovebox.Limits{})
	for range 2 {
		st := b.stager()
		if err := st.stdin(nil); err != nil {
			t.Fatal(err)
		}
		st.s.alarm(100 * time.Millisecond)
		b.command(st.s, sh("sleep 1000 & sleep 1000"))
		body, err := b.c.Ends.Do(st.s, time.Now().Add(time.Minute))
		if err != nil || !wasKilled(body) {
			t.Fatalf("%x, %v", body, err)
		}
		// It does not end the next one.
		if out := b.Run(t.Context(), sh("sleep 0.3")); out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
			t.Errorf("the next one ended with %+v", out)
		}
	}
}

func TestCancel(t *testing.T) {
	b := openBare(t, glovebox.Limits{})
	ctx, cancel := context.WithCancel(context.Background())
	pr, pw := newSignalWriter()
	go func() { <-pr; cancel() }()
	cmd := sh("echo up; sleep 100")
	cmd.Stdout = pw
	if got := b.Run(ctx, cmd); got.Cause != glovebox.CauseCancelled {
		t.Errorf("got %+v", got)
	}
}

// newSignalWriter returns a writer and a channel that is closed at its first
// write.
func newSignalWriter() (<-chan struct{}, writerFunc) {
	c, once := make(chan struct{}), sync.Once{}
	return c, func(p []byte) (int, error) {
		once.Do(func() { close(c) })
		return len(p), nil
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestKilledFromOutside(t *testing.T) {
	b := openBare(t, glovebox.Limits{})
	up, w := newSignalWriter()
	go func() { <-up; b.c.Ground.Kill() }()
	cmd := sh("echo up; sleep 100")
	cmd.Stdout = w
	if got := b.Run(context.Background(), cmd); got.Cause != glovebox.CauseBox || b.Alive() {
		t.Errorf("got %+v, alive %v", got, b.Alive())
	}
}

func TestWorkspace(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 20000)
	b := openBare(t, glovebox.Limits{}, glovebox.File{Path: "in/data.txt", Data: []byte("input"), ReadOnly: true})
	cmd := sh(`mkdir -p a/b; printf %s "$BIG" >/dev/null; cat >a/b/big; ln -s /etc/passwd link; mkfifo pipe; : >empty
		echo x >in/data.txt || true; rm -f in/data.txt || true; mv in gone || true; ln a/b/big in/data.txt || true; chmod 000 a/b/big`)
	cmd.Stdin = []byte(big)
	if got := b.Run(context.Background(), cmd); got.Cause != "exit" {
		t.Fatalf("got %+v", got)
	}
	fsys, err := b.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	err = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		names = append(names, p+" "+d.Type().String()[:1])
		return nil
	})
	sort.Strings(names)
	want := ". d, a d, a/b d, a/b/big -, empty -, in d, in/data.txt -, link L, pipe p"
	if got := strings.Join(names, ", "); err != nil || got != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if got, err := fs.ReadFile(fsys, "a/b/big"); err != nil || string(got) != big {
		t.Errorf("big has %d bytes, %v", len(got), err)
	}
	if got, err := fs.ReadFile(fsys, "in/data.txt"); err != nil || string(got) != "input" {
		t.Errorf("the input is %q, %v", got, err)
	}
	for _, bad := range []string{"link", "pipe", "nothing", "../etc/passwd", "link/x", "/etc/passwd"} {
		if f, err := fsys.Open(bad); err == nil {
			t.Errorf("%s opened: %v", bad, f)
		}
	}
}

// A box that nothing ends does not keep its caller.
func TestStuck(t *testing.T) {
	defer func(d time.Duration) { killPatience = d }(killPatience)
	killPatience = 50 * time.Millisecond
	b := openBare(t, glovebox.Limits{Wall: 300 * time.Millisecond})
	g := b.c.Ground.(*bareGround)
	g.stuck.Store(true)
	if err := g.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	got := b.Run(context.Background(), sh("sleep 100"))
	if got.Cause != glovebox.CauseWall || b.Alive() {
		t.Errorf("got %+v, alive %v", got, b.Alive())
	}
	g.stuck.Store(false)
}

// TestNotMeasured: a box whose use cannot be seen does not run on without limits.
func TestNotMeasured(t *testing.T) {
	b := openBare(t, glovebox.Limits{})
	b.c.Ground.(*bareGround).hidden.Store(true)
	out := b.Run(context.Background(), sh("sleep 60"))
	if out.Cause != glovebox.CauseBox || out.Err == nil || !strings.Contains(out.Err.Error(), "cannot be measured") {
		t.Errorf("%+v", out)
	}
}
