//go:build linux

package native

import (
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
