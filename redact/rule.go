package redact

import (
	"bytes"
	"math"
	"regexp"
	"sync"
)

// rule describes one kind of secret. A rule is tried only at its keys, and sees
// only a bounded window from the key on, so the cost per text is bounded, too.
type rule struct {
	id string
	// keys are literals. The text of a secret contains one of them.
	keys []string
	// exact requires the keys' own case.
	exact bool
	// left is the set of bytes not allowed right before the window.
	left *class
	// back is the number of bytes in the window before the key, and prior the set
	// of these bytes.
	back  int
	prior *class
	// span is the length of the window from the key's start; 0 means 256.
	span int
	// lines lets the window continue past the end of the line.
	lines bool
	// need, if set, is a byte that follows the key within needSpan bytes, on the
	// same line.
	need byte
	// must, if set, is a byte required in the window: searching for a byte is
	// cheaper than matching.
	must byte
	// re is matched at the start of the window. Its groups are secrets; without
	// groups the whole match is a secret.
	re string
	// find replaces re. It appends spans of w, where the key ends at w[key].
	find func(w []byte, key int, spans []span) []span
	// bits is the minimum entropy of a secret, in bits per byte.
	bits float64
	// not recognises false secrets, such as a vendor's example.
	not func(secret []byte) bool
	// after recognises, by the text before a key, a different meaning of the key.
	after func(before, key []byte) bool
	// weak gives precedence to the name of another rule with the same finding.
	weak bool
	// list is set if the window may hold several secrets.
	list bool
	// tail swallows the rest of a secret that reaches the end of its window.
	tail tail

	compile func() *regexp.Regexp
}

// least sets the minimum entropy.
func (r *rule) least(bits float64) *rule {
	r.bits = bits
	return r
}

// apart sets the bytes not allowed right before the key.
func (r *rule) apart(left *class) *rule {
	r.left = left
	return r
}

// needSpan is the maximum distance of rule.need from the start of a key.
const needSpan = 48

// rulebook is the rules with the automaton of their keys.
type rulebook struct {
	auto *automaton
	uses [][]keyed // key → its rules
	ids  map[string]bool
	weak map[string]bool // rules that find a secret by a name alone
	back []*rule         // rules with a window starting before the key
}

// keyed is a rule at one of its keys. It is the matcher for candidates starting
// with the key.
type keyed struct {
	*rule
	key string
}

// book is made at the first redaction, and a rule's expression at its first
// candidate, so a process without redactions pays nothing.
var book = sync.OnceValue(makeBook)

// Prepare loads the rules before the first redaction needs them. Loading takes
// about two milliseconds: call Prepare while a box boots.
func Prepare() { book() }

func makeBook() *rulebook {
	bk := &rulebook{ids: map[string]bool{pemRule.id: true}, weak: map[string]bool{}}
	index := map[string]int{}
	var folded [][]byte
	for _, r := range allRules() {
		bk.ids[r.id] = true
		bk.weak[r.id] = bk.weak[r.id] || r.weak
		if r.back > 0 {
			bk.back = append(bk.back, r)
		}
		if r.span == 0 {
			r.span = 256
		}
		if r.re != "" {
			r.compile = sync.OnceValue(func() *regexp.Regexp {
				return regexp.MustCompile(`^(?:` + r.re + `)`)
			})
		}
		for _, k := range r.keys {
			f := string(fold([]byte(k)))
			i, ok := index[f]
			if !ok {
				i = len(folded)
				index[f] = i
				folded = append(folded, []byte(f))
				bk.uses = append(bk.uses, nil)
			}
			bk.uses[i] = append(bk.uses[i], keyed{r, k})
		}
	}
	bk.auto = newAutomaton(folded)
	return bk
}

// ruleFinder finds the keys of the rules.
type ruleFinder struct {
	*rulebook
	state uint32
}

func (f *ruleFinder) scan(b []byte, from int, hits []hit) []hit {
	f.auto.each(b, from, &f.state, func(state uint32, end int) {
		for _, k := range f.auto.out[state-f.auto.first] {
			for j := range f.uses[k] {
				hits = append(hits, hit{end - f.auto.size[k], &f.uses[k][j]})
			}
		}
	})
	return hits
}

// pending covers an incomplete key, and bytes before the key that may belong to the
// secret.
func (f *ruleFinder) pending(b []byte) int {
	key := int(f.auto.depth[f.state])
	most := key
	for _, r := range f.back {
		n := key
		for n < len(b) && n < key+r.back && r.prior[b[len(b)-1-n]] {
			n++
		}
		most = max(most, n)
	}
	return most
}

func (f *ruleFinder) slid(int) {}

func (c *keyed) before() int { return c.back }

func (c *keyed) match(s *stage, at int, eof bool, spans []span) ([]span, bool) {
	b, r := s.buf, c.rule
	if r.exact && string(b[at:at+len(c.key)]) != c.key {
		return spans, false
	}
	start := at - r.back
	if start < 0 || r.left != nil && start != s.edge && !boundary(b, start, r.left) {
		return spans, false
	}
	if r.after != nil && r.after(b[max(0, start-32):start], b[at:at+len(c.key)]) {
		return spans, false
	}
	if r.need != 0 {
		ahead := b[at:min(at+needSpan, len(b))]
		if line := bytes.IndexByte(ahead, '\n'); line >= 0 {
			ahead = ahead[:line]
		} else if len(ahead) < needSpan && !eof {
			return spans, true
		}
		if bytes.IndexByte(ahead, r.need) < 0 {
			return spans, false
		}
	}
	end, cut := at+r.span, true
	line := -1
	if !r.lines {
		line = bytes.IndexByte(b[at:min(end, len(b))], '\n')
	}
	switch {
	case line >= 0:
		end, cut = at+line, false
	case end+len(markerOpen) > len(b) && !eof:
		return spans, true
	case end >= len(b):
		end, cut = len(b), false
	}
	from := len(spans)
	w := b[start:end]
	if r.must != 0 && bytes.IndexByte(w, r.must) < 0 {
		return spans, false
	}
	if r.find != nil {
		spans = r.find(w, r.back+len(c.key), spans)
	} else if m := r.compile().FindSubmatchIndex(w); len(m) == 2 {
		spans = append(spans, span{start: m[0], end: m[1]})
	} else {
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 && m[i] < m[i+1] {
				spans = append(spans, span{start: m[i], end: m[i+1]})
			}
		}
	}
	if len(spans) > from && inMarker(b, at, s.known) {
		return spans[:from], false
	}
	n := from
	for _, sp := range spans[from:] {
		secret := w[sp.start:sp.end]
		if touches(b[start:], w[:sp.end]) && !r.list || r.bits > 0 && entropy(secret) < r.bits || r.not != nil && r.not(secret) {
			continue
		}
		if sp.end == len(w) && cut && sp.tail == nil {
			sp.tail = r.tail
		}
		sp.id, sp.weak, sp.start, sp.end = r.id, r.weak, sp.start+start, sp.end+start
		spans[n] = sp
		n++
	}
	return spans[:n], false
}

// touches reports whether a marker is within a match or right behind it. Such a
// match does not count: the text replaced by the marker was either no part of the
// match, or had already prevented the match. So the result stays the same.
func touches(b, match []byte) bool {
	return bytes.Contains(match, markerOpen) || bytes.HasPrefix(b[len(match):], markerOpen)
}

// boundary reports whether the text before b[at] ends a separate item: a byte
// outside of left, an escape such as \n, \u000a or %3D, or a terminal's escape.
func boundary(b []byte, at int, left *class) bool {
	if at == 0 || !left[b[at-1]] || escapeBefore(b, at) {
		return true
	}
	for _, e := range [...]struct {
		lead string
		n    int
	}{{`\`, 1}, {`%`, 2}, {`\x`, 2}, {`\u`, 4}} {
		i := at - e.n - len(e.lead)
		if i < 0 || string(b[i:i+len(e.lead)]) != e.lead {
			continue
		}
		if e.n == 1 && bytes.IndexByte([]byte("nrtbfv"), b[at-1]) >= 0 || e.n > 1 && hexDigits.all(b[at-e.n:at]) {
			return true
		}
	}
	return false
}

// class is a set of bytes.
type class [256]bool

// newClass reads a set in the notation of a regular expression's brackets,
// including ranges, with a literal "-" at the end.
func newClass(set string) *class {
	var c class
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			for b := int(set[i]); b <= int(set[i+2]); b++ {
				c[b] = true
			}
			i += 2
			continue
		}
		c[set[i]] = true
	}
	return &c
}

func (c *class) all(b []byte) bool { return c.run(b) == len(b) }

// run returns the number of bytes at the start of b that are in c.
func (c *class) run(b []byte) int {
	for i, x := range b {
		if !c[x] {
			return i
		}
	}
	return len(b)
}

// swallow is the tail of a secret made of c.
func (c *class) swallow(b []byte, eof bool) (int, bool) {
	n := c.run(b)
	return n, n < len(b) || eof
}

var (
	digits    = newClass("0-9")
	hexDigits = newClass("0-9a-fA-F")
	alnum     = newClass("0-9A-Za-z")
	letters   = newClass("A-Za-z")
	word      = newClass("0-9A-Za-z_")
	dashed    = newClass("0-9A-Za-z_-")
	dotted    = newClass("0-9A-Za-z_.-")
	base64s   = newClass("0-9A-Za-z+/=_-")
)

// token is the rule of a secret consisting of a prefix and a run of least to most
// bytes of set. A longer run is not a secret. With most 0, the run is unbounded.
func token(id, prefix string, set *class, least, most int) *rule {
	r := &rule{id: id, keys: []string{prefix}, exact: true, left: alnum, bits: 2}
	if most == 0 {
		r.span, r.tail = 4096, set.swallow
	} else {
		r.span = max(256, len(prefix)+most+2)
	}
	r.find = func(w []byte, key int, spans []span) []span {
		n := set.run(w[key:])
		for most > 0 && n > most && w[key+n-1] == '.' {
			n-- // the final dot of a sentence
		}
		if n < least || most > 0 && n > most {
			return spans
		}
		return append(spans, span{start: 0, end: key + n})
	}
	return r
}

// entropy is Shannon's entropy, in bits per byte.
func entropy(b []byte) float64 {
	var count [256]int
	for _, c := range b {
		count[c]++
	}
	e := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(b))
			e -= p * math.Log2(p)
		}
	}
	return e
}
