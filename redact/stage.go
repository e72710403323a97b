package redact

import (
	"bytes"
	"slices"
)

// A stage takes one kind of secret out of one stream. It keeps what it cannot
// decide yet and gives out the rest at once; what it decides never depends on
// how the stream was cut into writes.
type stage struct {
	finder finder
	known  func(id string) bool // tells the names of rules
	note   noter

	buf     []byte // context, then what is kept
	done    int    // buf[:done] has left, as text or as a marker
	scanned int    // buf[:scanned] has gone through the finder
	hits    []hit  // candidates, in the order they were found
	spans   []span // decided, in order, apart from each other
	tail    tail   // swallows the rest of a secret longer than its window
	edge    int    // where the last accepted span ends
	markers int    // how many have been given out
	veil    *veil  // if set, the stage looks past terminal escapes
}

// noter is told of each redaction: by which rule, and of what, or nil where
// that is not known as a whole.
type noter func(id string, secret []byte)

// finder finds candidates.
type finder interface {
	// scan looks at b[from:] and appends the candidates.
	scan(b []byte, from int, hits []hit) []hit
	// pending returns how many bytes at the end of b may belong to a secret
	// that is not a candidate yet.
	pending(b []byte) int
	// slid tells that the first n bytes of the buffer were dropped.
	slid(n int)
}

// lastFinder is a finder that has a word on the end of a stream.
type lastFinder interface {
	// last appends the spans that the end of the stream makes.
	last(s *stage, spans []span) []span
}

// hit is a candidate: something of a secret stands at buf[at].
type hit struct {
	at int
	m  matcher
}

// matcher decides about a candidate.
type matcher interface {
	// match appends the spans of the candidate at s.buf[at]. More tells that
	// it needs to see more of the stream first; never when eof is set.
	match(s *stage, at int, eof bool, spans []span) (found []span, more bool)
	// before is how many bytes before the candidate a span may start.
	before() int
}

// span is a part of the buffer that is a secret.
type span struct {
	start, end int
	id         string
	weak       bool // another name is better
	tail       tail
}

// tail returns how many bytes of b still belong to a secret that began before
// b, and whether the secret ends there.
type tail func(b []byte, eof bool) (n int, ended bool)

const (
	// chunk bounds the bytes that are looked at in one go.
	chunk = 64 << 10
	// context is how much of the text that has left is kept: matchers look at
	// what stands before a candidate.
	context = 256
)

// write takes p, and gives to out what has become certain.
func (s *stage) write(p []byte, eof bool, out func([]byte)) {
	for len(p) > chunk {
		s.feed(p[:chunk], false, out)
		p = p[chunk:]
	}
	s.feed(p, eof, out)
}

func (s *stage) feed(p []byte, eof bool, out func([]byte)) {
	if s.veil == nil {
		s.buf = append(s.buf, p...)
	} else if !s.veil.feed(s, p, eof, out) {
		return
	}
	s.hits = s.finder.scan(s.buf, s.scanned, s.hits)
	s.scanned = len(s.buf)
	s.decide(eof)
	s.give(eof, out)
	s.slide()
}

// whole redacts b, which is a complete stream, and returns b itself where it
// holds no secret.
func (s *stage) whole(b []byte) []byte {
	var clean []byte
	if s.veil != nil {
		if i, _ := findEscape(b); i < 0 {
			return b
		}
		s.write(b, true, func(p []byte) { clean = append(clean, p...) })
		if s.markers == 0 {
			return b
		}
		return clean
	}
	out := func(p []byte) {
		if s.markers == 0 {
			return // so far the result is b
		}
		if clean == nil {
			clean = append(make([]byte, 0, len(b)+len(p)), b[:s.done]...)
		}
		clean = append(clean, p...)
	}
	for len(s.buf) < len(b) {
		s.buf = b[:min(len(b), len(s.buf)+chunk)]
		s.hits = s.finder.scan(s.buf, s.scanned, s.hits)
		s.scanned = len(s.buf)
		eof := len(s.buf) == len(b)
		s.decide(eof)
		s.give(eof, out)
	}
	if s.markers == 0 {
		return b
	}
	return clean
}

// decide asks the matchers, in order, up to the first that must see more.
func (s *stage) decide(eof bool) {
	n := 0
	var found []span
	for _, h := range s.hits {
		var more bool
		found, more = h.m.match(s, h.at, eof, found[:0])
		if more {
			break
		}
		for _, sp := range found {
			s.add(sp)
		}
		n++
	}
	s.hits = slices.Delete(s.hits, 0, n)
	if f, ok := s.finder.(lastFinder); ok && eof {
		for _, sp := range f.last(s, found[:0]) {
			s.add(sp)
		}
	}
}

// add puts sp into the spans. Spans that overlap become one, under the better
// name or that of the one that starts first.
func (s *stage) add(sp span) {
	s.edge = max(s.edge, sp.end)
	i := len(s.spans)
	for i > 0 && s.spans[i-1].end > sp.start {
		i--
	}
	j := i
	for ; j < len(s.spans) && s.spans[j].start < sp.end; j++ {
		old := s.spans[j]
		if old.weak == sp.weak && old.start <= sp.start || sp.weak && !old.weak {
			sp.id, sp.weak = old.id, old.weak
		}
		sp.start = min(sp.start, old.start)
		if old.end > sp.end || old.end == sp.end && old.tail != nil {
			sp.end, sp.tail = old.end, old.tail
		}
	}
	s.spans = slices.Replace(s.spans, i, j, sp)
}

// give gives out everything before the first byte that may still change.
func (s *stage) give(eof bool, out func([]byte)) {
	limit := len(s.buf)
	if !eof {
		limit -= s.finder.pending(s.buf)
		for _, h := range s.hits {
			limit = min(limit, h.at-h.m.before())
		}
	}
	given := 0
	defer func() { s.spans = slices.Delete(s.spans, 0, given) }()
	for {
		if s.tail != nil {
			n, ended := s.tail(s.buf[s.done:], eof)
			s.done += n
			if !ended {
				return
			}
			s.tail = nil
		}
		if given == len(s.spans) || s.spans[given].end > limit {
			break
		}
		sp := s.spans[given]
		given++
		if sp.end <= s.done {
			continue // a tail swallowed it
		}
		if sp.start > s.done {
			s.text(sp.start, out)
		}
		if sp.start >= s.done || s.veil != nil {
			// Behind a veil a secret may begin in what has left already.
			s.markers++
			secret := s.buf[sp.start:sp.end]
			if sp.tail != nil {
				secret = nil
			}
			s.note(sp.id, secret)
			if s.veil != nil {
				s.veil.text(nil, s.done, out)
			}
			out(marker(sp.id))
		}
		s.done, s.tail = sp.end, sp.tail
	}
	if given < len(s.spans) {
		limit = min(limit, s.spans[given].start)
	}
	if limit > s.done || s.veil != nil && limit == s.done {
		s.text(limit, out)
	}
}

// text gives out the text up to buf[to].
func (s *stage) text(to int, out func([]byte)) {
	if s.veil != nil {
		s.veil.text(s.buf[s.done:to], to, out)
	} else {
		out(s.buf[s.done:to])
	}
	s.done = to
}

// slide drops what has left, but for the context.
func (s *stage) slide() {
	keep := s.done
	for _, h := range s.hits {
		keep = min(keep, h.at)
	}
	n := keep - context
	if n < chunk/2 && n < len(s.buf)/2 || n <= 0 {
		return
	}
	s.buf = slices.Delete(s.buf, 0, n)
	s.done -= n
	s.scanned -= n
	s.edge -= n
	for i := range s.hits {
		s.hits[i].at -= n
	}
	for i := range s.spans {
		s.spans[i].start -= n
		s.spans[i].end -= n
	}
	s.finder.slid(n)
	if s.veil != nil {
		s.veil.slid(n)
	}
}

var (
	markerOpen  = []byte("[redacted:")
	markerClose = []byte("]")
)

// maxID is the longest name of a rule.
const maxID = 80

// marker is what stands in place of a secret that the rule id found.
func marker(id string) []byte {
	return slices.Concat(markerOpen, []byte(id), markerClose)
}

// inMarker tells whether b[at] stands within a marker of a rule that exists:
// redacting twice is redacting once, and nobody can hide a secret by writing
// brackets around it.
func inMarker(b []byte, at int, known func(id string) bool) bool {
	from := max(0, at-maxID-len(markerOpen))
	open := bytes.LastIndex(b[from:min(len(b), at+len(markerOpen))], markerOpen)
	if open < 0 {
		return false
	}
	open += from
	id := b[open+len(markerOpen):]
	end := bytes.IndexByte(id[:min(len(id), maxID+1)], ']')
	if end < 0 || open+len(markerOpen)+end < at {
		return false
	}
	return known(string(id[:end]))
}
