package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/gloveboxhq/glovebox/workcopy"
)

// breakAfter is how many equal failures, or equal edits, in a row halt a
// candidate.
const breakAfter = 3

// breaker halts a candidate that goes round in circles.
type breaker struct {
	failure, change row
}

// row counts equal values in a row.
type row struct {
	last string
	n    int
}

func (r *row) add(v string) int {
	if v != r.last || v == "" {
		r.last, r.n = v, 0
	}
	r.n++
	return r.n
}

// see takes what came of a turn: the failure's signature and the change's
// digest. The error is a [halt].
func (b *breaker) see(failure, change string) error {
	failures, changes := b.failure.add(failure), b.change.add(change)
	switch {
	case change != "" && changes >= breakAfter:
		return halt{StopBreaker, fmt.Sprintf("the same edit %d times in a row (failure %s)", changes, failure)}
	case failure != "" && failures >= breakAfter:
		return halt{StopBreaker, fmt.Sprintf("the same failure %d times in a row (%s)", failures, failure)}
	}
	return nil
}

// repeated reports whether the last failure equals the one before.
func (b *breaker) repeated() bool { return b.failure.n > 1 }

// digest names the state of a working copy by its changes.
func digest(changes []workcopy.Change) string {
	h := sha256.New()
	for _, ch := range changes {
		fmt.Fprintf(h, "%q %v %d\n", ch.Path, ch.Kind, len(ch.New))
		h.Write(ch.New)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}
