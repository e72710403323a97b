package tiertest

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// standbyPath is the path of the standby command in the root of the suite.
const standbyPath = "/opt/standby"

// The descriptors of the command: one open, one closed, then the command's own
// two; and the exit code.
const (
	fdGiven   = 3
	fdOrders  = 5
	fdReady   = 6
	exitOrder = 9
)

// standbyRoot adds the standby command to the contents of the root. The command
// prints a dot each time it gets ready. After the start message the command prints
// the message, stdin and the file "staged" as far as readable, and ends.
func standbyRoot() rootfs.Plan {
	s := new(glove.Script)
	again, orders, over := s.Label(), s.Label(), s.Label()
	buf, n := s.Buffer(4096), s.Buffer(8)
	s.Place(again)
	write(s, 2, ".")
	s.Call("ready", linux.SYS_WRITE, fdReady, buf, 1)
	s.Call("read orders", linux.SYS_READ, fdOrders, buf, 4096).To(n)
	s.Load(n).IfEqual(0, over)
	s.Load(n).IfOther(1, orders)
	s.Jump(again)
	s.Place(orders)
	s.Load(n).To(s.Call("print", linux.SYS_WRITE, 1, buf, 0).Arg(2))
	rest := s.Words(fdOrders)
	copyTo(s, rest, 1)
	s.Call("close", linux.SYS_CLOSE, fdOrders)
	s.Call("close", linux.SYS_CLOSE, fdReady)
	// There are no descriptors but the given ones.
	for fd := fdGiven + 1; fd < 1100; fd++ {
		must(s, linux.EBADF, linux.SYS_FCNTL, fd, linux.F_GETFD)
	}
	copyTo(s, s.Words(0), 1)
	print(s, "staged")
	write(s, fdGiven, "given")
	s.Call("exit", linux.SYS_EXIT_GROUP, exitOrder)
	s.Place(over)
	image, err := glove.Program(s)
	if err != nil {
		panic(err)
	}
	return rootfs.Plan{Entries: []rootfs.Entry{{Path: standbyPath, Data: image, Mode: 0o755}}}
}

// standby opens a box with the suite's standby command, and returns our end of
// its descriptor.
func (s *suite) standby(t *testing.T, files ...glovebox.File) (tier.Box, *os.File) {
	t.Helper()
	if d, ok := s.tier.(tier.Described); !ok || !d.Traits().Standby {
		t.Skip("the tier's boxes have no standby command")
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	spec := s.spec(files...)
	spec.Descriptors = []*os.File{in, nil}
	spec.Standby = &tier.Command{Args: []string{standbyPath}}
	box := s.openSpec(t, spec)
	in.Close()
	return box, out
}

// obey runs the standby command.
func obey(box tier.Box, orders string, change ...func(*tier.Command)) *result {
	return run(box, "", append(change, func(c *tier.Command) { c.Args, c.Orders = nil, []byte(orders) })...)
}

// standbyTests are about a command waiting for a start message.
var standbyTests = map[string]func(*suite, *testing.T){
	"orders": func(s *suite, t *testing.T) {
		// More than a pipe holds.
		for _, orders := range []string{"{}", string(bytes.Repeat([]byte("0123456789"), 20_000))} {
			box, out := s.standby(t)
			r := obey(box, orders, func(c *tier.Command) {
				c.Stdin, c.Files = []byte("[stdin]"), []glovebox.File{{Path: "staged", Data: []byte("[staged]"), ReadOnly: true}}
			})
			if r.Cause != glovebox.CauseExit || r.ExitCode != exitOrder || !r.Started || len(r.Hits) > 0 {
				t.Fatalf("ended with %+v", r.Outcome)
			}
			if got := r.stdout.String(); got != orders+"[stdin][staged]" {
				t.Errorf("it printed %.100q", got)
			}
			if got := make([]byte, 5); func() string { out.Read(got); return string(got) }() != "given" {
				t.Errorf("its descriptor gave %q", got)
			}
			if r.Usage.ProcessesPeak < 1 || r.Usage.MemoryPeak <= 0 || r.Usage.Duration <= 0 {
				t.Errorf("usage %+v", r.Usage)
			}
		}
	},
	"a box for each": func(s *suite, t *testing.T) {
		first, _ := s.standby(t)
		second, _ := s.standby(t)
		staged := func(c *tier.Command) { c.Files = []glovebox.File{{Path: "staged"}} }
		for word, box := range map[string]tier.Box{"[one]": first, "[two]": second} {
			if r := obey(box, word, staged); r.ExitCode != exitOrder || r.stdout.String() != word {
				t.Errorf("%s: %+v printed %q", word, r.Outcome, &r.stdout)
			}
		}
	},
	"a command after it": func(s *suite, t *testing.T) {
		box, _ := s.standby(t, program("p", func(s *glove.Script) {
			alone(s)
			for fd := fdGiven + 1; fd < 1100; fd++ {
				must(s, linux.EBADF, linux.SYS_FCNTL, fd, linux.F_GETFD)
			}
		}))
		obey(box, "{}", func(c *tier.Command) { c.Files = []glovebox.File{{Path: "staged"}} })
		run(box, "p").ok(t)
		if r := obey(box, "again"); r.Cause != glovebox.CauseBox || r.Err == nil {
			t.Errorf("it was told twice: %+v", r.Outcome)
		}
	},
	"a command before it": func(s *suite, t *testing.T) {
		box, _ := s.standby(t, program("p", func(s *glove.Script) {}))
		if r := run(box, "p"); r.Cause != glovebox.CauseBox || r.Err == nil {
			t.Errorf("a command ran while another waits: %+v", r.Outcome)
		}
	},
	"nobody needs it": func(s *suite, t *testing.T) {
		box, out := s.standby(t)
		if err := box.Close(); err != nil {
			t.Error(err)
		}
		if n, err := out.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Error("the box is closed and its end of the pipe is open")
		}
	},
	"cancelled": func(s *suite, t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		box, _ := s.standby(t)
		if out := box.Run(ctx, tier.Command{Orders: []byte("{}")}); out.Cause != glovebox.CauseCancelled {
			t.Errorf("cancelled: %+v", out)
		}
	},
	"never ready": func(s *suite, t *testing.T) {
		if d, ok := s.tier.(tier.Described); !ok || !d.Traits().Standby {
			t.Skip("the tier's boxes have no standby command")
		}
		for name, script := range map[string]func(s *glove.Script){
			"it ends":   func(s *glove.Script) {},
			"it closes": func(s *glove.Script) { s.Call("close", linux.SYS_CLOSE, 4); pause(s) },
		} {
			spec := s.spec(program("p", script))
			spec.Standby = &tier.Command{Args: []string{tier.Workspace + "/p"}}
			if box, err := s.tier.Open(context.Background(), spec); err == nil {
				t.Errorf("%s, and the box is open", name)
				box.Close()
			}
		}
	},
	"nothing to execute": func(s *suite, t *testing.T) {
		if d, ok := s.tier.(tier.Described); !ok || !d.Traits().Standby {
			t.Skip("the tier's boxes have no standby command")
		}
		for _, args := range [][]string{{"/none"}, {"relative"}, {}} {
			spec := s.spec()
			spec.Standby = &tier.Command{Args: args}
			if box, err := s.tier.Open(context.Background(), spec); err == nil {
				t.Errorf("%q waits", args)
				box.Close()
			}
		}
	},
}
