package repomap

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxName is the maximum of shown bytes of a file's name.
const maxName = 512

// name makes a file's name fit for a line of ours: quoted as in Go unless all
// characters are plain and printable.
func name(path string) string {
	if len(path) > maxName {
		path = strings.ToValidUTF8(path[:maxName], "") + "…"
	}
	q := strconv.Quote(path)
	if q == `"`+path+`"` && !strings.ContainsAny(path, " <>") {
		return path
	}
	return q
}

// plain makes bytes safe to show. Bytes outside of UTF-8, control characters
// and characters for steering a terminal or the direction of text are written
// as visible, harmless escapes. Windows line ends become line ends.
func plain(b []byte) string {
	var out strings.Builder
	out.Grow(len(b))
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, `\x%02x`, b[i])
		case r == '\r' && i+1 < len(b) && b[i+1] == '\n':
		case r == '\n' || r == '\t':
			out.WriteByte(byte(r))
		case steers(r):
			q := strconv.QuoteRuneToASCII(r)
			out.WriteString(q[1 : len(q)-1])
		default:
			out.Write(b[i : i+n])
		}
		i += n
	}
	return out.String()
}

// steers reports whether a rune steers a terminal, the direction of text, or a
// reader's eye, rather than being text.
func steers(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0,
		r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, // directions
		r == 0x200b, r == 0x200e, r == 0x200f, r == 0x61c, r == 0x2060,
		r == 0x2028, r == 0x2029, r == 0xfeff,
		r >= 0xe0000 && r <= 0xe007f: // text that only a machine reads
		return true
	}
	return false
}

// line makes bytes one line of at most max bytes, its white space collapsed.
func line(b []byte, max int) string {
	// White space aside, the cut part cannot belong to the line.
	if len(b) > 8*max {
		b = b[:8*max]
	}
	s := strings.Join(strings.Fields(plain(b)), " ")
	if len(s) > max {
		s = strings.ToValidUTF8(s[:max], "") + "…"
	}
	return s
}
