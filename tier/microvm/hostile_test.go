//go:build linux

package microvm

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// forever repeats what body adds.
func forever(s *glove.Script, body func()) {
	again := s.Label()
	s.Place(again)
	body()
	s.Jump(again)
}

// hostile makes a guest whose first program, in place of the relay, does what
// body adds, with the channel open as the descriptor in a word.
func hostile(t *testing.T, g *guest, body func(s *glove.Script, port glove.Ref)) *guest {
	t.Helper()
	modules, err := g.kernel.Modules("virtio_mmio", "virtio_blk", "virtio_console", "erofs")
	if err != nil {
		t.Fatal(err)
	}
	entries := []entry{{path: "dev", mode: typeDir | 0o755}}
	for _, dir := range []string{modulesDir, rootDir, groupDir} {
		entries = append(entries, entry{path: dir, mode: typeDir | 0o755})
	}
	for _, m := range modules {
		data, err := os.ReadFile(m.Path)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{modulesDir + "/" + m.Name, typeFile | 0o400, data})
	}
	s := new(glove.Script)
	start(s, modules)
	port, again, opened := s.Buffer(8), s.Label(), s.Label()
	s.Place(again)
	s.Call("sleep", unix.SYS_NANOSLEEP, s.Words(0, int64(time.Millisecond)), 0)
	s.Call("open", unix.SYS_OPENAT, unix.AT_FDCWD, monitor.PortNode, unix.O_RDWR, 0).To(port).IfError(again)
	s.Place(opened)
	body(s, port)
	image, err := glove.Program(s)
	if err != nil {
		t.Fatal(err)
	}
	var initrd bytes.Buffer
	if err := writeInitramfs(&initrd, append(entries, entry{"init", typeFile | 0o500, image})); err != nil {
		t.Fatal(err)
	}
	bad := *g
	bad.initrd = filepath.Join(t.TempDir(), "initrd")
	if err := os.WriteFile(bad.initrd, initrd.Bytes(), 0o444); err != nil {
		t.Fatal(err)
	}
	return &bad
}

// frame is the head of a frame of package wire.
func frame(stream, length uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, stream), length)
}

// TestHostileGuests: guests that do not keep to the rules are ended, and cost
// the host no more than any other.
func TestHostileGuests(t *testing.T) {
	tr, _ := newTier(t, emulated)
	good := newPlan(t, tr)
	say := func(s *glove.Script, port glove.Ref, data []byte) {
		s.CallOn(port, "write", unix.SYS_WRITE, data, len(data)).Ignore()
	}
	pause := func(s *glove.Script) { forever(s, func() { s.Call("pause", unix.SYS_PPOLL, 0, 0, 0, 0).Ignore() }) }
	for _, tc := range []struct {
		name, want string // one of the errors, separated by |
		body       func(s *glove.Script, port glove.Ref)
	}{
		// What floods may be at its end, and be gone, before we have read of it.
		{"floods the channel", "the box sent|the glove is gone", func(s *glove.Script, port glove.Ref) {
			data := bytes.Repeat([]byte("flood "), 10_000)
			forever(s, func() { say(s, port, data) })
		}},
		{"floods with zeros", "the box sent|the glove is gone", func(s *glove.Script, port glove.Ref) {
			data := make([]byte, 64<<10)
			forever(s, func() { say(s, port, data) })
		}},
		{"a giant frame", "the box sent", func(s *glove.Script, port glove.Ref) {
			say(s, port, frame(0, 1<<62))
			pause(s)
		}},
		{"answers what was not asked", "the box sent", func(s *glove.Script, port glove.Ref) {
			say(s, port, frame(9, 0))
			pause(s)
		}},
		{"a glove that sends a giant reply", "tag", func(s *glove.Script, port glove.Ref) {
			say(s, port, append(frame(0, 16), frame(1, 1<<40)...))
			pause(s)
		}},
		{"half a frame", "i/o timeout", func(s *glove.Script, port glove.Ref) {
			say(s, port, frame(0, 16)[:10])
			pause(s)
		}},
		{"says nothing", "i/o timeout", func(s *glove.Script, _ glove.Ref) { pause(s) }},
		{"spins", "i/o timeout", func(s *glove.Script, _ glove.Ref) { forever(s, func() {}) }},
		{"ends", "the glove is gone", func(*glove.Script, glove.Ref) {}},
		{"powers off", "the glove is gone", func(s *glove.Script, _ glove.Ref) {
			s.Call("reboot", unix.SYS_REBOOT, unix.LINUX_REBOOT_MAGIC1, unix.LINUX_REBOOT_MAGIC2, unix.LINUX_REBOOT_CMD_RESTART, 0)
		}},
		{"floods its console", "i/o timeout", func(s *glove.Script, _ glove.Ref) {
			fd, data := s.Buffer(8), bytes.Repeat([]byte("console "), 8000)
			s.Call("open", unix.SYS_OPENAT, unix.AT_FDCWD, "/dev/console", unix.O_WRONLY, 0).To(fd)
			forever(s, func() { s.CallOn(fd, "write", unix.SYS_WRITE, data, len(data)).Ignore() })
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := good
			p.guest = hostile(t, good.guest, tc.body)
			g, err := tr.start(ctx, p, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := g.join(nil); err != nil {
				t.Fatal(err)
			}
			patience := bootPatience
			if tc.want == "i/o timeout" {
				patience = 3 * time.Second
			}
			if tc.name == "floods its console" {
				for begin := time.Now(); len(g.console.Bytes()) < 64<<10 && time.Since(begin) < bootPatience; {
					time.Sleep(10 * time.Millisecond)
				}
			}
			err = g.do(ctx, templateScript(), patience)
			if err == nil || !slices.ContainsFunc(strings.Split(tc.want, "|"), func(want string) bool { return strings.Contains(err.Error(), want) }) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if n := len(g.console.Bytes()); n > 200<<10 || tc.name == "floods its console" && n < 64<<10 {
				t.Errorf("%d bytes of its console are kept", n)
			}
			pid := g.instance.PID()
			if err := g.discard(nil); err != nil {
				t.Error(err)
			}
			if err := unix.Kill(pid, 0); err != unix.ESRCH {
				t.Errorf("its monitor is still there: %v", err)
			}
		})
	}
}

// TestHostileSnapshot: a guest that is taken a snapshot of and does not come to
// rest does not hold its tier up for longer than its context.
func TestHostileSnapshot(t *testing.T) {
	o := emulated
	o.Cache = privateDir(t)
	tr, _ := newTier(t, o)
	p := newPlan(t, tr)
	p.guest = hostile(t, p.guest, func(s *glove.Script, _ glove.Ref) { forever(s, func() {}) })
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := tr.snapshot(ctx, p); err == nil {
		t.Error("there is a snapshot of it")
	}
	if left, _ := filepath.Glob(filepath.Join(o.Cache, "*", "[ps]*")); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}
