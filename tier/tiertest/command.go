package tiertest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// commandTests are about one command: its inputs and its results.
var commandTests = map[string]func(*suite, *testing.T){
	"streams are never mixed": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			for range 100 {
				write(s, 1, "out")
				write(s, 2, "error")
			}
		}))
		r := run(box, "p").ok(t)
		if r.stdout.String() != strings.Repeat("out", 100) || r.stderr.String() != strings.Repeat("error", 100) {
			t.Errorf("stdout %q, stderr %q", &r.stdout, &r.stderr)
		}
	},
	"streams may be thrown away": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) { write(s, 1, "out"); write(s, 2, "error") }))
		run(box, "p", func(c *tier.Command) { c.Stdout, c.Stderr = nil, nil }).ok(t)
	},
	"exit codes": func(s *suite, t *testing.T) {
		// Codes read as a limit by other programs are ordinary codes.
		for _, code := range []int{0, 1, 2, 124, 137, 152, 255} {
			box := s.open(t, program("p", func(s *glove.Script) { s.Call("exit", linux.SYS_EXIT_GROUP, code) }))
			if r := run(box, "p"); r.Cause != glovebox.CauseExit || r.ExitCode != code || r.Signal != "" || len(r.Hits) > 0 {
				t.Errorf("exit code %d became %+v", code, r.Outcome)
			}
		}
	},
	"signals": func(s *suite, t *testing.T) {
		for _, sig := range []linux.Signal{linux.SIGTERM, linux.SIGKILL, linux.SIGSEGV, linux.SIGXCPU, linux.SIGPIPE} {
			box := s.open(t, program("p", func(s *glove.Script) {
				pid := s.Buffer(8)
				s.Call("getpid", linux.SYS_GETPID).To(pid)
				s.CallOn(pid, "kill", linux.SYS_KILL, sig)
				pause(s)
			}))
			r := run(box, "p")
			if r.Cause != glovebox.CauseExit || r.ExitCode != -1 || r.Signal != sig.Name() || len(r.Hits) > 0 {
				t.Errorf("%s became %+v", sig.Name(), r.Outcome)
			}
			if !box.Alive() {
				t.Errorf("%s to itself ended the box", sig.Name())
			}
		}
	},
	"stdin": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) { copyTo(s, s.Words(0), 1) }),
			program("again", func(s *glove.Script) {
				copyTo(s, s.Words(0), 2)
				s.Call("rewind", linux.SYS_LSEEK, 0, 1, 0)
				copyTo(s, s.Words(0), 1)
			}))
		big := bytes.Repeat([]byte("0123456789abcdef"), 50_000)
		for _, in := range [][]byte{nil, []byte("x"), []byte("a\x00b\xff\n"), big} {
			r := run(box, "p", func(c *tier.Command) { c.Stdin = in }).ok(t)
			if !bytes.Equal(r.stdout.Bytes(), in) {
				t.Errorf("%d bytes came out as %d", len(in), r.stdout.Len())
			}
		}
		if r := run(box, "again", func(c *tier.Command) { c.Stdin = []byte("seek") }).ok(t); r.stdout.String() != "eek" {
			t.Errorf("after a seek it reads %q", &r.stdout)
		}
	},
	"arguments and environment": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			print(s, "/proc/self/cmdline")
			write(s, 1, "|")
			print(s, "/proc/self/environ")
		}))
		for _, env := range [][]string{nil, {"A=b", "EMPTY=", "WITH SPACE=x\ny", "LC_ALL=ü"}} {
			r := run(box, "p", func(c *tier.Command) { c.Args, c.Env = append(c.Args, "", "two words", "\xff"), env }).ok(t)
			want := tier.Workspace + "/p\x00\x00two words\x00\xff\x00|"
			for _, e := range env {
				want += e + "\x00"
			}
			if r.stdout.String() != want {
				t.Errorf("got %q, want %q", &r.stdout, want)
			}
		}
	},
	"directory": func(s *suite, t *testing.T) {
		box := s.open(t, program("sub/p", func(s *glove.Script) {
			buf, n := s.Scratch(4096), s.Buffer(8)
			s.Call("getcwd", linux.SYS_GETCWD, buf, 4096).To(n)
			count := s.Load(n)
			count.To(s.Call("write", linux.SYS_WRITE, 1, buf, 0).Arg(2))
		}))
		for dir, want := range map[string]string{"": tier.Workspace, tier.Workspace + "/sub": tier.Workspace + "/sub", tier.Temp: tier.Temp} {
			if r := run(box, "sub/p", func(c *tier.Command) { c.Dir = dir }).ok(t); r.stdout.String() != want+"\x00" {
				t.Errorf("in %q it is in %q", dir, &r.stdout)
			}
		}
	},
	"user": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			ids := s.Buffer(32)
			s.Call("getuid", linux.SYS_GETUID).To(ids)
			s.Call("geteuid", linux.SYS_GETEUID).To(ids.Plus(8))
			s.Call("getgid", linux.SYS_GETGID).To(ids.Plus(16))
			s.Call("getegid", linux.SYS_GETEGID).To(ids.Plus(24))
			s.Call("write", linux.SYS_WRITE, 1, ids, 32)
		}))
		id := "\xe8\x03\x00\x00\x00\x00\x00\x00" // 1000
		if r := run(box, "p").ok(t); r.stdout.String() != strings.Repeat(id, 4) {
			t.Errorf("user and group are %q", &r.stdout)
		}
	},
	"descriptors": func(s *suite, t *testing.T) {
		toBox, in, _ := os.Pipe()
		out, fromBox, _ := os.Pipe()
		defer in.Close()
		defer out.Close()
		spec := s.spec(program("p", func(s *glove.Script) {
			buf := s.Buffer(5)
			s.Call("read", linux.SYS_READ, 3, buf, 5)
			for fd := 4; fd < 1100; fd++ {
				if fd != 5 {
					must(s, linux.EBADF, linux.SYS_FCNTL, fd, linux.F_GETFD)
				}
			}
			s.Call("write", linux.SYS_WRITE, 5, buf, 5)
		}))
		spec.Descriptors = []*os.File{toBox, nil, fromBox}
		box := s.openSpec(t, spec)
		toBox.Close()
		fromBox.Close()
		for _, word := range []string{"hello", "again"} { // to every command
			in.WriteString(word)
			run(box, "p").ok(t)
			got := make([]byte, 5)
			if _, err := out.Read(got); err != nil || string(got) != word {
				t.Errorf("got %q, %v", got, err)
			}
		}
		box.Close()
		if n, err := out.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Error("the box is closed and its end of the pipe is open")
		}
	},
	"no descriptor": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			for fd := 3; fd < 1100; fd++ {
				must(s, linux.EBADF, linux.SYS_FCNTL, fd, linux.F_GETFD)
			}
		}))
		run(box, "p").ok(t)
	},
	"signals are as usual": func(s *suite, t *testing.T) {
		// Signals blocked or ignored by the Go runtime must be normal in the
		// box.
		box := s.open(t, program("p", func(s *glove.Script) {
			set, wrong, on := s.Buffer(8), s.Label(), s.Label()
			s.Call("sigprocmask", linux.SYS_RT_SIGPROCMASK, 0, 0, set, 8)
			s.Load(set).IfOther(0, wrong)
			for sig := 1; sig < 32; sig++ {
				act := s.Buffer(32)
				s.Call("sigaction", linux.SYS_RT_SIGACTION, sig, 0, act, 8)
				s.Load(act).IfOther(0, wrong)
			}
			s.Jump(on)
			s.Place(wrong)
			s.Call("exit", linux.SYS_EXIT_GROUP, 99)
			s.Place(on)
			s.Call("umask", linux.SYS_UMASK, 0)
		}))
		run(box, "p").ok(t)
	},
	"several commands": func(s *suite, t *testing.T) {
		box := s.open(t, program("first", func(s *glove.Script) {
			create(s, "kept", "the first was here")
			fork(s, func(s *glove.Script) { // a daemon
				s.Call("setsid", linux.SYS_SETSID)
				fork(s, pause)
				pause(s)
			})
		}), program("second", func(s *glove.Script) {
			alone(s) // nobody is left
			print(s, "kept")
			print(s, "late")
		}))
		run(box, "first").ok(t)
		r := run(box, "second", func(c *tier.Command) { c.Files = []glovebox.File{{Path: "late", Data: []byte("!")}} }).ok(t)
		if r.stdout.String() != "the first was here!" {
			t.Errorf("the second read %q", &r.stdout)
		}
	},
	"the end of a command is the end of its children": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			// The pipe is descriptors 3 and 4. The child keeps stdout open, and
			// writes to the pipe after the write to stdout.
			s.Call("pipe", linux.SYS_PIPE2, s.Buffer(8), 0)
			fork(s, func(s *glove.Script) { write(s, 1, "child"); write(s, 4, "."); pause(s) })
			s.Call("read", linux.SYS_READ, 3, s.Buffer(8), 1)
			s.Call("exit", linux.SYS_EXIT_GROUP, 7)
		}))
		if r := run(box, "p"); r.Cause != glovebox.CauseExit || r.ExitCode != 7 || r.stdout.String() != "child" {
			t.Errorf("ended with %+v, stdout %q", r.Outcome, &r.stdout)
		}
	},
	"usage": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			s.Call("mmap", linux.SYS_MMAP, 0, 32<<20, linux.PROT_READ|linux.PROT_WRITE, linux.MAP_PRIVATE|linux.MAP_ANONYMOUS|linux.MAP_POPULATE, -1, 0)
			sleep(s, time.Second) // where it is sampled, on a busy host
		}), program("loop", loop))
		if u := run(box, "p").ok(t).Usage; u.Duration < time.Second || u.MemoryPeak < 32<<20 || u.MemoryPeak > 96<<20 {
			t.Errorf("usage is %+v", u)
		}
		if u := run(box, "loop", func(c *tier.Command) { c.Wall = s.soon() }).Usage; u.CPU == 0 || u.CPU > ample {
			t.Errorf("usage is %+v", u)
		}
	},
	"commands that cannot be": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) { write(s, 1, "up") }), glovebox.File{Path: "text", Data: []byte("not a program"), Executable: true})
		for name, change := range map[string]func(*tier.Command){
			"nothing":           func(c *tier.Command) { c.Args = nil },
			"relative":          func(c *tier.Command) { c.Args = []string{"p"} },
			"missing":           func(c *tier.Command) { c.Args = []string{"/bin/nothing"} },
			"not a program":     func(c *tier.Command) { c.Args = []string{tier.Workspace + "/text"} },
			"a directory":       func(c *tier.Command) { c.Args = []string{tier.Workspace} },
			"missing directory": func(c *tier.Command) { c.Dir = "/nowhere" },
		} {
			r := run(box, "p", change)
			if r.Cause != glovebox.CauseBox || r.Err == nil || r.Started || r.stdout.Len() > 0 {
				t.Errorf("%s: ended with %+v", name, r.Outcome)
			}
			if r := run(box, "p"); r.stdout.String() != "up" {
				t.Errorf("after %s: the box does not run a good command: %+v", name, r.Outcome)
			}
		}
	},
	"a writer's error": func(s *suite, t *testing.T) {
		failed := errors.New("the writer failed")
		box := s.open(t, program("p", func(s *glove.Script) { write(s, 1, "x"); pause(s) }))
		r := run(box, "p", func(c *tier.Command) { c.Stdout = writer(func([]byte) (int, error) { return 0, failed }) })
		if r.Cause != glovebox.CauseBox || !errors.Is(r.Err, failed) {
			t.Errorf("ended with %+v", r.Outcome)
		}
	},
	"a writer's error after the end": func(s *suite, t *testing.T) {
		failed := errors.New("the writer failed")
		box := s.open(t, program("p", func(s *glove.Script) { write(s, 1, "x") }))
		r := run(box, "p", func(c *tier.Command) {
			c.Stdout = writer(func([]byte) (int, error) { time.Sleep(100 * time.Millisecond); return 0, failed })
		})
		if r.Cause != glovebox.CauseBox || !errors.Is(r.Err, failed) {
			t.Errorf("ended with %+v", r.Outcome)
		}
	},
	"a slow writer loses nothing": func(s *suite, t *testing.T) {
		const n = 40
		text := strings.Repeat("x", 8<<10)
		box := s.open(t, program("p", func(s *glove.Script) {
			data := s.String(text)
			for range n {
				s.Call("write", linux.SYS_WRITE, 1, data, len(text))
			}
		}))
		got := 0
		run(box, "p", func(c *tier.Command) {
			c.Stdout = writer(func(p []byte) (int, error) { time.Sleep(time.Millisecond); got += len(p); return len(p), nil })
		}).ok(t)
		if got != n*len(text) {
			t.Errorf("got %d of %d bytes", got, n*len(text))
		}
	},
	"wall": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) { write(s, 1, "before"); pause(s) }))
		begin := time.Now()
		r := run(box, "p", func(c *tier.Command) { c.Wall = s.soon() })
		if r.Cause != glovebox.CauseWall || !r.hit(glovebox.LimitWall) || r.ExitCode != -1 || r.stdout.String() != "before" {
			t.Errorf("ended with %+v, stdout %q", r.Outcome, &r.stdout)
		}
		if took := time.Since(begin); took > ample/2 || took < s.soon() {
			t.Errorf("a wall of %v took %v", s.soon(), took)
		}
		if box.Alive() { // then it is as good as before
			if r := run(box, "p", func(c *tier.Command) { c.Wall = s.soon() }); r.Cause != glovebox.CauseWall || r.stdout.String() != "before" {
				t.Errorf("the second ended with %+v", r.Outcome)
			}
		}
	},
	"wall of what ignores signals": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			for sig := 1; sig < 32; sig++ {
				s.Call("ignore", linux.SYS_RT_SIGACTION, sig, s.Words(1, 0, 0, 0), 0, 8).Ignore()
			}
			fork(s, func(s *glove.Script) { s.Call("setsid", linux.SYS_SETSID); pause(s) })
			loop(s)
		}))
		if r := run(box, "p", func(c *tier.Command) { c.Wall = s.soon() }); r.Cause != glovebox.CauseWall {
			t.Errorf("ended with %+v", r.Outcome)
		}
	},
	"output": func(s *suite, t *testing.T) {
		for fd := 1; fd <= 2; fd++ {
			spec := s.spec(program("p", func(s *glove.Script) {
				data, again := s.Scratch(4<<10), s.Label()
				s.Place(again)
				s.Call("write", linux.SYS_WRITE, fd, data, 4<<10)
				s.Jump(again)
			}))
			spec.Limits.Output = 10_001
			r := run(s.openSpec(t, spec), "p")
			got, other := r.stdout.Len(), r.stderr.Len()
			if fd == 2 {
				got, other = other, got
			}
			if r.Cause != glovebox.CauseOutput || !r.hit(glovebox.LimitOutput) || got != 10_001 || other != 0 {
				t.Errorf("descriptor %d: %d bytes, ended with %+v", fd, got, r.Outcome)
			}
		}
	},
	"output up to the limit": func(s *suite, t *testing.T) {
		spec := s.spec(program("p", func(s *glove.Script) { write(s, 1, "12345"); write(s, 2, "12345") }))
		spec.Limits.Output = 5
		if r := run(s.openSpec(t, spec), "p").ok(t); r.stdout.Len() != 5 || r.stderr.Len() != 5 || len(r.Hits) > 0 {
			t.Errorf("ended with %+v", r.Outcome)
		}
	},
	"cancelled before": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) { write(s, 1, "up") }))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		out := box.Run(ctx, tier.Command{Args: []string{tier.Workspace + "/p"}})
		if out.Cause != glovebox.CauseCancelled || out.Started {
			t.Errorf("ended with %+v", out)
		}
		run(box, "p").ok(t)
	},
	"cancelled while it runs": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			fork(s, pause)
			write(s, 1, "up")
			pause(s)
		}))
		ctx, cancel := context.WithCancel(context.Background())
		out := box.Run(ctx, tier.Command{Args: []string{tier.Workspace + "/p"}, Stdout: writer(func(p []byte) (int, error) { cancel(); return len(p), nil })})
		if out.Cause != glovebox.CauseCancelled || !out.Started {
			t.Errorf("ended with %+v", out)
		}
	},
	"cancelled after": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) { write(s, 1, "up") }))
		ctx, cancel := context.WithCancel(context.Background())
		if out := box.Run(ctx, tier.Command{Args: []string{tier.Workspace + "/p"}}); out.Cause != glovebox.CauseExit {
			t.Errorf("ended with %+v", out)
		}
		cancel()
		run(box, "p").ok(t)
	},
	"cancelled at any moment": func(s *suite, t *testing.T) {
		n := 20
		if testing.Short() {
			n = 3
		}
		var box tier.Box
		for i := range n {
			if box == nil || !box.Alive() {
				box = s.open(t, program("p", func(s *glove.Script) { fork(s, pause); sleep(s, 5*time.Millisecond) }))
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*time.Millisecond)
			out := box.Run(ctx, tier.Command{Args: []string{tier.Workspace + "/p"}})
			cancel()
			if out.Cause != glovebox.CauseCancelled && (out.Cause != glovebox.CauseExit || out.ExitCode != 0) {
				t.Errorf("after %d ms: %+v", i, out)
			}
			if box.Alive() {
				run(box, "p").ok(t)
			}
		}
	},
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
