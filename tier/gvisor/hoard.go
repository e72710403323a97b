//go:build linux

package gvisor

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	"gvisor.dev/gvisor/pkg/sentry/pgalloc"
)

// A sentry gives memory back to the host as soon as the guest has freed it, and
// takes as much again for the next program of a batch, which costs a fifth of what
// it takes to run a small one. So such a sentry keeps some of it: gVisor uses what
// it has not given back yet first.

// hoardMost is how many bytes a sentry may hold when it keeps what was freed;
// above that it keeps nothing.
const (
	hoardMost  = 48 << 20
	hoardEvery = 20 * time.Millisecond
)

// hoard keeps the memory of a guest from being given back. It is no harm where
// gVisor is not as we know it.
func hoard(f *pgalloc.MemoryFile) {
	cond, ok1 := field[sync.Cond](f, "releaseCond")
	some, ok2 := field[bool](f, "haveWaste")
	if !ok1 || !ok2 || cond.L == nil {
		return
	}
	// Who frees memory wakes who gives it back only where there was nothing to give
	// before.
	go func() {
		for ; ; time.Sleep(hoardEvery) {
			size, err := f.TotalUsage()
			if err != nil {
				continue
			}
			cond.L.Lock()
			*some = true
			if size > hoardMost {
				cond.Signal()
			}
			cond.L.Unlock()
		}
	}()
}

// field returns a field of a struct that has no name outside of its package.
func field[F, S any](s *S, name string) (*F, bool) {
	f, ok := reflect.TypeFor[S]().FieldByName(name)
	if !ok || f.Type != reflect.TypeFor[F]() {
		return nil, false
	}
	return (*F)(unsafe.Add(unsafe.Pointer(s), f.Offset)), true
}
