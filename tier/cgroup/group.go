//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
)

// Group is a control group of one box. Its methods are safe for concurrent use,
// but not during or after [Group.Close].
type Group struct {
	nodes []node
}

// Join returns the files through which a process with one thread enters the
// group, by writing "0" to each. The files are for a child to inherit; the
// caller closes them. With version 2, [Group.Spawn] is cheaper, and the list
// omits version 2 where spawned is true.
//
// This way avoids a pause of some milliseconds: the kernel pauses before the
// move of a process by another, after a while without moves.
func (g *Group) Join(spawned bool) ([]*os.File, error) {
	var files []*os.File
	for _, n := range g.nodes {
		name := "tasks"
		if n.v2 {
			name = "cgroup.procs"
		}
		if n.v2 && spawned {
			continue
		}
		f, err := n.open(name, unix.O_WRONLY)
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Within calls start with the calling thread in the group's hierarchies of
// version 1: a process started by start begins its life in the group, and so do
// its children. A group entered later does not hold earlier children. The
// goroutine must be locked to its thread.
//
// The thread must not be the process's first, whose group accounts for the
// memory of all threads. After an error the thread may still be in the group:
// the caller must end the thread, and the process if started.
func (g *Group) Within(start func() error) (err error) {
	for _, n := range g.nodes {
		if n.v2 {
			continue // see Spawn
		}
		home, e := os.OpenFile(filepath.Join(n.dir, "tasks"), os.O_WRONLY, 0)
		if e != nil {
			return fmt.Errorf("come back from a control group: %v", e)
		}
		defer func() {
			_, e := home.WriteString("0")
			if e = errors.Join(e, home.Close()); e != nil {
				err = errors.Join(err, fmt.Errorf("come back from a control group: %v", e))
			}
		}()
		if e := n.writeString("tasks", "0"); e != nil {
			return fmt.Errorf("enter a control group: %v", e)
		}
	}
	return start()
}

// Spawn makes a process started with attr begin its life in the group, where
// the version supports it.
func (g *Group) Spawn(attr *syscall.SysProcAttr) {
	for _, n := range g.nodes {
		if n.v2 {
			attr.UseCgroupFD, attr.CgroupFD = true, int(n.fd.Fd())
		}
	}
}

// Sample is what a group used. Zero means unknown.
type Sample struct {
	CPU time.Duration
	// Memory is the peak number of bytes so far, by the kernel's count.
	Memory int64
	// Tasks is the current number of processes and threads.
	Tasks int64
}

// Sample measures the group.
func (g *Group) Sample() (Sample, error) {
	var s Sample
	var errs []error
	get := func(n node, v1, v2 string) int64 {
		file := v1
		if n.v2 {
			file = v2
		}
		v, err := n.number(file)
		if errors.Is(err, fs.ErrNotExist) {
			return 0 // an older kernel
		}
		errs = append(errs, err)
		return v
	}
	for _, n := range g.nodes {
		if n.has(Memory) {
			s.Memory = get(n, "memory.max_usage_in_bytes", "memory.peak")
			if s.Memory == 0 && n.v2 {
				s.Memory = get(n, "", "memory.current")
			}
		}
		if n.has(Pids) {
			s.Tasks = get(n, "pids.current", "pids.current")
		}
		if n.has(CPU) && n.v2 {
			us, err := n.field("cpu.stat", "usage_usec")
			errs = append(errs, err)
			s.CPU = time.Duration(us) * time.Microsecond
		} else if n.has(CPU) {
			s.CPU = time.Duration(get(n, "cpuacct.usage", ""))
		}
	}
	return s, errors.Join(errs...)
}

// Evidence returns the limits that the group has hit, by the kernel's count.
func (g *Group) Evidence() []glovebox.Hit {
	var hits []glovebox.Hit
	add := func(limit glovebox.LimitName, n node, file, name string) {
		if count, err := n.field(file, name); err == nil && count > 0 {
			hits = append(hits, glovebox.Hit{Limit: limit, Evidence: glovebox.Evidence{
				Source: "kernel", Fact: fmt.Sprintf("%s of the control group: %s %d", file, name, count),
			}})
		}
	}
	for _, n := range g.nodes {
		if n.has(Memory) && n.full() {
			file := "memory.oom_control"
			if n.v2 {
				file = "memory.events"
			}
			add(glovebox.LimitMemory, n, file, "oom_kill")
		}
		if n.has(Pids) {
			add(glovebox.LimitProcesses, n, "pids.events", "max")
		}
	}
	return hits
}

// full reports whether the group has met its own limit of memory. Kills alone
// do not prove that: they also count when the whole machine is out of memory,
// without any fault of the box.
func (n node) full() bool {
	if n.v2 {
		times, err := n.field("memory.events", "oom")
		return err == nil && times > 0
	}
	limit, err1 := n.number("memory.limit_in_bytes")
	most, err2 := n.number("memory.max_usage_in_bytes")
	const batch = 1 << 20 // the kernel charges many pages at a time
	return err1 == nil && err2 == nil && most+batch >= limit
}

// Kill kills every process in the group. It does not wait for their end.
func (g *Group) Kill() error {
	var errs []error
	for _, n := range g.nodes {
		errs = append(errs, n.kill())
	}
	return errors.Join(errs...)
}

// kill uses the kernel's own way where available; else it kills until no
// process is left to fork.
func (n node) kill() error {
	if n.v2 {
		if err := n.writeString("cgroup.kill", "1"); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for range 100 {
		pids, err := n.processes()
		pids = slices.DeleteFunc(pids, isUs)
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			if err := unix.Kill(pid, unix.SIGKILL); err != nil && err != unix.ESRCH {
				return fmt.Errorf("kill process %d: %w", pid, err)
			}
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("%s still has processes", n.path)
}

// isUs: we are in a group while one of our threads starts a process in it, see
// Within.
func isUs(pid int) bool { return pid == os.Getpid() }

func (n node) processes() ([]int, error) {
	s, err := n.read("cgroup.procs")
	if err != nil {
		return nil, nil // empty reads as the end of the file
	}
	var pids []int
	for _, f := range strings.Fields(s) {
		// A process of another pid namespace is 0: nobody here can kill it.
		if pid, err := strconv.Atoi(f); err == nil && pid > 1 {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// patience is how long the kernel may take to let go of dead processes.
const patience = 20 * time.Second

// Close kills the remaining processes of the group and removes it. It is
// idempotent.
func (g *Group) Close() error {
	var errs []error
	for _, n := range g.nodes {
		errs = append(errs, n.remove())
	}
	g.nodes = nil
	return errors.Join(errs...)
}

func (n node) remove() error {
	defer n.fd.Close()
	pause := 100 * time.Microsecond
	for begin := time.Now(); ; {
		err := unix.Rmdir(n.path)
		if err == nil || err == unix.ENOENT {
			return nil
		}
		if err != unix.EBUSY || time.Since(begin) > patience {
			return &os.PathError{Op: "remove control group", Path: n.path, Err: err}
		}
		if err := n.kill(); err != nil {
			return err
		}
		time.Sleep(pause)
		pause = min(2*pause, 20*time.Millisecond)
	}
}
