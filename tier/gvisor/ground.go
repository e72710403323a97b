//go:build linux

package gvisor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/runsc/sandbox"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
	"github.com/gloveboxhq/glovebox/tier/den"
)

// ground is one booted box, seen from the host: the sentry and the file of the
// guest's memory. ground is the [glove.Ground] of the box.
type ground struct {
	limits  glovebox.Limits
	den     *den.Den
	group   *cgroup.Group // nil where there is none
	sentry  *exec.Cmd
	sandbox *sandbox.Sandbox // gVisor's side of the sentry's control socket
	memory  []*os.File       // the guest's memory
	log     *os.File         // the sentry's log
	logged  int64            // of that, what is not the box's
	dead    chan struct{}    // closed when the sentry is reaped; nil where there was none

	mu     sync.Mutex
	grown  *glovebox.Hit // the guest's memory grew faster than it was killed
	closed bool
	settle *time.Timer   // calls part; nil where the box does not wait
	parted bool          // see part
	idle   time.Duration // the processor time before it had something to do

	closeOnce sync.Once
	closeErr  error
}

// sentryMemory is the name of the file that backs all of the guest's memory:
// allocations of processes, and memory file systems.
const sentryMemory = "/memfd:runsc-memory (deleted)"

// findMemory finds the guest's memory among the sentry's descriptors.
func (g *ground) findMemory() error {
	dir := fmt.Sprintf("/proc/%d/fd/", g.sentry.Process.Pid)
	// Try each number, because descriptors are few and a listing is expensive:
	// the kernel makes an entry for each, and frees them when the process ends.
	for fd := range sentryExe {
		link := dir + strconv.Itoa(fd)
		if name, err := os.Readlink(link); err != nil || name != sentryMemory {
			continue
		}
		fd, err := unix.Open(link, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err == unix.ENOENT {
			continue // a restored guest's sentry gives up the memory that it booted with
		}
		if err != nil {
			return fmt.Errorf("the guest's memory: %w", err)
		}
		g.memory = append(g.memory, os.NewFile(uintptr(fd), "guest memory"))
	}
	if len(g.memory) == 0 {
		return errors.New("the guest's memory: the sentry has no such file")
	}
	return nil
}

// memorySize is the size of the guest's memory, in bytes.
func (g *ground) memorySize() (size int64, err error) {
	for _, f := range g.memory {
		var st unix.Stat_t
		if err := unix.Fstat(int(f.Fd()), &st); err != nil {
			return 0, err
		}
		size += st.Blocks * 512
	}
	return size, nil
}

// Kill implements [glove.Ground]. The sentry is process 1 of its namespace:
// every process of the box dies at the same time.
func (g *ground) Kill() {
	_ = g.sentry.Process.Kill()
}

// Dead implements [glove.Ground].
func (g *ground) Dead() <-chan struct{} { return g.dead }

// isDead reports whether the sentry's number may be another's.
func (g *ground) isDead() bool {
	select {
	case <-g.dead:
		return true
	default:
		return false
	}
}

// Sample implements [glove.Ground].
func (g *ground) Sample() (glove.Sample, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return glove.Sample{}, errors.New("the box is closed")
	}
	size, err := g.memorySize()
	if err != nil {
		return glove.Sample{}, err
	}
	// The sentry's memory on behalf of the guest, such as full pipes, counts
	// too.
	s := glove.Sample{Memory: size + max(0, ownMemory(g.sentry.Process.Pid)-sentryMemorySize)}
	if used, err := g.groupSample(); err == nil && used.CPU > 0 {
		s.CPU = used.CPU
	} else {
		s.CPU = native.TreeTime(g.sentry.Process.Pid)
	}
	if g.idle == 0 {
		g.idle = max(s.CPU, 1)
	}
	if g.parted && s.CPU-g.idle > partedFor {
		g.join()
	}
	if s.Memory > g.limits.Memory+g.limits.Memory/2 && g.grown == nil {
		g.grown = &glovebox.Hit{Limit: glovebox.LimitMemory, Evidence: glovebox.Evidence{
			Source: "supervisor",
			Fact:   fmt.Sprintf("the guest's memory held %d of %d bytes", s.Memory, g.limits.Memory),
		}}
		g.Kill()
	}
	return s, nil
}

func (g *ground) groupSample() (cgroup.Sample, error) {
	if g.group == nil {
		return cgroup.Sample{}, nil
	}
	return g.group.Sample()
}

// Evidence implements [glove.Ground].
func (g *ground) Evidence(glove.Sample) []glovebox.Hit {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil
	}
	hits := readRefusals(g.log, g.logged)
	if g.group != nil {
		hits = append(hits, g.group.Evidence()...)
	}
	if g.grown != nil {
		hits = append(hits, *g.grown)
	}
	return hits
}

// patience bounds the boot of a sentry, on a machine under load.
const patience = 30 * time.Second

// Close implements [glove.Ground].
func (g *ground) Close() error {
	g.closeOnce.Do(func() {
		if g.settle != nil {
			g.settle.Stop()
		}
		var errs []error
		if g.dead != nil {
			g.Kill()
			select {
			case <-g.dead:
			case <-time.After(glove.KillPatience):
				errs = append(errs, fmt.Errorf("the sentry, process %d, does not end", g.sentry.Process.Pid))
			}
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.closed = true
		for _, f := range append(g.memory, g.log) {
			if f != nil {
				errs = append(errs, f.Close())
			}
		}
		if g.group != nil {
			errs = append(errs, g.group.Close())
		}
		g.closeErr = errors.Join(append(errs, g.den.Close())...)
	})
	return g.closeErr
}
