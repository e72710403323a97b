package redact

import "bytes"

// Terminal escapes interrupt the text seen by a person: a coloured log puts them
// around names, values and parts of values. A stage with a veil searches the text
// without its escapes, and puts each escape back at its place in the output.

// veil removes the escapes from a stage's buffer.
type veil struct {
	active bool   // an escape has arrived; before, text passes unsearched
	held   []byte // the start of an escape, or of a possible escape
	lifted []lifted
}

// lifted is an escape found before buf[at].
type lifted struct {
	at   int
	text []byte
}

const (
	// maxEscape is the maximum length of a removed escape: a link contains a URL.
	maxEscape = 512
	// veilContext is the length of searched text before the first escape: the name
	// of a coloured value may be in it.
	veilContext = 512
)

// feed adds p, without its escapes, to the buffer of s. It reports whether the
// buffer needs a search.
func (v *veil) feed(s *stage, p []byte, eof bool, out func([]byte)) bool {
	if len(v.held) > 0 {
		p = append(v.held, p...)
		v.held = nil
	}
	if !v.active {
		i, partial := findEscape(p)
		if i < 0 {
			if eof {
				partial = 0
			}
			v.pass(s, p[:len(p)-partial], out)
			v.held = bytes.Clone(p[len(p)-partial:])
			return false
		}
		v.pass(s, p[:i], out)
		v.active = true
		p = p[i:]
	}
	for len(p) > 0 {
		i, partial := findEscape(p)
		if i < 0 {
			if eof {
				partial = 0
			}
			s.buf = append(s.buf, p[:len(p)-partial]...)
			v.held = bytes.Clone(p[len(p)-partial:])
			break
		}
		s.buf = append(s.buf, p[:i]...)
		p = p[i:]
		n := escapeLen(p)
		if n < 0 && !eof {
			v.held = bytes.Clone(p)
			break
		}
		if n <= 0 {
			s.buf = append(s.buf, p[0])
			p = p[1:]
			continue
		}
		v.lifted = append(v.lifted, lifted{len(s.buf), bytes.Clone(p[:n])})
		p = p[n:]
	}
	return true
}

// pass outputs p unchanged, and keeps its end as context.
func (v *veil) pass(s *stage, p []byte, out func([]byte)) {
	if len(p) == 0 {
		return
	}
	s.buf = append(s.buf, p[max(0, len(p)-veilContext):]...)
	if n := len(s.buf) - veilContext; n > 0 {
		s.buf = append(s.buf[:0], s.buf[n:]...)
	}
	s.done = len(s.buf)
	out(p)
}

// text outputs b, which ends at buf[to], with its escapes.
func (v *veil) text(b []byte, to int, out func([]byte)) {
	from := to - len(b)
	for len(v.lifted) > 0 && v.lifted[0].at <= to {
		e := v.lifted[0]
		v.lifted = v.lifted[1:]
		if e.at > from {
			out(b[:e.at-from])
			b, from = b[e.at-from:], e.at
		}
		out(e.text)
	}
	if len(b) > 0 {
		out(b)
	}
}

func (v *veil) slid(n int) {
	for i := range v.lifted {
		v.lifted[i].at -= n
	}
}

// introducers begin an escape: the byte itself, and its spellings in languages and
// JSON.
var introducers = [...]string{"\x1b", `\x1b`, `\x1B`, `\u001b`, `\u001B`, `\033`, `\e`}

// findEscape returns the possible start of the first escape of b. Without an
// escape, findEscape returns -1 and the length of a partial introducer at the end
// of b.
func findEscape(b []byte) (at, partial int) {
	at = bytes.IndexByte(b, 0x1b)
	before := b
	if at >= 0 {
		before = b[:at]
	}
	for i := 0; ; i++ {
		n := bytes.IndexByte(before[i:], '\\')
		if n < 0 {
			return at, 0
		}
		i += n
		for _, in := range introducers[1:] {
			rest := before[i:]
			if len(rest) > len(in) && string(rest[:len(in)+1]) == in+"[" {
				return i, 0
			}
			if at < 0 && len(rest) <= len(in) && string(rest) == in[:len(rest)] {
				return -1, len(rest)
			}
		}
	}
}

// escapeLen returns the length of the escape at the start of b, 0 for no escape,
// and -1 if more bytes are needed. A sequence without parameters counts only with a
// common last byte: ESC [ s k - … is a token.
func escapeLen(b []byte) int {
	lead := 0
	for _, in := range introducers {
		if bytes.HasPrefix(b, []byte(in)) {
			lead = len(in)
			break
		}
	}
	switch {
	case lead == 0:
		return 0
	case len(b) == lead:
		return -1
	}
	switch b[lead] {
	case '[':
		return controlLen(b, lead+1)
	case ']':
		return stringLen(b, lead+1)
	case '(', ')':
		if len(b) == lead+1 {
			return -1
		}
		if c := b[lead+1]; c == 'B' || c == '0' {
			return lead + 2
		}
	}
	return 0
}

// controlLen is escapeLen for a control sequence with parameters from b[i] on.
func controlLen(b []byte, i int) int {
	from := i
	for i < len(b) && (digits[b[i]] || bytes.IndexByte([]byte(";:?<=>"), b[i]) >= 0) {
		i++
		if i-from > 32 {
			return 0
		}
	}
	if i == len(b) {
		return -1
	}
	finals := "mKJH"
	if i > from {
		finals = "mKJHABCDEFGSTfhlnsu"
	}
	if bytes.IndexByte([]byte(finals), b[i]) < 0 {
		return 0
	}
	return i + 1
}

// stringLen is escapeLen for a string, such as a title or a link. The string begins
// at b[i] and ends with BEL or ESC \.
func stringLen(b []byte, i int) int {
	for ; i < len(b) && i < maxEscape; i++ {
		switch {
		case b[i] == 0x07:
			return i + 1
		case b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\':
			return i + 2
		case b[i] == '\n':
			return 0
		}
	}
	if i < maxEscape {
		return -1
	}
	return 0
}

// escapeBefore reports whether a control sequence ends right before b[at]. Its last
// byte is a letter, but not part of the following text.
func escapeBefore(b []byte, at int) bool {
	if at == 0 || bytes.IndexByte([]byte("mKJHABCDEFGSTfhlnsu"), b[at-1]) < 0 {
		return false
	}
	i := at - 1
	for i > 0 && at-i < 32 && (digits[b[i-1]] || bytes.IndexByte([]byte(";:?"), b[i-1]) >= 0) {
		i--
	}
	if i == 0 || b[i-1] != '[' {
		return false
	}
	lead := b[max(0, i-1-8) : i-1]
	for _, in := range introducers {
		if bytes.HasSuffix(lead, []byte(in)) {
			return escapeLen(b[i-1-len(in):at]) == at-(i-1-len(in))
		}
	}
	return false
}
