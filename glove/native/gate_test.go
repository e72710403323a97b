//go:build linux

package native

import (
	"errors"
	"testing"
	"time"
)

// When the gate counts, and what it decides.
func TestAdmit(t *testing.T) {
	const agent, a, b = 1, 2, 3
	gone := errors.New("gone")
	for _, tc := range []struct {
		name   string
		room   int64
		others []uint32 // that make one now
		counts []int64  // what is counted, one after the other; -1 fails
		asks   []uint32
		want   []bool
		full   int64
	}{
		{"room", 2, nil, nil, []uint32{a, a}, []bool{true, true}, 0},
		{"room that has to be counted", 0, nil, []int64{7}, []uint32{a}, []bool{true}, 0},
		{"counted once for many", 0, nil, []int64{5}, []uint32{a, a, a}, []bool{true, true, true}, 0},
		{"at the limit", 0, nil, []int64{8}, []uint32{a}, []bool{false}, 8},
		{"past the limit", 0, nil, []int64{9, 9}, []uint32{a, a}, []bool{false, false}, 9},
		{"room again", 0, nil, []int64{8, 7}, []uint32{a, a}, []bool{false, true}, 8},
		{"the agent", 0, nil, nil, []uint32{agent, agent}, []bool{true, true}, 0},
		{"another's is not there yet", 0, []uint32{b}, []int64{7, 8}, []uint32{a}, []bool{false}, 8},
		{"another's is there, others ended", 0, []uint32{b}, []int64{7, 6}, []uint32{a}, []bool{true}, 0},
		{"its own is there", 0, []uint32{a}, []int64{7}, []uint32{a}, []bool{true}, 0},
		{"another's is there: it asks again", 0, []uint32{b}, []int64{6}, []uint32{b, a}, []bool{true, true}, 0},
		{"a box that ends", 0, nil, []int64{-1}, []uint32{a}, []bool{false}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			counts := tc.counts
			g := &gate{limit: 8, agent: agent, room: tc.room, underway: map[uint32]time.Time{}, count: func() (int64, error) {
				if len(counts) == 0 {
					t.Fatal("counted once too often")
				}
				n := counts[0]
				counts = counts[1:]
				if n < 0 {
					return 0, gone
				}
				return n, nil
			}}
			for _, thread := range tc.others {
				g.underway[thread] = time.Now().Add(time.Hour) // it does not settle while we test
			}
			for i, thread := range tc.asks {
				if got := g.admit(thread); got != tc.want[i] {
					t.Errorf("ask %d: %v", i, got)
				}
			}
			if len(counts) > 0 || g.full.Load() != tc.full || (g.evidence() != nil) != (tc.full > 0) {
				t.Errorf("not counted: %v, full at %d, evidence %v", counts, g.full.Load(), g.evidence())
			}
		})
	}
}

// Who has not settled in time is there, or never comes.
func TestSettle(t *testing.T) {
	g := &gate{limit: 8, count: func() (int64, error) { return 7, nil },
		underway: map[uint32]time.Time{3: time.Now().Add(-2 * settle)}}
	if !g.admit(2) {
		t.Error("refused")
	}
}
