package glove

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// The ends of a standby command's two pipes, inside the box: the glove's ends, and the
// command's ends until the command takes over.
const (
	fdOrders    = 22 // written
	fdReady     = 23 // read
	fdOrdersOut = 24
	fdReadyIn   = 25
)

// startStandby starts the standby command, and returns when it is ready.
func (b *Box) startStandby() error {
	cmd := *b.c.Spec.Standby
	s, child, ended := new(Script), new(Script).Label(), new(Script).Label()
	openStdin(s)
	s.Pipe(fdOrdersOut, fdOrders)
	s.Pipe(fdReady, fdReadyIn)
	pid := s.Buffer(8)
	if b.c.Within {
		s.Fork("fork", 0, child).To(pid)
	} else {
		fork(s, child).To(pid)
	}
	// The command alone has them now: when it ends, they are seen to end.
	s.Call("close", linux.SYS_CLOSE, fdOrdersOut)
	s.Call("close", linux.SYS_CLOSE, fdReadyIn)
	s.awaitReady(ended)
	s.replyAtOnce(pid, 8)
	s.Place(ended)
	s.replyAtOnce(s.Words(0), 8)
	own := 3 + len(b.c.Spec.Descriptors)
	descriptors := func() {
		s.Call("orders", linux.SYS_DUP3, fdOrdersOut, own, 0)
		s.Call("ready", linux.SYS_DUP3, fdReadyIn, own+1, 0)
	}
	if b.c.Within {
		b.childThat(s, child, cmd, descriptors, func() { s.leave(own + 2) })
	} else {
		b.child(s, child, cmd, func() { descriptors(); s.closeFrom(own + 2) })
	}
	reply, err := b.do(s)
	switch {
	case err != nil:
	case len(reply) != 8:
		err = fmt.Errorf("the glove reported a process id of %d bytes", len(reply))
	case binary.LittleEndian.Uint64(reply) == 0:
		err = errNotReady
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", cmd.Args[0], err)
	}
	b.standby = int64(binary.LittleEndian.Uint64(reply))
	return nil
}

var errNotReady = errors.New("it ends before it is ready")

// wakeStandby makes the standby command get ready once more.
func (b *Box) wakeStandby() error {
	s, ended := new(Script), new(Script).Label()
	s.Call("wake the standby command", linux.SYS_WRITE, fdOrders, "\n", 1)
	s.awaitReady(ended)
	child := s.Label()
	practise(s, child)
	s.replyAtOnce(s.Words(1), 8)
	s.Place(ended)
	s.replyAtOnce(s.Words(0), 8)
	s.Place(child)
	s.add("exit", linux.SYS_EXIT_GROUP, 0)
	reply, err := b.do(s)
	if err == nil && (len(reply) != 8 || binary.LittleEndian.Uint64(reply) == 0) {
		err = errNotReady
	}
	return err
}

// practise does what the glove does for a run, and leaves no trace of it: in a
// copy of a box, what its kernel does for the first time takes its time.
func practise(s *Script, child *Label) {
	const name = tier.Workspace + "/.practice"
	fd, there := s.Buffer(8), s.Label()
	s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, name, linux.O_WRONLY|linux.O_CREAT|linux.O_EXCL|linux.O_NOFOLLOW|linux.O_CLOEXEC, 0o600).To(fd).IfError(there)
	s.CallOn(fd, "write", linux.SYS_WRITE, name, len(name)).Ignore()
	s.CallOn(fd, "fchown", linux.SYS_FCHOWN, tier.UID, tier.GID).Ignore()
	s.CallOn(fd, "close", linux.SYS_CLOSE)
	s.Call("unlink", linux.SYS_UNLINKAT, linux.AT_FDCWD, name, 0)
	s.Place(there)
	pid := fork(s, child)
	wait := s.Call("wait", linux.SYS_WAIT4, 0, 0, 0, 0)
	pid.To(wait.Arg(0))
	room := s.Scratch(max(rusageSize, statfsSize))
	s.Call("usage", linux.SYS_GETRUSAGE, linux.RUSAGE_CHILDREN, room)
	s.Call("statfs", linux.SYS_STATFS, tier.Workspace, room)
	s.Call("statfs", linux.SYS_STATFS, tier.Temp, room)
}

// order appends the calls that give the standby command its orders, and wait for
// its end as of any command.
func (b *Box) order(st *stager, cmd tier.Command) error {
	for orders := cmd.Orders; len(orders) > 0; {
		part := orders[:min(len(orders), chunk)]
		orders = orders[len(part):]
		if err := st.room(len(part)); err != nil {
			return err
		}
		st.s.Call("give orders", linux.SYS_WRITE, fdOrders, part, len(part)).IfOther(int64(len(part)), st.s.failure())
	}
	st.s.Call("close", linux.SYS_CLOSE, fdOrders)
	st.s.Call("close", linux.SYS_CLOSE, fdReady)
	awaitEnd(st.s, b.standby, cmd.Look)
	b.standby = 0
	return nil
}

// awaitReady waits for the byte of a standby command, or goes to ended.
func (s *Script) awaitReady(ended *Label) {
	s.Call("wait until it is ready", linux.SYS_READ, fdReady, s.Buffer(8), 1).IfOther(1, ended)
}

// closeFrom makes a command's descriptors from fd on not the program's.
func (s *Script) closeFrom(fd int) {
	s.Call("close descriptors", linux.SYS_CLOSE_RANGE, fd, uint32(1<<32-1), linux.CLOSE_RANGE_CLOEXEC)
}
