package extract

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader reads JSON as models write it, in one pass: strings may hold raw
// line ends, may stand in single or triple quotes, a comma may be left over,
// and Python's None, True and False are values. Valid JSON is read
// as JSON. Only strings are kept; they are parts of the text where
// nothing is escaped.
type jsonReader struct {
	src string
	pos int
}

func (r *jsonReader) space() {
	for r.pos < len(r.src) {
		switch r.src[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// next returns the next byte that is no white space, or 0 at the end.
func (r *jsonReader) next() byte {
	r.space()
	if r.pos == len(r.src) {
		return 0
	}
	return r.src[r.pos]
}

// take reads c, if it comes next.
func (r *jsonReader) take(c byte) bool {
	if r.next() != c || c == 0 {
		return false
	}
	r.pos++
	return true
}

// scalar reads a number or word. ok is false where none is.
func (r *jsonReader) scalar() (ok bool) {
	start := r.pos
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '+', c == '.':
			r.pos++
			continue
		}
		break
	}
	word := r.src[start:r.pos]
	switch word {
	case "true", "false", "null", "True", "False", "None", "NaN", "Infinity", "-Infinity":
		return true
	}
	if word == "" || len(word) > 400 || !strings.ContainsAny(word, "0123456789") || strings.TrimLeft(word, "0123456789+-.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(word, 64)
	return err == nil || strings.Contains(err.Error(), "range")
}

// text reads a string, at whose quote it stands. ok is false where it does not
// end.
func (r *jsonReader) text() (s string, ok bool) {
	quote := r.src[r.pos : r.pos+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(r.src[r.pos:], triple) {
		quote = triple
	}
	r.pos += len(quote)
	start := r.pos
	for {
		if r.pos = r.plain(r.pos, quote[0]); r.pos == len(r.src) {
			return "", false
		}
		if r.src[r.pos] == '\\' {
			return r.escaped(start, quote)
		}
		if strings.HasPrefix(r.src[r.pos:], quote) {
			s = r.src[start:r.pos]
			r.pos += len(quote)
			return s, true
		}
		r.pos++
	}
}

// plain returns the offset, from at on, of the first backslash or quote.
func (r *jsonReader) plain(at int, quote byte) int {
	for at < len(r.src) && r.src[at] != '\\' && r.src[at] != quote {
		at++
	}
	return at
}

// escaped reads the rest of a string that began at start and has its first
// escape here.
func (r *jsonReader) escaped(start int, quote string) (s string, ok bool) {
	var b strings.Builder
	b.WriteString(r.src[start:r.pos])
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		switch {
		case c == '\\':
			if r.pos+1 == len(r.src) {
				return "", false
			}
			r.escape(&b)
			continue
		case c == quote[0] && strings.HasPrefix(r.src[r.pos:], quote):
			r.pos += len(quote)
			return b.String(), true
		}
		next := r.plain(r.pos+1, quote[0])
		b.WriteString(r.src[r.pos:next])
		r.pos = next
	}
	return "", false
}

// escape reads one escape, from its backslash on. An escape unknown to JSON stays as
// written.
func (r *jsonReader) escape(b *strings.Builder) {
	c := r.src[r.pos+1]
	r.pos += 2
	switch c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case '"', '\\', '/', '\'':
		b.WriteByte(c)
	case 'u':
		first, ok := r.unit()
		if !ok {
			b.WriteString(`\u`)
			return
		}
		if utf16.IsSurrogate(first) {
			at := r.pos
			if strings.HasPrefix(r.src[r.pos:], `\u`) {
				r.pos += 2
				if second, ok := r.unit(); ok {
					if both := utf16.DecodeRune(first, second); both != utf8.RuneError {
						b.WriteRune(both)
						return
					}
				}
			}
			r.pos = at
			first = utf8.RuneError
		}
		b.WriteRune(first)
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
}

// unit reads the four hexadecimal digits of an escape.
func (r *jsonReader) unit() (n rune, ok bool) {
	if r.pos+4 > len(r.src) {
		return 0, false
	}
	for _, c := range []byte(r.src[r.pos : r.pos+4]) {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | rune(c-'0')
		case 'a' <= c|32 && c|32 <= 'f':
			n = n<<4 | rune(c|32-'a'+10)
		default:
			return 0, false
		}
	}
	r.pos += 4
	return n, true
}
