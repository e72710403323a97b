//go:build linux

package native

import (
	"maps"
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	type look struct {
		now  map[task]spent
		want time.Duration
	}
	one, two, three := task{"1", "10"}, task{"2", "20"}, task{"3", "30"}
	again := task{"2", "25"} // the number of two, later
	for name, looks := range map[string][]look{
		"a process": {
			{map[task]spent{one: {own: 1}}, 1},
			{map[task]spent{one: {own: 5}}, 5},
		},
		"a child that is waited for counts once": {
			{map[task]spent{one: {own: 1}, two: {own: 10, parent: "1"}}, 11},
			{map[task]spent{one: {own: 2, waited: 12}}, 14},
		},
		"a child that was never seen": {
			{map[task]spent{one: {own: 1}}, 1},
			{map[task]spent{one: {own: 1, waited: 7}}, 8},
		},
		"a child that nobody waits for keeps its time": {
			{map[task]spent{one: {own: 1}, two: {own: 10, parent: "1"}}, 11},
			{map[task]spent{one: {own: 2}}, 12},
			{map[task]spent{one: {own: 2}, again: {own: 4, parent: "1"}}, 16},
			{map[task]spent{one: {own: 3}}, 17},
		},
		"a child that nobody waits for hides no other": {
			{map[task]spent{one: {}, two: {own: 10, parent: "1"}, three: {parent: "1"}}, 10},
			{map[task]spent{one: {}, three: {waited: 6, parent: "1"}}, 16},
		},
		"a whole branch that ended counts once": {
			{map[task]spent{one: {}, two: {own: 10, parent: "1"}, three: {own: 5, parent: "2"}}, 15},
			{map[task]spent{one: {waited: 17}}, 17},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var c clock
			for i, l := range looks {
				if got := c.look(l.now, -1, time.Time{}); got != l.want {
					t.Errorf("look %d: %d, want %d", i+1, got, l.want)
				}
			}
		})
	}
}

// Where processes tell that they end, nothing is counted twice, and one that does not
// counts as if it had run.
func TestClockTold(t *testing.T) {
	one, two, three := task{"1", "10"}, task{"2", "20"}, task{"3", "30"}
	type look struct {
		ended map[task]spent
		now   map[task]spent
		made  int64
		want  time.Duration
	}
	lives := map[task]spent{one: {}, two: {own: 1, parent: "1"}}
	for name, looks := range map[string][]look{
		"nobody waits": {
			{nil, lives, 1, 1},
			{map[task]spent{three: {own: 7, parent: "2"}}, lives, 2, 8},
			{nil, lives, 2, 8},
		},
		"the parent waits, and is seen to have at another look": {
			{nil, lives, 1, 1},
			{map[task]spent{three: {own: 7, parent: "2"}}, lives, 2, 8},
			{nil, map[task]spent{one: {}, two: {own: 1, waited: 7, parent: "1"}}, 2, 8},
		},
		"one that told is still there": {
			{nil, map[task]spent{one: {}, two: {own: 1}, three: {own: 2, parent: "2"}}, 2, 3},
			{map[task]spent{three: {own: 7, parent: "2"}}, map[task]spent{one: {}, two: {own: 1}, three: {own: 6, parent: "2"}}, 2, 8},
			{nil, lives, 2, 8},
		},
		"killed when it was seen": {
			{nil, map[task]spent{one: {}, two: {own: 1}, three: {own: 2, parent: "2"}}, 2, 3},
			{nil, lives, 2, 1003},
			{nil, lives, 2, 1003},
		},
		"killed and never seen": {
			{nil, lives, 1, 1},
			{nil, lives, 2, 1}, // it may not be there yet
			{nil, lives, 2, 1001},
			{nil, lives, 2, 1001},
		},
		"killed by the first process": {
			{nil, lives, 1, 1},
			{nil, map[task]spent{one: {}}, 1, 1},
		},
		"killed, and waited for": {
			{nil, lives, 1, 1},
			{nil, map[task]spent{one: {}, two: {own: 1, waited: 5000}}, 2, 5001},
			{nil, map[task]spent{one: {}, two: {own: 1, waited: 5000}}, 2, 6001},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var c clock
			at := time.Now()
			for i, l := range looks {
				for task, s := range l.ended {
					c.ended(task, s)
				}
				at = at.Add(1000)
				if got := c.look(maps.Clone(l.now), l.made, at); got != l.want {
					t.Errorf("look %d: %d, want %d", i+1, got, l.want)
				}
			}
		})
	}
}
