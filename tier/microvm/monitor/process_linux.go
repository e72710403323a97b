package monitor

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// Command says how a monitor's process is started.
type Command struct {
	Path string   // absolute
	Args []string // without the program's name
	// Files become 3, 4, … in it. The caller closes them.
	Files []*os.File
	// Output receives standard output; nil discards. Standard error is kept for
	// [Process.Err].
	Output io.Writer
	Dir    string // working directory; empty means /
	// Identity is the process's user; nil means the caller.
	Identity *syscall.Credential
	Group    *cgroup.Group // nil means none
	// Limits are resource limits (RLIMIT_…).
	Limits map[int]uint64
}

// Process is a monitor's process. It dies with this one.
type Process struct {
	pid    int
	proc   *os.Process
	dead   chan struct{}
	usage  time.Duration // once dead
	errors Console
	output sync.WaitGroup
}

// Start starts a process in a new session, with an empty environment and only
// the wanted descriptors.
func Start(c Command) (*Process, error) {
	p := &Process{dead: make(chan struct{})}
	if err := p.start(c); err != nil {
		p.output.Wait()
		return nil, err
	}
	go func() {
		state, err := p.proc.Wait()
		if err == nil {
			p.usage = state.UserTime() + state.SystemTime()
		}
		close(p.dead)
	}()
	return p, nil
}

func (p *Process) start(c Command) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	stdout, err := p.stream(c.Output)
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := p.stream(&p.errors)
	if err != nil {
		return err
	}
	defer stderr.Close()
	l := launcher{Command: c, files: append([]*os.File{null, stdout, stderr}, c.Files...)}
	attr := &os.ProcAttr{Dir: "/", Env: []string{}, Sys: &syscall.SysProcAttr{Setsid: true}}
	if c.Dir != "" {
		attr.Dir = c.Dir
	}
	if c.Group != nil {
		joins, err := c.Group.Join(true)
		if err != nil {
			return err
		}
		defer func() {
			for _, f := range joins {
				f.Close()
			}
		}()
		l.join(joins)
		c.Group.Spawn(attr.Sys)
	}
	image, err := l.image()
	if err != nil {
		return err
	}
	defer image.Close()
	attr.Files = append(l.files, image)
	path := fmt.Sprintf("/proc/self/fd/%d", len(l.files)) // in the child
	onSpawner(func() { p.proc, err = os.StartProcess(path, []string{"launcher"}, attr) })
	if err == nil {
		p.pid = p.proc.Pid
	}
	return err
}

// stream returns a pipe whose bytes go to w.
func (p *Process) stream(w io.Writer) (*os.File, error) {
	r, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if w == nil {
		w = io.Discard
	}
	p.output.Go(func() {
		defer r.Close()
		io.Copy(w, r)
	})
	return in, nil
}

// PID is the process id.
func (p *Process) PID() int { return p.pid }

// Kill kills the process at once.
func (p *Process) Kill() { p.proc.Kill() }

// Dead is closed once the process has ended and is reaped.
func (p *Process) Dead() <-chan struct{} { return p.dead }

// Err is the end of the process's standard error.
func (p *Process) Err() string {
	lines := strings.Split(strings.TrimSpace(string(p.errors.Bytes())), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}

// killPatience bounds the end of a process that was killed.
const killPatience = 10 * time.Second

// Close kills and reaps the process.
func (p *Process) Close() error {
	p.Kill()
	select {
	case <-p.dead:
		p.output.Wait()
		return nil
	case <-time.After(killPatience):
		return fmt.Errorf("process %d does not end", p.pid)
	}
}

// Usage measures the process.
func (p *Process) Usage() (Usage, error) {
	select {
	case <-p.dead:
		return Usage{CPU: p.usage}, nil
	default:
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return Usage{}, err
	}
	// The fields after the name, which may contain any characters.
	f := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	const user, system, resident = 11, 12, 21
	if len(f) <= resident {
		return Usage{}, fmt.Errorf("/proc/%d/stat has %d fields", p.pid, len(f))
	}
	const tick = time.Second / 100 // USER_HZ
	var n [3]int64
	for i, at := range []int{user, system, resident} {
		if _, err := fmt.Sscan(f[at], &n[i]); err != nil {
			return Usage{}, err
		}
	}
	return Usage{CPU: time.Duration(n[0]+n[1]) * tick, Memory: n[2] * int64(os.Getpagesize())}, nil
}

// spawner runs functions on one thread, alive as long as the process: the
// kernel kills a monitor at the end of the starting thread, and the threads of
// Go come and go.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

func onSpawner(f func()) {
	done := make(chan struct{})
	spawner() <- func() { defer close(done); f() }
	<-done
}
