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

// The threads of a sentry and those that run its guest's code hand every system
// call to each other. A kernel that puts both on one processor, as some do to
// let others rest, makes each wait until the other sleeps. So the guest of a box
// that waits for its program is on one half of the processors, and the sentry, whose
// threads are many at a program's end, on any; when the program turns out to be one
// that computes, it gets all.
// Where boxes do not wait because there are more programs than processors, the
// kernel places them better.

// waitsFor is how long a box waits before it is parted.
const waitsFor = 10 * time.Millisecond

// partedFor is how much processor time a command has used when it is one that
// computes.
const partedFor = 100 * time.Millisecond

// halves are the two halves of the processors that we may use.
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

// part puts the processes that run the guest on one half, unless the box has
// something to do. It is no harm where it fails.
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

// join gives a box all processors. What is started meanwhile inherits the half of
// who starts it, so it is called again until nobody is left.
func (g *ground) join() {
	all, err := processors()
	if err != nil || g.isDead() {
		return
	}
	g.parted = g.put(&all) > 0
}

// put lets the sentry and the processes that run the guest run on these
// processors, and returns how many of their threads did not before.
func (g *ground) put(on *unix.CPUSet) (changed int) {
	changed = place(g.sentry.Process.Pid, on)
	for _, pid := range native.Below(g.sentry.Process.Pid) {
		changed += place(pid, on)
	}
	return changed
}

// place lets the threads of a process run on these processors, and returns how
// many did not before.
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
