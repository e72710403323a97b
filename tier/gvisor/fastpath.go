//go:build linux

package gvisor

import (
	"sync/atomic"
	"time"
	_ "unsafe" // for go:linkname

	"gvisor.dev/gvisor/pkg/atomicbitops"
	"gvisor.dev/gvisor/pkg/hostarch"
	_ "gvisor.dev/gvisor/pkg/sentry/platform/systrap" // has the variables
)

// A system call of a guest goes from a thread of its own to one of the sentry's
// and back. Each sleeps until the other wakes it, which takes some ten to a
// hundred microseconds; where both spin for a moment instead, it takes one or
// two. gVisor's monitor of this "fast path" learns within many milliseconds that
// spinning pays, and forgets it whenever the guest waits. Most programs are
// shorter than that: so with ours both spin when a guest has waited for long, as
// one does that waits for its program, and gVisor's own states decide only when
// its work lasts. While boxes are made, others need the processors.

// fastPathState is systrap's type of this name. What has no name here is not
// ours to know.
type fastPathState struct {
	_                          [2][latencyBuckets]atomicbitops.Uint64
	stubBackoff, sentryBackoff int
	_                          [4]int // failures
	_                          [hostarch.CacheLineSize]byte
	stub                       atomicbitops.Bool // it spins
	_                          [hostarch.CacheLineSize]byte
	sentry                     atomicbitops.Bool
	_                          [hostarch.CacheLineSize]byte
	_                          atomicbitops.Uint32 // threads that are awake
	_                          [hostarch.CacheLineSize]byte
	usedStub                   atomicbitops.Bool // in this period
	_                          [hostarch.CacheLineSize]byte
	usedSentry                 atomicbitops.Bool
	_                          [hostarch.CacheLineSize]byte
	state                      func(*fastPathState) // what happens at the end of a period
	_                          [hostarch.CacheLineSize]byte
	active                     atomicbitops.Bool // in this period
	_                          [hostarch.CacheLineSize]byte
	parked                     atomicbitops.Bool // the monitor waits for activity
	wakeup                     chan struct{}
}

//go:linkname fastPath gvisor.dev/gvisor/pkg/sentry/platform/systrap.fastpath
var fastPath fastPathState

// What the states are decided by: how long it took in this period.
//
//go:linkname latencies gvisor.dev/gvisor/pkg/sentry/platform/systrap.latencies
var latencies [2][latencyBuckets]atomicbitops.Uint64

const latencyBuckets = 80

const (
	fastPathPeriod = 400 * time.Microsecond // gVisor's recordingPeriod
	burstPeriods   = 250
	longWait       = 5 * time.Millisecond
)

// known tells whether the state is what it is when nothing has happened yet.
func (s *fastPathState) known() bool {
	return s.state != nil && cap(s.wakeup) == 1 && s.stubBackoff == 2 && s.sentryBackoff == 2
}

// hurry makes the monitor ours, before it starts, where the version of gVisor is
// the one that we know. gVisor starts none where it has only one processor.
func (s *fastPathState) hurry(linked string) {
	if linked == sentryFilter.version && s.known() {
		atFirst := s.state
		s.state = func(s *fastPathState) { s.monitor(atFirst) }
	}
}

// monitor is called at the end of the first period, and stays.
func (s *fastPathState) monitor(atFirst func(*fastPathState)) {
	state := atFirst
	for burst := 0; ; burst-- { // periods that are left of it
		if burst == 0 {
			s.calm()
		}
		if burst <= 0 {
			s.state = state
			state(s)
			state = s.state
		}
		s.usedStub.Store(false)
		s.usedSentry.Store(false)
		if !s.active.Swap(false) {
			s.spin(!oneProcessor.Load()) // who wakes does so before we know
			begin := time.Now()
			s.park()
			state, burst = atFirst, burstPeriods
			if time.Since(begin) < longWait {
				burst = 1 // which ends with this turn
			}
		}
		if burst > 1 && oneProcessor.Load() {
			time.Sleep(burstPeriods * fastPathPeriod) // there is nothing to switch on
			burst = 1
			continue
		}
		time.Sleep(fastPathPeriod)
	}
}

// oneProcessor tells that the guest's threads and the sentry's share a processor:
// where one spins the other cannot run.
var oneProcessor atomic.Bool

func (s *fastPathState) spin(on bool) {
	s.stub.Store(on)
	s.sentry.Store(on)
}

// calm leaves what gVisor's first state expects: nobody spins, and nothing was
// measured while somebody did.
func (s *fastPathState) calm() {
	s.spin(false)
	for side := range latencies {
		for i := range latencies[side] {
			latencies[side][i].Store(0)
		}
	}
}

// park waits until there is activity. Who is active looks whether the monitor is
// parked after it said so; and the monitor looks the other way round.
func (s *fastPathState) park() {
	select {
	case <-s.wakeup: // a late one
	default:
	}
	s.parked.Store(true)
	if !s.active.Load() {
		<-s.wakeup
	}
	s.parked.Store(false)
}
