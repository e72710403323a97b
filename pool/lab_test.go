package pool

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// lab makes things for a pool, and sees that each is taken or dropped once and
// that there are never too many.
type lab struct {
	t     testing.TB
	takes time.Duration // what a Make takes
	fails func(key string) error
	costs int64
	p     *Pool[string, *box]

	mu      sync.Mutex
	made    map[string]int // Makes begun
	left    int            // not dropped: made and being made
	running int
	peak    int // of running
	all     []*box
}

type box struct {
	key  string
	end  chan struct{} // closed when it died
	gone bool          // it was taken or dropped
}

func (b *box) die() { close(b.end) }

func newLab(t testing.TB, takes time.Duration) *lab {
	return &lab{t: t, takes: takes, made: map[string]int{}, costs: 1}
}

// config is one of a pool that has room, is never under pressure, and has more
// workers than work.
func (l *lab) config() Config[string, *box] {
	return Config[string, *box]{
		Make: l.make, Drop: l.drop,
		Dead:   func(b *box) <-chan struct{} { return b.end },
		Cost:   func(string) int64 { return l.costs },
		Memory: 1 << 40, Most: 64, PerKey: 32, Workers: 16,
		Pressure: func() bool { return false },
	}
}

// open starts a pool that is closed, and looked through, at the end.
func (l *lab) open(c Config[string, *box]) *Pool[string, *box] {
	p := New(c)
	l.p = p
	l.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			l.t.Error(err)
		}
		l.check(p)
	})
	return p
}

// check is for a pool that is closed.
func (l *lab) check(p *Pool[string, *box]) {
	l.t.Helper()
	st := p.Stats()
	if st.Made != st.Hits+st.Waited+st.Dropped || st.Waiting+st.Making+st.Dropping != 0 || st.Bytes != 0 {
		l.t.Errorf("the books are wrong: %+v", st)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.all {
		if !b.gone {
			l.t.Errorf("one of %s was neither taken nor dropped", b.key)
		}
	}
	if l.left != int(st.Hits+st.Waited) || uint64(len(l.all)) != st.Made || l.running > 0 {
		l.t.Errorf("%d are left, %d were made, %d are in the making, %+v", l.left, len(l.all), l.running, st)
	}
}

var errBroken = errors.New("broken")

func (l *lab) make(ctx context.Context, key string) (*box, error) {
	l.mu.Lock()
	l.made[key]++
	l.running++
	l.peak = max(l.peak, l.running)
	l.left++
	left := l.left
	l.mu.Unlock()
	st := l.p.Stats()
	if held := left - int(st.Hits+st.Waited); held > l.p.c.Most || int64(held)*l.costs > l.p.c.Memory {
		l.t.Errorf("%d are held, %+v", held, st)
	}
	var err error
	select {
	case <-time.After(l.takes):
	case <-ctx.Done():
		err = ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	if err == nil && l.fails != nil {
		err = l.fails(key)
	}
	if err != nil {
		l.left--
		return nil, err
	}
	b := &box{key: key, end: make(chan struct{})}
	l.all = append(l.all, b)
	return b, nil
}

func (l *lab) drop(b *box) {
	l.leave(b, "dropped")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left--
}

// leave is for one that leaves the pool.
func (l *lab) leave(b *box, how string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.gone {
		l.t.Errorf("one of %s is %s, and was gone already", b.key, how)
	}
	b.gone = true
}

// take is Take that looks at what it gets.
func (l *lab) take(p *Pool[string, *box], key string) (*box, bool) {
	b, ok := p.Take(key)
	if ok != (b != nil) {
		l.t.Errorf("Take returns %v, %v", b, ok)
	}
	if ok {
		l.got(b, key)
	}
	return b, ok
}

func (l *lab) got(b *box, key string) {
	if b.key != key {
		l.t.Errorf("one of %s for %s", b.key, key)
	}
	l.leave(b, "taken")
}

func (l *lab) makes(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.made[key]
}

// boxes are all that were made, in their order.
func (l *lab) boxes() []*box {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}
