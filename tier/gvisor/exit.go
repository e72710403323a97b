//go:build linux

package gvisor

import (
	"sync"
	"sync/atomic"
	"time"

	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/pgalloc"
)

// An ending process gives its memory back to the host while its parent waits
// for the exit status, on the same processors: a third of the end of a small
// program. So the memory of a small process is given back a moment later.
const (
	smallEnd = 32 << 20 // bytes of memory that are few
	endLater = 20 * time.Millisecond
)

// endSoon announces the end of a small process before its memory is given back.
// With an unknown gVisor it does nothing.
func endSoon() {
	var later atomic.Bool // somebody's memory waits
	wrapCalls(func(name string, next serve) serve {
		if name != "exit_group" {
			return nil
		}
		return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
			r, ok := releaserOf(t.Kernel().MemoryFile())
			// A nest keeps the memory for the next program.
			if ok && !oneProcessor.Load() && t.MemoryManager().ResidentSetSize() <= smallEnd && !later.Swap(true) {
				r.hold()
				time.AfterFunc(endLater, func() {
					later.Store(false)
					r.release()
				})
			}
			return next(t, nr, args)
		}
	})
}

// releaser gives the guest's freed memory back to the host. Freed memory wakes
// the releaser only if there was no waste before.
type releaser struct {
	*sync.Cond
	waste *bool // there is some
}

func releaserOf(f *pgalloc.MemoryFile) (releaser, bool) {
	cond, ok1 := field[sync.Cond](f, "releaseCond")
	waste, ok2 := field[bool](f, "haveWaste")
	return releaser{cond, waste}, ok1 && ok2 && cond.L != nil
}

// hold keeps it asleep.
func (r releaser) hold() {
	r.L.Lock()
	defer r.L.Unlock()
	*r.waste = true
}

// release wakes it.
func (r releaser) release() {
	r.L.Lock()
	defer r.L.Unlock()
	*r.waste = true
	r.Signal()
}
