//go:build linux

package gvisor

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/tier"
)

// idleEnv has so many boxes wait at once; it takes a machine of its own.
const idleEnv = "GLOVEBOX_TEST_IDLE"

// TestIdle: many boxes wait at once, and each answers. It says what one takes.
func TestIdle(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv(idleEnv))
	if err != nil || n < 1 {
		t.Skipf("%s is not the number of boxes to have at once", idleEnv)
	}
	tr := copyTier(t)
	spec := whole(t, tier.Spec{})
	boxes, grounds := make([]tier.Box, n), make([]*ground, n)
	begin, cpu := time.Now(), native.TreeTime(os.Getpid())
	next := make(chan int)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for i := range next {
				from, err := take(tr, spec)
				if err != nil {
					t.Error(err)
					continue
				}
				b, g, err := tr.open(ctx, spec, from)
				from.state.Close()
				if err != nil {
					t.Error(err)
					continue
				}
				t.Cleanup(func() {
					if err := b.Close(); err != nil {
						t.Error(err)
					}
				})
				boxes[i], grounds[i] = b, g
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	if t.Failed() {
		return
	}
	took := time.Since(begin)
	t.Logf("%d boxes in %v, %.1f a second, %v of processor time each", n, took.Round(time.Millisecond),
		float64(n)/took.Seconds(), (native.TreeTime(os.Getpid())-cpu)/time.Duration(n))
	time.Sleep(time.Second) // the sentries' collectors have run
	var total int64
	kinds := map[string]int64{}
	for _, g := range grounds {
		for _, pid := range append(leftover.Below(g.sentry.Process.Pid), g.sentry.Process.Pid) {
			for kind, size := range shares(t, pid) {
				kinds[kind] += size
			}
		}
	}
	total = kinds["Pss"]
	t.Logf("%.2f MB of each box are its own: %v", float64(total)/float64(n)/1e6, kinds)
	cpu = native.TreeTime(os.Getpid())
	time.Sleep(3 * time.Second)
	t.Logf("all that wait used %v of processor time in 3 s", native.TreeTime(os.Getpid())-cpu)
	for i, b := range boxes {
		if r := order(b, fmt.Sprintf("print(%d)", i)); r.stdout != fmt.Sprintln(i) {
			t.Errorf("box %d: %+v, %q, %q", i, r.Outcome, r.stdout, r.stderr)
		}
	}
}

// shares is a process's proportional share of memory, in bytes, by kind.
func shares(t *testing.T, pid int) map[string]int64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Skip(err)
	}
	got := map[string]int64{}
	for line := range strings.Lines(string(data)) {
		var kb int64
		name, value, _ := strings.Cut(line, ":")
		if _, err := fmt.Sscan(value, &kb); err == nil && strings.HasPrefix(name, "Pss") {
			got[name] = kb << 10
		}
	}
	return got
}
