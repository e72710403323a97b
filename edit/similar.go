package edit

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the search for similar lines and of the shown lines.
const (
	maxCompared = 20_000 // lines of a file
	maxWindow   = 40     // lines of a text that is looked for
	maxShown    = 10     // lines that are shown
	maxWidth    = 160    // characters of each
)

// similar shows the lines of a text most like the wanted lines, as the end of a
// message.
func (a *applier) similar(text, wanted string) string {
	if a.hints--; a.hints < 0 {
		return ""
	}
	lines := strings.SplitN(text, "\n", maxCompared+1)
	lines = lines[:min(len(lines), maxCompared)]
	want := strings.Split(strings.TrimSuffix(wanted, "\n"), "\n")
	want = want[:min(len(want), maxWindow)]

	// Blank lines and lone brackets tell little of where a text is: a line
	// counts by its length.
	trim := func(lines []string) []string {
		out := make([]string, len(lines))
		for i, l := range lines {
			out[i] = strings.TrimSpace(l)
		}
		return out
	}
	have, want := trim(lines), trim(want)
	best, score := -1, 0
	for i := range have {
		s := 0
		for j, w := range want {
			if i+j < len(have) && have[i+j] == w {
				s += min(len(w), 20)
			}
		}
		if s > score {
			best, score = i, s
		}
	}
	if best < 0 { // no line as it is: the one most like the longest
		var pairs pairs
		at := longest(want)
		pairs.count(want[at], 1)
		for i, l := range have {
			if s := pairs.alike(l, len(want[at])); s > score && s >= 50 {
				best, score = i, s
			}
		}
		if best < 0 {
			return ", nor is there anything like it"
		}
		best = max(0, best-at)
	}
	var out strings.Builder
	out.WriteString("; the most similar lines of the file are:")
	shown := min(max(len(want), 3), maxShown)
	for i := best; i < min(best+shown, len(lines)); i++ {
		fmt.Fprintf(&out, "\n%d: %s", i+1, clip(lines[i], maxWidth))
	}
	return out.String()
}

func longest(lines []string) int {
	at := 0
	for i, l := range lines {
		if len(l) > len(lines[at]) {
			at = i
		}
	}
	return at
}

// pairs counts the pairs of neighbouring bytes in a line.
type pairs [1 << 16]int16

func (p *pairs) count(s string, by int16) (common int) {
	s = s[:min(len(s), maxWidth)]
	for i := 0; i+1 < len(s); i++ {
		at := &p[int(s[i])<<8|int(s[i+1])]
		if *at > 0 {
			common++
		}
		*at += by
	}
	return common
}

// alike returns the share of a line of n bytes, with these pairs, that is also
// in s: from 0 to 100.
func (p *pairs) alike(s string, n int) int {
	common := p.count(s, -1)
	p.count(s, 1)
	total := min(len(s), maxWidth) + min(n, maxWidth) - 2
	return 200 * common / max(total, 1)
}

// alike names files that a path may have meant: those with its last element.
func (a *applier) alike(name string) string {
	var found []string
	for _, p := range a.c.Paths() {
		if path.Base(p) == path.Base(name) {
			if found = append(found, p); len(found) == 3 {
				break
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; there is " + strings.Join(found, ", ")
}

// clip makes a line fit for a message: n characters at most, without any that a
// terminal takes for a command.
func clip(s string, n int) string {
	s = s[:min(len(s), 4*n+utf8.UTFMax)]
	s = strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}
