package artifact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// Escape returns a hostile name as a unique and safe text for display: bytes
// outside of UTF-8 as \xNN, characters without print or with an effect on the
// direction of text as \uNNNN or \UNNNNNNNN, a backslash doubled.
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

// sniff is the size of a content's head for determining the type.
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
