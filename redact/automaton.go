package redact

import "slices"

// automaton is an Aho-Corasick automaton over folded bytes: it finds every
// occurrence of a set of keys, whatever their case, with one table look-up for
// each byte of text. It is complete (a DFA), so a hostile text costs no more
// than a friendly one.
type automaton struct {
	class [256]uint8 // folded byte → column; 0 for bytes that no key has
	shift uint       // log2 of the number of columns
	next  []uint32   // state<<shift | class → state
	out   [][]int32  // state - first → the keys that end there
	first uint32     // states from here on end a key
	depth []uint16   // state → length of the longest key prefix it stands for
	size  []int      // key → length
}

// newAutomaton builds the automaton of keys, which are folded already.
func newAutomaton(keys [][]byte) *automaton {
	a := &automaton{}
	columns, most := 1, 1
	for _, k := range keys {
		a.size = append(a.size, len(k))
		most += len(k)
		for _, c := range k {
			if a.class[c] == 0 {
				a.class[c] = uint8(columns)
				columns++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		a.class[c-'a'+'A'] = a.class[c]
	}
	for 1<<a.shift < columns {
		a.shift++
	}

	// The trie; state 0 is the root, and 0 in a cell means "no edge yet".
	width := 1 << a.shift
	next := make([]uint32, width, width*most)
	out := make([][]int32, 1, most)
	depth := make([]uint16, 1, most)
	for i, k := range keys {
		s := uint32(0)
		for _, c := range k {
			cell := int(s)<<a.shift | int(a.class[c])
			if next[cell] == 0 {
				next[cell] = uint32(len(out))
				next = next[:len(next)+width]
				out = append(out, nil)
				depth = append(depth, depth[s]+1)
			}
			s = next[cell]
		}
		out[s] = append(out[s], int32(i))
	}

	// Breadth first: complete the edges from the state of the longest proper
	// suffix, and take over its keys.
	fail := make([]uint32, len(out))
	queue := make([]uint32, 0, len(out))
	for c := range width {
		if t := next[c]; t != 0 {
			queue = append(queue, t)
		}
	}
	for head := 0; head < len(queue); head++ {
		s := queue[head]
		row, suffix := int(s)<<a.shift, int(fail[s])<<a.shift
		if keys := out[fail[s]]; keys != nil {
			out[s] = slices.Concat(out[s], keys)
		}
		for c := range width {
			t := next[row|c]
			if t == 0 {
				next[row|c] = next[suffix|c]
				continue
			}
			fail[t] = next[suffix|c]
			queue = append(queue, t)
		}
	}

	// Number the states that end a key last, so that one comparison tells.
	number := make([]uint32, len(out))
	n := uint32(0)
	for _, ends := range []bool{false, true} {
		if ends {
			a.first = n
		}
		for s := range out {
			if (out[s] != nil) == ends {
				number[s] = n
				n++
			}
		}
	}
	a.next = make([]uint32, len(next))
	a.out = make([][]int32, n-a.first)
	a.depth = make([]uint16, n)
	for s := range out {
		to := number[s]
		a.depth[to] = depth[s]
		if to >= a.first {
			a.out[to-a.first] = out[s]
		}
		for c := range width {
			a.next[int(to)<<a.shift|c] = number[next[s<<a.shift|c]]
		}
	}
	return a
}

// fold returns b in lower case; only ASCII letters have case here.
func fold(b []byte) []byte {
	f := make([]byte, len(b))
	for i, c := range b {
		f[i] = lower(c)
	}
	return f
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
