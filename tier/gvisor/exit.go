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

// A process that ends gives its memory back to the host while its parent waits to
// be told, and on the same processors: of a small program's end that is a third.
// So a small one's is given back a moment later.
const (
	smallEnd = 32 << 20 // bytes of memory that are few
	endLater = 20 * time.Millisecond
)

// endSoon makes the end of a small process known before its memory is given back.
// It is no harm where gVisor is not as we know it.
func endSoon() {
	var later atomic.Bool // somebody's memory waits
	wrapCalls(func(name string, next serve) serve {
		if name != "exit_group" {
			return nil
		}
		return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
			r, ok := releaserOf(t.Kernel().MemoryFile())
			// A nest keeps it for the next program.
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

// releaser is what gives memory back that the guest has freed. Who frees some wakes
// it only where there was none to give back before.
type releaser struct {
	*sync.Cond
	waste *bool // there is some
}

func releaserOf(f *pgalloc.MemoryFile) (releaser, bool) {
	cond, ok1 := field[sync.Cond](f, "releaseCond")
	waste, ok2 := field[bool](f, "haveWaste")
	return releaser{cond, waste}, ok1 && ok2 && cond.L != nil
}

// hold makes that nobody wakes it.
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
