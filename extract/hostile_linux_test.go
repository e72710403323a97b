package extract

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// processorTime is what this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestHostile reads each hostile reply at a sixteenth of what BenchmarkHostile
// gives. The bound is thirty times what they take, so that a busy machine fails
// nothing, but a step that is quadratic takes minutes.
func TestHostile(t *testing.T) {
	const most = 10 * time.Second
	size := 1 << 20
	if testing.Short() {
		size = 1 << 16
	}
	kinds := hostileReplies()
	if len(kinds) < 200 {
		t.Fatalf("%d kinds of replies", len(kinds))
	}
	for _, h := range kinds {
		reply := h.text(size)
		start := processorTime()
		res, err := Extract(glovebox.Reply(reply), Options{})
		if took := processorTime() - start; took > most {
			t.Errorf("%s: %v of processor time for %d KiB", h.name, took, len(reply)>>10)
		}
		if err == nil {
			checkResult(t, reply, res)
		}
	}
}

// status returns a number of kB from /proc/self/status, in bytes.
func status(b *testing.B, name string) int {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			return n << 10
		}
	}
	b.Skipf("/proc/self/status has no %s", name)
	return 0
}

// BenchmarkHostile holds the strict figures: a second of processor time and
// 64 MiB more of resident memory for each hostile reply of 16 MiB. Run it once,
// on a machine that does nothing else: go test -run '^$' -bench Hostile -benchtime 1x ./extract
func BenchmarkHostile(b *testing.B) {
	for b.Loop() {
		var worst time.Duration
		most := 0
		for _, h := range hostileReplies() {
			reply := h.text(16<<20 - 4096)
			reply = reply[:min(len(reply), 16<<20)]
			debug.FreeOSMemory()
			if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
				b.Skip(err) // the peak cannot be forgotten
			}
			before, start := status(b, "VmRSS"), processorTime()
			_, err := Extract(glovebox.Reply(reply), Options{})
			took, more := processorTime()-start, status(b, "VmHWM")-before
			if testing.Verbose() {
				b.Logf("%6d ms %4d MiB %s %v", took.Milliseconds(), more>>20, h.name, err)
			}
			if took > time.Second || more > 64<<20 {
				b.Errorf("%s: %v, %d MiB more", h.name, took, more>>20)
			}
			worst, most = max(worst, took), max(most, more)
		}
		b.ReportMetric(float64(worst.Milliseconds()), "worst-ms")
		b.ReportMetric(float64(most>>20), "worst-MiB")
	}
}
