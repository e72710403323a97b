package observe

import (
	"strings"
	"unicode/utf8"
)

// Screen is [Text] for a stream in pieces: an escape sequence, a line end or a
// character cut between two pieces counts as one. It keeps at most three bytes
// back. The zero Screen is ready; a new stream needs a new one.
type Screen struct {
	state screenState
	held  []byte // the beginning of a character
}

// screenState is the context of the next bytes.
type screenState byte

const (
	inText       screenState = iota
	afterReturn              // a carriage return, of a Windows line end perhaps
	afterEscape              // ESC
	inControl                // ESC [ and parameters
	inString                 // ESC ] or one of its like: up to its end
	escapeString             // an ESC in such a string, perhaps its end
)

// Held is the number of bytes written so far without appearing in a text.
func (s *Screen) Held() int {
	if s.state == afterReturn {
		return 1
	}
	return len(s.held)
}

// Write returns the text of the next piece. escaped reports bytes that are not
// UTF-8: they are written as \xNN, with every literal backslash of this piece
// doubled.
func (s *Screen) Write(b []byte) (text string, escaped bool) { return s.write(b, false) }

// Close returns the text of the bytes kept back.
func (s *Screen) Close() (text string, escaped bool) { return s.write(nil, true) }

func (s *Screen) write(b []byte, eof bool) (string, bool) {
	if len(s.held) > 0 {
		b = append(s.held, b...)
		s.held = nil
	}
	if !eof {
		whole := len(b) - cutRune(b)
		s.held = append(s.held, b[whole:]...)
		b = b[:whole]
	}
	escaped := !utf8.Valid(b)
	var out strings.Builder
	out.Grow(len(b))
	for i := 0; i < len(b); {
		i += s.next(b[i:], escaped, &out)
	}
	if eof && s.state == afterReturn {
		out.WriteByte('\n')
		s.state = inText
	}
	return out.String(), escaped
}

// next takes the first element of b, which is not empty, and returns its
// length; 0 for a mere change of state.
func (s *Screen) next(b []byte, escaped bool, out *strings.Builder) int {
	c := b[0]
	switch s.state {
	case afterReturn:
		if c != '\n' {
			out.WriteByte('\n')
		}
		s.state = inText
		return 0
	case afterEscape:
		switch {
		case c == '[':
			s.state = inControl
		case strings.IndexByte("]PX^_", c) >= 0:
			s.state = inString
		case c >= 0x20 && c <= 0x7e:
			s.state = inText
		default:
			s.state = inText
			return 0
		}
		return 1
	case inControl:
		switch {
		case c >= 0x40 && c <= 0x7e:
			s.state = inText
		case c < 0x20 || c > 0x7e:
			s.state = inText
			return 0
		}
		return 1
	case escapeString:
		if c == '\\' {
			s.state = inText
			return 1
		}
		s.state = inString
		fallthrough
	case inString:
		switch c {
		case 0x07:
			s.state = inText
		case 0x1b:
			s.state = escapeString
		case '\n': // it was not ended: what follows is text
			s.state = inText
			return 0
		}
		return 1
	}
	if n := plain(b, escaped); n > 0 {
		out.Write(b[:n])
		return n
	}
	r, n := utf8.DecodeRune(b)
	switch {
	case c == 0x1b:
		s.state = afterEscape
	case c == '\r':
		s.state = afterReturn
	case r == utf8.RuneError && n == 1:
		const digits = "0123456789abcdef"
		out.WriteString(`\x`)
		out.WriteByte(digits[c>>4])
		out.WriteByte(digits[c&15])
	case r == '\\': // escaped, or else it were plain
		out.WriteString(`\\`)
	case !Control(r):
		out.Write(b[:n])
	}
	return n
}

// plain returns how many bytes at the start of b stand for themselves, being
// ASCII: most texts are nothing else.
func plain(b []byte, escaped bool) int {
	for i, c := range b {
		if (c < 0x20 || c > 0x7e) && c != '\n' && c != '\t' || escaped && c == '\\' {
			return i
		}
	}
	return len(b)
}

// cutRune returns how many bytes at the end of b are the beginning of a
// character of which the rest may come.
func cutRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
