package redact

import (
	"bytes"
	"slices"
)

// A stage removes one kind of secret from one stream. It keeps undecided text and
// outputs the rest at once. The decisions never depend on the division of the
// stream into writes.
type stage struct {
	finder finder
	known  func(id string) bool // reports whether id names a rule
	note   noter

	buf     []byte // context, then undecided text
	done    int    // buf[:done] has been output, as text or as markers
	scanned int    // the finder has searched buf[:scanned]
	hits    []hit  // candidates, in the order of discovery
	spans   []span // decided, in order, without overlaps
	tail    tail   // swallows the rest of a secret longer than its window
	edge    int    // end of the last accepted span
	markers int    // number of markers output
	veil    *veil  // if set, the stage ignores terminal escapes
}

// noter is called for each redaction, with the rule and the secret. The secret is
// nil if not known as a whole.
type noter func(id string, secret []byte)

// finder finds candidates.
type finder interface {
	// scan searches b[from:] and appends the candidates.
	scan(b []byte, from int, hits []hit) []hit
	// pending returns the number of bytes at the end of b that may belong to a
	// secret that is not yet a candidate.
	pending(b []byte) int
	// slid announces that the first n bytes of the buffer were dropped.
	slid(n int)
}

// lastFinder is a finder that also handles the end of a stream.
type lastFinder interface {
	// last appends the spans caused by the end of the stream.
	last(s *stage, spans []span) []span
}

// hit is a candidate: part of a possible secret at buf[at].
type hit struct {
	at int
	m  matcher
}

// matcher decides on a candidate.
type matcher interface {
	// match appends the spans of the candidate at s.buf[at]. more means that match
	// needs to see more of the stream first; never when eof is set.
	match(s *stage, at int, eof bool, spans []span) (found []span, more bool)
	// before is the maximum distance of a span's start before the candidate.
	before() int
}

// span is a part of the buffer containing a secret.
type span struct {
	start, end int
	id         string
	weak       bool // prefer another rule's name
	tail       tail
}

// tail returns the number of bytes of b that still belong to a secret from before
// b, and whether the secret ends there.
type tail func(b []byte, eof bool) (n int, ended bool)

const (
	// chunk bounds the bytes searched at once.
	chunk = 64 << 10
	// context is the length of output text kept in the buffer, because matchers
	// examine the text before a candidate.
	context = 256
)

// write takes p, and passes all decided text to out.
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

// whole redacts b, a complete stream, and returns b itself if b holds no secret.
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
			return // the result so far is b
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

// add adds sp to the spans. Overlapping spans become one, under the better name, or
// under the name of the earlier start.
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

// give outputs everything before the first undecided byte.
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
			continue // swallowed by a tail
		}
		if sp.start > s.done {
			s.text(sp.start, out)
		}
		if sp.start >= s.done || s.veil != nil {
			// Behind a veil, a secret may begin in text already output.
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

// text outputs the text up to buf[to].
func (s *stage) text(to int, out func([]byte)) {
	if s.veil != nil {
		s.veil.text(s.buf[s.done:to], to, out)
	} else {
		out(s.buf[s.done:to])
	}
	s.done = to
}

// slide drops the text already output, except for the context.
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

// maxID is the maximum length of a rule name.
const maxID = 80

// marker returns the replacement for a secret found by the rule id.
func marker(id string) []byte {
	return slices.Concat(markerOpen, []byte(id), markerClose)
}

// inMarker reports whether b[at] is within a marker of an existing rule. As a
// result, redacting twice equals redacting once, and brackets around a secret
// cannot hide the secret.
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
