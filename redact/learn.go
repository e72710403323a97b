package redact

import (
	"bytes"
	"slices"
	"sync/atomic"
)

// A value that a rule found because of the name before it is printed once more
// without the name. So what rules found in a run is looked for in the rest of
// the run.

const (
	// maxFound is how many values are remembered.
	maxFound = 64
	// leastFound and mostFound bound the length of a value that is remembered.
	leastFound = 8
	mostFound  = 1024
)

// foundValue is a value that a rule found.
type foundValue struct {
	id   string
	text []byte
}

// memory is what the rules found so far. Readers take the list as it is.
type memory struct{ list atomic.Pointer[[]foundValue] }

func (m *memory) values() []foundValue {
	if l := m.list.Load(); l != nil {
		return *l
	}
	return nil
}

// add remembers a value, unless it could be an ordinary word. The caller holds
// the Redactor's lock.
func (m *memory) add(id string, text []byte) {
	text = bytes.Trim(text, "\"'`\\ \t\r\n")
	old := m.values()
	if len(old) >= maxFound || len(text) < leastFound || len(text) > mostFound || noDigit(text) && len(text) < 2*leastFound || plain(text) ||
		digits.all(text) || bytes.Contains(text, markerOpen) {
		return
	}
	for _, o := range old {
		if bytes.Equal(o.text, text) {
			return
		}
	}
	list := append(slices.Clone(old), foundValue{id, bytes.Clone(text)})
	m.list.Store(&list)
}

// leastSure is the length of a found value from which its encodings and parts
// are looked for as well: those of a shorter one may be something else.
const leastSure = 16

// named returns the values that are surely secrets as if the caller had named
// them, or nil.
func (m *memory) named() *named {
	n := &named{}
	for _, v := range m.values() {
		if len(v.text) >= leastSure && random(v.text) && !identifier(v.text) {
			n.values = append(n.values, v)
		}
	}
	if len(n.values) == 0 {
		return nil
	}
	return n
}

// memoryFinder finds the values of a memory.
type memoryFinder struct{ *memory }

func (f memoryFinder) scan(b []byte, from int, hits []hit) []hit {
	have := len(hits)
	for _, v := range f.values() {
		for i := max(0, from-len(v.text)+1); ; i++ {
			n := bytes.Index(b[i:], v.text)
			if n < 0 {
				break
			}
			i += n
			hits = append(hits, hit{i, foundAt{v}})
		}
	}
	slices.SortStableFunc(hits[have:], func(a, b hit) int { return a.at - b.at })
	return hits
}

func (f memoryFinder) pending(b []byte) int {
	most := 0
	for _, v := range f.values() {
		for n := min(len(b), len(v.text)); n > most; n-- {
			if b[len(b)-n] == v.text[0] && bytes.HasPrefix(v.text, b[len(b)-n:]) {
				most = n
			}
		}
	}
	return most
}

func (memoryFinder) slid(int) {}

// foundAt is a place where a value stands.
type foundAt struct{ foundValue }

func (foundAt) before() int { return 0 }

// match takes a value that stands for itself, not within a longer word.
func (c foundAt) match(s *stage, at int, eof bool, spans []span) ([]span, bool) {
	b, end := s.buf, at+len(c.text)
	if end == len(b) && !eof {
		return spans, true
	}
	if !boundary(b, at, alnum) || end < len(b) && alnum[b[end]] && alnum[b[end-1]] || inMarker(b, at, s.known) {
		return spans, false
	}
	return append(spans, span{start: at, end: end, id: c.id}), false
}
