package pool

import (
	"context"
	"runtime"
	"time"
)

// Config says what a pool keeps and how much of it. Only Make and Drop have to
// be given.
type Config[K comparable, V any] struct {
	// Make makes one. Its context is for the making alone: it ends when the
	// thing is no longer wanted or the pool is closed, and after Make has
	// returned. What Make returns beside an error is ignored.
	Make func(ctx context.Context, key K) (V, error)

	// Drop destroys one that was never taken. Like Make it is called in the
	// background, and must not close the pool.
	Drop func(V)

	// Dead returns a channel that is closed when the thing has ended by
	// itself. Such a thing is never handed out. Nil: things do not die.
	Dead func(V) <-chan struct{}

	// Cost is how many bytes one of the key holds while it waits; 0 is
	// unknown, and counts for Most alone. It is asked once for each key the
	// pool learns, with a lock held. Nil: unknown.
	Cost func(K) int64

	// Failed is told of every Make that failed. Nil: [Pool.Stats] has the
	// last failure of a key anyway.
	Failed func(K, error)

	// Memory is the most bytes that all things of the pool hold together,
	// those being made and those being dropped included. 0: a quarter of what
	// this machine has available now.
	Memory int64

	// Most is the same bound as a number of things. 0: 64.
	Most int

	// PerKey is the most things of one key. 0: half of Most.
	PerKey int

	// Workers is how many are made at once. 0: one more than processors.
	Workers int

	// BusyShare is the share of the workers, 0 to 1, that foreground work
	// leaves to the pool, however much there is of it; one is always left. See
	// [Pool.Busy]. 0: a half.
	BusyShare float64

	// Rest is how long the pool lets requests alone that found what they want
	// ready: they are short, and what they took need not be made good while they
	// run. It waits until nobody has taken anything or was in work for so long.
	// Where they follow each other, a key is short for twenty times as long at the
	// most while nearly all of it is left, half of that with half of it, and once
	// as long with none; not at all when somebody found none.
	// 0: 50 ms; negative: not at all.
	Rest time.Duration

	// Idle is how long a key is kept that nobody asks for. 0: 5 minutes.
	Idle time.Duration

	// Timeout is when the context of a Make ends, as one that hangs would keep
	// a worker for ever. 0: a minute.
	Timeout time.Duration

	// MaxAge is how long a thing waits before it is replaced. Of one key it
	// is one after another, so that the key is not without. 0: 10 minutes.
	MaxAge time.Duration

	// Pressure tells whether the machine is short of memory. While it is,
	// nothing is made, and what waits is dropped bit by bit. It is asked at
	// most once a second, and has to be quick. Nil: on Linux the kernel is asked, elsewhere there
	// is no pressure.
	Pressure func() bool
}

func (c *Config[K, V]) fill() {
	if c.Make == nil || c.Drop == nil {
		panic("pool: a Config needs Make and Drop")
	}
	if c.Dead == nil {
		c.Dead = func(V) <-chan struct{} { return nil }
	}
	if c.Cost == nil {
		c.Cost = func(K) int64 { return 0 }
	}
	if c.Failed == nil {
		c.Failed = func(K, error) {}
	}
	if c.Memory <= 0 {
		c.Memory = availableMemory() / 4
	}
	if c.Most <= 0 {
		c.Most = 64
	}
	if c.PerKey <= 0 {
		c.PerKey = (c.Most + 1) / 2
	}
	c.PerKey = min(c.PerKey, c.Most)
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0) + 1
	}
	if !(c.BusyShare > 0 && c.BusyShare <= 1) {
		c.BusyShare = 0.5
	}
	if c.Rest == 0 {
		c.Rest = 50 * time.Millisecond
	}
	if c.Idle <= 0 {
		c.Idle = 5 * time.Minute
	}
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	if c.MaxAge <= 0 {
		c.MaxAge = 10 * time.Minute
	}
	if c.Pressure == nil {
		c.Pressure = newPressure()
	}
}
