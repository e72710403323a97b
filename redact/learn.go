package redact

import (
	"bytes"
	"slices"
	"sync/atomic"
)

// A value found by the name before it may be printed again without the name. So the
// findings of a run's rules are searched for in the rest of the run.

const (
	// maxFound bounds the number of remembered values.
	maxFound = 64
	// leastFound and mostFound bound the length of a remembered value.
	leastFound = 8
	mostFound  = 1024
)

// foundValue is a value found by a rule.
type foundValue struct {
	id   string
	text []byte
}

// memory holds the findings of the rules. Readers use the current list without a
// lock.
type memory struct{ list atomic.Pointer[[]foundValue] }

func (m *memory) values() []foundValue {
	if l := m.list.Load(); l != nil {
		return *l
	}
	return nil
}

// add remembers a value, unless the value could be an ordinary word. The caller
// holds the Redactor's lock.
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

// leastSure is the minimum length of a found value whose encodings and parts are
// also searched for. Encodings of a shorter value may match unrelated text.
const leastSure = 16

// named returns the values that are certainly secret, in the form of values named
// by the caller, or nil.
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

// foundAt is an occurrence of a value.
type foundAt struct{ foundValue }

func (foundAt) before() int { return 0 }

// match accepts a separate value, but not a part of a longer word.
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
