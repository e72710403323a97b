//go:build linux

package gvisor

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"gvisor.dev/gvisor/pkg/sentry/seccheck"
	"gvisor.dev/gvisor/runsc/specutils"
)

// TestShortWays: what saveTime sets is what gVisor reads.
func TestShortWays(t *testing.T) {
	before := specutils.ExePath
	state := fastPath.state
	defer func() { specutils.ExePath, fastPath.state = before, state }()
	saveTime()
	if specutils.ExePath == before {
		t.Error("the umounter is not the tiny one")
	}
	// With its tables filled, this would register them again and panic.
	seccheck.Initialize()
	if points := len(seccheck.Points); points > 0 {
		t.Errorf("the tables of tracing are filled: %d points", points)
	}
}

// TestFastPath: the type is laid out as gVisor's, and our monitor is what
// gVisor's calls.
func TestFastPath(t *testing.T) {
	if !fastPath.known() {
		t.Fatalf("systrap's state is not what it was: %+v", &fastPath)
	}
	at := runtime.FuncForPC(reflect.ValueOf(fastPath.state).Pointer()).Name()
	if !strings.HasSuffix(at, "systrap.sentryOffStubOff") {
		t.Errorf("it begins with %s", at)
	}
	s := fastPathState{state: func(*fastPathState) {}, wakeup: make(chan struct{}, 1), stubBackoff: 2, sentryBackoff: 2}
	s.hurry(sentryFilter.version)
	go s.state(&s)     // for good, as in a sentry
	for n := range 3 { // after a short wait; see longWait
		eventually(t, func() bool { return s.parked.Load() })
		if !s.stub.Load() || !s.sentry.Load() {
			t.Errorf("after burst %d nobody spins", n)
		}
		s.active.Store(true) // as who hands over a system call does
		s.wakeup <- struct{}{}
		eventually(t, func() bool { return !s.active.Load() })
	}
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for begin := time.Now(); !holds(); time.Sleep(100 * time.Microsecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("it does not come to that")
		}
	}
}
