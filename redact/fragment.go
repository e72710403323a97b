package redact

import "bytes"

// A program, a test runner or a harness may shorten a value before Glovebox sees
// it: 'q9Xb…Lm2p', "q9Xb"... 4 more characters. The rest next to the cut is no form
// of the value any more, but contains most of it. So parts of named values are
// searched next to cuts and at the end of a text.

const (
	// leastPart is the minimum length of a redacted part next to a cut, in bytes
	// that are not skippable.
	leastPart = 4
	// leastEnd is the minimum length at the end of a text, where no mark shows a
	// cut.
	leastEnd = 6
	// cutGap is the maximum number of skippable bytes between a part and a cut: a
	// quote and a blank.
	cutGap = 3
	// maxPlaces bounds the places of a value tried for a part.
	maxPlaces = 64
)

// cutMarks replace omitted text.
var cutMarks = [...][]byte{[]byte("..."), []byte("…")}

// parts is an index of the parts of named values.
type parts struct {
	texts []form
	// grams maps four bytes to their end positions, by text and offset.
	grams map[[leastPart]byte][][2]int
	// small are shorter runs that occur in a value.
	small map[string]bool
}

func newParts(forms []form) *parts {
	p := &parts{grams: map[[leastPart]byte][][2]int{}, small: map[string]bool{}}
	for _, f := range forms {
		if f.value && len(f.text) >= longEnough {
			p.add(f)
		}
	}
	return p
}

func (p *parts) add(f form) {
	t := len(p.texts)
	p.texts = append(p.texts, f)
	for end := 1; end <= len(f.text); end++ {
		for n := 1; n < leastPart && n <= end; n++ {
			p.small[string(f.text[end-n:end])] = true
		}
		if end >= leastPart {
			k := [leastPart]byte(f.text[end-leastPart : end])
			if places := p.grams[k]; len(places) < maxPlaces {
				p.grams[k] = append(places, [2]int{t, end})
			}
		}
	}
}

// before returns the part of a value at the end of b. size is its length without
// skippable bytes. A gap at the end of b does not count.
func (p *parts) before(b []byte) (start, end, size int, id string) {
	end = len(b)
	for gap := 0; gap < cutGap && end > 0 && cutSkips(b[end-1]); gap++ {
		end--
	}
	var last [leastPart]byte
	var at [leastPart]int
	i, n := end, 0
	for n < leastPart && i > 0 && end-i < maxGap && b[i-1] != '\n' {
		i--
		if !skippable[b[i]] {
			last[leastPart-1-n], at[leastPart-1-n] = b[i], i
			n++
		}
	}
	if n == leastPart {
		if places := p.grams[last]; places != nil {
			for _, place := range places {
				s, length := p.back(b, at[0], place)
				if length > size {
					start, size, id = s, length, p.texts[place[0]].id
				}
			}
			return start, end, size, id
		}
	}
	for n = min(n, leastPart-1); n > 0; n-- {
		if p.small[string(last[leastPart-n:])] {
			return at[leastPart-n], end, n, ""
		}
	}
	return end, end, 0, ""
}

// back extends a part to the left, starting with its last four bytes. They begin at
// b[at] and end in the text at place.
func (p *parts) back(b []byte, at int, place [2]int) (start, size int) {
	text := p.texts[place[0]].text
	k := place[1] - leastPart
	start, size = at, leastPart
	for i := at - 1; i >= 0 && k > 0 && start-i <= maxGap && b[i] != '\n'; i-- {
		if skippable[b[i]] {
			continue
		}
		if b[i] != text[k-1] {
			break
		}
		start, k, size = i, k-1, size+1
	}
	return start, size
}

// after returns the part of a value at the start of b. more reports that b ends
// within the part.
func (p *parts) after(b []byte) (start, end, size int, id string, more bool) {
	for start < len(b) && start < cutGap && cutSkips(b[start]) {
		start++
	}
	var first [leastPart]byte
	i, n := start, 0
	for ; n < leastPart && i < len(b) && i-start < maxGap && b[i] != '\n'; i++ {
		if !skippable[b[i]] {
			first[n] = b[i]
			n++
		}
	}
	if n < leastPart {
		return start, i, n, "", i == len(b) && (n == 0 || p.small[string(first[:n])])
	}
	for _, place := range p.grams[first] {
		text := p.texts[place[0]].text
		to, k, last := i, place[1], i
		for ; to < len(b) && k < len(text) && to-last < maxGap && b[to] != '\n'; to++ {
			if skippable[b[to]] {
				continue
			}
			if b[to] != text[k] {
				break
			}
			k, last = k+1, to+1
		}
		more = more || to == len(b) && k < len(text)
		if length := k - place[1] + leastPart; length > size {
			end, size, id = last, length, p.texts[place[0]].id
		}
	}
	return start, end, size, id, more
}

func cutSkips(c byte) bool { return skippable[c] && c != '\n' && c != '\r' }

// partFinder finds the cuts of a text, and the parts of values next to them.
type partFinder struct{ *parts }

func (f partFinder) scan(b []byte, from int, hits []hit) []hit {
	for i := max(0, from-2); ; {
		at := nextCut(b, i)
		if at < 0 {
			break
		}
		left := noteStart(b, at)
		start, _, size, _ := f.before(b[:left])
		if size < leastPart {
			start = at
		}
		hits = append(hits, hit{start, cutAt{f.parts, left - start, at - start}})
		i = at + len("...")
	}
	return hits
}

// nextCut returns the start of the first mark in b[i:], or -1. A mark has three
// bytes, so a look at every third byte is enough.
func nextCut(b []byte, i int) int {
	for k := i + 2; k < len(b); k += 3 {
		if !inCut[b[k]] {
			continue
		}
		for at := max(i, k-2); at <= k && at+3 <= len(b); at++ {
			if w := b[at : at+3]; string(w) == string(cutMarks[0]) || string(w) == string(cutMarks[1]) {
				return at
			}
		}
	}
	return -1
}

// inCut are the bytes of the marks.
var inCut = func() (c class) {
	for _, m := range cutMarks {
		for _, x := range m {
			c[x] = true
		}
	}
	return c
}()

// noteStart returns the start of the cut at b[at]: Glovebox itself writes a
// separate line, [… 12 bytes left out …].
func noteStart(b []byte, at int) int {
	if at == 0 || b[at-1] != '[' {
		return at
	}
	if at--; at > 0 && b[at-1] == '\n' {
		at--
	}
	return at
}

// pending covers a part at the end of b, a possible gap behind the part, and the
// start of a mark.
func (f partFinder) pending(b []byte) int {
	end := len(b)
	for n := 2; n > 0; n-- {
		if t := len(b) - n; t >= 0 && (bytes.HasPrefix(cutMarks[0], b[t:]) || bytes.HasPrefix(cutMarks[1], b[t:])) {
			end = t
			break
		}
	}
	if left := noteStart(b, end); left < end || end > 0 && b[end-1] == '\n' {
		if left == end {
			left--
		}
		if start, _, size, _ := f.before(b[:left]); size >= leastPart {
			return len(b) - start
		}
	}
	start, _, size, _ := f.before(b[:end])
	if size == 0 {
		return len(b) - end
	}
	return len(b) - start
}

func (partFinder) slid(int) {}

// cutAt is a cut. The omission begins left bytes behind the candidate's start, and
// the mark is mark bytes behind the start.
type cutAt struct {
	*parts
	left, mark int
}

func (cutAt) before() int { return 0 }

func (c cutAt) match(s *stage, at int, eof bool, spans []span) ([]span, bool) {
	b, mark := s.buf, at+c.mark
	behind := mark + len("...")
	if n := len("]\n"); len(b) < behind+n && !eof {
		return spans, true
	} else if bytes.HasPrefix(b[behind:], []byte("]\n")) {
		behind += n
	}
	start, end, size, id, more := c.after(b[behind:])
	if more && !eof {
		return spans, true
	}
	if eof || len(b) >= mark+maxID {
		// Any marker from before the cut has ended.
	} else if bytes.LastIndex(b[max(0, at-maxID):], markerOpen) >= 0 {
		return spans, true
	}
	if from, to, n, left := c.parts.before(b[:max(0, at+c.left)]); n >= leastPart && !inMarker(b, from, s.known) {
		spans = append(spans, span{start: from, end: to, id: left})
	}
	if size >= leastPart && id != "" && !inMarker(b, behind+start, s.known) {
		spans = append(spans, span{start: behind + start, end: behind + end, id: id})
	}
	return spans, false
}

// last finds a part at the end of a text.
func (f partFinder) last(s *stage, spans []span) []span {
	from, to, n, id := f.before(s.buf)
	if n < leastEnd || id == "" || from < s.done || inMarker(s.buf, from, s.known) {
		return spans
	}
	return append(spans, span{start: from, end: to, id: id})
}
