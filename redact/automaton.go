package redact

import "slices"

// automaton is an Aho-Corasick automaton over folded bytes. It finds every
// occurrence of a set of keys, in any case, with one table look-up per byte of
// text. The automaton is complete (a DFA), so a hostile text costs no more than a
// friendly one.
type automaton struct {
	class   [256]uint8 // folded byte → column; 0 for bytes in no key
	shift   uint       // log2 of the number of columns
	next    []uint32   // state<<shift | class → state
	out     [][]int32  // state - first → the keys ending in the state
	first   uint32     // states from here on end a key
	depth   []uint16   // state → length of the longest matching key prefix
	size    []int      // key → length
	longest int
}

// newAutomaton builds the automaton of keys, which must be folded already.
func newAutomaton(keys [][]byte) *automaton {
	a := &automaton{}
	columns, most := 1, 1
	for _, k := range keys {
		a.size = append(a.size, len(k))
		a.longest = max(a.longest, len(k))
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
	// suffix, and add its keys.
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

	// States that end a key get the highest numbers, so a single comparison is
	// enough. The other states are numbered from the root outwards: text stays
	// mostly near the root, and so in the cache.
	number := make([]uint32, len(out))
	order := append([]uint32{0}, queue...)
	n := uint32(0)
	for _, ends := range []bool{false, true} {
		if ends {
			a.first = n
		}
		for _, s := range order {
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

// lanes is the number of parts of a text read in parallel. Reading one part is a
// chain of dependent look-ups. Several chains overlap their waiting times.
const lanes = 4

// each reads b[from:] from a state. For each visited state that ends a key, each
// calls found with the state and the end of the key, in order.
func (a *automaton) each(b []byte, from int, state *uint32, found func(state uint32, end int)) {
	s, shift, first, next := *state, a.shift, a.first, a.next
	if part := (len(b) - from) / lanes; part > 4*a.longest {
		// A state depends on at most as many bytes as the longest key has. After
		// this number of bytes, each lane is right, whatever its first state.
		var t [lanes]uint32
		t[0] = s
		for l := 1; l < lanes; l++ {
			for _, c := range b[from+l*part-a.longest : from+l*part] {
				t[l] = next[t[l]<<shift|uint32(a.class[c])]
			}
		}
		var ends [lanes][]end
		p0, p1, p2, p3 := b[from:from+part], b[from+part:from+2*part], b[from+2*part:from+3*part], b[from+3*part:from+4*part]
		s0, s1, s2, s3 := t[0], t[1], t[2], t[3]
		p1, p2, p3 = p1[:len(p0)], p2[:len(p0)], p3[:len(p0)]
		for i := range p0 {
			s0 = next[s0<<shift|uint32(a.class[p0[i]])]
			s1 = next[s1<<shift|uint32(a.class[p1[i]])]
			s2 = next[s2<<shift|uint32(a.class[p2[i]])]
			s3 = next[s3<<shift|uint32(a.class[p3[i]])]
			if max(s0, s1, s2, s3) >= first {
				for l, s := range [lanes]uint32{s0, s1, s2, s3} {
					if s >= first {
						if l == 0 {
							found(s, from+i+1)
						} else {
							ends[l] = append(ends[l], end{s, from + l*part + i + 1})
						}
					}
				}
			}
		}
		for _, list := range ends {
			for _, e := range list {
				found(e.state, e.at)
			}
		}
		s, from = s3, from+lanes*part
	}
	for i := from; i < len(b); i++ {
		if s = next[s<<shift|uint32(a.class[b[i]])]; s >= first {
			found(s, i+1)
		}
	}
	*state = s
}

// end is a state that ends a key, and the position.
type end struct {
	state uint32
	at    int
}

// fold returns b in lower case; only ASCII letters are folded.
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
