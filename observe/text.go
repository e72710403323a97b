package observe

import (
	"fmt"
	"strings"
)

// Text makes a stream's bytes fit for people, models and JSON: terminal escape
// sequences and other control characters are dropped, and bytes that are not
// UTF-8 are written as \xNN, with every literal backslash doubled. It returns
// "escaped" as encoding when it had to escape. Escape sequences are those of
// ECMA-48: CSI, OSC and the like with their ends, and two-byte ones. [Screen]
// does the same with a stream.
func Text(b []byte) (text, encoding string) {
	var s Screen
	text, escaped := s.write(b, true)
	if escaped {
		encoding = "escaped"
	}
	return text, encoding
}

// Control reports whether a rune steers a terminal or the direction of text
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

// Middle shortens a text to about max bytes by leaving out its middle, and
// states the size of the gap. It cuts between lines where possible.
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

// Join puts a head and a tail together around a line with the size of the gap.
func Join(head, tail string, missing int64) string {
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return fmt.Sprintf("%s[… %d bytes left out …]\n%s", head, missing, tail)
}
