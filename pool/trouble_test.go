package pool

import (
	"errors"
	"testing"
	"time"
)

func TestTrouble(t *testing.T) {
	start := time.Unix(0, 0)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

	t.Run("pauses double up to the last", func(t *testing.T) {
		var tr trouble
		now, before := start, time.Duration(0)
		for i := range 100 {
			tr.add(errBroken, now, now)
			pause := tr.until.Sub(now)
			if pause > lastPause || pause != lastPause && i > 0 && pause != 2*before {
				t.Fatalf("after %d failures %v, before %v", i+1, pause, before)
			}
			if !tr.holds(now) || tr.holds(tr.until) || tr.chronic() != (i+1 >= patience) || !errors.Is(tr.err, errBroken) {
				t.Fatalf("%+v", tr)
			}
			now, before = tr.until, pause
		}
		if before != lastPause {
			t.Errorf("the last pause is %v", before)
		}
	})
	t.Run("Makes that fail together are one failure", func(t *testing.T) {
		var tr trouble
		for range 20 {
			tr.add(errBroken, at(1), at(2))
		}
		if tr.failures != 1 {
			t.Errorf("%d failures", tr.failures)
		}
	})
	t.Run("what was made before does not show that it works", func(t *testing.T) {
		var tr trouble
		tr.add(errBroken, at(1), at(2))
		if tr.works(at(1)); tr.failures != 1 {
			t.Error("an old one is proof")
		}
		if tr.works(at(3)); tr.failures != 0 || tr.holds(at(2)) {
			t.Error("a new one is no proof")
		}
	})
}
