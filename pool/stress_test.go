package pool

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// storm uses a pool in all ways at once while things fail, die and memory gets
// short, until the time is over. The lab sees to it that the bounds hold and
// each thing has one end.
func storm(l *lab, seed uint64, d time.Duration) Counts {
	var mu sync.Mutex
	rnd := rand.New(rand.NewPCG(seed, 1))
	n := func(n int) int { mu.Lock(); defer mu.Unlock(); return rnd.IntN(n) }

	l.costs = 10
	l.fails = func(string) error {
		if n(5) == 0 {
			return errBroken
		}
		return nil
	}
	c := l.config()
	c.Most, c.Memory, c.PerKey, c.Workers = 1+n(12), int64(10+n(120)), 1+n(8), 1+n(6)
	c.MaxAge, c.Idle = l.takes*20, l.takes*50
	c.Pressure = func() bool { return n(10) == 0 }
	p := New(c)
	l.p = p

	stop := make(chan struct{})
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(n(int(l.takes)))):
				}
				key := fmt.Sprint(n(1 + n(20))) // some more often
				switch n(12) {
				case 0:
					p.Want(key, n(20))
				case 1:
					if n(20) == 0 {
						p.Drain()
					}
				case 2, 3:
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(n(3*int(l.takes))))
					if b, err := p.Wait(ctx, key); err == nil {
						l.got(b, key)
					}
					cancel()
				case 4:
					done := p.Busy()
					time.Sleep(l.takes / 2)
					done()
				case 5:
					l.kill(n)
				case 6:
					p.Stats()
				default:
					l.take(p, key)
				}
			}
		})
	}
	time.Sleep(d)
	var closers sync.WaitGroup
	for range 2 { // while it is in use
		closers.Go(func() { p.Close() })
	}
	closers.Wait()
	close(stop)
	users.Wait()
	l.check(p)
	return p.Stats().Counts
}

// kill lets one die, if it has not, whoever has it.
func (l *lab) kill(n func(int) int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return
	}
	b := l.all[len(l.all)-1-n(min(8, len(l.all)))]
	select {
	case <-b.end:
	default:
		b.die()
	}
}

// TestStormOnOwnClock: the same on a clock of its own: seconds in a moment, and
// no goroutine may be left, or the bubble fails.
func TestStormOnOwnClock(t *testing.T) {
	var hits, waited, dropped, died uint64
	for seed := range uint64(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := storm(newLab(t, 100*time.Millisecond), seed, 20*time.Second)
				hits, waited, dropped, died = hits+st.Hits, waited+st.Waited, dropped+st.Dropped, died+st.Died
			})
		})
	}
	if hits < 100 || waited < 100 || dropped < 100 || died < 10 {
		t.Errorf("it was calm: %d hits, %d waited for, %d dropped, %d died", hits, waited, dropped, died)
	}
}

// TestStorm is for the race detector: real time, real parallelism.
func TestStorm(t *testing.T) {
	before := runtime.NumGoroutine()
	for seed := range uint64(6) {
		storm(newLab(t, 200*time.Microsecond), seed, 60*time.Millisecond)
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond) // they have done their work, and are ending
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}
