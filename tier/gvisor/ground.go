//go:build linux

package gvisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
	"github.com/gloveboxhq/glovebox/tier/den"
)

// ground is one booted box, seen from the host: its helper, its sentry and the
// file that is the guest's memory. It is the [glove.Ground] of the box.
type ground struct {
	limits  glovebox.Limits
	den     *den.Den
	group   *cgroup.Group // nil where there is none
	helper  *exec.Cmd
	control *net.UnixConn
	replies *json.Decoder

	sentry int      // process id
	pidfd  *os.File // of the sentry
	memory *os.File // the guest's memory
	log    *os.File // the sentry's log
	dead   chan struct{}

	mu     sync.Mutex
	grown  *glovebox.Hit // the guest's memory grew faster than it was killed
	closed bool

	closeOnce sync.Once
	closeErr  error
}

// sentryMemory is the name of the file that backs everything that the guest
// has: what its processes allocated, and its memory file systems.
const sentryMemory = "/memfd:runsc-memory (deleted)"

// watch finds what is needed to measure and to kill the sentry.
func (g *ground) watch(sentry int) error {
	fd, err := unix.PidfdOpen(sentry, unix.PIDFD_NONBLOCK)
	if err != nil {
		return fmt.Errorf("pidfd of the sentry: %w", err)
	}
	g.sentry, g.pidfd = sentry, os.NewFile(uintptr(fd), "sentry")
	go func() {
		defer close(g.dead)
		awaitEnd(g.pidfd)
	}()
	if g.log, err = os.Open(filepath.Join(g.den.Dir, sentryLog)); err != nil {
		return err
	}
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", sentry))
	if err != nil {
		return err
	}
	for _, link := range links {
		if name, err := os.Readlink(link); err != nil || name != sentryMemory {
			continue
		}
		fd, err := unix.Open(link, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("the guest's memory: %w", err)
		}
		g.memory = os.NewFile(uintptr(fd), "guest memory")
		return nil
	}
	return errors.New("the guest's memory: the sentry has no such file")
}

// awaitEnd returns when the process of a pidfd has ended.
func awaitEnd(pidfd *os.File) {
	conn, err := pidfd.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && err != unix.EINTR
	})
}

// Kill implements [glove.Ground]. The sentry is process 1 of its own
// namespace: every process of the box dies with it.
func (g *ground) Kill() {
	_ = unix.PidfdSendSignal(int(g.pidfd.Fd()), unix.SIGKILL, nil, 0)
}

// Dead implements [glove.Ground].
func (g *ground) Dead() <-chan struct{} { return g.dead }

// Sample implements [glove.Ground].
func (g *ground) Sample() (glove.Sample, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return glove.Sample{}, errors.New("the box is closed")
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(g.memory.Fd()), &st); err != nil {
		return glove.Sample{}, err
	}
	// What the guest makes the sentry itself hold, such as full pipes, counts
	// too.
	s := glove.Sample{Memory: st.Blocks*512 + max(0, ownMemory(g.sentry)-sentryMemorySize)}
	if used, err := g.groupSample(); err == nil && used.CPU > 0 {
		s.CPU = used.CPU
	} else {
		s.CPU = treeCPU(g.sentry)
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
	hits := readRefusals(g.log)
	if g.group != nil {
		hits = append(hits, g.group.Evidence()...)
	}
	if g.grown != nil {
		hits = append(hits, *g.grown)
	}
	return hits
}

// patience bounds what a helper is waited for: to boot a box on a machine under
// load, and to destroy one.
const patience = 30 * time.Second

// Close implements [glove.Ground].
func (g *ground) Close() error {
	g.closeOnce.Do(func() {
		errs := []error{g.end()}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.closed = true
		if g.pidfd != nil {
			<-g.dead
		}
		for _, f := range []*os.File{g.pidfd, g.memory, g.log} {
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

// end makes the helper destroy the box, and reaps it.
func (g *ground) end() error {
	_ = g.control.CloseWrite()
	_ = g.control.SetReadDeadline(time.Now().Add(patience))
	var last reply
	err := g.replies.Decode(&last)
	for err == nil && !last.Gone { // nobody has read that it is up
		last = reply{}
		err = g.replies.Decode(&last)
	}
	if last.Err != "" {
		err = errors.New(last.Err)
	}
	if err != nil {
		err = fmt.Errorf("destroy the box: %w", err)
		_ = g.helper.Process.Kill() // the sentry dies with it
	}
	_ = g.helper.Wait() // its end is what matters; its word was above
	return errors.Join(err, g.control.Close())
}
