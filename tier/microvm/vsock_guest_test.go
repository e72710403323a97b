//go:build linux

package microvm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/wire"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/microvm/kernel"
	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
	"github.com/gloveboxhq/glovebox/tier/microvm/qemu"
)

// TestVsockInAGuest runs boxes whose relay listens on vsock, as it does under
// Firecracker, in a real guest. The host's part is played inside: a program that
// joins QEMU's serial port with a connection over vsock_loopback.
//
//	host ── virtio-serial ── joiner ── vsock ── relay ── glove
//
// What the guest does is all of what it does under Firecracker but for the
// driver below vsock; its kernel is the uncompressed one that Firecracker takes.
func TestVsockInAGuest(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	q, err := qemu.Find("")
	if err != nil {
		t.Skip("vsock in a guest: ", err)
	}
	k, err := kernel.Find("")
	if err != nil {
		t.Skip("vsock in a guest: ", err)
	}
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := New(Options{
		Monitor: q, AllowEmulation: true, EmulationOnly: true, Cache: dirs[0], Dir: dirs[1],
		Warn: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if tr.guest, err = loopbackGuest(ctx, uncompressed{q}, k, tr.cache); err != nil {
		t.Skip("vsock in a guest: ", err)
	}
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := store.Image(ctx, rootfs.Base().Merge(tr.ImageRoot()))
	if err != nil {
		t.Fatal(err)
	}
	// The program says its input back on both streams.
	s := new(glove.Script)
	end := s.Label()
	pump(s, 0, []int{1, 2}, end)
	s.Place(end)
	echo, err := glove.Program(s)
	if err != nil {
		t.Fatal(err)
	}
	// The first box boots, is stopped and restored; the second is restored.
	for n := range 2 {
		spec := tier.Spec{
			Root: root, Limits: glovebox.Limits{Memory: 96 << 20, Wall: time.Minute}.WithDefaults(),
			Files: []glovebox.File{{Path: "echo", Data: echo, Executable: true}},
		}
		box, err := tr.Open(ctx, spec)
		if err != nil && strings.Contains(err.Error(), "Kernel panic") {
			// Emulated beside heavy load, a guest that goes on from a snapshot has
			// panicked. The engine takes another box then, once.
			t.Log(err)
			box, err = tr.Open(ctx, spec)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, stdin := range []string{"", "hello\n", strings.Repeat("0123456789abcde\n", 1<<15)} {
			var out, errs bytes.Buffer
			o := box.Run(ctx, tier.Command{Args: []string{"/workspace/echo"}, Stdin: []byte(stdin), Stdout: &out, Stderr: &errs})
			if o.Cause != glovebox.CauseExit || o.ExitCode != 0 {
				t.Errorf("box %d, %d bytes: %+v", n, len(stdin), o)
			}
			if out.String() != stdin || errs.String() != stdin {
				t.Errorf("box %d: of %d bytes came %d and %d", n, len(stdin), out.Len(), errs.Len())
			}
		}
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}
}

// uncompressed is QEMU with the kernel that Firecracker boots.
type uncompressed struct{ *qemu.Monitor }

func (uncompressed) Uncompressed() bool { return true }

// loopbackGuest is a guest whose relay listens on vsock to the guest itself.
func loopbackGuest(ctx context.Context, m monitor.Monitor, k *kernel.Kernel, c *cache) (*guest, error) {
	modules, err := k.Modules("virtio_mmio", "virtio_blk", "virtio_console", "erofs", "vsock_loopback")
	if err != nil {
		return nil, err
	}
	entries := []entry{{path: "dev", mode: typeDir | 0o755}}
	for _, dir := range []string{modulesDir, rootDir, groupDir} {
		entries = append(entries, entry{path: dir, mode: typeDir | 0o755})
	}
	for _, m := range modules {
		data, err := os.ReadFile(m.Path)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{modulesDir + "/" + m.Name, typeFile | 0o400, data})
	}
	relay, err1 := wire.Relay(wire.Config{
		Channel: wire.Vsock(monitor.VsockPort, wire.VsockLocal), Glove: "/" + gloveFile,
		Before: func(s *glove.Script) {
			start(s, modules)
			child, parent := s.Label(), s.Label()
			s.Call("fork", unix.SYS_CLONE, int(unix.SIGCHLD), 0, 0, 0, 0).IfEqual(0, child)
			s.Jump(parent)
			s.Place(child)
			s.Call("execute the joiner", unix.SYS_EXECVE, "/joiner", s.Strings([]string{"/joiner"}), s.Strings(nil))
			s.Place(parent)
		},
	})
	joiner, err2 := glove.Program(join())
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	entries = append(entries,
		entry{gloveFile, typeFile | 0o500, glove.Image()},
		entry{"joiner", typeFile | 0o500, joiner},
		entry{"init", typeFile | 0o500, relay})
	var image bytes.Buffer
	if err := writeInitramfs(&image, entries); err != nil {
		return nil, err
	}
	g := &guest{monitor: m, kernel: k, key: "vsock loopback"}
	if g.identity, err = m.Identity(ctx); err != nil {
		return nil, err
	}
	g.initrd, err = c.keep("loopback.initrd", image.Bytes())
	return g, err
}

// join is the program that plays the host of Firecracker in the guest. Its first
// connection it drops, as a snapshot does.
func join() *glove.Script {
	const fdPort, fdVsock = 10, 11
	s := new(glove.Script)
	pause := func() { s.Call("sleep", unix.SYS_NANOSLEEP, s.Words(0, int64(2*time.Millisecond)), 0) }

	again, missing, open := s.Label(), s.Label(), s.Label()
	port := s.Words(0)
	s.Place(again)
	s.Call("open the port", unix.SYS_OPENAT, unix.AT_FDCWD, monitor.PortNode, unix.O_RDWR, 0).To(port).IfError(missing)
	s.Jump(open)
	s.Place(missing)
	pause()
	s.Jump(again)
	s.Place(open)
	s.CallOn(port, "dup3", unix.SYS_DUP3, fdPort, 0)

	// Struct sockaddr_vm: the family, the port; the address, flags.
	address := s.Words(uint64(unix.AF_VSOCK)|uint64(monitor.VsockPort)<<32, uint64(wire.VsockLocal))
	for range 2 {
		again, refused, connected := s.Label(), s.Label(), s.Label()
		socket := s.Words(0)
		s.Place(again)
		s.Call("socket", unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0).To(socket)
		s.CallOn(socket, "dup3", unix.SYS_DUP3, fdVsock, 0) // closes the one before
		s.CallOn(socket, "close", unix.SYS_CLOSE)
		s.Call("connect", unix.SYS_CONNECT, fdVsock, address, 16).IfError(refused)
		s.Jump(connected)
		s.Place(refused)
		pause()
		s.Jump(again)
		s.Place(connected)
	}

	child, idle, end := s.Label(), s.Label(), s.Label()
	s.Call("fork", unix.SYS_CLONE, int(unix.SIGCHLD), 0, 0, 0, 0).IfEqual(0, child)
	pump(s, fdVsock, []int{fdPort}, end)
	s.Place(idle) // the host is not there yet
	pause()
	s.Place(child)
	pump(s, fdPort, []int{fdVsock}, idle)
	s.Place(end)
	return s
}

// pump appends the calls that write what one descriptor gives to others, and go
// to empty where it gives nothing.
func pump(s *glove.Script, from int, to []int, empty *glove.Label) {
	const size = 4096 // less than what is written at once, or not at all
	again, buf, n := s.Label(), s.Scratch(size), s.Words(0)
	s.Place(again)
	s.Call("read", unix.SYS_READ, from, buf, size).To(n)
	s.Load(n).IfEqual(0, empty)
	for _, fd := range to {
		load := s.Load(n)
		load.To(s.Call("write", unix.SYS_WRITE, fd, buf, 0).Arg(2))
	}
	s.Jump(again)
}
