//go:build linux

package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
)

// A serial port is waited for, and takes and gives what it likes at a time: here
// a terminal's line.
func TestPort(t *testing.T) {
	host, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals: ", err)
	}
	conn, err := host.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number int
	conn.Control(func(fd uintptr) {
		var raw *unix.Termios
		if raw, err = unix.IoctlGetTermios(int(fd), unix.TCGETS); err != nil {
			return
		}
		raw.Iflag, raw.Oflag, raw.Lflag = 0, 0, 0
		raw.Cc[unix.VMIN] = 1
		number, _ = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		err = errors.Join(unix.IoctlSetTermios(int(fd), unix.TCSETS, raw), unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0))
	})
	if err != nil {
		t.Fatal(err)
	}
	port := filepath.Join(t.TempDir(), "port")
	run(t, executables(t, Port(port), nil), nil)
	time.Sleep(20 * time.Millisecond)
	if err := os.Symlink(fmt.Sprintf("/dev/pts/%d", number), port); err != nil {
		t.Fatal(err)
	}
	l := attach(t, host)
	big := bytes.Repeat([]byte("0123456789\n"), 20_000)
	s := new(glove.Script)
	s.Reply(s.Bytes(big), s.Words(len(big)))
	if got := do(t, l, s); !bytes.Equal(got, big) {
		t.Errorf("%d bytes came back wrong", len(got))
	}
	s = new(glove.Script)
	s.Call("exit", linux.SYS_EXIT_GROUP, 0)
	if _, err := l.Ends().Do(s, soon()); err == nil {
		t.Error("a glove that is gone replied")
	}
}

// local is a channel that is restored, as vsock's is.
func local(path string) Channel {
	address := append([]byte{unix.AF_UNIX, 0}, path...)
	return listen(unix.AF_UNIX, append(address, 0), func(*relay, glove.Ref, *glove.Label) {})
}

// A settled box takes a new link, and knows nothing of the last one's end.
func TestRestore(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "wire") // a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	run(t, executables(t, local(path), nil), nil)
	testRestore(t, func() (net.Conn, error) { return net.Dial("unix", path) })
}

func testRestore(t *testing.T, dial func() (net.Conn, error)) {
	var last *Link
	for i := range 5 {
		conn, err := dial()
		for ; err != nil; conn, err = dial() {
			time.Sleep(time.Millisecond) // it is not up yet
		}
		out, mine := pipe(t, false)
		if last, err = Attach(conn, []*os.File{out}); err != nil {
			t.Fatal(err)
		}
		out.Close()
		s := new(glove.Script)
		text := fmt.Sprint("link ", i)
		// What Place does, but for the closing.
		s.Call("descriptor", linux.SYS_DUP3, inner(firstOut), 3, 0)
		s.Call("write", linux.SYS_WRITE, 1, text, len(text))
		s.Call("write", linux.SYS_WRITE, 3, text, len(text))
		do(t, last, s)
		for _, f := range []*os.File{last.Ends().Stdout, mine} {
			got := make([]byte, len(text))
			if _, err := io.ReadFull(f, got); err != nil || string(got) != text {
				t.Errorf("got %q, %v", got, err)
			}
		}
		if err := last.Settle(context.Background()); err != nil {
			t.Fatal(err)
		}
		if i < 4 {
			last.Close()
			last.Ends().Close()
		}
	}
	// The last one ends the glove, and so the relay.
	last.Ends().Close()
	<-last.Done()
	last.Close()
}

// TestVsock needs a kernel that carries vsock to itself.
func TestVsock(t *testing.T) {
	const port = 5234
	for name, tc := range map[string]struct {
		peer uint32
		ok   bool
	}{"the peer": {VsockLocal, true}, "a stranger": {VsockHost, false}} {
		t.Run(name, func(t *testing.T) {
			dial := func() (net.Conn, error) { return dialLocal(port) }
			if _, err := dial(); !errors.Is(err, unix.ECONNRESET) {
				t.Skip("no vsock_loopback here: ", err)
			}
			relay := executables(t, Vsock(port, tc.peer), nil)
			if tc.ok {
				run(t, relay, nil)
				testRestore(t, dial)
				return
			}
			cmd := exec.Command(relay)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()
			conn, err := dial()
			for ; err != nil; conn, err = dial() {
				time.Sleep(time.Millisecond)
			}
			defer conn.Close()
			if n, err := conn.Read(make([]byte, 1)); err == nil {
				t.Errorf("a stranger read %d bytes", n)
			}
		})
	}
}

func dialLocal(port uint32) (net.Conn, error) {
	fd, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	patience := unix.Timeval{Usec: 200_000}
	if err = unix.SetsockoptTimeval(fd, unix.AF_VSOCK, unix.SO_VM_SOCKETS_CONNECT_TIMEOUT, &patience); err == nil {
		err = unix.Connect(fd, &unix.SockaddrVM{CID: VsockLocal, Port: port})
	}
	f := os.NewFile(uintptr(fd), "vsock")
	if err != nil {
		f.Close()
		return nil, err
	}
	return fileConn{f}, nil
}

// fileConn is a connection of a family that package net does not know.
type fileConn struct{ *os.File }

func (fileConn) LocalAddr() net.Addr  { return nil }
func (fileConn) RemoteAddr() net.Addr { return nil }
