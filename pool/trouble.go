package pool

import (
	"errors"
	"fmt"
	"time"
)

// trouble is what a key has had with its Makes: the more failed in a row, the
// longer the next is put off.
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
	// alive is how long a thing has to wait without dying to be good.
	alive = time.Second
)

var errDied = errors.New("it ended by itself while it waited")

// add is a failure of a Make that began at a time. Makes that had begun before
// the last failure are no news.
func (t *trouble) add(err error, began, now time.Time) {
	if began.Before(t.at) {
		return
	}
	pause := min(firstPause<<min(t.failures, 20), lastPause)
	*t = trouble{failures: t.failures + 1, err: fmt.Errorf("pool: make: %w", err), at: now, until: now.Add(pause)}
}

// works says that what was made at a time is good.
func (t *trouble) works(made time.Time) {
	if !made.Before(t.at) {
		*t = trouble{at: t.at}
	}
}

// holds tells whether no Make may begin yet.
func (t *trouble) holds(now time.Time) bool { return now.Before(t.until) }

// chronic tells whether it is more than chance. Then one Make is tried at a
// time.
func (t *trouble) chronic() bool { return t.failures >= patience }
