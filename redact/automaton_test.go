package redact

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLanes: a text that is read in several lanes gives what a text that is
// read byte by byte gives, in the same order.
func TestLanes(t *testing.T) {
	keys := [][]byte{[]byte("a"), []byte("ab"), []byte("bab"), []byte("abcabcab"), []byte("ccccc"), []byte("-key-")}
	a := newAutomaton(keys)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		b := make([]byte, r.IntN(2000)+n)
		for i := range b {
			b[i] = "abcabcab-key-ccccAx"[r.IntN(19)]
		}
		var want, got []end
		state, from := uint32(0), r.IntN(len(b)+1)/2
		for i, c := range b {
			if state = a.next[state<<a.shift|uint32(a.class[c])]; state >= a.first {
				want = append(want, end{state, i + 1})
			}
		}
		s := uint32(0)
		found := func(state uint32, at int) { got = append(got, end{state, at}) }
		a.each(b[:from], 0, &s, found)
		a.each(b, from, &s, found)
		if s != state || !slices.Equal(got, want) {
			t.Fatalf("%q from %d: %v, state %d, want %v, %d", b, from, got, s, want, state)
		}
	}
}
