//go:build linux

package native

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// GloveTasks are the tasks of the glove itself, which count against the limit of
// processes: pid 1 and its second thread.
const GloveTasks = 2

// Ground kills and measures a box from outside. It implements [glove.Ground].
type Ground struct {
	limits glovebox.Limits
	group  *cgroup.Group // or, or with
	meter  Meter
	gate   *gate // beside the meter, or nil

	measuring sync.Mutex
	closed    bool           // there is nothing to measure any more
	hits      []glovebox.Hit // the group's last evidence

	mu   sync.Mutex
	proc *os.Process // ends last of the box; nil before it is there
	gone bool        // killed: whoever comes now is killed too
	dead chan struct{}

	closeOnce sync.Once
	closeErr  error
}

// Meter measures a box where a control group does not.
type Meter interface {
	Sample() (glove.Sample, error)
	// Evidence lists the known hits of limits.
	Evidence(peak glove.Sample) []glovebox.Hit
	Close() error
}

// NewGround returns the ground of a box that is going to be made. It takes over
// the group; nil is none.
func NewGround(limits glovebox.Limits, group *cgroup.Group) *Ground {
	return &Ground{limits: limits, group: group, dead: make(chan struct{})}
}

// Adopt takes over the process with which the box ends: pid 1 of its pid name
// space, or of one around that. It is our child.
func (g *Ground) Adopt(proc *os.Process) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.proc = proc
	if g.gone {
		proc.Kill()
	}
	// When pid 1 of a pid namespace ends, the kernel has killed and reaped all
	// the others before.
	go func() {
		proc.Wait()
		close(g.dead)
	}()
}

// Measure prepares to measure without a control group, where pid is pid 1 of
// the box as the host calls it. It is done before anything runs in the box,
// while its files are still open to us.
func (g *Ground) Measure(pid int) error {
	m, err := newMeter(pid, g.limits)
	if err == nil {
		g.MeasureBy(m)
	}
	return err
}

// MeasureBy prepares to measure by m, which is closed with the ground. Where
// there is a control group too, that is the limit behind it.
func (g *Ground) MeasureBy(m Meter) {
	g.measuring.Lock()
	defer g.measuring.Unlock()
	g.meter = m
}

// Ask begins to answer for the limit of processes of a box that [Ground.Measure]
// measures, where pid is its pid 1, with the listener that has come by our end of
// [FDListener]. deaf is why there is none.
func (g *Ground) Ask(sent *os.File, pid int) (deaf, err error) {
	l, none, err := receiveListener(sent)
	if err != nil {
		return nil, err
	}
	if none != 0 {
		return none, nil
	}
	g.gate = openGate(l, pid, g.limits.Processes, g.tasks, g.ended, g.Kill)
	g.measuring.Lock()
	defer g.measuring.Unlock()
	g.meter.(*meter).gate = g.gate
	return nil, nil
}

// Kill implements [glove.Ground].
func (g *Ground) Kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone = true
	if g.proc != nil {
		g.proc.Kill()
	}
}

// Dead implements [glove.Ground].
func (g *Ground) Dead() <-chan struct{} { return g.dead }

// Close implements [glove.Ground].
func (g *Ground) Close() error {
	g.closeOnce.Do(func() { g.closeErr = g.close() })
	return g.closeErr
}

func (g *Ground) close() error {
	g.Kill()
	g.mu.Lock()
	proc := g.proc
	g.mu.Unlock()
	var errs []error
	if proc != nil {
		select {
		case <-g.dead:
		case <-time.After(glove.KillPatience):
			errs = append(errs, fmt.Errorf("process %d does not end", proc.Pid))
		}
	}
	// It measures too, so it goes first.
	if g.gate != nil {
		errs = append(errs, g.gate.close())
	}
	g.measuring.Lock()
	defer g.measuring.Unlock()
	g.closed = true
	if g.group != nil {
		g.hits = g.group.Evidence()
		errs = append(errs, g.group.Close())
	}
	if g.meter != nil {
		errs = append(errs, g.meter.Close())
	}
	return errors.Join(errs...)
}

// Sample implements [glove.Ground].
func (g *Ground) Sample() (glove.Sample, error) {
	g.measuring.Lock()
	defer g.measuring.Unlock()
	if g.closed {
		return glove.Sample{}, os.ErrClosed
	}
	if g.meter != nil {
		return g.meter.Sample()
	}
	s, err := g.group.Sample()
	return glove.Sample{CPU: s.CPU, Memory: s.Memory, Processes: max(s.Tasks-GloveTasks, 0)}, err
}

// Evidence implements [glove.Ground].
func (g *Ground) Evidence(peak glove.Sample) []glovebox.Hit {
	g.measuring.Lock()
	defer g.measuring.Unlock()
	if g.gate != nil {
		return g.gate.evidence()
	}
	hits := g.hits
	if g.group != nil && !g.closed {
		hits = g.group.Evidence()
	}
	if g.meter != nil {
		hits = append(hits, g.meter.Evidence(peak)...)
	}
	return hits
}

// tasks counts the processes and threads of a box that [Ground.Measure] measures.
func (g *Ground) tasks() (int64, error) {
	g.measuring.Lock()
	defer g.measuring.Unlock()
	if g.closed {
		return 0, os.ErrClosed
	}
	return g.meter.(*meter).tasks()
}

// ended takes note of what a process has used that ends now, by one of its threads.
func (g *Ground) ended(thread uint32) {
	g.measuring.Lock()
	defer g.measuring.Unlock()
	if !g.closed {
		g.meter.(*meter).ended(thread)
	}
}
