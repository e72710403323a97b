package gvisor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
)

// ground is one booted box, seen from the host: its helper, its sentry and the
// file that is the guest's memory. It is the [glove.Ground] of the box.
type ground struct {
	limits  glovebox.Limits
	helper  *exec.Cmd
	control *net.UnixConn
	replies *json.Decoder
	log     *bytes.Buffer // what the helper wrote on stderr, once it has ended

	sentry int      // process id
	pidfd  *os.File // of the sentry
	memory *os.File // the guest's memory
	dead   chan struct{}

	mu     sync.Mutex
	hits   []glovebox.Hit
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
	s := glove.Sample{CPU: treeCPU(g.sentry), Memory: st.Blocks * 512}
	if s.Memory > g.limits.Memory+g.limits.Memory/2 && len(g.hits) == 0 {
		// It grows faster than it is killed from inside.
		g.hits = append(g.hits, glovebox.Hit{Limit: glovebox.LimitMemory, Evidence: glovebox.Evidence{
			Source: "supervisor",
			Fact:   fmt.Sprintf("the guest's memory held %d of %d bytes", s.Memory, g.limits.Memory),
		}})
		g.Kill()
	}
	return s, nil
}

// Evidence implements [glove.Ground].
func (g *ground) Evidence() []glovebox.Hit {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]glovebox.Hit(nil), g.hits...)
}

// patience bounds what a helper is waited for: to boot a box on a machine under
// load, and to destroy one.
const patience = 30 * time.Second

// Close implements [glove.Ground].
func (g *ground) Close() error {
	g.closeOnce.Do(func() {
		g.closeErr = g.end()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.closed = true
		if g.pidfd != nil {
			<-g.dead
			g.closeErr = errors.Join(g.closeErr, g.pidfd.Close())
		}
		if g.memory != nil {
			g.closeErr = errors.Join(g.closeErr, g.memory.Close())
		}
	})
	return g.closeErr
}

// end makes the helper destroy the box, and reaps it.
func (g *ground) end() error {
	_ = g.control.CloseWrite()
	_ = g.control.SetReadDeadline(time.Now().Add(patience))
	var last reply
	err := g.replies.Decode(&last)
	for err == nil && last.Sentry != 0 { // nobody has read that it is up
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

// spawn starts a helper in a control socket's hands.
func spawn(exe string, nested bool, inner glove.Inner) (*ground, []int, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	ours := os.NewFile(uintptr(pair[0]), "control")
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		return nil, nil, err
	}
	g := &ground{control: conn.(*net.UnixConn), replies: json.NewDecoder(conn), log: new(bytes.Buffer), dead: make(chan struct{})}
	g.helper = &exec.Cmd{
		Path: exe, Args: []string{helperName}, Env: []string{}, Dir: "/",
		Stderr:     &bounded{g.log},
		ExtraFiles: []*os.File{theirs},
		// Its own session: a Ctrl-C on our terminal is ours to handle.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if nested {
		g.helper.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
		g.helper.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		g.helper.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	var guest []int
	for fd, file := range inner {
		g.helper.ExtraFiles = append(g.helper.ExtraFiles, file)
		guest = append(guest, fd)
	}
	if err := g.helper.Start(); err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return g, guest, nil
}

// bounded keeps the first bytes that are written to it.
type bounded struct{ *bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if room := 4096 - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
