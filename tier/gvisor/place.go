//go:build linux

package gvisor

import (
	"fmt"
	"iter"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove/native"
)

// The sentry's threads and the threads of guest code pass every system call
// back and forth. A kernel that puts both on one processor, to let the rest
// idle, makes each side wait until the other sleeps. So the guest of a box
// waiting for its program is pinned to one half of the processors. The sentry,
// with many threads at a program's end, may use any; a computing program gets
// all. If boxes do not wait because programs outnumber processors, the kernel's
// placement is better.

// waitsFor is the time a box waits before it is pinned.
const waitsFor = 10 * time.Millisecond

// partedFor is the processor time after which a command counts as computing.
const partedFor = 100 * time.Millisecond

// halves are the two halves of the processors available to us.
var halves = sync.OnceValues(func() (two [2]unix.CPUSet, some bool) {
	all, err := processors()
	if err != nil || all.Count() < 2 {
		return two, false
	}
	half := 0
	for cpu := range numbers(all) {
		two[half].Set(cpu)
		half = 1 - half
	}
	return two, true
})

func processors() (all unix.CPUSet, err error) {
	err = unix.SchedGetaffinity(os.Getpid(), &all)
	return all, err
}

// numbers are those of a set's processors.
func numbers(set unix.CPUSet) iter.Seq[int] {
	return func(yield func(int) bool) {
		for cpu, left := 0, set.Count(); left > 0; cpu++ {
			if !set.IsSet(cpu) {
				continue
			}
			if left--; !yield(cpu) {
				return
			}
		}
	}
}

var turn atomic.Uint32

// part pins the guest's processes to one half, unless the box is busy. A
// failure does no harm.
func (g *ground) part() {
	g.mu.Lock()
	defer g.mu.Unlock()
	two, some := halves()
	if !some || g.closed || g.idle != 0 || g.isDead() {
		return
	}
	half := turn.Add(1) % 2
	g.parted = true
	for _, pid := range native.Below(g.sentry.Process.Pid) {
		place(pid, &two[half])
	}
}

// join gives a box all processors. Processes started meanwhile inherit the half
// of their parent, so the caller repeats join until none is left.
func (g *ground) join() {
	all, err := processors()
	if err != nil || g.isDead() {
		return
	}
	g.parted = g.put(&all) > 0
}

// put lets the sentry and the guest's processes run on these processors, and
// returns the number of threads moved.
func (g *ground) put(on *unix.CPUSet) (changed int) {
	changed = place(g.sentry.Process.Pid, on)
	for _, pid := range native.Below(g.sentry.Process.Pid) {
		changed += place(pid, on)
	}
	return changed
}

// place lets the threads of a process run on these processors, and returns the
// number moved.
func place(pid int, on *unix.CPUSet) (changed int) {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range threads {
		var before unix.CPUSet
		id, err := strconv.Atoi(t.Name())
		if err == nil && unix.SchedGetaffinity(id, &before) == nil && before != *on && unix.SchedSetaffinity(id, on) == nil {
			changed++
		}
	}
	return changed
}
