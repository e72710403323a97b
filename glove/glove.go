// Package glove is the agent in every box, and the host's end of it.
//
// The agent is as small as it can be: a static program of some 250 bytes of
// machine code that executes lists of system calls, called scripts, which the
// host sends over a pipe. It decides nothing, parses nothing and allocates
// nothing; all logic is in Go, on the host. It is pid 1 of a box, so that the
// box dies with it, and it dies when the host closes the pipe.
//
// The image is made at run time from this package's own assembly, so there is
// no second binary to build or ship.
//
// # Descriptors of the glove
//
//	1, 2      stdout and stderr of the commands
//	3, 4, …   the descriptors of [tier.Spec]
//	30        scripts, read
//	31        replies, written
//	32        a byte kills everything in the box, read
//	26        the clock of the command
//	33        what the next command has as its stdin
//
// # Wire
//
// A script is its length in eight bytes, little endian, and its instructions
// and data, laid out for a fixed address. A reply is two words, a tag and a
// length, and so many bytes: tagReply, or tagFault with the address of the call
// that failed and its result, or tagChild with the same of a command's process
// before it executed anything, or tagKilled, empty, for each byte of the kill
// pipe. While a command runs replies are shorter than PIPE_BUF and written at
// once, so they never mix. The host bounds what it reads; a glove that says
// something else is a broken box.
package glove

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/internal/tap"
	"github.com/gloveboxhq/glovebox/tier"
)

// Descriptors of the glove.
const (
	FDScript = 30
	FDReply  = 31
	FDKill   = 32
	fdStdin  = 33
)

// fdTimer is a clock that ends a command whose host does not. The host may be
// stopped, and not look at any.
const fdTimer = 26

// MaxDescriptors is how many descriptors of [tier.Spec] there can be.
const MaxDescriptors = 16

// Path is where the glove is in root file systems that need it as a file.
const Path = "/opt/glovebox/glove"

// Tags of a reply.
const (
	tagReply = iota + 1
	tagFault
	tagChild
	tagKilled
)

// maxReply bounds the bytes of one reply.
const maxReply = 1 << 20

// Ends are the host's ends of a glove's descriptors. They are pipes of [tap.Pipe].
type Ends struct {
	Script, Kill          *os.File // written
	Reply, Stdout, Stderr *os.File // read
}

// Close closes all of them.
func (e Ends) Close() error {
	var errs []error
	for _, f := range []*os.File{e.Script, e.Kill, e.Reply, e.Stdout, e.Stderr} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// Inner are the glove's ends, by the number that each must have in the glove.
type Inner map[int]*os.File

// Close closes all of them.
func (in Inner) Close() error {
	var errs []error
	for _, f := range in {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// Pipes makes the pipes of a glove.
func Pipes() (Ends, Inner, error) {
	var e Ends
	in := Inner{}
	for _, p := range []struct {
		fd         int
		host       **os.File
		hostWrites bool
	}{
		{FDScript, &e.Script, true}, {FDKill, &e.Kill, true},
		{FDReply, &e.Reply, false}, {1, &e.Stdout, false}, {2, &e.Stderr, false},
	} {
		r, w, err := tap.Pipe()
		if err != nil {
			return Ends{}, nil, errors.Join(err, e.Close(), in.Close())
		}
		if p.hostWrites {
			*p.host, in[p.fd] = w, r
		} else {
			*p.host, in[p.fd] = r, w
		}
	}
	return e, in, nil
}

// Fault is a system call of a script that failed.
type Fault struct {
	Call  string
	Errno linux.Errno
	// Child: the call was in a command's process, before its execve.
	Child bool
}

func (f *Fault) Error() string { return f.Call + ": " + f.Errno.Error() }

func (f *Fault) Unwrap() error { return f.Errno }

// Do sends a script and returns its reply: the bytes of [Script.Reply], or
// nothing where the script has none. It fails with a [*Fault] when a call
// failed. Only one goroutine may use a glove's ends at a time. A zero deadline
// is none.
func (e Ends) Do(s *Script, deadline time.Time) ([]byte, error) {
	if err := e.send(s, deadline); err != nil {
		return nil, err
	}
	body, _, err := e.receive(s, deadline)
	return body, err
}

// Become sends the script becomes, whose last call turns the glove into a command with
// the glove inside, see [Config.Within], and sends then to that command. The error is
// the command's message, if the command refuses.
func (e Ends) Become(cmd *tier.Command, becomes, then *Script, deadline time.Time) error {
	if err := e.Send(becomes, deadline); err != nil {
		return err
	}
	_, err := e.Do(then, deadline)
	if err == nil {
		return nil
	}
	e.Stderr.SetReadDeadline(time.Now())
	said, _ := io.ReadAll(io.LimitReader(e.Stderr, 4096))
	return fmt.Errorf("start %q: %w: %s", cmd.Args, err, said)
}

// Send sends a script whose last call turns the glove into another program, which
// replies to the next script, if it replies. Else it is [Ends.Do].
func (e Ends) Send(s *Script, deadline time.Time) error { return e.send(s, deadline) }

func (e Ends) send(s *Script, deadline time.Time) error {
	s.finish()
	raw, err := s.layout(make([]byte, 8), scriptBase)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(raw, uint64(len(raw)-8))
	e.Script.SetWriteDeadline(deadline)
	_, err = e.Script.Write(raw)
	return err
}

// receive reads the reply to s, and tells whether the killer answered before
// it.
func (e Ends) receive(s *Script, deadline time.Time) (reply []byte, killed bool, err error) {
	var child error
	for {
		tag, body, err := e.frame(deadline)
		if err != nil {
			return nil, killed, err
		}
		switch tag {
		case tagReply:
			return body, killed, child
		case tagFault:
			return nil, killed, fault(s, body, false)
		case tagChild:
			child = fault(s, body, true)
		case tagKilled:
			killed = true
		}
	}
}

// receiveKilled waits for the killer's answer, so that it is idle again.
func (e Ends) receiveKilled(deadline time.Time) error {
	tag, _, err := e.frame(deadline)
	if err == nil && tag != tagKilled {
		err = fmt.Errorf("the glove sent tag %d in place of the killer's answer", tag)
	}
	return err
}

// frame reads one reply.
func (e Ends) frame(deadline time.Time) (tag uint64, body []byte, err error) {
	e.Reply.SetReadDeadline(deadline)
	var head [16]byte
	if _, err := io.ReadFull(e.Reply, head[:]); err != nil {
		return 0, nil, fmt.Errorf("the glove is gone: %w", err)
	}
	tag, n := binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(head[8:])
	var ok bool
	switch tag {
	case tagReply:
		ok = n <= maxReply
	case tagFault, tagChild:
		ok = n == 16
	case tagKilled:
		ok = n == 0
	}
	if !ok {
		return 0, nil, fmt.Errorf("the glove sent a reply with tag %d and %d bytes", tag, n)
	}
	body = make([]byte, n)
	if _, err := io.ReadFull(e.Reply, body); err != nil {
		return 0, nil, fmt.Errorf("the glove is gone: %w", err)
	}
	return tag, body, nil
}

func fault(s *Script, body []byte, child bool) *Fault {
	return &Fault{
		Call:  s.name(binary.LittleEndian.Uint64(body)),
		Errno: linux.Errno(-int64(binary.LittleEndian.Uint64(body[8:]))),
		Child: child,
	}
}

// Reply ends the script: it sends so many bytes from buf as the word at length
// says. A script without one sends an empty reply at its end.
func (s *Script) Reply(buf, length Ref) {
	head := s.Words(tagReply, 0)
	s.Load(length).To(head.Plus(8))
	s.add("reply", linux.SYS_WRITE, FDReply, head, 16)
	// A pipe may take less than it is given.
	again := s.Label()
	place := s.Words(0)
	s.Set(place, buf)
	s.Place(again)
	s.Load(length).IfEqual(0, loader)
	at, left := s.Load(place), s.Load(length)
	write := s.Call("reply", linux.SYS_WRITE, FDReply, 0, 0)
	at.To(write.Arg(1))
	left.To(write.Arg(2))
	written := s.Words(0)
	write.To(written)
	n := s.Load(written)
	n.To(s.AddTo(place, 0).Arg(1))
	n = s.Load(written)
	n.To(s.Sub(length, 0).Arg(1))
	s.Jump(again)
}

// replyAtOnce ends the script like Reply, with n bytes, in a single write: so many
// fit into a pipe that is empty.
func (s *Script) replyAtOnce(buf Ref, n int) { s.replyBoth(buf, n, buf, 0) }

// replyBoth is replyAtOnce with m bytes more from elsewhere.
func (s *Script) replyBoth(buf Ref, n int, more Ref, m int) {
	vector := s.Words(s.Words(tagReply, n+m), 16, buf, n, more, m)
	s.add("reply", linux.SYS_WRITEV, FDReply, vector, 3)
	s.Jump(loader)
}

// sendFault sends the fault words under a tag.
func (s *Script) sendFault(tag int) {
	vector := s.Words(s.Words(tag, 16), 16, faultBase, 16)
	s.add("send fault", linux.SYS_WRITEV, FDReply, vector, 2)
}

// finish ends the script with an empty reply, and with what the calls that
// fail go to.
func (s *Script) finish() {
	empty := s.Words(tagReply, 0)
	s.add("reply", linux.SYS_WRITE, FDReply, empty, 16)
	s.Jump(loader)
	if s.fault != nil {
		s.Place(s.fault)
		s.sendFault(tagFault)
		s.Jump(loader)
	}
}
