//go:build linux

package native

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
)

// gate keeps the limit of processes and threads where no control group does:
// the kernel asks it before each that the box makes (see [SendListener]), and
// what it refuses is the evidence that the limit was hit. RLIMIT_NPROC, which
// refuses without a trace, is the wall behind it.
//
// It lets a call happen as it was made, or not: the other filter of the box has
// seen its arguments before.
//
// The kernel asks before some other calls too, which are never refused, but counted.
type gate struct {
	made  atomic.Int64 // processes
	asked atomic.Int64 // what holds memory of the kernel's: watches and locks
	// ended is told which thread ends its process.
	ended func(thread uint32)

	limit int64
	// count counts the tasks of the box.
	count func() (int64, error)
	// agent is pid 1 of the box. It makes the commands, and is never refused.
	agent    uint32
	listener *listener
	// room is how many more there can be before they have to be counted.
	room int64
	// underway are the threads that make one, since when: those may not be
	// there yet.
	underway map[uint32]time.Time
	next     time.Time    // when it may count again
	full     atomic.Int64 // how many there were when it first refused
}

const (
	// settle is how long a new process or thread may take to be there.
	settle = 20 * time.Millisecond
	// Beyond is how far the kernel's limit ([Command]'s Tasks) is behind that of
	// [Ground.Ask], so that it does not refuse first when some took longer.
	Beyond = 16
	// A box at its limit must not keep the host busy counting: after each count
	// is a pause of so many times what it took, up to a bound.
	pausePerCount = 4
	longestPause  = 10 * time.Millisecond
)

// openGate takes over a listener. It calls broken where the box cannot go on.
func openGate(l *listener, agent int, limit int64, count func() (int64, error), ended func(thread uint32), broken func()) *gate {
	g := &gate{limit: limit, count: count, ended: ended, agent: uint32(agent), listener: l, room: limit, underway: map[uint32]time.Time{}}
	go func() {
		if g.listener.serve(g.answer) != nil {
			broken()
		}
	}()
	return g
}

// close waits for the answer that is being given. Who asks later is refused by
// the kernel.
func (g *gate) close() error { return g.listener.file.Close() }

// perAsked is what one watch or lock holds in the kernel, at the most.
const perAsked = 256

// answer tells whether a call may be made.
func (g *gate) answer(ask *notification) bool {
	switch ask.call {
	case unix.SYS_EXIT_GROUP:
		g.ended(ask.thread)
		return true
	case unix.SYS_EPOLL_CTL, unix.SYS_FCNTL:
		g.asked.Add(perAsked)
		return true
	}
	ok := g.admit(ask.thread)
	if ok && (ask.call != unix.SYS_CLONE || ask.args[0]&unix.CLONE_THREAD == 0) {
		g.made.Add(1)
	}
	return ok
}

// admit tells whether a thread may make a process or thread.
func (g *gate) admit(thread uint32) bool {
	if thread == g.agent {
		g.room-- // what it makes is there before anybody else asks
		return true
	}
	delete(g.underway, thread) // its last one is there
	for g.room <= 0 {
		if !g.look() {
			return false
		}
	}
	g.room--
	g.underway[thread] = time.Now()
	return true
}

// look counts to find out how much room there is, and tells whether there may be
// some. Those that may be counted or not there yet take a place, until they must
// be there.
func (g *gate) look() bool {
	time.Sleep(time.Until(g.next))
	begin := time.Now()
	n, err := g.count()
	if err != nil {
		return false // the box is ending
	}
	if n >= g.limit {
		g.full.CompareAndSwap(0, n)
	}
	for thread, since := range g.underway {
		if begin.Sub(since) > settle {
			delete(g.underway, thread)
		}
	}
	g.room = g.limit - n - int64(len(g.underway))
	end := time.Now()
	g.next = end.Add(min(pausePerCount*end.Sub(begin), longestPause))
	return n < g.limit
}

func (g *gate) evidence() []glovebox.Hit {
	n := g.full.Load()
	if n == 0 {
		return nil
	}
	return []glovebox.Hit{{Limit: glovebox.LimitProcesses, Evidence: glovebox.Evidence{
		Source: "supervisor", Fact: fmt.Sprintf("refused a process or thread: %d of %d at once", n, g.limit),
	}}}
}
