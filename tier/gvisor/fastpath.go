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

// A system call of a guest goes from a guest thread to a sentry thread and
// back. Each sleeps until the other wakes it, at a cost of ten to a hundred
// microseconds; if both spin for a moment instead, one or two. gVisor's monitor
// of this "fast path" learns within many milliseconds that spinning pays, and
// forgets the lesson whenever the guest waits. Most programs are shorter. So
// our monitor lets both spin once a guest has waited for long, as a standby
// command does, and leaves the decision to gVisor's own states only when work
// lasts. While boxes are made, the processors are needed elsewhere.

// fastPathState is systrap's type of the same name. Unnamed fields do not
// concern us.
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

// known reports whether the state has the initial values that we expect.
func (s *fastPathState) known() bool {
	return s.state != nil && cap(s.wakeup) == 1 && s.stubBackoff == 2 && s.sentryBackoff == 2
}

// hurry installs our monitor, before the start, where gVisor has the known
// version. gVisor starts no monitor with a single processor.
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

// oneProcessor means that guest and sentry threads share a processor: while one
// spins the other cannot run.
var oneProcessor atomic.Bool

func (s *fastPathState) spin(on bool) {
	s.stub.Store(on)
	s.sentry.Store(on)
}

// calm restores the expectations of gVisor's first state: no spinning, and no
// measurements from a time of spinning.
func (s *fastPathState) calm() {
	s.spin(false)
	for side := range latencies {
		for i := range latencies[side] {
			latencies[side][i].Store(0)
		}
	}
}

// park waits until there is activity. An active thread first reports, then
// checks for a parked monitor; the monitor does the reverse.
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
