package pool

import (
	"errors"
	"fmt"
	"time"
)

// trouble tracks a key's failing Makes: the more failures in a row, the longer
// the delay before the next.
type trouble struct {
	failures int   // since one was seen to work
	err      error // the last
	at       time.Time
	until    time.Time // no Make begins before
}

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Minute
	// patience is how many failures we take for chance.
	patience = 3
	// alive is how long a thing must survive waiting to count as good.
	alive = time.Second
)

var errDied = errors.New("it ended by itself while it waited")

// add records a failure of a Make begun at a time. Makes begun before the last
// failure are no news.
func (t *trouble) add(err error, began, now time.Time) {
	if began.Before(t.at) {
		return
	}
	pause := min(firstPause<<min(t.failures, 20), lastPause)
	*t = trouble{failures: t.failures + 1, err: fmt.Errorf("pool: make: %w", err), at: now, until: now.Add(pause)}
}

// works records a good thing and the time of its making.
func (t *trouble) works(made time.Time) {
	if !made.Before(t.at) {
		*t = trouble{at: t.at}
	}
}

// holds reports whether no Make may begin yet.
func (t *trouble) holds(now time.Time) bool { return now.Before(t.until) }

// chronic reports whether the trouble is more than chance. Then Makes are tried
// one at a time.
func (t *trouble) chronic() bool { return t.failures >= patience }
