//go:build linux

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
)

// loadEnv is how long the load of TestLoad lasts; five minutes are a real one.
const loadEnv = "GLOVEBOX_LOAD"

// TestLoad: twice as many clients as there is room for, while boxes are killed
// all the time. Each run that was let in says what its program did, or that its
// box broke; nothing is left. How long they took is in the log.
func TestLoad(t *testing.T) {
	lasts, err := time.ParseDuration(os.Getenv(loadEnv))
	if err != nil {
		lasts = 5 * time.Second
	}
	const runs, waiting = 2, 2
	adopt(t)
	closeShared()
	eachTier(t, func(t *testing.T, _ *engine.Engine, name glovebox.TierName) {
		if name != glovebox.TierProcess && name != glovebox.TierGVisor {
			t.Skip("it has no boxes that wait")
		}
		before := lookForRemains(t)
		c := config()
		c.Warm, c.Runs, c.Waiting = &engine.Warm{Most: 8}, runs, waiting
		e, err := engine.New(c)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		need(t, e, language.Python)
		var alone []time.Duration
		for i := range 10 {
			begin := time.Now()
			if why := saysIt(e, name, i, true); why != "" {
				t.Fatal(why)
			}
			alone = append(alone, time.Since(begin))
		}

		ctx, cancel := context.WithTimeout(t.Context(), lasts)
		defer cancel()
		var mu sync.Mutex
		var took []time.Duration
		counts := map[string]int{}
		var all sync.WaitGroup
		for client := range 2 * (runs + waiting) {
			all.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					begin := time.Now()
					why := saysIt(e, name, client*1_000_000+i, false)
					if d, busy := strings.CutPrefix(why, "busy "); busy {
						hint, _ := time.ParseDuration(d)
						select {
						case <-time.After(hint):
						case <-ctx.Done():
						}
						why = "busy"
					}
					mu.Lock()
					counts[why]++
					if why == "" {
						took = append(took, time.Since(begin))
					}
					mu.Unlock()
				}
			})
		}
		all.Go(func() {
			for ctx.Err() == nil {
				time.Sleep(min(time.Second, lasts/10))
				if pid := someBox(); pid > 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
					mu.Lock()
					counts["killed"]++
					mu.Unlock()
				}
			}
		})
		all.Wait()
		for why, n := range counts {
			if why != "" && why != "busy" && why != "broken" && why != "killed" {
				t.Errorf("%d times: %s", n, why)
			}
		}
		if counts[""] == 0 || counts["busy"] == 0 || counts["killed"] == 0 || counts["broken"] > counts["killed"] {
			t.Errorf("%d runs, %d busy, %d boxes killed, %d broken", counts[""], counts["busy"], counts["killed"], counts["broken"])
		}
		slices.Sort(alone)
		slices.Sort(took)
		if n := len(took); n > 0 {
			t.Logf("%v: %v; alone p50 %v, p95 %v; under load p50 %v, p95 %v", lasts, counts,
				alone[len(alone)/2], alone[len(alone)*95/100], took[n/2], took[n*95/100])
		}
		if why := saysIt(e, name, -1, true); why != "" {
			t.Error(why)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		before.Same(t)
	})
}

// saysIt runs a program that has to say what it was told, and a test of it every
// few times. It returns nothing, that the engine is busy for how long, that the
// box broke, or what else was wrong.
func saysIt(e *engine.Engine, name glovebox.TierName, n int, proven bool) string {
	word := strconv.Itoa(n)
	job := glovebox.Job{Tier: name, Limits: glovebox.Limits{Wall: 2 * time.Minute, CPU: time.Minute}, Program: python(fmt.Sprintf("def word():\n    return %q\nprint(word())\n", word))}
	if proven || n%4 == 0 {
		job.Tests = []glovebox.File{{Path: "test_main.py", Data: []byte(fmt.Sprintf("from main import word\n\ndef test_word():\n    assert word() == %q\n", word))}}
	}
	o, err := e.Run(context.Background(), job)
	var busy *engine.BusyError
	switch {
	case errors.As(err, &busy):
		return "busy " + busy.RetryAfter.String()
	case err != nil:
		return err.Error()
	case o.Status == glovebox.StatusSandboxError:
		return "broken"
	case o.Status != glovebox.StatusPass:
		return fmt.Sprintf("%s: %s: %v", o.Status, o.Message, o.Evidence)
	case len(job.Tests) == 0 && o.Stdout != word+"\n":
		return fmt.Sprintf("it printed %q in place of %q", o.Stdout, word)
	case len(job.Tests) > 0 && (o.Tests.Proof != glovebox.ProofOutOfProcess || o.Tests.Passed != 1):
		return fmt.Sprintf("the tests: %+v", o.Tests)
	}
	return ""
}

// someBox is the first process of some box, or what boxes are copied from: a child
// of ours.
func someBox() int {
	var boxes []int
	for _, child := range children() {
		pid, err := strconv.Atoi(child)
		is, _ := os.ReadFile("/proc/" + child + "/cmdline")
		if name, _, _ := strings.Cut(string(is), "\x00"); err == nil && (name == "glove" || name == "runsc-sandbox" || strings.HasPrefix(path.Base(name), "python")) {
			boxes = append(boxes, pid)
		}
	}
	if len(boxes) == 0 {
		return 0
	}
	return boxes[rand.IntN(len(boxes))]
}
