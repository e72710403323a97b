//go:build linux

package gvisor

import (
	"sync"
	"time"

	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/pgalloc"
)

// firstLent is done when a sentry's process 1 makes the first box.
var firstLent sync.Once

// beginLent is called in the sentry before its process 1 makes a box.
func beginLent(t *kernel.Task) {
	forgetRefusals()
	firstLent.Do(func() {
		oneProcessor.Store(true)
		hoard(t.Kernel().MemoryFile())
	})
}

// A sentry gives freed guest memory back to the host at once, and takes as much
// again for the next program: a fifth of the time of a small program in a
// batch. gVisor prefers to reuse memory not yet given back: so a nest's sentry
// retains some.

const (
	// hoardMost is how much a guest's memory may grow before nothing is kept.
	hoardMost  = 24 << 20
	hoardEvery = 20 * time.Millisecond
)

// hoard retains the memory freed by the guest. With an unknown gVisor it does
// nothing.
func hoard(f *pgalloc.MemoryFile) {
	r, ok := releaserOf(f)
	base, err := f.TotalUsage()
	if !ok || err != nil {
		return
	}
	go func() {
		for ; ; time.Sleep(hoardEvery) {
			size, err := f.TotalUsage()
			switch {
			case err != nil:
			case size > base+hoardMost:
				r.release()
			default:
				r.hold()
			}
		}
	}()
}
