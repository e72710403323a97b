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

// A sentry gives memory back to the host as soon as the guest has freed it, and
// takes as much again for the next program, which is a fifth of all that a small
// program of a batch takes. gVisor would rather use again what it has not given
// back yet: so a nest's sentry keeps some.

const (
	// hoardMost is how much a guest's memory may grow before nothing is kept.
	hoardMost  = 24 << 20
	hoardEvery = 20 * time.Millisecond
)

// hoard keeps the memory that the guest frees. It is no harm where gVisor is not
// as we know it.
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
