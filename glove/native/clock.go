//go:build linux

package native

import "time"

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
type clock struct {
	seen map[task]spent
	sum  time.Duration
}

// look takes what all processes are seen with now, and returns the sum.
func (c *clock) look(now map[task]spent) time.Duration {
	var (
		gained = map[string]time.Duration{} // by waiting, by process
		ended  = map[string]time.Duration{} // counted already, by the parent that may have waited
		lost   time.Duration                // as ended, where the parent has ended too
	)
	for t, s := range now {
		before := c.seen[t]
		c.sum += max(s.own-before.own, 0)
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
	}
	// What waiting gave beyond that was used since we looked last.
	var unseen time.Duration
	for pid, got := range gained {
		unseen += max(got-ended[pid], 0)
	}
	c.sum += max(unseen-lost, 0)
	c.seen = now
	return c.sum
}
