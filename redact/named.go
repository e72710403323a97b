package redact

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
)

// named holds the secrets named by the caller: values, and their possible forms in
// a text.
type named struct {
	values  []foundValue // by name
	skipped []string
	ids     map[string]bool

	once  sync.Once
	auto  *automaton
	forms []form // in the order of the automaton's keys
	parts *parts
	// reach is the maximum distance from the start of a secret to its end, in
	// bytes.
	reach int
	// anyLines marks the states in which a line may end before apart bytes.
	anyLines []bool
}

// form is one spelling of a secret. Skippable bytes of a text, such as white space,
// may stand between the bytes of a form; see skippable.
type form struct {
	id   string
	text []byte // without skippable bytes
	fold bool   // ignore case
	raw  []byte // if set, the text is too short to be found when split
	// anyLines: every byte may be on a separate line.
	anyLines bool
	// value: the text is the value, or its quoted form in a language.
	value bool
}

const (
	// keySize is the length of a form's key in bytes.
	keySize = 8
	// longEnough is the minimum length of a form that may be split or encoded; a
	// shorter form would match ordinary text.
	longEnough = 8
	// caseless is the minimum length for finding a value in any case: a language or
	// a header may change the case.
	caseless = 12
	// apart is the number of bytes of a form that must be on one line, except for
	// the value itself. Otherwise the ends of many lines would be held back as the
	// possible start of a form.
	apart = 4
	// maxGap is the maximum number of skippable bytes between two bytes of a form.
	maxGap = 64
)

// skippable are the bytes allowed anywhere in a secret: white space and controls,
// quotes, commas and backslashes, as in a wrapped line, a list of characters,
// UTF-16 or an escaped string.
var skippable = func() *class {
	c := newClass(" \"'`,\\")
	for b := range 0x20 {
		c[b] = true
	}
	c[0x7f] = true
	return c
}()

func newNamed(secrets map[string]string) *named {
	n := &named{ids: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if len(secrets[name]) < MinSecret {
			n.skipped = append(n.skipped, name)
			continue
		}
		n.values = append(n.values, foundValue{namedID(name), []byte(secrets[name])})
		n.ids[namedID(name)] = true
	}
	return n
}

// namedID returns the rule name for a secret of the caller.
func namedID(name string) string {
	const prefix = "secret:"
	b := []byte(prefix + name)
	for i := range b {
		if !dotted[b[i]] && i >= len(prefix) {
			b[i] = '_'
		}
	}
	return string(b[:min(len(b), maxID)])
}

// load makes the forms and their automaton, once.
func (n *named) load() {
	n.once.Do(func() {
		seen := map[string]bool{}
		for _, v := range n.values {
			n.add(v.id, v.text, seen)
		}
		keys := make([][]byte, len(n.forms))
		for i, f := range n.forms {
			keys[i] = fold(f.text[:min(len(f.text), keySize)])
			n.reach = max(n.reach, len(f.text)*(maxGap+1))
		}
		n.auto = newAutomaton(keys)
		n.parts = newParts(n.forms)
		n.anyLines = make([]bool, len(n.auto.depth))
		for i, f := range n.forms {
			state := uint32(0)
			for _, c := range keys[i][:min(apart, len(keys[i]))] {
				state = n.auto.next[state<<n.auto.shift|uint32(n.auto.class[c])]
				n.anyLines[state] = n.anyLines[state] || f.anyLines
			}
		}
	})
}

// add adds the forms of value.
func (n *named) add(id string, value []byte, seen map[string]bool) {
	put := func(f form) {
		f.id, f.raw = id, nil
		text := f.text
		f.anyLines = f.anyLines || bytes.Contains(value, text)
		if f.text = squeeze(text); len(f.text) < longEnough {
			f.raw = bytes.TrimFunc(text, func(r rune) bool { return r < 0x80 && skippable[r] })
			if f.raw = bytes.Clone(f.raw); len(f.raw) < MinSecret || !bytes.Contains(value, f.raw) {
				return // such a short encoding would be found everywhere
			}
		}
		if k := fmt.Sprint(f.fold, string(f.text)); len(f.text) > 0 && !seen[k] {
			seen[k] = true
			n.forms = append(n.forms, f)
		}
	}
	for part := range slices.Chunk(value, MaxSecret) {
		put(form{text: part, value: true, fold: len(part) >= caseless})
		for _, f := range slices.Concat(quotedForms(part), markupForms(part), digitForms(part)) {
			put(f)
		}
	}
	lines := bytes.FieldsFunc(value, func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) < 2 {
		return
	}
	for _, line := range lines {
		if line = squeeze(line); len(line) < longEnough || bytes.HasPrefix(line, []byte("-----")) {
			continue
		}
		for part := range slices.Chunk(line, MaxSecret) {
			put(form{text: part, value: true})
			for _, t := range groupForms(part, base64.RawStdEncoding.EncodeToString, 6) {
				put(form{text: t})
			}
		}
	}
}

// quotedForms returns v as quoted in various languages, and v backwards.
func quotedForms(v []byte) []form {
	s := string(v)
	inside := func(q string) form { return form{text: []byte(q[1 : len(q)-1]), value: true} }
	js, _ := json.Marshal(s) // marshalling a string cannot fail
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	forms := []form{
		inside(string(js)), inside(strings.TrimSuffix(plain.String(), "\n")), inside(strconv.Quote(s)), inside(strconv.QuoteToASCII(s)),
		{text: pythonEscapes(s), value: true}, {text: pythonBytes(v), value: true},
	}
	backwards := bytes.Clone(v)
	slices.Reverse(backwards)
	runes := []rune(s)
	slices.Reverse(runes)
	forms = append(forms, form{text: backwards}, form{text: []byte(string(runes))})
	if len(runes) < len(v) { // in UTF-16 ASCII differs by zeros only, which are skipped
		var little, big []byte
		for _, u := range utf16.Encode([]rune(s)) {
			little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
		}
		forms = append(forms, form{text: little}, form{text: big})
	}
	return forms
}

// pythonEscapes returns the result of ascii() for s, without its backslashes.
func pythonEscapes(s string) []byte {
	var b []byte
	for _, r := range s {
		switch {
		case r >= 0x10000:
			b = fmt.Appendf(b, "U%08x", r)
		case r >= 0x100:
			b = fmt.Appendf(b, "u%04x", r)
		case r >= 0x80:
			b = fmt.Appendf(b, "x%02x", r)
		default:
			b = append(b, byte(r))
		}
	}
	return b
}

// pythonBytes returns the result of repr() for the bytes v, without its
// backslashes.
func pythonBytes(v []byte) []byte {
	var b []byte
	for _, c := range v {
		if c < 0x80 {
			b = append(b, c)
		} else {
			b = fmt.Appendf(b, "x%02x", c)
		}
	}
	return b
}

// markupForms returns v as spelled in a URL and in HTML.
func markupForms(v []byte) []form {
	s := string(v)
	var forms []form
	for _, quote := range [][2]string{{"&#34;", "&#39;"}, {"&quot;", "&#x27;"}, {"&quot;", "&#39;"}, {"&quot;", "&#039;"}, {"&quot;", "&apos;"}, {"", ""}} {
		replace := []string{"&", "&amp;", "<", "&lt;", ">", "&gt;"}
		if quote[0] != "" {
			replace = append(replace, `"`, quote[0], "'", quote[1])
		}
		forms = append(forms, form{text: []byte(strings.NewReplacer(replace...).Replace(s)), value: true})
	}
	var decimal, hexadecimal []byte
	for _, r := range s {
		decimal, hexadecimal = fmt.Appendf(decimal, "&#%d;", r), fmt.Appendf(hexadecimal, "&#x%x;", r)
	}
	forms = append(forms, form{text: decimal}, form{text: hexadecimal, fold: true})
	// Two digits after a percent sign may have any case. This form ignores the case
	// of the other bytes, too.
	for _, t := range []string{url.QueryEscape(s), url.PathEscape(s), strings.ReplaceAll(url.QueryEscape(s), "+", "%20")} {
		if t != s {
			forms = append(forms, form{text: []byte(t), fold: true})
		}
	}
	return forms
}

// digitForms returns v in digits: of bytes, and of groups of bytes.
func digitForms(v []byte) []form {
	var decimal []byte
	for _, c := range v {
		decimal = strconv.AppendInt(decimal, int64(c), 10)
	}
	forms := []form{{text: decimal, anyLines: true}}
	bytewise := func(verb, before, after string) { // a byte may be on a separate line
		var b []byte
		for i, c := range v {
			if i > 0 {
				b = append(b, after...)
			}
			b = fmt.Appendf(append(b, before...), verb, c)
		}
		forms = append(forms, form{text: b, fold: true, anyLines: after == "" && (before == "" || before == "0x")})
	}
	for _, around := range [][2]string{{"", ""}, {"", ":"}, {"", "-"}, {"x", ""}, {"0x", ""}, {"%", ""}, {"u00", ""}} {
		bytewise("%02x", around[0], around[1])
	}
	bytewise("%x", "0x", "") // Go's %#v and Python's hex()
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for _, t := range groupForms(v, e.EncodeToString, 6) {
			forms = append(forms, form{text: t})
		}
	}
	for _, t := range groupForms(v, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString, 5) {
		forms = append(forms, form{text: t, fold: true})
	}
	return forms
}

// groupForms returns the constant part of every encoding of a text containing v,
// for each position of v in a group. A digit of the encoding carries bits bits.
func groupForms(v []byte, encode func([]byte) string, bits int) [][]byte {
	group := 3
	if bits == 5 {
		group = 5
	}
	var all [][]byte
	for before := range group {
		t := encode(append(make([]byte, before), v...))
		from, to := (8*before+bits-1)/bits, 8*(before+len(v))/bits
		if from < to {
			all = append(all, []byte(t[from:to]))
		}
	}
	return all
}

// squeeze returns b without its skippable bytes.
func squeeze(b []byte) []byte {
	s := make([]byte, 0, len(b))
	for _, c := range b {
		if !skippable[c] {
			s = append(s, c)
		}
	}
	return s
}

// finders returns the finders for all forms of the secrets.
func (n *named) finders() []finder {
	n.load()
	return []finder{n.finder(false), n.finder(true), &dumpFinder{named: n}, partFinder{n.parts}}
}

// finder returns a finder of the secrets. With escapes, the finder also skips
// terminal escapes. Such a finder needs a separate stage, because a false escape
// would hide the start of a secret behind it.
func (n *named) finder(escapes bool) finder {
	return &namedFinder{named: n, gap: gap{escapes: escapes}}
}

// namedFinder finds the keys of the forms.
type namedFinder struct {
	*named
	gap   gap
	state uint32
	at    [2 * keySize]int // positions of the last bytes that were not skipped
	count uint
}

func (f *namedFinder) scan(b []byte, from int, hits []hit) []hit {
	if f.gap.escapes && bytes.IndexByte(b[from:], 0x1b) < 0 && len(b)-f.reach > from {
		// Without escapes, the previous stage has found everything. Only a secret
		// that may continue in later bytes matters.
		from, f.state, f.gap.esc = len(b)-f.reach, 0, 0
	}
	a, state, gap := f.auto, f.state, f.gap
	next, shift, first, skips := a.next, a.shift, a.first, skippable
	for i := from; i < len(b); i++ {
		c := b[i]
		if skips[c] || gap.esc != 0 {
			if state == 0 && !gap.escapes {
				continue
			}
			skip, tooLong := gap.skips(c)
			if tooLong || c == '\n' && a.depth[state] < apart && !f.anyLines[state] {
				state = 0
			}
			if skip {
				continue
			}
		}
		state = next[state<<shift|uint32(a.class[c])]
		if state == 0 {
			continue
		}
		gap.n = 0
		f.at[f.count%uint(len(f.at))] = i
		f.count++
		if state >= first {
			for _, k := range a.out[state-first] {
				hits = append(hits, hit{f.last(a.size[k]), namedCandidate{f, &f.forms[k]}})
			}
		}
	}
	f.state, f.gap = state, gap
	return hits
}

// last returns the position of the n-th last byte that was not skipped.
func (f *namedFinder) last(n int) int { return f.at[(f.count-uint(n))%uint(len(f.at))] }

func (f *namedFinder) pending(b []byte) int {
	if d := int(f.auto.depth[f.state]); d > 0 {
		return len(b) - f.last(d)
	}
	return 0
}

func (f *namedFinder) slid(n int) {
	for i := range f.at {
		f.at[i] -= n
	}
}

// gap reads the bytes between two bytes of a secret.
type gap struct {
	escapes bool
	esc     byte // 0 outside an escape, ESC after one, '[' in its parameters
	n       int
}

// skips reports whether c belongs to the gap, and whether the gap is longer than
// any in a secret. The caller passes only skippable bytes and bytes within an
// escape.
func (g *gap) skips(c byte) (skip, tooLong bool) {
	g.n++
	if g.n > maxGap {
		g.esc = 0
		return skippable[c], true
	}
	switch {
	case g.esc == 0x1b && c == '[':
		g.esc = '['
	case g.esc == 0x1b:
		g.esc = 0
		return skippable[c], false
	case g.esc == '[':
		if c >= 0x40 && c <= 0x7e {
			g.esc = 0
		}
	case g.escapes && c == 0x1b:
		g.esc = 0x1b
	}
	return true, false
}

// namedCandidate is an occurrence of a form's key.
type namedCandidate struct {
	*namedFinder
	form *form
}

func (namedCandidate) before() int { return 0 }

func (c namedCandidate) match(s *stage, at int, eof bool, spans []span) ([]span, bool) {
	b, f := s.buf, c.form
	if f.raw != nil {
		if rest := b[at:]; len(rest) < len(f.raw) && !eof {
			return spans, true
		} else if !bytes.HasPrefix(rest, f.raw) {
			return spans, false
		}
		return c.found(s, at, at+len(f.raw), eof, spans)
	}
	g := gap{escapes: c.gap.escapes}
	n, end := 0, at
	for i := at; i < len(b); i++ {
		x := b[i]
		if skippable[x] || g.esc != 0 {
			skip, tooLong := g.skips(x)
			if tooLong || x == '\n' && n < apart && !f.anyLines {
				return spans, false
			}
			if skip {
				continue
			}
		}
		g.n = 0
		if x != f.text[n] && !(f.fold && lower(x) == lower(f.text[n])) {
			return spans, false
		}
		n, end = n+1, i+1
		if n == len(f.text) {
			return c.found(s, at, end, eof, spans)
		}
	}
	if !eof {
		return spans, true
	}
	// The stream ends within a secret, for example at a limit. The visible part
	// already reveals too much.
	if n >= longEnough && n >= len(f.text)/2 {
		return c.found(s, at, end, eof, spans)
	}
	return spans, false
}

// found appends b[at:end], unless the range is part of a marker.
func (c namedCandidate) found(s *stage, at, end int, eof bool, spans []span) ([]span, bool) {
	b := s.buf
	if len(b) < at+maxID && !eof && bytes.LastIndex(b[max(0, at-maxID):], markerOpen) >= 0 {
		return spans, true // the marker may end in later text
	}
	if inMarker(b, at, s.known) {
		return spans, false
	}
	return append(spans, span{start: at, end: end, id: c.form.id}), false
}
