//go:build linux

package engine_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/artifact"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/tier/gvisor/statictest"
)

// floodSize is how much the programs of these tests print: with
// GLOVEBOX_FLOOD=1 a whole gibibyte.
func floodSize() int64 {
	if os.Getenv("GLOVEBOX_FLOOD") != "" {
		return glovebox.GiB
	}
	return 24 * glovebox.MiB
}

// maxGrowth is how much memory a flood may cost; where it is watched, what waits
// for the watcher is garbage for a while too.
const (
	maxGrowth        = 16 << 20
	maxWatchedGrowth = 2 * maxGrowth
)

// floodSecret is a secret of the job that the floods nearly print.
const floodSecret = "hV7-qq02/Zz1-and-more"

// floods are units that programs print over and over again.
var floods = []struct{ name, unit string }{
	{"lines", "INFO request GET /index.html 200 12ms\n"},
	{"no newline", "x"},
	{"NUL", "\x00"},
	{"not UTF-8", "\xff\xfe"},
	{"an escape without an end", "\x1b]0;"},
	{"nearly a secret of the job", floodSecret[:len(floodSecret)-1]},
	{"nearly a token", "ghp_XIxB7KMNdAr3zqWt-"},
	{"one word", "ghp_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stgXIxB7KMNdAr3"},
}

// flooder prints size bytes: unit over and over again.
const flooder = `import os, sys
unit, size = bytes.fromhex(sys.argv[1]), int(sys.argv[2])
block = unit * ((1 << 16) // len(unit))
while size:
    part = block[:size]
    n = 0
    while n < len(part):
        n += os.write(1, part[n:])
    size -= n
`

// flood is a job whose program prints size bytes.
func flood(unit string, size int64, tier glovebox.TierName) glovebox.Job {
	return glovebox.Job{
		Program: python(flooder), Args: []string{hex.EncodeToString([]byte(unit)), strconv.FormatInt(size, 10)}, Tier: tier,
		Secrets: map[string]string{"NEAR": floodSecret},
		Limits:  glovebox.Limits{Wall: time.Hour, CPU: time.Hour, Output: 2 * glovebox.GiB},
	}
}

// flow is what the program of a flood prints.
func flow(unit string, size int64) io.Reader {
	block := strings.Repeat(unit, (1<<16)/len(unit))
	return io.LimitReader(&again{block: block}, size)
}

// again reads a block over and over again.
type again struct {
	block string
	at    int
}

func (a *again) Read(p []byte) (int, error) {
	n := copy(p, a.block[a.at:])
	a.at = (a.at + n) % len(a.block)
	return n, nil
}

// memory is what this process uses: its live heap with the garbage, and what
// the kernel counts.
type memory struct{ heap, rss int64 }

func measure(t testing.TB) (m memory) {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	m.heap = int64(s.HeapAlloc)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Error(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	fmt.Sscan(rest, &m.rss)
	m.rss <<= 10
	return m
}

// growth runs f and returns how much more memory than before there was at the
// worst moment.
func growth(t testing.TB, f func()) (m memory) {
	// Garbage may take as much as what lives: other tests' memory is not to
	// allow a flood more of it.
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	debug.FreeOSMemory()
	before := measure(t)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			now := measure(t)
			m.heap, m.rss = max(m.heap, now.heap-before.heap), max(m.rss, now.rss-before.rss)
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return m
}

// checkFlood checks that an Observation tells the truth of a flood.
func checkFlood(t *testing.T, e *engine.Engine, o *glovebox.Observation, unit string, size int64) {
	t.Helper()
	tr := o.Truncated["stdout"]
	if tr.TotalBytes != size || tr.KeptBytes == 0 || tr.KeptBytes > 64<<10 || len(o.Artifacts) != 1 || tr.Artifact != o.Artifacts[0].ID {
		t.Fatalf("%d bytes were printed: %+v, %+v, refused %v, redactions %v", size, tr, o.Artifacts, o.Refused, o.Redactions)
	}
	sum := sha256.New()
	io.Copy(sum, flow(unit, size))
	if a := o.Artifacts[0]; a.Size != size || a.SHA256 != hex.EncodeToString(sum.Sum(nil)) || a.Name != "stdout.txt" {
		t.Errorf("the artifact is %+v", a)
	}
	r, err := e.Artifacts().Open(tr.Artifact)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := same(r, flow(unit, size)); err != nil {
		t.Error(err)
	}
	if err := e.Artifacts().Delete(tr.Artifact); err != nil {
		t.Error(err)
	}
}

// same compares two streams.
func same(a, b io.Reader) error {
	one, two := bufio.NewReaderSize(a, 1<<16), bufio.NewReaderSize(b, 1<<16)
	p, q := make([]byte, 1<<16), make([]byte, 1<<16)
	for at := 0; ; at += len(p) {
		n, err1 := io.ReadFull(one, p)
		m, err2 := io.ReadFull(two, q)
		if n != m || !bytes.Equal(p[:n], q[:m]) {
			return fmt.Errorf("it is another stream within the %d bytes after %d", len(p), at)
		}
		if err1 != nil || err2 != nil {
			return nil
		}
	}
}

// TestFloods: a program that prints without an end costs no memory, and the
// Observation says what it printed.
func TestFloods(t *testing.T) {
	eachTier(t, func(t *testing.T, e *engine.Engine, tier glovebox.TierName) {
		if tier != glovebox.TierProcess && tier != glovebox.TierGVisor {
			t.Skip("the streams are the same in every tier")
		}
		do(t, e, flood("warm\n", 4<<20, tier)) // what is made once is no growth
		for i, f := range floods {
			if i > 0 && tier != glovebox.TierProcess {
				break
			}
			t.Run(f.name, func(t *testing.T) {
				size := floodSize()
				var o *glovebox.Observation
				begin := time.Now()
				m := growth(t, func() { o = do(t, e, flood(f.unit, size, tier)) })
				took := time.Since(begin)
				if o.Status != glovebox.StatusPass {
					t.Fatalf("%s: %s %v", o.Status, o.Message, o.Evidence)
				}
				checkFlood(t, e, o, f.unit, size)
				if !statictest.Race && (m.heap > maxGrowth || m.rss > maxGrowth) {
					t.Errorf("the heap grew by %d KiB, the process by %d KiB", m.heap>>10, m.rss>>10)
				}
				t.Logf("%d MiB, %.0f MB/s, the heap grew by %d KiB, the process by %d KiB", size>>20,
					float64(size)/1e6/took.Seconds(), m.heap>>10, m.rss>>10)
			})
		}
	})
}

// TestFloodLimit: a limit below the flood ends it, and every byte up to the
// limit is there.
func TestFloodLimit(t *testing.T) {
	e, tier := open(t), glovebox.TierProcess
	job := flood("INFO request GET /index.html 200 12ms\n", 1<<40, tier)
	job.Limits.Output = floodSize()/2 + 1
	o := do(t, e, job)
	if o.Status != glovebox.StatusOutputLimit || o.Limit != glovebox.LimitOutput || !o.Partial {
		t.Fatalf("%s of %q: %s", o.Status, o.Limit, o.Message)
	}
	checkFlood(t, e, o, "INFO request GET /index.html 200 12ms\n", job.Limits.Output)
}

// small is a store with room for some bytes.
type small struct {
	artifact.Store
	room int
}

type smallBlob struct {
	artifact.Blob
	s *small
}

var errNoRoom = errors.New("no room")

func (s *small) Create(id string) (artifact.Blob, error) {
	b, err := s.Store.Create(id)
	return smallBlob{b, s}, err
}

func (b smallBlob) Write(p []byte) (int, error) {
	if b.s.room -= len(p); b.s.room < 0 {
		return 0, &os.PathError{Op: "write", Path: "/private/place", Err: errNoRoom}
	}
	return b.Blob.Write(p)
}

// TestFloodWithoutRoom: where the store has no room for the whole stream, the
// rest of the Observation is as ever, and it says so.
func TestFloodWithoutRoom(t *testing.T) {
	keep := artifact.NewMemory(1 << 20)
	defer keep.Close()
	c := config()
	c.Artifacts = &small{keep, 1 << 20}
	e, err := engine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const unit = "0123456789abcde\n"
	o := do(t, e, flood(unit, 4<<20, glovebox.TierProcess))
	tr := o.Truncated["stdout"]
	if o.Status != glovebox.StatusPass || tr.TotalBytes != 4<<20 || tr.Artifact != "" || len(o.Artifacts) > 0 ||
		!strings.HasPrefix(o.Stdout, unit) || !strings.HasSuffix(o.Stdout, unit) {
		t.Errorf("%s, %+v, %v", o.Status, tr, o.Artifacts)
	}
	if len(o.Refused) != 1 || o.Refused[0].Name != "stdout.txt" || !strings.HasSuffix(o.Refused[0].Reason, ": no room") {
		t.Errorf("refused: %v", o.Refused)
	}
}

// BenchmarkFlood compares the way of a stream through an engine with that
// through a pipe, of the same program.
func BenchmarkFlood(b *testing.B) {
	const unit = "INFO request GET /index.html 200 12ms\n"
	size := floodSize()
	rate := func(b *testing.B, f func()) {
		b.SetBytes(size)
		for b.Loop() {
			f()
		}
	}
	b.Run("pipe", func(b *testing.B) {
		python, err := exec.LookPath("python3")
		if err != nil {
			b.Skip(err)
		}
		job := flood(unit, size, "")
		rate(b, func() {
			cmd := exec.Command("sh", append([]string{"-c", `"$@" | cat >/dev/null`, "sh", python, "-I", "-c", flooder}, job.Args...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		})
	})
	for _, t := range []struct {
		name    string
		tier    glovebox.TierName
		secrets bool
	}{
		{"process", glovebox.TierProcess, false},
		{"process with a secret", glovebox.TierProcess, true},
		{"gvisor", glovebox.TierGVisor, false},
	} {
		b.Run(t.name, func(b *testing.B) {
			e := open(b)
			rate(b, func() {
				job := flood(unit, size, t.tier)
				if !t.secrets {
					job.Secrets = nil
				}
				o := do(b, e, job)
				if o.Status != glovebox.StatusPass {
					b.Skipf("%s: %s", o.Status, o.Message)
				}
				e.Artifacts().Delete(o.Truncated["stdout"].Artifact)
			})
		})
	}
}

// TestFloodWatched: who watches a flood costs no memory either, be the watcher
// as slow as may be.
func TestFloodWatched(t *testing.T) {
	const unit = "INFO request GET /index.html 200 12ms\n"
	e, size := open(t), floodSize()
	see := func(hold bool, slow time.Duration) {
		job := flood(unit, size, glovebox.TierProcess)
		sum, seen, missing := sha256.New(), int64(0), int64(0)
		var o *glovebox.Observation
		var err error
		m := growth(t, func() {
			o, err = e.Watch(t.Context(), job, engine.Watcher{Hold: hold, Event: func(ev engine.Event) {
				if ev.Offset != seen && ev.Kind != engine.EventPhase {
					t.Errorf("%s at %d, after %d bytes", ev.Kind, ev.Offset, seen)
				}
				seen += ev.Bytes
				if ev.Kind == engine.EventGap {
					missing += ev.Bytes
				}
				io.WriteString(sum, ev.Text)
				time.Sleep(slow)
			}})
		})
		if err != nil || o.Status != glovebox.StatusPass {
			t.Fatalf("%v, %+v", err, o)
		}
		checkFlood(t, e, o, unit, size)
		all := sha256.New()
		io.Copy(all, flow(unit, size))
		if seen != size || hold && (missing > 0 || !bytes.Equal(sum.Sum(nil), all.Sum(nil))) {
			t.Errorf("of %d bytes %d were told of and %d were missing", size, seen, missing)
		}
		if !statictest.Race && (m.heap > maxWatchedGrowth || m.rss > maxWatchedGrowth) {
			t.Errorf("the heap grew by %d KiB, the process by %d KiB", m.heap>>10, m.rss>>10)
		}
		t.Logf("hold %v, %v an event: %d MiB missing of %d, the heap grew by %d KiB, the process by %d KiB", hold, slow, missing>>20, size>>20, m.heap>>10, m.rss>>10)
	}
	do(t, e, flood("warm\n", 4<<20, glovebox.TierProcess))
	see(false, 0)
	see(false, 20*time.Millisecond)
	see(true, 0)
	see(true, time.Millisecond)
}

// BenchmarkWatch measures how long part of a line waits, that ends in nothing
// that a secret begins with, until its watcher sees it.
func BenchmarkWatch(b *testing.B) {
	const code = "import sys, time\nfor i in range(200):\n    time.sleep(0.01)\n    sys.stdout.write(f'({time.time_ns()}) ')\n    sys.stdout.flush()\n"
	for _, tier := range []glovebox.TierName{glovebox.TierProcess, glovebox.TierGVisor} {
		b.Run(string(tier), func(b *testing.B) {
			e := open(b)
			var waits []time.Duration
			for b.Loop() {
				job := glovebox.Job{Program: python(code), Tier: tier}
				o, err := e.Watch(b.Context(), job, engine.Watcher{Event: func(ev engine.Event) {
					now := time.Now().UnixNano()
					for field := range strings.FieldsSeq(ev.Text) {
						at, err := strconv.ParseInt(strings.Trim(field, "()"), 10, 64)
						if err != nil {
							b.Errorf("%q", field)
						}
						waits = append(waits, time.Duration(now-at))
					}
				}})
				if err != nil {
					b.Fatal(err)
				}
				if o.Status != glovebox.StatusPass {
					b.Skipf("%s: %s", o.Status, o.Message)
				}
			}
			slices.Sort(waits)
			b.ReportMetric(float64(waits[len(waits)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(waits[len(waits)*95/100].Microseconds()), "p95-µs")
		})
	}
}
