//go:build linux

package native

import (
	"runtime"
	"time"
)

// A task names a process for as long as there is one: numbers come again.
type task struct{ pid, start string }

// spent is what a process was last seen with.
type spent struct {
	own    time.Duration // by the process itself
	waited time.Duration // by those of its children that it waited for
	parent string
}

// A clock sums the processor time of a tree of processes that is looked at now and
// then. It never falls: a process that has ended keeps what it was last seen with,
// whether or not its parent waits for it. (The kernel gives the parent the time of
// a child that it waits for, and nobody that of a child that ends unwaited.)
//
// Where the kernel asks before a process is made and before it ends, what each
// used is known. One that is gone and did not end by itself, as by a signal, counts
// as if it had run ever since the last look.
type clock struct {
	seen map[task]spent
	sum  time.Duration

	last    time.Time
	left    map[task]bool // those that told that they end
	known   int64         // those that were seen or told that they end
	missing int64         // those that were made and are not known, at the last look
	counted int64         // those of them that count
}

// pidOne is the first process of the tree, which nobody in it made.
const pidOne = "1"

// meet counts a process that is known from now on.
func (c *clock) meet(t task) {
	if _, met := c.seen[t]; !met && t.pid != pidOne {
		c.known++
	}
}

// ended takes what a process has used that is about to end.
func (c *clock) ended(t task, s spent) {
	c.meet(t)
	c.sum += max(s.own-c.seen[t].own, 0)
	if c.seen == nil {
		c.seen = map[task]spent{}
	}
	if c.left == nil {
		c.left = map[task]bool{}
	}
	c.seen[t], c.left[t] = s, true
}

// look takes what all processes are seen with at a time, and how many were made
// before, or -1 where that is not known, and returns the sum.
func (c *clock) look(now map[task]spent, made int64, at time.Time) time.Duration {
	var (
		killed int64                        // how many are gone and did not tell
		gained = map[string]time.Duration{} // by waiting, by process
		ended  = map[string]time.Duration{} // counted already, by the parent that may have waited
		all    time.Duration                // of those that are there, and of those that they waited for
		lost   time.Duration                // as ended, where the parent has ended too
	)
	for t, s := range now {
		c.meet(t)
		before := c.seen[t]
		if c.left[t] {
			s.own = max(s.own, before.own) // that was exact
			now[t] = s
		}
		c.sum += max(s.own-before.own, 0)
		all += s.own + s.waited
		gained[t.pid] = max(s.waited-before.waited, 0)
	}
	for t, s := range c.seen {
		if _, lives := now[t]; lives {
			continue
		}
		if _, lives := gained[s.parent]; lives {
			ended[s.parent] += s.own + s.waited
		} else {
			lost += s.own + s.waited
		}
		if !c.left[t] {
			killed++
		}
		delete(c.left, t)
	}
	// What waiting gave beyond that was used since we looked last.
	var unseen time.Duration
	for pid, got := range gained {
		unseen += max(got-ended[pid], 0)
	}
	if made < 0 {
		c.sum += max(unseen-lost, 0)
	} else {
		gone := c.killed(killed, made, at)
		if len(now) == 1 {
			gone = 0 // the first process killed the rest
		}
		c.sum = max(c.sum+gone, all)
	}
	c.seen, c.last = now, at
	return c.sum
}

// killed returns the time of those that were seen at the last look, are gone and did
// not tell, and of those that were made and never seen.
func (c *clock) killed(seen, made int64, at time.Time) time.Duration {
	// One that is being made is missing at one look, but not at two.
	missing := made - c.known
	unseen := max(min(c.missing, missing)-c.counted, 0)
	c.missing, c.counted = missing, c.counted+unseen
	if c.last.IsZero() {
		return 0
	}
	return time.Duration(min(seen+unseen, int64(runtime.NumCPU()))) * at.Sub(c.last)
}
