//go:build linux

package gvisor

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
)

// TestPlace: the guest begins on some processors, and the sentry has others; a
// box that computes has all.
func TestPlace(t *testing.T) {
	all, err := processors()
	if err != nil || all.Count() < 2 {
		t.Skipf("%d processors (%v)", all.Count(), err)
	}
	b, g := copyOf(t, copyTier(t), tier.Spec{Limits: glovebox.Limits{Processes: 16}.WithDefaults()})
	eventually(t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.parted
	})
	at := func(pid int) (on unix.CPUSet) {
		if err := unix.SchedGetaffinity(pid, &on); err != nil && err != unix.ESRCH {
			t.Error(err)
		}
		return on
	}
	if n := at(g.sentry.Process.Pid); n != all {
		t.Errorf("the sentry runs on %d of %d processors", n.Count(), all.Count())
	}
	guests := native.Below(g.sentry.Process.Pid)
	for _, pid := range guests {
		if n := at(pid); n.Count() > (all.Count()+1)/2 || n != at(guests[0]) {
			t.Errorf("process %d may run on %d of %d processors", pid, n.Count(), all.Count())
		}
	}
	if len(guests) == 0 {
		t.Error("no process runs the guest")
	}
	// It starts others all the time, and sleeps while it is looked at.
	r := order(b, `
import os
end = time.process_time() + 1
while time.process_time() < end:
    if os.fork() == 0:
        os._exit(0)
    os.wait()
if os.fork() == 0:
    time.sleep(60)
print(len(os.sched_getaffinity(0)), flush=True)
time.sleep(60)
`, func(c *tier.Command) {
		c.Stdout = writerFunc(func(p []byte) (int, error) {
			for _, pid := range append(native.Below(g.sentry.Process.Pid), g.sentry.Process.Pid) {
				if on := at(pid); on.Count() > 0 && on != all {
					t.Errorf("process %d of a box that computes may run on %d of %d processors", pid, on.Count(), all.Count())
				}
			}
			return 0, unix.EPIPE
		})
	})
	if r.Cause != glovebox.CauseBox || r.Started != true {
		t.Errorf("got %+v, %q", r.Outcome, r.stderr)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
