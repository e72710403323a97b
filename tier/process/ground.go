package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// ground kills and measures a box from outside. It implements [glove.Ground].
type ground struct {
	limits glovebox.Limits
	group  *cgroup.Group // or
	meter  *meter
	gate   *gate // beside the meter, or
	deaf   error // why there is none

	measuring sync.Mutex
	closed    bool           // there is nothing to measure any more
	hits      []glovebox.Hit // the group's last evidence

	mu   sync.Mutex
	pid  int
	proc *os.Process // pid 1 of the box; nil before it is there
	gone bool        // killed: whoever comes now is killed too
	dead chan struct{}

	closeOnce sync.Once
	closeErr  error
}

// adopt takes over pid 1 of the box, which the first process has reported. It
// is our child.
func (g *ground) adopt(report []byte) error {
	if len(report) != 8 {
		return fmt.Errorf("the glove reported a process id of %d bytes", len(report))
	}
	pid := binary.LittleEndian.Uint64(report)
	if pid < 2 || pid > maxPID {
		return fmt.Errorf("the glove reported the process id %d", pid)
	}
	proc, err := os.FindProcess(int(pid))
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pid, g.proc = int(pid), proc
	if g.gone {
		proc.Kill()
	}
	// When pid 1 of a pid namespace ends, the kernel has killed and reaped all
	// the others before.
	go func() {
		proc.Wait()
		close(g.dead)
	}()
	return nil
}

// Kill implements [glove.Ground].
func (g *ground) Kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone = true
	if g.proc != nil {
		g.proc.Kill()
	}
}

// Dead implements [glove.Ground].
func (g *ground) Dead() <-chan struct{} { return g.dead }

// killPatience bounds the end of a box that was killed.
const killPatience = 10 * time.Second

// Close implements [glove.Ground].
func (g *ground) Close() error {
	g.closeOnce.Do(func() { g.closeErr = g.close() })
	return g.closeErr
}

func (g *ground) close() error {
	g.Kill()
	g.mu.Lock()
	started := g.proc != nil
	g.mu.Unlock()
	var errs []error
	if started {
		select {
		case <-g.dead:
		case <-time.After(killPatience):
			errs = append(errs, fmt.Errorf("process %d does not end", g.pid))
		}
	}
	// It measures too, so it goes first.
	if g.gate != nil {
		errs = append(errs, g.gate.close())
	}
	g.measuring.Lock()
	defer g.measuring.Unlock()
	g.closed = true
	switch {
	case g.group != nil:
		g.hits = g.group.Evidence()
		errs = append(errs, g.group.Close())
	case g.meter != nil:
		errs = append(errs, g.meter.close())
	}
	return errors.Join(errs...)
}

// Sample implements [glove.Ground].
func (g *ground) Sample() (glove.Sample, error) {
	g.measuring.Lock()
	defer g.measuring.Unlock()
	if g.closed {
		return glove.Sample{}, os.ErrClosed
	}
	if g.group == nil {
		return g.meter.sample()
	}
	s, err := g.group.Sample()
	return glove.Sample{CPU: s.CPU, Memory: s.Memory, Processes: max(s.Tasks-gloveTasks, 0)}, err
}

// Evidence implements [glove.Ground].
func (g *ground) Evidence(peak glove.Sample) []glovebox.Hit {
	g.measuring.Lock()
	defer g.measuring.Unlock()
	switch {
	case g.gate != nil:
		return g.gate.evidence()
	case g.meter != nil:
		return g.meter.evidence(peak)
	case g.group == nil || g.closed:
		return g.hits
	}
	return g.group.Evidence()
}

// tasks counts the processes and threads of a box without a control group.
func (g *ground) tasks() (int64, error) {
	g.measuring.Lock()
	defer g.measuring.Unlock()
	if g.closed {
		return 0, os.ErrClosed
	}
	return g.meter.tasks()
}

// openMeter prepares to measure without a control group. It is done before
// anything runs in the box, while its files are still open to us.
func (g *ground) openMeter() (err error) {
	g.meter, err = newMeter(g.pid, g.limits)
	if err != nil {
		return broken("measure the box", err)
	}
	return nil
}

// openGate begins to answer for the limit of processes, with the listener that
// pid 1 has sent.
func (g *ground) openGate(sent *os.File) error {
	l, none, err := receiveListener(sent)
	switch {
	case err != nil:
		return broken("open the gate", err)
	case none != 0:
		g.deaf = none
	default:
		g.gate = openGate(l, g.pid, g.limits.Processes, g.tasks, g.Kill)
	}
	return nil
}
