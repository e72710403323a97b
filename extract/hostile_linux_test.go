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

// TestHostile reads each hostile reply at a sixty-fourth of what BenchmarkHostile
// gives. The bound is a hundred times what they take, so that a busy machine fails
// nothing, but a step that is quadratic takes minutes.
func TestHostile(t *testing.T) {
	const most = 10 * time.Second
	size := 1 << 18
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
// 64 MiB more of resident memory for each hostile reply of 16 MiB. Run each once,
// on a machine that does nothing else:
//
//	go test -run '^$' -bench Hostile -benchtime 1x ./extract
func BenchmarkHostile(b *testing.B) {
	for _, h := range hostileReplies() {
		b.Run(h.name, func(b *testing.B) {
			var took time.Duration
			more := 0
			for b.Loop() {
				reply := h.text(16<<20 - 4096)
				reply = reply[:min(len(reply), 16<<20)]
				debug.FreeOSMemory()
				if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
					b.Skip(err) // the peak cannot be forgotten
				}
				before, start := status(b, "VmRSS"), processorTime()
				_, err := Extract(glovebox.Reply(reply), Options{})
				took, more = max(took, processorTime()-start), max(more, status(b, "VmHWM")-before)
				if testing.Verbose() {
					b.Log(err)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(took.Milliseconds()), "cpu-ms")
			b.ReportMetric(float64(more>>20), "MiB-more")
			if took > time.Second || more > 64<<20 {
				b.Errorf("%v, %d MiB more", took, more>>20)
			}
		})
	}
}
