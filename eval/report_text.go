package eval

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
)

// segment is a part of a text of the report. Mark names characters that are
// invisible to a reader, or change the look of their neighbours.
type segment struct {
	Text string
	Mark string
}

// multiline splits a text of several lines, where line ends and tabs are seen.
func multiline(s string) []segment { return segments(s, "\n\t") }

// oneline splits a name or a sentence: one line.
func oneline(s string) []segment { return segments(s, "") }

func segments(s, keep string) []segment {
	if !strings.ContainsFunc(s, func(r rune) bool { return unseen(r, keep) }) && utf8.ValidString(s) {
		return []segment{{Text: s}}
	}
	var list []segment
	var marks []string
	start := 0 // of the text that is not in the list yet
	flush := func() {
		if len(marks) > 0 {
			list = append(list, segment{Mark: strings.Join(marks, " ")})
			marks = nil
		}
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		bad := r == utf8.RuneError && n == 1
		if !bad && !unseen(r, keep) {
			flush()
			i += n
			continue
		}
		if start < i {
			list = append(list, segment{Text: s[start:i]})
		}
		if bad {
			marks = append(marks, fmt.Sprintf("0x%02X", s[i]))
		} else {
			marks = append(marks, fmt.Sprintf("U+%04X", r))
		}
		i += n
		start = i
	}
	flush()
	if start < len(s) {
		list = append(list, segment{Text: s[start:]})
	}
	return list
}

// unseen reports whether a rune has no picture of its own: controls, marks of
// text direction, joiners, fillers, private and unassigned characters.
func unseen(r rune, keep string) bool {
	if strings.ContainsRune(keep, r) {
		return false
	}
	return !unicode.IsGraphic(r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// shownSize is how many bytes a text takes on the page.
func shownSize(s string) int {
	n := 0
	for _, p := range multiline(s) {
		n += len(template.HTMLEscapeString(p.Text))
		if p.Mark != "" {
			n += len(`<span class="u"></span>`) + len(p.Mark)
		}
	}
	return n
}

// plain writes a text for places without elements, such as a title.
func plain(s string) string {
	var b strings.Builder
	for _, p := range oneline(s) {
		b.WriteString(p.Text)
		if p.Mark != "" {
			b.WriteString("[" + p.Mark + "]")
		}
	}
	return b.String()
}

// clip shortens a name to at most max bytes, marked by an ellipsis.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max] + "…"
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2 January 2006, 15:04 UTC")
}

// number writes a count with separated thousands.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "s"):
		what += "es"
	default:
		what += "s"
	}
	return number(n) + " " + what
}

func bytesText(n int64) string {
	switch {
	case n >= 10*glovebox.GiB:
		return fmt.Sprintf("%d GiB", n/glovebox.GiB)
	case n >= glovebox.GiB:
		return fmt.Sprintf("%.3g GiB", float64(n)/float64(glovebox.GiB))
	case n >= glovebox.MiB:
		return fmt.Sprintf("%.3g MiB", float64(n)/float64(glovebox.MiB))
	default:
		return fmt.Sprintf("%d KiB", (n+glovebox.KiB-1)/glovebox.KiB)
	}
}
