package attack

import (
	"bytes"
	"slices"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// forever repeats what body adds.
func forever(body func(*glove.Script)) func(*glove.Script) {
	return func(s *glove.Script) {
		again := s.Label()
		s.Place(again)
		body(s)
		s.Jump(again)
	}
}

// create makes a file of the workspace and leaves its descriptor in a word.
func create(s *glove.Script) glove.Ref {
	fd := s.Buffer(8)
	s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, tier.Workspace+"/big", linux.O_CREAT|linux.O_WRONLY, 0o644).To(fd)
	return fd
}

// manyForks is the number of forks in an endless attempt: well above the limit,
// and harmless without one.
const manyForks = 64

// Limits are attacks that run into each limit.
func Limits() []Attack {
	return []Attack{
		{Control: tier.ControlWall, What: "sleeping without end", Held: Hits(glovebox.LimitWall, glovebox.CauseWall),
			Limits:  func(l *glovebox.Limits) { l.Wall = soon },
			Program: call(linux.SYS_PPOLL, 0, 0, 0, 0)},
		{Control: tier.ControlCPU, What: "an endless loop", Held: Hits(glovebox.LimitCPU, glovebox.CauseCPU),
			Limits:  func(l *glovebox.Limits) { l.CPU = soon },
			Program: forever(func(*glove.Script) {})},
		{Control: tier.ControlMemory, What: "allocating without end", Held: Hits(glovebox.LimitMemory, glovebox.CauseMemory),
			Program: forever(call(linux.SYS_MMAP, 0, 4<<20, linux.PROT_READ|linux.PROT_WRITE, linux.MAP_PRIVATE|linux.MAP_ANONYMOUS|linux.MAP_POPULATE, -1, 0))},
		{Control: tier.ControlProcesses, What: "forking without end", Held: Hits(glovebox.LimitProcesses, glovebox.CauseExit, glovebox.CauseWall),
			Program: func(s *glove.Script) {
				child, again, end, pid := s.Label(), s.Label(), s.Label(), s.Buffer(8)
				tries := s.Words(manyForks)
				s.Place(again)
				// At the limit it goes on trying.
				s.Call("fork", linux.SYS_CLONE, uint64(linux.SIGCHLD), 0, 0, 0, 0).To(pid).Ignore()
				s.Load(pid).IfEqual(0, child)
				s.Sub(tries, 1).IfOther(0, again)
				// The children live long enough to be counted.
				s.Call("sleep", linux.SYS_NANOSLEEP, s.Words(0, int64(soon)), 0)
				s.Jump(end)
				s.Place(child)
				s.Call("pause", linux.SYS_PPOLL, 0, 0, 0, 0)
				s.Place(end)
			}},
		{Control: tier.ControlOpenFiles, What: "opening without end", Held: Fails(linux.EMFILE),
			Program: forever(call(linux.SYS_DUP, 1))},
		{Control: tier.ControlFileSize, What: "a file that is too long", Held: Hits(glovebox.LimitFileSize, glovebox.CauseExit),
			Program: func(s *glove.Script) { s.CallOn(create(s), "ftruncate", linux.SYS_FTRUNCATE, int64(1)<<40) }},
		{Control: tier.ControlDisk, What: "writing without end", Held: Hits(glovebox.LimitDisk, glovebox.CauseExit),
			Limits: func(l *glovebox.Limits) { l.FileSize = 1 << 40 },
			Program: func(s *glove.Script) {
				fd, data := create(s), s.Buffer(64<<10)
				forever(func(s *glove.Script) { s.CallOn(fd, "write", linux.SYS_WRITE, data, 64<<10) })(s)
			}},
		{Control: tier.ControlFiles, What: "making files without end", Held: Hits(glovebox.LimitFiles, glovebox.CauseExit),
			Program: func(s *glove.Script) {
				name := s.Bytes(bytes.Repeat([]byte("a"), 16)) // two letters of it count up
				s.Set(name.Plus(8), 0)
				forever(func(s *glove.Script) {
					s.Call("mkdir", linux.SYS_MKDIRAT, linux.AT_FDCWD, name, 0o755)
					s.AddTo(name, int64(1<<56+1<<40))
				})(s)
			}},
		{Control: tier.ControlOutput, What: "printing without end", Held: Hits(glovebox.LimitOutput, glovebox.CauseOutput),
			Program: func(s *glove.Script) {
				data := s.Buffer(4 << 10)
				forever(func(s *glove.Script) { s.Call("write", linux.SYS_WRITE, 1, data, 4<<10) })(s)
			}},
	}
}

// Forks is an attack on the limit of processes for tiers that enforce the limit
// without evidence of the offender: in place of the one in [Limits].
func Forks() Attack {
	return Attack{Control: tier.ControlProcesses, What: "forking until it is refused", Held: Fails(linux.EAGAIN),
		Program: forever(func(s *glove.Script) {
			pid, parent := s.Buffer(8), s.Label()
			s.Call("fork", linux.SYS_CLONE, uint64(linux.SIGCHLD), 0, 0, 0, 0).To(pid)
			s.Load(pid).IfOther(0, parent)
			s.Call("pause", linux.SYS_PPOLL, 0, 0, 0, 0)
			s.Place(parent)
		})}
}

// Silent replaces, in a list, the attacks on the limit of processes by [Forks].
func Silent(list []Attack) []Attack {
	list = slices.DeleteFunc(slices.Clone(list), func(a Attack) bool { return a.Control == tier.ControlProcesses })
	return append(list, Forks())
}
