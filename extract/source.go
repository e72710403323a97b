package extract

import (
	"strings"
	"unicode/utf8"
)

// normalize removes a byte order mark, makes line ends "\n" and removes the
// indentation that all lines share. The number of lines stays.
func normalize(s string) string {
	s = strings.TrimPrefix(s, "\ufeff")
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return dedent(s)
}

// dedent removes the white space that all lines with text begin with. Tabs
// and spaces are not mixed: the common prefix counts.
func dedent(s string) string {
	prefix, found := "", false
	for line := range strings.Lines(s) {
		text := strings.TrimLeft(line, " \t")
		if strings.TrimSpace(text) == "" {
			continue
		}
		indent := line[:len(line)-len(text)]
		if !found {
			prefix, found = indent, true
			continue
		}
		n := 0
		for n < len(prefix) && n < len(indent) && prefix[n] == indent[n] {
			n++
		}
		if prefix = prefix[:n]; n == 0 {
			return s
		}
	}
	if prefix == "" {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.Lines(s) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			b.WriteString(rest)
		} else {
			b.WriteString(strings.TrimLeft(line, " \t"))
		}
	}
	return b.String()
}

// afterThinking returns the part of a reply after the reasoning that some
// models put in front, the line it starts at, and how many lines were skipped.
func afterThinking(s string) (answer string, line, skipped int) {
	head := strings.TrimLeft(s, " \t\n")
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		if len(head) < len(tag)+2 || !strings.EqualFold(head[:len(tag)+2], "<"+tag+">") {
			continue
		}
		end := indexFold(s, "</"+tag+">")
		if end < 0 {
			return "", countLines(s) + 1, countLines(s)
		}
		end += len(tag) + 3
		n := strings.Count(s[:end], "\n")
		return s[end:], n + 1, n + 1
	}
	return s, 1, 0
}

// indexFold is strings.Index without regard to the case of ASCII letters.
func indexFold(s, sub string) int {
	for i := 0; ; {
		j := strings.IndexByte(s[i:], sub[0])
		if j < 0 || len(s)-i-j < len(sub) {
			return -1
		}
		i += j
		if strings.EqualFold(s[i:i+len(sub)], sub) {
			return i
		}
		i++
	}
}

// countLines counts the lines of s; a last line needs no line end.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// firstLine returns s up to its first line end.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// short cuts s for a message.
func short(s string) string {
	const most = 60
	s = strings.ToValidUTF8(s, "\ufffd")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
