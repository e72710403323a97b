package observe

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text makes a stream's bytes fit for people, models and JSON: terminal escape
// sequences and other control characters are dropped, and bytes that are not
// UTF-8 are written as \xNN, with every literal backslash doubled. It returns
// "escaped" as encoding when it had to escape.
func Text(b []byte) (text, encoding string) {
	escaped := !utf8.Valid(b)
	var out strings.Builder
	out.Grow(len(b))
	for i := 0; i < len(b); {
		if b[i] == 0x1b {
			i += escapeLength(b[i:])
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, `\x%02x`, b[i])
		case r == '\r' && i+1 < len(b) && b[i+1] == '\n':
			// A Windows line end becomes a line end.
		case r == '\r':
			out.WriteByte('\n')
		case escaped && r == '\\':
			out.WriteString(`\\`)
		case r == '\n' || r == '\t' || !Control(r):
			out.Write(b[i : i+n])
		}
		i += n
	}
	if escaped {
		encoding = "escaped"
	}
	return out.String(), encoding
}

// Control tells whether a rune steers a terminal or the direction of text
// rather than being part of it.
func Control(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, // bidirectional overrides
		r == 0x200e, r == 0x200f, r == 0x61c: // and marks
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags: text that only a machine reads
		return true
	case r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	}
	return false
}

// escapeLength returns the length of the escape sequence at the start of b, as
// ECMA-48 has it: CSI, OSC and its like with their ends, and two-byte ones.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
			if b[i] < 0x20 || b[i] > 0x7e {
				return i
			}
		}
		return len(b)
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] == 0x07:
				return i + 1
			case b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\':
				return i + 2
			case b[i] == '\n':
				// It was not ended: what follows is text.
				return i
			}
		}
		return len(b)
	}
	if b[1] >= 0x20 && b[1] <= 0x7e {
		return 2
	}
	return 1
}

// Middle shortens a text to about max bytes by leaving out its middle, and says
// how much is gone. It cuts between lines where it can.
func Middle(text string, max int) string {
	if len(text) <= max {
		return text
	}
	head, tail := text[:max/2], text[len(text)-max/2:]
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i+1]
	} else {
		head = strings.ToValidUTF8(head, "")
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	} else {
		tail = strings.ToValidUTF8(tail, "")
	}
	return Join(head, tail, int64(len(text)-len(head)-len(tail)))
}

// Join puts a head and a tail together with a line that says what is missing.
func Join(head, tail string, missing int64) string {
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return fmt.Sprintf("%s[… %d bytes left out …]\n%s", head, missing, tail)
}
