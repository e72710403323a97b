package wire

import (
	"errors"
	"time"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
)

// Config says what relay to make.
type Config struct {
	// Channel is how it reaches the host.
	Channel Channel
	// Glove is the path of the glove's executable in the box.
	Glove string
	// Before appends calls to make first, such as mounts where the relay is the
	// first program of a machine; nil appends none. A call that fails ends the
	// relay with the error's number as its exit code.
	Before func(*glove.Script)
}

// Relay returns the relay as a static ELF executable for this machine.
func Relay(c Config) ([]byte, error) {
	if c.Channel.connect == nil || c.Glove == "" {
		return nil, errors.New("wire: a relay needs a channel and a glove")
	}
	r := &relay{Script: new(glove.Script), channel: c.Channel}
	if c.Before != nil {
		c.Before(r.Script)
	}
	r.Call("not dumpable", linux.SYS_PRCTL, linux.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if c.Channel.open != nil {
		c.Channel.open(r)
	}
	for i := range outputs {
		r.Pipe(fd(i, near), fd(i, far))
		r.Pipe(fd(i, feed), fd(i, fill))
	}
	for i := outputs; i < outputs+inputs; i++ {
		r.Pipe(fd(i, far), fd(i, near))
		r.Pipe(fd(i, feed), fd(i, fill))
	}
	r.Pipe(fdLock, fdUnlock)
	r.unlock()
	pid := r.start(c.Glove)
	// Struct sigaction: what nobody reads is an error and no signal.
	r.Call("ignore SIGPIPE", linux.SYS_RT_SIGACTION, linux.SIGPIPE, r.Words(sigIgnore, 0, 0, 0), 0, 8)
	r.thread(r.demultiplex)
	for i := range outputs {
		r.thread(func() { r.output(i) })
	}
	for i := range inputs {
		r.thread(func() { r.input(outputs + i) })
	}
	r.CallOn(pid, "wait for the glove", linux.SYS_WAIT4, 0, 0, 0)
	return glove.Program(r.Script)
}

// Not in package linux: see include/uapi of the kernel.
const (
	sigIgnore                = 1          // SIG_IGN, asm-generic/signal-defs.h
	fionread                 = 0x541B     // FIONREAD, asm-generic/ioctls.h
	cloneParentSetTID        = 0x00100000 // CLONE_PARENT_SETTID, linux/sched.h
	threadFlags              = linux.CLONE_VM | linux.CLONE_FS | linux.CLONE_FILES | linux.CLONE_SIGHAND | linux.CLONE_THREAD | linux.CLONE_SYSVSEM
	pollIn            uint64 = linux.POLLIN << 32 // in a struct pollfd
)

// relay is the relay's script. Its threads share one memory: each has words and
// instructions of its own.
type relay struct {
	*glove.Script
	channel Channel
}

// start starts the glove and returns the word that has its process.
func (r *relay) start(path string) glove.Ref {
	child, parent, pid := r.Label(), r.Label(), r.Words(0)
	r.Call("fork", linux.SYS_CLONE, uint64(linux.SIGCHLD), 0, 0, 0, 0).To(pid)
	r.Load(pid).IfEqual(0, child)
	for i := range outputs + inputs {
		r.Call("close", linux.SYS_CLOSE, fd(i, far))
	}
	r.Jump(parent)
	r.Place(child)
	r.Call("adopt", linux.SYS_PRCTL, linux.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	// What the relay has, and what it was started with, is not the glove's.
	r.Call("close descriptors", linux.SYS_CLOSE_RANGE, 3, uint32(1<<32-1), linux.CLOSE_RANGE_CLOEXEC)
	// Number 0 is an empty pipe, so that nothing else gets it.
	r.Call("close", linux.SYS_CLOSE, 0).Ignore()
	empty := r.Buffer(16)
	r.Call("pipe", linux.SYS_PIPE2, empty, 0)
	r.CallOn(empty.Plus(4), "close", linux.SYS_CLOSE)
	for i := range outputs + inputs {
		if i != outputs+echo {
			r.Call("number", linux.SYS_DUP3, fd(i, far), inner(i), 0)
		}
	}
	r.Call("execute the glove", linux.SYS_EXECVE, path, r.Strings([]string{path}), r.Strings(nil))
	r.Place(parent)
	return pid
}

// thread starts a thread that executes body and ends.
func (r *relay) thread(body func()) {
	begin, failed, on := r.Label(), r.Label(), r.Label()
	// The two share all words. The kernel writes this one before the thread is.
	tid := r.Words(0)
	r.Call("thread", linux.SYS_CLONE, threadFlags|cloneParentSetTID, 0, tid, 0, 0).IfEqual(0, begin)
	r.Load(tid).IfEqual(0, failed)
	r.Jump(on)
	r.Place(failed)
	r.Call("exit", linux.SYS_EXIT_GROUP, int(linux.EAGAIN))
	r.Place(begin)
	body()
	r.Call("exit thread", linux.SYS_EXIT, 0)
	r.Place(on)
}

// demultiplex hands the frames of the host on to the threads that wait for
// them. It never waits for a pipe of the glove: a thread reads all of a frame
// before it moves it on.
func (r *relay) demultiplex() {
	begin, again, ended := r.Label(), r.Label(), r.Label()
	frame, total := r.Scratch(headSize+MaxPayload), r.Words(0)
	length := frame.Plus(8)
	empty := ended
	if r.channel.quiet {
		empty = nil
	}
	r.Place(begin)
	r.channel.connect(r)
	r.Place(again)
	r.OnFail(ended)
	r.move(linux.SYS_READ, fdIn, frame, headSize, empty)
	r.move(linux.SYS_READ, fdIn, frame.Plus(headSize), length, empty)
	r.OnFail(nil)
	r.Load(length).To(total)
	r.AddTo(total, 8)
	r.move(linux.SYS_WRITE, frame, length, total, nil)
	r.Jump(again)
	r.Place(ended)
	r.OnFail(nil)
	if r.channel.restore {
		r.Jump(begin)
	}
	r.Call("exit", linux.SYS_EXIT_GROUP, 0)
}

// output moves what the glove's side writes to a pipe to the host.
func (r *relay) output(stream int) {
	again, full, ended := r.Label(), r.Label(), r.Label()
	frame, size := r.Scratch(headSize+MaxPayload), r.Words(0)
	answer, total := r.Buffer(16), r.Words(0)
	r.word(stream).To(frame)
	r.Place(again)
	r.Call("poll", linux.SYS_PPOLL, r.Words(uint64(fd(stream, near))|pollIn), 1, 0, 0)
	r.Place(full)
	r.lock()
	if stream == reply {
		// What the command wrote goes first. Nobody has any of it in hand:
		// whoever reads holds the lock.
		wait, empty := r.Label(), r.Label()
		for i := range outputs {
			if i != reply {
				r.word(0).To(size)
				r.Call("what is left", linux.SYS_IOCTL, fd(i, near), fionread, size).Ignore()
				r.Load(size).IfOther(0, wait)
			}
		}
		r.Jump(empty)
		r.Place(wait)
		r.unlock()
		r.sleep(breath / 8)
		r.Jump(full)
		r.Place(empty)
	}
	length := frame.Plus(8)
	r.Call("read", linux.SYS_READ, fd(stream, near), frame.Plus(headSize), MaxPayload).To(length)
	r.Load(length).To(total)
	r.AddTo(total, headSize)
	r.move(linux.SYS_WRITE, fdOut, frame, total, nil)
	r.unlock()
	r.Load(length).IfEqual(0, ended)
	r.Call("answer", linux.SYS_READ, fd(stream, feed), answer, 16)
	r.Load(answer).IfEqual(0, again)
	r.Place(ended)
	r.Call("close", linux.SYS_CLOSE, fd(stream, near))
}

// input moves what the host sends for a pipe to the glove's side.
func (r *relay) input(stream int) {
	again, refused, ended := r.Label(), r.Label(), r.Label()
	buf, length := r.Scratch(MaxPayload), r.Words(0)
	r.Place(again)
	r.move(linux.SYS_READ, fd(stream, feed), length, 8, nil)
	r.Load(length).IfEqual(0, ended)
	r.move(linux.SYS_READ, fd(stream, feed), buf, length, nil)
	if stream != outputs+echo {
		r.OnFail(refused)
		r.move(linux.SYS_WRITE, fd(stream, near), buf, length, refused)
		r.OnFail(nil)
	}
	r.answer(stream, 0)
	r.Jump(again)
	r.Place(refused)
	r.answer(stream, 1)
	r.Place(ended)
	r.Call("close", linux.SYS_CLOSE, fd(stream, near))
}

// answer sends a frame without a payload.
func (r *relay) answer(stream, word int) {
	r.lock()
	r.move(linux.SYS_WRITE, fdOut, r.Words(stream, word), headSize, nil)
	r.unlock()
}

func (r *relay) lock() { r.Call("lock", linux.SYS_READ, fdLock, r.Buffer(8), 1) }

func (r *relay) unlock() { r.Call("unlock", linux.SYS_WRITE, fdUnlock, r.Buffer(8), 1) }

// move reads or writes until n bytes at buf are moved. What is a [glove.Ref] of
// fd and n is a word that has it. A call that moves nothing goes to empty; with
// nil it waits and tries again.
func (r *relay) move(nr uintptr, fd any, buf glove.Ref, n any, empty *glove.Label) {
	again, some, done := r.Label(), r.Label(), r.Label()
	at, left, moved := r.Words(0), r.Words(0), r.Words(0)
	r.Set(at, buf)
	r.word(n).To(left)
	r.Place(again)
	number, from, count := r.word(fd), r.Load(at), r.Load(left).IfEqual(0, done)
	call := r.Call("move", nr, 0, 0, 0).To(moved)
	number.To(call.Arg(0))
	from.To(call.Arg(1))
	count.To(call.Arg(2))
	r.Load(moved).IfOther(0, some)
	if empty != nil {
		r.Jump(empty)
	} else {
		r.sleep(breath)
		r.Jump(again)
	}
	r.Place(some)
	step := r.Load(moved)
	step.To(r.AddTo(at, 0).Arg(1))
	step = r.Load(moved)
	step.To(r.Sub(left, 0).Arg(1))
	r.Jump(again)
	r.Place(done)
}

// word appends an instruction whose result is v or, of a [glove.Ref], the word
// there.
func (r *relay) word(v any) *glove.Ins {
	if at, is := v.(glove.Ref); is {
		return r.Load(at)
	}
	return r.Load(r.Words(v))
}

// sleep waits.
func (r *relay) sleep(d time.Duration) {
	r.Call("sleep", linux.SYS_NANOSLEEP, r.Words(0, int(d.Nanoseconds())), 0)
}
