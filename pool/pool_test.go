package pool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test on a clock of its own, with 100 ms for a Make.
func bubble(t *testing.T, f func(t *testing.T, l *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, newLab(t, 100*time.Millisecond)) })
}

// pass lets time pass until all is done that was to be done in it.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// TestDemand: how many are ready follows the Takes.
func TestDemand(t *testing.T) {
	for _, test := range []struct {
		name       string
		every      time.Duration // between bursts
		burst      int
		low, high  int           // waiting when nothing is under way
		learn, run time.Duration // in run there are no misses
	}{
		{"one now and then", time.Minute, 1, 1, 1, time.Minute, 30 * time.Minute},
		{"one client after another", time.Second, 1, 1, 2, 2 * time.Second, 10 * time.Minute},
		{"faster than a Make", 25 * time.Millisecond, 1, 4, 16, time.Second, time.Minute},
		{"bursts", 5 * time.Second, 8, 8, 11, 10 * time.Second, 10 * time.Minute},
		{"rare bursts", 30 * time.Second, 16, 16, 21, time.Minute, 10 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, l *lab) {
				p := l.open(l.config())
				load := func(d time.Duration) {
					for end := time.Now().Add(d); time.Now().Before(end); pass(test.every) {
						for range test.burst {
							l.take(p, "a")
						}
					}
				}
				load(test.learn)
				before := p.Stats().Misses
				load(test.run)
				if n := p.Stats().Misses - before; n > 0 {
					t.Errorf("%d misses after the pool could have learnt", n)
				}
				pass(time.Second)
				if n := p.Stats().Waiting; n < test.low || n > test.high {
					t.Errorf("%d wait, not %d to %d", n, test.low, test.high)
				}
				pass(4 * time.Minute)
				if n := p.Stats().Waiting; n > 4 {
					t.Errorf("%d wait long after the demand fell", n)
				}
				pass(2 * time.Minute)
				if st := p.Stats(); st.Waiting > 0 || len(st.Keys) > 0 {
					t.Errorf("a key that nobody asks for: %+v", st)
				}
			})
		})
	}
}

// TestBounds: the lab counts what is held. Hot keys get the room.
func TestBounds(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Config[string, *box])
		room   int // things in all
		perKey int
	}{
		{"things", func(c *Config[string, *box]) { c.Most = 6 }, 6, 6},
		{"bytes", func(c *Config[string, *box]) { c.Memory = 600 }, 6, 6},
		{"a key", func(c *Config[string, *box]) { c.PerKey = 3 }, 64, 3},
		{"nothing fits", func(c *Config[string, *box]) { c.Memory = 99 }, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, l *lab) {
				l.costs = 100
				c := l.config()
				test.change(&c)
				p := l.open(c)
				for range 20 {
					for range 5 {
						l.take(p, "a")
						l.take(p, "b")
					}
					pass(2 * time.Second)
					st := p.Stats()
					if st.Waiting > test.room || st.Keys["a"].Waiting > test.perKey || st.Bytes > c.Memory {
						t.Fatalf("over the bound: %+v", st)
					}
				}
				st := p.Stats()
				a, b := st.Keys["a"].Waiting, st.Keys["b"].Waiting
				if want := min(test.room, 2*test.perKey, 14); st.Waiting != want && st.Waiting != want-1 || a-b > 1 || b-a > 1 {
					t.Errorf("%d and %d wait, room for %d", a, b, want)
				}
			})
		})
	}
}

// TestHotKeyWins: a key that is asked for often is not starved, neither by one
// that was hot nor by a stream of keys that are asked for once.
func TestHotKeyWins(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		c := l.config()
		c.Most = 4
		c.Workers = 2
		p := l.open(c)
		hot := func(key string, d time.Duration) (misses uint64) {
			before := p.Stats().Misses
			for end := time.Now().Add(d); time.Now().Before(end); pass(100 * time.Millisecond) {
				l.take(p, key)
			}
			return p.Stats().Misses - before
		}
		hot("a", 10*time.Second)
		hot("b", 5*time.Second)
		if n := hot("b", time.Minute); n > 0 {
			t.Errorf("%d misses while a key of yesterday has the room", n)
		}
		var misses int
		for i := range 400 {
			if _, ok := l.take(p, "b"); !ok {
				misses++
			}
			l.take(p, fmt.Sprint("once ", i))
			pass(100 * time.Millisecond)
		}
		if misses > 0 {
			t.Errorf("%d misses of a hot key among keys that are asked for once", misses)
		}
	})
}

// TestTurns: keys that are wanted in turns do not drop each other's things for
// ever.
func TestTurns(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		c := l.config()
		c.Most = 1
		p := l.open(c)
		for range 500 {
			l.take(p, "a")
			pass(time.Second)
			l.take(p, "b")
			pass(time.Second)
		}
		if st := p.Stats(); st.Hits < 490 || st.Dropped > 10 {
			t.Errorf("they fight: %+v", st)
		}
	})
}

// TestChurn: where there is not room for all, chance in what is asked for does
// not have things dropped in favour of others again and again.
func TestChurn(t *testing.T) {
	for _, most := range []int{2, 16} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			bubble(t, func(t *testing.T, l *lab) {
				c := l.config()
				c.Most, c.Workers = most, 3
				p := l.open(c)
				rnd := rand.New(rand.NewPCG(1, 1))
				popular := rand.NewZipf(rnd, 1.3, 1, 30)
				for range 3000 {
					l.take(p, fmt.Sprint(popular.Uint64()))
					pass(time.Duration(rnd.ExpFloat64() * float64(200*time.Millisecond)))
				}
				st := p.Stats()
				t.Logf("%d hits, %d misses, %d dropped", st.Hits, st.Misses, st.Dropped)
				if st.Dropped > st.Made/5 {
					t.Errorf("%d of %d were made for nothing", st.Dropped, st.Made)
				}
			})
		})
	}
}

// TestFairMakers: where there are too few makers a key that is taken as fast as
// it is made does not keep the others from theirs.
func TestFairMakers(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		c := l.config()
		c.Workers = 1
		p := l.open(c)
		var misses int
		for i := range 3000 {
			l.take(p, "hot")
			if i%100 == 0 {
				if _, ok := l.take(p, "calm"); !ok {
					misses++
				}
			}
			pass(10 * time.Millisecond)
		}
		if misses > 2 {
			t.Errorf("%d of 30 missed", misses)
		}
	})
}

func TestFailures(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		var repaired atomic.Bool
		var told atomic.Int64
		l.fails = func(key string) error {
			if key == "bad" && !repaired.Load() {
				return errBroken
			}
			return nil
		}
		c := l.config()
		c.Failed = func(key string, err error) {
			if key != "bad" || err != errBroken {
				t.Errorf("%s failed: %v", key, err)
			}
			told.Add(1)
		}
		p := l.open(c)
		for range 3600 {
			l.take(p, "bad")
			l.take(p, "good")
			pass(time.Second)
		}
		if n := l.makes("bad"); n > 25 || int64(n) != told.Load() {
			t.Errorf("%d Makes in an hour, %d reported", n, told.Load())
		}
		st := p.Stats()
		if k := st.Keys["bad"]; k.Failures < patience || !errors.Is(k.Err, errBroken) || !k.Retry.After(time.Now()) {
			t.Errorf("the key is %+v", k)
		}
		if n := st.Keys["good"].Misses; n > 1 {
			t.Errorf("%d misses of the good key", n)
		}
		if _, err := p.Wait(t.Context(), "bad"); !errors.Is(err, errBroken) {
			t.Errorf("Wait: %v", err)
		}
		repaired.Store(true)
		pass(lastPause)
		l.take(p, "bad")
		pass(time.Second)
		if _, ok := l.take(p, "bad"); !ok || p.Stats().Keys["bad"].Failures > 0 {
			t.Errorf("it does not recover: %+v", p.Stats().Keys["bad"])
		}
	})
}

// TestFailuresInNumbers: a key that fails is tried once at a time, however many
// are wanted.
func TestFailuresInNumbers(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		l.fails = func(string) error { return errBroken }
		p := l.open(l.config())
		for range 60 {
			p.Want("bad", 16)
			pass(time.Minute)
		}
		if n, at := l.makes("bad"), patience*16+30; n > at {
			t.Errorf("%d Makes in an hour, not at most %d", n, at)
		}
	})
}

// TestProof: what shows that a key works again.
func TestProof(t *testing.T) {
	for _, test := range []struct {
		name   string
		fails  int // this many
		proof  func(p *Pool[string, *box]) (*box, error)
		before int // failures known before the proof
		after  int
	}{
		{"it was taken", 2, func(p *Pool[string, *box]) (*box, error) { b, _ := p.Take("a"); return b, nil }, 2, 0},
		{"somebody waited for it", 2, func(p *Pool[string, *box]) (*box, error) {
			return p.Wait(context.Background(), "b")
		}, 2, 0},
		{"it lives", 2, func(*Pool[string, *box]) (*box, error) { pass(2 * time.Second); return nil, nil }, 2, 0},
		{"none was made", 1 << 30, func(*Pool[string, *box]) (*box, error) { return nil, nil }, patience, patience},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, l *lab) {
				n := map[string]int{}
				l.fails = func(key string) error {
					if n[key]++; n[key] <= test.fails {
						return errBroken
					}
					return nil
				}
				p := l.open(l.config())
				p.Want("a", 1)
				pass(610 * time.Millisecond) // three Makes and two pauses
				if n := p.Stats().Keys["a"].Failures; n != test.before {
					t.Fatalf("%d failures, not %d", n, test.before)
				}
				b, err := test.proof(p)
				if err != nil {
					t.Fatal(err)
				}
				if b != nil {
					l.got(b, b.key)
				}
				key := "a"
				if b != nil {
					key = b.key
				}
				if n := p.Stats().Keys[key].Failures; n != test.after {
					t.Errorf("then %d, not %d", n, test.after)
				}
			})
		})
	}
}

// TestEvictNoMore: while a Drop takes its time, no more are dropped for the
// same need.
func TestEvictNoMore(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		c := l.config()
		c.Most = 8
		c.Drop = func(b *box) { time.Sleep(time.Minute); l.drop(b) }
		p := l.open(c)
		for range 8 {
			l.take(p, "old")
		}
		pass(time.Minute)
		for range 10 {
			l.take(p, "new")
			p.turn()
			pass(time.Second)
		}
		if st := p.Stats(); st.Dropped != 1 || st.Waiting != 7 {
			t.Errorf("%+v", st)
		}
	})
}

func TestDead(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		p := l.open(l.config())
		p.Want("a", 3)
		pass(time.Second)
		l.boxes()[0].die()
		l.boxes()[1].die()
		if b, ok := l.take(p, "a"); !ok || b != l.boxes()[2] {
			t.Errorf("Take gave %v, %v, not the one that lives", b, ok)
		}
		pass(2 * time.Second)
		if st := p.Stats(); st.Died != 2 || st.Waiting != 2 {
			t.Errorf("they were not replaced: %+v", st)
		}
		// Of itself, when nobody asks.
		for _, b := range l.boxes()[3:] {
			b.die()
		}
		pass(3 * time.Second)
		if st := p.Stats(); st.Died != 4 || st.Waiting != 2 {
			t.Errorf("they were not replaced: %+v", st)
		}
	})
}

// TestDieAtOnce: what dies as soon as it is made is not made over and over.
func TestDieAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		c := l.config()
		c.Dead = func(b *box) <-chan struct{} { b.die(); return b.end }
		p := l.open(c)
		for range 7200 {
			if _, ok := l.take(p, "a"); ok {
				t.Fatal("a dead one")
			}
			pass(500 * time.Millisecond)
		}
		if n := l.makes("a"); n > 60 {
			t.Errorf("%d Makes in an hour", n)
		}
	})
}

// TestMaxAge: nothing gets old, and the key is short of one at most.
func TestMaxAge(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		l.takes = 5 * time.Second
		c := l.config()
		c.MaxAge = time.Minute
		c.Idle = time.Hour
		p := l.open(c)
		for range 8 {
			l.take(p, "a")
		}
		p.mu.Lock()
		p.shelves["a"].demand.peakAt = time.Now().Add(time.Hour) // the demand does not fall
		p.mu.Unlock()
		pass(10 * time.Second)
		for range 600 {
			pass(time.Second)
			p.mu.Lock()
			things := p.shelves["a"].things
			if len(things) < 9 {
				t.Errorf("%d are left", len(things))
			}
			for _, thing := range things {
				if age := time.Since(thing.made); age > c.MaxAge+8*(l.takes+2*sweepEvery) {
					t.Errorf("one is %v old", age)
				}
			}
			p.mu.Unlock()
		}
		if st := p.Stats(); st.Dropped < 30 {
			t.Errorf("they were not replaced: %+v", st)
		}
	})
}

func TestPressure(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		var short atomic.Bool
		c := l.config()
		c.Pressure = short.Load
		p := l.open(c)
		for range 8 {
			l.take(p, "cold")
		}
		pass(10 * time.Second)
		for range 8 {
			l.take(p, "hot")
		}
		pass(10 * time.Second)
		short.Store(true)
		pass(1500 * time.Millisecond)
		st := p.Stats()
		if st.Keys["cold"].Waiting > 0 || st.Keys["hot"].Waiting < 4 || !st.Pressure {
			t.Errorf("not the coldest went first: %+v", st)
		}
		made := st.Made
		l.take(p, "hot")
		pass(10 * time.Second)
		if st := p.Stats(); st.Made > made || st.Waiting > 0 {
			t.Errorf("under pressure: %+v", st)
		}
		short.Store(false)
		l.take(p, "hot")
		pass(2 * time.Second)
		if st := p.Stats(); st.Keys["hot"].Waiting == 0 {
			t.Errorf("after it: %+v", st)
		}
	})
}

// TestPressureStopsMakes: what is being made is given up.
func TestPressureStopsMakes(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		l.takes = time.Hour
		var short atomic.Bool
		c := l.config()
		c.Pressure = short.Load
		p := l.open(c)
		l.take(p, "a")
		pass(10 * time.Second)
		short.Store(true)
		pass(2 * time.Second)
		if st := p.Stats(); st.Making > 0 || st.Failed > 0 {
			t.Errorf("under pressure: %+v", st)
		}
	})
}

func TestClose(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		p := l.open(l.config())
		p.Want("a", 4)
		pass(time.Second)
		l.takes = time.Hour
		p.Want("b", 4)
		done := make(chan error)
		go func() {
			_, err := p.Wait(t.Context(), "c")
			done <- err
		}()
		synctest.Wait()
		began := time.Now()
		for range 2 {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := <-done; err != ErrClosed {
			t.Errorf("who waited got %v", err)
		}
		if time.Since(began) > 0 {
			t.Error("Makes were not cancelled")
		}
		l.check(p)
		if _, ok := p.Take("a"); ok {
			t.Error("a closed pool gives")
		}
		if _, err := p.Wait(t.Context(), "a"); err != ErrClosed {
			t.Error(err)
		}
		p.Want("a", 1)
		p.Drain()
		p.Busy()()
	})
}

// TestCloseStubborn: a Make that ignores its context is waited for, and what it
// makes is dropped.
func TestCloseStubborn(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		c := l.config()
		c.Make = func(_ context.Context, key string) (*box, error) { return l.make(context.Background(), key) }
		p := l.open(c)
		l.take(p, "a")
		synctest.Wait()
		p.Close()
		if st := p.Stats(); st.Made != 1 || st.Dropped != 1 {
			t.Errorf("%+v", st)
		}
	})
}

// TestTimeout: a Make that hangs fails.
func TestTimeout(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		l.takes = time.Hour
		c := l.config()
		c.Timeout = 10 * time.Second
		p := l.open(c)
		l.take(p, "a")
		pass(11 * time.Second)
		if k := p.Stats().Keys["a"]; k.Failures != 1 || !errors.Is(k.Err, context.DeadlineExceeded) {
			t.Errorf("%+v", k)
		}
	})
}

func TestDrain(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		p := l.open(l.config())
		p.Want("a", 4)
		pass(time.Second)
		p.Drain()
		pass(time.Second)
		if st := p.Stats(); st.Waiting > 0 || st.Dropped != 4 || len(st.Keys) > 0 || st.Bytes > 0 {
			t.Errorf("%+v", st)
		}
		l.take(p, "a")
		pass(time.Second)
		if _, ok := l.take(p, "a"); !ok {
			t.Error("it has stopped")
		}
	})
}

func TestWait(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*lab, *Config[string, *box])
		limit  time.Duration
		want   error
		after  time.Duration
	}{
		{"made for it", nil, time.Hour, nil, 100 * time.Millisecond},
		{"the context ends", nil, 50 * time.Millisecond, context.DeadlineExceeded, 50 * time.Millisecond},
		{"too large", func(l *lab, c *Config[string, *box]) { l.costs = 2; c.Memory = 1 }, time.Hour, ErrTooLarge, 0},
		{"no room but for waiting ones", func(l *lab, c *Config[string, *box]) { c.Most = 1 }, time.Hour, nil, 100 * time.Millisecond},
		{"a failure by chance", func(l *lab, c *Config[string, *box]) {
			n := 0
			l.fails = func(string) error {
				if n++; n < 2 {
					return errBroken
				}
				return nil
			}
		}, time.Hour, nil, 300 * time.Millisecond},
		{"it keeps failing", func(l *lab, c *Config[string, *box]) {
			l.fails = func(string) error { return errBroken }
		}, time.Hour, errBroken, 600 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, l *lab) {
				c := l.config()
				if test.change != nil {
					test.change(l, &c)
				}
				p := l.open(c)
				ctx, cancel := context.WithTimeout(t.Context(), test.limit)
				defer cancel()
				began := time.Now()
				b, err := p.Wait(ctx, "a")
				if !errors.Is(err, test.want) || time.Since(began) != test.after {
					t.Errorf("%v after %v, not %v after %v", err, time.Since(began), test.want, test.after)
				}
				if err == nil {
					l.got(b, "a")
				}
			})
		})
	}
}

// TestWaiters: all who wait are served, though they are more than may wait.
func TestWaiters(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		c := l.config()
		c.Most, c.PerKey, c.Workers = 2, 2, 2
		p := l.open(c)
		done := make(chan int, 20)
		for i := range 20 {
			key := "ab"[i%2 : i%2+1]
			go func() {
				b, err := p.Wait(t.Context(), key)
				if err != nil {
					t.Error(err)
					return
				}
				l.got(b, key)
				done <- i
			}()
			synctest.Wait()
		}
		began := time.Now()
		var order [2][]int
		for range 20 {
			i := <-done
			order[i%2] = append(order[i%2], i)
		}
		for _, o := range order {
			for i := range o[1:] {
				if o[i+1] < o[i] {
					t.Errorf("not in turn: %v", o)
				}
			}
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("20 by 2 workers took %v", took)
		}
		if st := p.Stats(); st.Waited != 20 || st.Misses != 0 {
			t.Errorf("%+v", st)
		}
	})
}

// TestBusy: foreground work takes the place of makers, never of the last one.
func TestBusy(t *testing.T) {
	for _, test := range []struct {
		workers  int
		share    float64
		requests int
		waiters  int
		want     int // makers at once
	}{
		{8, 0.5, 0, 0, 8},
		{8, 0.5, 2, 0, 6},
		{8, 0.5, 100, 0, 4},
		{8, 0.01, 100, 0, 1},
		{1, 0.5, 100, 0, 1},
		{8, 0.01, 100, 3, 4},
		{8, 0.01, 100, 30, 8},
	} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			bubble(t, func(t *testing.T, l *lab) {
				c := l.config()
				c.Workers, c.BusyShare = test.workers, test.share
				p := l.open(c)
				var done []func()
				for range test.requests {
					done = append(done, p.Busy())
				}
				p.Want("a", 32)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				for range test.waiters {
					go func() {
						if b, err := p.Wait(ctx, "a"); err == nil {
							l.got(b, "a")
						}
					}()
				}
				pass(50 * time.Millisecond)
				if n := p.Stats().Making; n != test.want {
					t.Errorf("%d makers, not %d", n, test.want)
				}
				for _, d := range done {
					d()
					d() // twice is once
				}
				synctest.Wait()
				if n := p.Stats().Making; n != test.workers {
					t.Errorf("%d makers when it is quiet, not %d", n, test.workers)
				}
			})
		})
	}
}

// TestRest: requests that found what they want ready are let alone.
func TestRest(t *testing.T) {
	for _, test := range []struct {
		name   string
		burst  int           // which the pool has learnt; a quarter more waits
		takes  int           // 5 ms apart
		work   time.Duration // of each
		begins time.Duration // when the first Make begins, after the first Take
	}{
		{"one", 1, 1, 0, 50 * time.Millisecond},
		{"one of many", 8, 1, 0, 50 * time.Millisecond},
		{"a long one of many", 8, 1, 100 * time.Millisecond, 150 * time.Millisecond},
		{"a very long one of many", 8, 1, 2 * time.Second, 905 * time.Millisecond},
		{"some of many", 8, 4, 10 * time.Millisecond, 75 * time.Millisecond},
		{"many at work", 8, 4, 2 * time.Second, 620 * time.Millisecond}, // six of ten are left
		{"most", 8, 9, 10 * time.Millisecond, 100 * time.Millisecond},
		{"most, for long", 8, 9, 2 * time.Second, 137 * time.Millisecond}, // one is left, and twelve are wanted
		{"more than there are", 1, 4, 10 * time.Millisecond, 5 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, l *lab) {
				p := l.open(l.config())
				for range test.burst {
					l.take(p, "a")
				}
				pass(10 * time.Second)
				begin := time.Now()
				finished := make(chan bool)
				go func() {
					defer close(finished)
					for range test.takes {
						done := p.Busy()
						time.AfterFunc(test.work, done)
						l.take(p, "a")
						time.Sleep(5 * time.Millisecond)
					}
				}()
				for p.Stats().Making == 0 && time.Since(begin) < time.Second {
					pass(time.Millisecond)
				}
				if took := time.Since(begin); took < test.begins || took > test.begins+2*time.Millisecond {
					t.Errorf("a Make began after %v, not %v", took, test.begins)
				}
				<-finished
			})
		})
	}
}

func TestWant(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		p := l.open(l.config())
		p.Want("a", -1)
		p.Want("a", 0)
		p.Want("a", 10)
		p.Want("a", 2)
		p.Want("huge", 1<<62)
		p.Want("huge", 1<<62)
		pass(time.Second)
		if st := p.Stats(); st.Keys["a"].Waiting != 12 || st.Keys["huge"].Waiting != 32 {
			t.Errorf("%+v", st)
		}
		for range 10 {
			if _, ok := l.take(p, "a"); !ok {
				t.Error("a miss")
			}
			pass(time.Second)
		}
		pass(2 * promiseLasts)
		if n := p.Stats().Waiting; n > 3 {
			t.Errorf("%d wait for a promise that was not kept", n)
		}
	})
}

// TestManyKeys: keys that are asked for once do not pile up.
func TestManyKeys(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		p := l.open(l.config())
		for i := range 3000 {
			l.take(p, fmt.Sprint(i))
			if i%50 == 0 {
				synctest.Wait()
			}
		}
		if n := len(p.Stats().Keys); n > p.maxKeys() {
			t.Errorf("%d keys are known", n)
		}
		for range 6 {
			l.take(p, "new")
			pass(time.Second)
		}
		if p.Stats().Keys["new"].Hits == 0 {
			t.Error("nothing new is learnt")
		}
	})
}

// TestQuiet: a pool that nobody uses does nothing at all.
func TestQuiet(t *testing.T) {
	bubble(t, func(t *testing.T, l *lab) {
		var asked atomic.Int64
		c := l.config()
		c.Pressure = func() bool { asked.Add(1); return false }
		p := l.open(c)
		l.take(p, "a")
		pass(time.Hour)
		before := asked.Load()
		pass(24 * time.Hour)
		if asked.Load() > before {
			t.Errorf("the keeper woke up %d times", asked.Load()-before)
		}
	})
}
