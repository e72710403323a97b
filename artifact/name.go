package artifact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// Escape returns a hostile name as text that is safe to show and that no other
// name has: bytes that are not UTF-8 as \xNN, characters that do not print or
// that change the direction of text as \uNNNN or \UNNNNNNNN, a backslash
// doubled.
func Escape(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == utf8.RuneError && n == 1, r < ' ', r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case unicode.IsPrint(r): // no control, format, private or unassigned character, no space but ' '
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// sniff is how much of a content its type is told from.
const sniff = 3072

// typeOf returns the MIME type of a content by its head.
func typeOf(head []byte) (mime string) {
	// The detector parses hostile bytes; what it cannot take has no type.
	defer func() {
		if recover() != nil {
			mime = "application/octet-stream"
		}
	}()
	return mimetype.Detect(head).String()
}
