package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/tier/cost"
)

// relative is this process or a descendant.
type relative struct {
	pid int
	// ticks is the processor time of the process and of its reaped children; a tick
	// is 10 ms.
	ticks int64
}

// family lists this process and its descendants.
func family() []relative {
	children := map[int][]relative{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range append(stats, "/proc/self/stat") {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has gone
		}
		// The name, in parentheses, may hold anything.
		at := strings.LastIndexByte(string(text), ')')
		var r relative
		fields := strings.Fields(string(text[at+1:]))
		if _, err := fmt.Sscan(string(text), &r.pid); err != nil || at < 0 || len(fields) < 15 {
			continue
		}
		var parent int
		fmt.Sscan(fields[1], &parent)
		for _, f := range fields[11:15] { // utime, stime, cutime, cstime
			var n int64
			fmt.Sscan(f, &n)
			r.ticks += n
		}
		if name == "/proc/self/stat" {
			parent = 0
		}
		children[parent] = append(children[parent], r)
	}
	var all []relative
	seen := map[int]bool{}
	var add func(list []relative)
	add = func(list []relative) {
		for _, r := range list {
			if !seen[r.pid] {
				seen[r.pid] = true
				all = append(all, r)
				add(children[r.pid])
			}
		}
	}
	for _, r := range children[0] {
		if r.pid == os.Getpid() {
			add([]relative{r})
		}
	}
	return all
}

// memory is a process's proportional set size in bytes; 0 for one that has gone.
func (r relative) memory() int64 { return cost.Proportional(r.pid) }

// Bounds of settle: there is rest when nobody was seen to use the processor
// for a while, which is not waited for forever.
const (
	restFor  = 100 * time.Millisecond // longer than a pool rests before it fills up, see [pool.Config]
	restWait = 5 * time.Second
)

// settle waits until this process and its descendants are at rest: as many as
// before, and no more than a tick used.
func settle(ctx context.Context) {
	wait := time.NewTimer(0)
	defer wait.Stop()
	<-wait.C
	n, ticks := -1, int64(0)
	for begin := time.Now(); time.Since(begin) < restWait; {
		var sum int64
		all := family()
		for _, r := range all {
			sum += r.ticks
		}
		if len(all) == n && sum <= ticks+1 {
			return
		}
		n, ticks = len(all), sum
		wait.Reset(restFor)
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		}
	}
}
