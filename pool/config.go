package pool

import (
	"context"
	"runtime"
	"time"
)

// Config describes the contents and the size of a pool. Only Make and Drop are
// required.
type Config[K comparable, V any] struct {
	// Make makes one thing. The context ends when nobody wants the value any
	// more or the pool is closed, and after Make has returned. A value beside
	// an error is ignored.
	Make func(ctx context.Context, key K) (V, error)

	// Drop destroys a value never taken. Like Make it is called in the
	// background, and must not close the pool.
	Drop func(V)

	// Dead returns a channel to be closed when the value has ended by itself.
	// The pool never hands out a dead value. Nil: values do not die.
	Dead func(V) <-chan struct{}

	// Cost is the memory of a waiting thing of the key, in bytes; 0 is unknown,
	// and counts for Most alone. Cost is called once for each key the pool
	// learns, with a lock held. Nil: unknown.
	Cost func(K) int64

	// Failed is called for every failed Make. Nil: [Pool.Stats] has the last
	// failure of a key anyway.
	Failed func(K, error)

	// Memory bounds the bytes of the pool's whole contents, including values in
	// the making and in the dropping. 0: a quarter of the machine's currently
	// available memory.
	Memory int64

	// Most is the same bound as a number of things. 0: 64.
	Most int

	// PerKey bounds the things of one key. 0: half of Most.
	PerKey int

	// Workers is how many are made at once. 0: one more than processors.
	Workers int

	// BusyShare is the share of the workers, 0 to 1, that foreground work of
	// any amount leaves to the pool; at least one worker remains. See
	// [Pool.Busy]. 0: a half.
	BusyShare float64

	// Rest is how long the pool stays idle after requests served at once:
	// requests of this kind are short, and a replacement can wait for the end.
	// The pool waits until nobody has taken anything or was in work for this
	// time. With a steady flow of requests the wait for a key ends anyway:
	// after twenty times Rest with nearly all of the key's stock left, ten
	// times with half, once with none. A request without a ready thing ends the
	// wait at once. 0: 50 ms; negative: no wait at all.
	Rest time.Duration

	// Idle is how long an unused key is kept. 0: 5 minutes.
	Idle time.Duration

	// Timeout ends the context of a Make, because a hanging one would keep a
	// worker for ever. 0: a minute.
	Timeout time.Duration

	// MaxAge is the longest wait of a value before replacement. The stock
	// of a key is replaced in sequence, never all at once. 0: 10 minutes.
	MaxAge time.Duration

	// Pressure reports whether the machine is short of memory. During a
	// shortage, nothing is made, and the waiting stock is dropped bit by bit. It
	// is called at most once a second, and must be quick. Nil: on Linux the
	// kernel is asked, elsewhere there is no pressure.
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
