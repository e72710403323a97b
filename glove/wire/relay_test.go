//go:build linux

package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/internal/tap"
)

// executables writes a relay and the glove, and returns the relay's path.
func executables(t testing.TB, channel Channel, before func(*glove.Script)) string {
	t.Helper()
	dir := t.TempDir()
	inside, relay := filepath.Join(dir, "glove"), filepath.Join(dir, "relay")
	image, err := Relay(Config{Channel: channel, Glove: inside, Before: before})
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{inside: glove.Image(), relay: image} {
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return relay
}

// run starts a relay as a process of this host, which must end by itself.
func run(t testing.TB, relay string, channel *os.File) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(relay)
	if channel != nil {
		cmd.Stdin, cmd.Stdout = channel, channel
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		defer late.Stop()
		// It may have had something to send when the channel ended.
		err := cmd.Wait()
		if code := unix.Errno(max(cmd.ProcessState.ExitCode(), 0)); err != nil && code != unix.EPIPE && code != unix.EIO {
			t.Errorf("the relay ended with %v", err)
		}
	})
	return cmd
}

// pair returns the two ends of a stream.
func pair(t testing.TB) (net.Conn, *os.File) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	mine, other := os.NewFile(uintptr(fds[0]), "host"), os.NewFile(uintptr(fds[1]), "box")
	conn, err := net.FileConn(mine)
	if err != nil {
		t.Fatal(err)
	}
	mine.Close()
	return conn, other
}

// attach joins a link with what is closed when the test ends.
func attach(t testing.TB, conn io.ReadWriteCloser, descriptors ...*os.File) *Link {
	t.Helper()
	l, err := Attach(conn, descriptors)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Ends().Close(); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// start runs the glove behind a relay.
func start(t testing.TB, descriptors ...*os.File) *Link {
	t.Helper()
	conn, box := pair(t)
	run(t, executables(t, Stdio(), nil), box)
	box.Close()
	l := attach(t, conn, descriptors...)
	place(t, l)
	return l
}

func place(t testing.TB, l *Link) {
	t.Helper()
	s := new(glove.Script)
	l.Place(s)
	do(t, l, s)
}

func soon() time.Time { return time.Now().Add(time.Minute) }

func do(t testing.TB, l *Link, s *glove.Script) []byte {
	t.Helper()
	out, err := l.Ends().Do(s, soon())
	if err != nil {
		t.Fatalf("%v (%v)", err, l.Err())
	}
	return out
}

// command appends a process that executes body, and waits for its end.
func command(s *glove.Script, body func()) {
	pid, child := s.Buffer(8), s.Label()
	s.Call("fork", linux.SYS_CLONE, uint64(linux.SIGCHLD), 0, 0, 0, 0).To(pid)
	s.Load(pid).IfEqual(0, child)
	on := s.Label()
	s.CallOn(pid, "wait", linux.SYS_WAIT4, 0, 0, 0)
	s.Jump(on)
	s.Place(child)
	body()
	s.Call("exit", linux.SYS_EXIT_GROUP, 0)
	s.Place(on)
}

// copies appends what copies a descriptor to another until its end.
func copies(s *glove.Script, from, to int) {
	again, end := s.Label(), s.Label()
	buf, n := s.Scratch(100<<10), s.Buffer(8)
	s.Place(again)
	s.Call("read", linux.SYS_READ, from, buf, 100<<10).To(n)
	s.Load(n).IfEqual(0, end)
	count := s.Load(n)
	count.To(s.Call("write", linux.SYS_WRITE, to, buf, 0).Arg(2))
	s.Jump(again)
	s.Place(end)
}

// pipe returns the box's end of a pipe and the test's.
func pipe(t testing.TB, boxReads bool) (box, mine *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	if boxReads {
		return r, w
	}
	return w, r
}

func TestScripts(t *testing.T) {
	l := start(t)
	s := new(glove.Script)
	buf, n := s.Buffer(64), s.Buffer(8)
	s.Call("getcwd", linux.SYS_GETCWD, buf, 64).To(n)
	s.Reply(buf, n)
	wd, _ := os.Getwd()
	if got := do(t, l, s); string(got) != wd+"\x00" {
		t.Errorf("got %q, want %q", got, wd)
	}
	s = new(glove.Script)
	s.Call("open nothing", linux.SYS_OPENAT, linux.AT_FDCWD, "/does/not/exist", 0)
	if _, err := l.Ends().Do(s, soon()); err == nil || err.Error() != "open nothing: no such file or directory" {
		t.Errorf("got %v", err)
	}
	// A long script and a long reply.
	big := make([]byte, 900<<10)
	for i := range big {
		big[i] = byte(i * 7 >> 3)
	}
	s = new(glove.Script)
	s.Reply(s.Bytes(big), s.Words(len(big)))
	if got := do(t, l, s); !bytes.Equal(got, big) {
		t.Errorf("%d bytes came back wrong", len(got))
	}
	if err := l.Err(); err != nil {
		t.Error(err)
	}
}

// The relay has the threads that it says, and the glove none of its descriptors.
func TestTasks(t *testing.T) {
	conn, box := pair(t)
	relay := run(t, executables(t, Stdio(), nil), box)
	box.Close()
	in, _ := pipe(t, true)
	l := attach(t, conn, in)
	in.Close()
	if err := l.Settle(t.Context()); err != nil { // the last thread has answered
		t.Fatal(err)
	}
	if threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", relay.Process.Pid)); err != nil || len(threads)+2 != Tasks {
		t.Errorf("the relay has %d threads (%v); with the glove's two it says %d", len(threads), err, Tasks)
	}
	below := leftover.Below(relay.Process.Pid)
	if len(below) != 1 {
		t.Fatalf("below the relay are %v", below)
	}
	open := func() (list []int) {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", below[0]))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			n, _ := strconv.Atoi(e.Name())
			list = append(list, n)
		}
		slices.Sort(list)
		return list
	}
	own := []int{0, 1, 2, glove.FDScript, glove.FDReply, glove.FDKill}
	slots := own
	for i := range Slots {
		slots = append(slots, inner(firstOut+i), inner(outputs+firstIn+i))
	}
	slices.Sort(slots)
	got := open()
	for begin := time.Now(); !slices.Equal(got, slots) && time.Since(begin) < 10*time.Second; got = open() {
		time.Sleep(time.Millisecond) // nobody waits for it to have given them their numbers
	}
	if !slices.Equal(got, slots) {
		t.Errorf("the glove has the descriptors %v, want %v", got, slots)
	}
	place(t, l)
	if got, want := open(), slices.Insert(own, 3, 3); !slices.Equal(got, want) {
		t.Errorf("then the glove has the descriptors %v, want %v", got, want)
	}
}

// What comes before is done before, and must succeed.
func TestBefore(t *testing.T) {
	dir := t.TempDir()
	conn, box := pair(t)
	run(t, executables(t, Stdio(), func(s *glove.Script) { s.Call("chdir", linux.SYS_CHDIR, dir) }), box)
	box.Close()
	l := attach(t, conn)
	s := new(glove.Script)
	buf, n := s.Buffer(4096), s.Buffer(8)
	s.Call("getcwd", linux.SYS_GETCWD, buf, 4096).To(n)
	s.Reply(buf, n)
	if got := do(t, l, s); string(got) != dir+"\x00" {
		t.Errorf("the glove is in %q, want %q", got, dir)
	}
	cmd := exec.Command(executables(t, Stdio(), func(s *glove.Script) { s.Call("chdir", linux.SYS_CHDIR, dir+"/none") }))
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != int(unix.ENOENT) {
		t.Errorf("it ended with %d", got)
	}
	for name, c := range map[string]Config{"no channel": {Glove: "/glove"}, "no glove": {Channel: Stdio()}} {
		if _, err := Relay(c); err == nil {
			t.Errorf("%s: there is a relay", name)
		}
	}
}

// What a command wrote is there when the reply is.
func TestOrder(t *testing.T) {
	fromBox, mine := pipe(t, false)
	l := start(t, fromBox)
	fromBox.Close()
	for range 100 {
		sizes := map[int]int{1: rand.IntN(100_000), 2: rand.IntN(100_000), 3: rand.IntN(100_000)}
		s := new(glove.Script)
		buf := s.Scratch(100_000)
		command(s, func() {
			for fd, n := range sizes {
				s.Call("write", linux.SYS_WRITE, fd, buf, n)
			}
		})
		got := map[int]*bytes.Buffer{1: {}, 2: {}, 3: {}}
		taps := []*tap.Tap{tap.Open(l.Ends().Stdout, got[1]), tap.Open(l.Ends().Stderr, got[2]), tap.Open(mine, got[3])}
		do(t, l, s)
		for _, tap := range taps {
			tap.Stop()
		}
		for fd, n := range sizes {
			if got[fd].Len() != n {
				t.Fatalf("%d bytes came through descriptor %d, want %d", got[fd].Len(), fd, n)
			}
		}
	}
}

// Descriptors have their numbers, carry much both ways at once, and end.
func TestDescriptors(t *testing.T) {
	const size = 20 << 20
	in, write := pipe(t, true)
	out, read := pipe(t, false)
	l := start(t, in, nil, out)
	in.Close()
	out.Close()
	s := new(glove.Script)
	open := s.Words(0)
	var free []int
	for i := range Slots {
		free = append(free, inner(firstOut+i), inner(outputs+firstIn+i))
	}
	for _, fd := range append(free, 4, 6) {
		no := s.Label()
		s.Call("must be closed", linux.SYS_DUP3, fd, 63, 0).IfError(no)
		s.AddTo(open, 1)
		s.Place(no)
	}
	s.Reply(open, s.Words(8))
	if got := do(t, l, s); got[0] != 0 {
		t.Errorf("%d descriptors are open that must not be", got[0])
	}
	s = new(glove.Script)
	command(s, func() { copies(s, 3, 5) })
	s.Call("close", linux.SYS_CLOSE, 5)

	var group sync.WaitGroup
	sum := func(r io.Reader) string {
		h := sha256.New()
		n, err := io.Copy(h, r)
		return fmt.Sprintf("%d bytes, %v, %x", n, err, h.Sum(nil))
	}
	source := func() io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{1}), size) }
	group.Go(func() {
		io.Copy(write, source())
		write.Close()
	})
	var got string
	group.Go(func() { got = sum(read) })
	do(t, l, s)
	group.Wait()
	if want := sum(source()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A pipe that nobody reads stops only its own writer, who hears when its reader
// goes.
func TestSlowReader(t *testing.T) {
	var outs, mine []*os.File
	for range Slots {
		o, m := pipe(t, false)
		outs, mine = append(outs, o), append(mine, m)
	}
	l := start(t, outs...)
	for _, o := range outs {
		o.Close()
	}
	s := new(glove.Script)
	again, on, pid := s.Label(), s.Label(), s.Buffer(8)
	s.Call("fork", linux.SYS_CLONE, uint64(linux.SIGCHLD), 0, 0, 0, 0).To(pid)
	s.Load(pid).IfOther(0, on)
	s.Place(again)
	s.Call("write", linux.SYS_WRITE, 3, s.Scratch(1<<20), 1<<20).Ignore() // the signal ends it
	s.Jump(again)
	s.Place(on)
	s.Call("write", linux.SYS_WRITE, 4, "four", 4)
	s.Call("write", linux.SYS_WRITE, 1, "one", 3)
	replied := make(chan error)
	go func() {
		_, err := l.Ends().Do(s, soon())
		replied <- err
	}()
	for f, want := range map[*os.File]string{mine[1]: "four", l.Ends().Stdout: "one"} {
		got := make([]byte, len(want))
		if _, err := io.ReadFull(f, got); err != nil || string(got) != want {
			t.Errorf("got %q, %v", got, err)
		}
	}
	mine[0].Close()
	if err := <-replied; err != nil {
		t.Error(err)
	}
	s = new(glove.Script)
	status := s.Buffer(8)
	s.Call("wait", linux.SYS_WAIT4, -1, status, 0, 0)
	s.Reply(status, s.Words(8))
	if got := unix.WaitStatus(do(t, l, s)[0]); got.Signal() != unix.SIGPIPE {
		t.Errorf("the writer ended with %v", got)
	}
}

// The relay ends with its channel, and with the glove.
func TestEnds(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, l *Link){
		"the host closes the link":  func(t *testing.T, l *Link) { l.Close() },
		"the host closes the pipes": func(t *testing.T, l *Link) { l.Ends().Script.Close(); <-l.Done() },
		"the glove ends": func(t *testing.T, l *Link) {
			s := new(glove.Script)
			s.Call("exit", linux.SYS_EXIT_GROUP, 3)
			if _, err := l.Ends().Do(s, soon()); err == nil {
				t.Error("a glove that is gone replied")
			}
			<-l.Done()
			if err := l.Err(); err != io.EOF {
				t.Errorf("the link ended with %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := leftover.Look(t, leftover.Options{})
			conn, box := pair(t)
			cmd := exec.Command(executables(t, Stdio(), nil))
			cmd.Stdin, cmd.Stdout = box, box
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			box.Close()
			l, err := Attach(conn, nil)
			if err != nil {
				t.Fatal(err)
			}
			do(t, l, new(glove.Script))
			end(t, l)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			l.Close()
			l.Close()
			l.Ends().Close()
			before.Same(t)
		})
	}
}

func TestSettle(t *testing.T) {
	conn, box := pair(t)
	relay := executables(t, Stdio(), nil)
	run(t, relay, box)
	box.Close()
	first, second := net.Pipe()
	l := attach(t, first)
	// Whoever holds the connection sees what is under way.
	var toBox, toHost sync.WaitGroup
	toBox.Go(func() { io.Copy(conn, second) })
	toHost.Go(func() { io.Copy(second, conn) })
	t.Cleanup(func() { conn.Close(); second.Close(); toBox.Wait(); toHost.Wait() })
	for range 20 {
		do(t, l, new(glove.Script))
		if err := l.Settle(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}
