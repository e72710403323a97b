package glove

import "github.com/gloveboxhq/glovebox/internal/linux"

// The image can lie within an ordinary process, which loads its segments where
// they want to be and calls its entry as a function of C. From then on the host
// drives the process by scripts, as any glove. It must have one thread.
//
// So an interpreter that is ready can be copied: a copy that is pid 1 of a box
// is that box's glove, and a copy of that, with all walls on, returns from the
// function and is the interpreter again. See [Config.Within].

// Fork appends the calls that make a copy of the process, which goes on at child,
// and returns the instruction whose result is its number. flags are further ones
// of clone. The C library of the copy finds its thread's number where it keeps
// it, as after its own fork. It is not told of robust locks, which only
// processes that share memory have a use for.
func (s *Script) Fork(name string, flags uint64, child *Label) *Ins {
	word := s.Buffer(8)
	s.Call(name, linux.SYS_PRCTL, linux.PR_GET_TID_ADDRESS, word, 0, 0, 0)
	// The machines differ in which of the last two it is; the other is not used.
	fourth, fifth := s.Load(word), s.Load(word)
	clone := s.Call(name, linux.SYS_CLONE, flags|linux.CLONE_CHILD_SETTID|linux.CLONE_CHILD_CLEARTID|uint64(linux.SIGCHLD), 0, 0, 0, 0)
	fourth.To(clone.Arg(3))
	fifth.To(clone.Arg(4))
	forked := s.add("forked", opAdd).IfEqual(0, child)
	clone.To(forked.Arg(0))
	return forked
}

// leave appends the calls of a copy that is a command's process from now on, with
// its descriptors below own. The kernel does the same when a program is executed.
func (s *Script) leave(own int) {
	s.Call("close descriptors", linux.SYS_CLOSE_RANGE, own, uint32(1<<32-1), 0)
	// It was not while the glove had privileges; its own /proc files would be closed to it.
	s.Call("dumpable", linux.SYS_PRCTL, linux.PR_SET_DUMPABLE, 1, 0, 0, 0)
	s.add("leave", opLeave)
}
