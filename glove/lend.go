package glove

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/linux"
)

// A process that holds the image within can lend itself to many boxes, one after
// the other: it makes a process that shares its memory, is pid 1 of new namespaces
// and takes the scripts from then on, and waits for that to end. The glove of a box
// so costs no memory, and the standby command, as a copy of it, is the only one.
// What waits is part of the image, since each script is overwritten by the next.

// Offsets in what a lender replies: the glove's number and wait status, and a
// struct sysinfo. The first two words are those of any reply.
const (
	lentPID    = 16
	lentStatus = 24
	lentInfo   = 32
	lentSize   = lentInfo + 112
	infoProcs  = lentInfo + 80
)

func lenderScript() *Script {
	s, exit := new(Script), &Label{}
	clone := s.add("lend", linux.SYS_CLONE, 0, 0, 0, 0, 0).IfEqual(0, loader)
	reply := s.Words(tagReply, lentSize-16)
	s.Buffer(lentSize - 16)
	clone.To(reply.Plus(lentPID)) // the child is gone when the result is stored for good
	s.add("wait", linux.SYS_WAIT4, -1, reply.Plus(lentStatus), 0, 0).IfError(exit)
	s.add("count", linux.SYS_SYSINFO, reply.Plus(lentInfo)).IfError(exit)
	s.add("reply", linux.SYS_WRITE, FDReply, reply, lentSize)
	s.Jump(loader)
	s.Place(exit) // else it would be told what became of the one before
	s.add("exit", linux.SYS_EXIT_GROUP, 1)
	return s
}

// lendArg is the address of an argument of the lender's clone.
func lendArg(n int) Ref { return Ref{value{number: lenderBase + 8*uint64(wordArg+n)}} }

// Lender appends the calls that prepare this process to lend itself. flags are the
// clone flags for the namespaces of each box.
func (s *Script) Lender(flags uint64) {
	s.calm()
	word := s.Buffer(8)
	s.Call("find the thread's number", linux.SYS_PRCTL, linux.PR_GET_TID_ADDRESS, word, 0, 0, 0)
	const shared = linux.CLONE_VM | linux.CLONE_VFORK | linux.CLONE_CHILD_CLEARTID
	s.add("set", opAdd, flags|shared|uint64(linux.SIGCHLD), 0).To(lendArg(0))
	// The machines differ in which of the last two it is; the other is not used.
	s.Load(word).To(lendArg(3))
	s.Load(word).To(lendArg(4))
}

// Lend ends the script: the process lends itself to a glove, whose scripts follow,
// and when that has ended it says so; see [Ends.Returned].
func (s *Script) Lend() { s.Jump(lender) }

// Returned waits for the end of a glove that a process lent itself to. It fails
// unless the glove ended as it was told, by [Script.Exit], and nothing is left of
// its box but the process that lent itself.
func (e Ends) Returned(deadline time.Time) error {
	body, _, err := e.receive(new(Script), deadline)
	if err != nil {
		return err
	}
	if len(body) != lentSize-16 {
		return fmt.Errorf("a glove reported its end in %d bytes", len(body))
	}
	word := func(at int) int64 { return int64(binary.LittleEndian.Uint64(body[at-16:])) }
	pid, status, left := word(lentPID), word(lentStatus), binary.LittleEndian.Uint16(body[infoProcs-16:])
	switch {
	case pid <= 0:
		return fmt.Errorf("no glove was made: %w", linux.Errno(-pid))
	case status != 0:
		return fmt.Errorf("the glove ended with wait status %#x", status)
	case left != 1:
		return fmt.Errorf("the glove left %d processes", left-1)
	}
	return nil
}

// Exit ends the script, all else in the box, and the glove. Not every kernel lets
// pid 1 of a namespace be the last that ends.
func (s *Script) Exit() {
	again, alone := s.Label(), s.Label()
	s.Place(again)
	s.add("kill the rest", linux.SYS_KILL, -1, linux.SIGKILL)
	s.add("reap the rest", linux.SYS_WAIT4, -1, 0, 0, 0).IfError(alone)
	s.Jump(again)
	s.Place(alone)
	s.add("exit", linux.SYS_EXIT_GROUP, 0)
}
