package pool

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestAllot(t *testing.T) {
	for _, test := range []struct {
		name   string
		bound  room
		claims []claim
		want   []int
	}{
		{"no claims", room{5, 5}, nil, nil},
		{"room for all", room{5, 50}, []claim{{target: 2, cost: 10, rate: 1}, {target: 3, cost: 10, rate: 9}}, []int{2, 3}},
		{"all that nobody knows the cost of", room{5, 0}, []claim{{target: 5, rate: 1}}, []int{5}},
		{"too many things", room{3, 50}, []claim{{target: 4, rate: 1}, {target: 4, rate: 0.1}}, []int{3, 0}},
		{"too many bytes", room{99, 35}, []claim{{target: 4, cost: 10, rate: 1}, {target: 4, cost: 10, rate: 0.1}}, []int{3, 0}},
		{"equals share", room{4, 0}, []claim{{target: 4, rate: 1}, {target: 4, rate: 1}}, []int{2, 2}},
		{"the last of a hot key is worth less than the first of another", room{9, 0},
			[]claim{{target: 9, rate: 8}, {target: 1, rate: 1}}, []int{8, 1}},
		{"who has keeps", room{1, 0}, []claim{{target: 1, rate: 1}, {target: 1, has: 1, rate: 0.6}}, []int{0, 1}},
		{"but not for ever", room{1, 0}, []claim{{target: 1, rate: 1}, {target: 1, has: 1, rate: 0.4}}, []int{1, 0}},
		{"who waits comes first", room{2, 0}, []claim{{target: 9, rate: 9e9}, {target: 2, urgent: 1, rate: 1e-9}}, []int{1, 1}},
		{"a large one leaves room for small ones", room{9, 30},
			[]claim{{target: 2, cost: 20, rate: 9}, {target: 2, cost: 5, rate: 1}}, []int{1, 2}},
		{"one that is larger than all", room{9, 30}, []claim{{target: 1, cost: 31, rate: 9}, {target: 1, cost: 30, rate: 1}}, []int{0, 1}},
		{"huge", room{9, 1 << 62}, []claim{{target: 1 << 62, cost: 1 << 62, rate: 1}}, []int{1}},
		{"nothing wanted", room{1, 1}, []claim{{rate: 1}, {target: 2, rate: 1}}, []int{0, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var claims []*claim
			for i := range test.claims {
				claims = append(claims, &test.claims[i])
			}
			allot(claims, test.bound)
			for i, c := range claims {
				if c.goal != test.want[i] {
					t.Errorf("claim %d gets %d, not %d", i, c.goal, test.want[i])
				}
			}
		})
	}
}

// TestAllotHolds: whatever is claimed, the room is enough, and none is left
// that somebody could use.
func TestAllotHolds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		bound := room{rnd.IntN(30), rnd.Int64N(300)}
		claims := make([]*claim, rnd.IntN(8))
		for i := range claims {
			claims[i] = &claim{target: rnd.IntN(20), has: rnd.IntN(9), urgent: rnd.IntN(3) / 2,
				cost: rnd.Int64N(40), rate: rnd.Float64()}
		}
		allot(claims, bound)
		var given room
		for _, c := range claims {
			if c.goal < 0 || c.goal > c.target {
				t.Fatalf("%+v", c)
			}
			given.things += c.goal
			given.bytes += int64(c.goal) * c.cost
		}
		if given.things > bound.things || given.bytes > bound.bytes {
			t.Fatalf("%v of %v are given", given, bound)
		}
		for _, c := range claims {
			if c.goal < c.target && given.fits(c.cost, bound) {
				t.Fatalf("%v of %v are given, and %+v could have more", given, bound, c)
			}
		}
	}
}

func TestRoom(t *testing.T) {
	for _, test := range []struct {
		held  room
		cost  int64
		bound room
		fits  bool
	}{
		{room{}, 0, room{1, 0}, true},
		{room{}, 1, room{1, 0}, false},
		{room{1, 0}, 0, room{1, 0}, false},
		{room{1, 5}, 5, room{2, 10}, true},
		{room{1, 5}, 6, room{2, 10}, false},
		{room{1, 5}, 1<<63 - 1, room{2, 10}, false},
	} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			if got := test.held.fits(test.cost, test.bound); got != test.fits {
				t.Errorf("%v", got)
			}
		})
	}
}
