package edit

import (
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

var (
	hunkHead  = lazyre.New(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)
	diffExtra = lazyre.New(`^(?:index |new file mode |deleted file mode |old mode |new mode |similarity index |dissimilarity index |rename |copy )`)
)

const noFile = "/dev/null"

// startsDiff reports whether a unified diff begins at the first line.
func startsDiff(lines []string) bool {
	if len(lines) == 0 {
		return false
	}
	if strings.HasPrefix(lines[0], "diff --git ") {
		return true
	}
	return isFileHead(lines) && len(lines) > 2 && strings.HasPrefix(lines[2], "@@")
}

// isFileHead reports whether the first two lines name the old and the new file.
func isFileHead(lines []string) bool {
	return len(lines) > 1 && strings.HasPrefix(lines[0], "--- ") && strings.HasPrefix(lines[1], "+++ ")
}

// header is the text before the hunks of one file.
type header struct {
	git, from, to string // the name after "diff --git", the two sides
	rename        string // the old name of a renamed file
	fresh, gone   bool
	bad           string // what is not supported
}

// diff reads the changes of one file that begin at lines[i] and returns the
// line after them. name is the path of the fence, for a diff without names.
func (p *parser) diff(lines []string, i, at int, fenced bool, name string) int {
	line := at + i
	h := header{}
	for ; i < len(lines); i++ {
		l := lines[i]
		switch {
		case strings.HasPrefix(l, "diff --git ") && h.git == "" && h.from == "":
			h.git = gitName(strings.TrimPrefix(l, "diff --git "))
			continue
		case isFileHead(lines[i:]) && h.from == "":
			h.from, h.to = sides(l, lines[i+1])
			i++
			continue
		case strings.HasPrefix(l, "GIT binary patch"), strings.HasPrefix(l, "Binary files "), strings.HasPrefix(l, "copy from "):
			h.bad = "binary changes and copies cannot be made by a diff in a reply"
			continue
		case h.git != "" && h.from == "" && diffExtra().MatchString(l):
			h.extra(l)
			continue
		}
		break
	}
	var hunks []Hunk
	for i < len(lines) {
		for fenced && i < len(lines) && strings.TrimSpace(lines[i]) == "" {
			i++
		}
		if i == len(lines) || !strings.HasPrefix(lines[i], "@@") {
			break
		}
		var hunk Hunk
		hunk, i = p.hunk(lines, i, at, fenced)
		if len(hunk.Lines) > 0 {
			hunks = append(hunks, hunk)
		}
	}
	if fenced && i < len(lines) && !startsDiff(lines[i:]) && !strings.HasPrefix(lines[i], "***") && strings.TrimSpace(lines[i]) != "-- " {
		p.bad.add(Malformed, name, at+i, "%q is no line of a diff: each begins with a space, + or -", clip(lines[i], 80))
		for i < len(lines) && !startsDiff(lines[i:]) {
			i++
		}
	}
	p.change(h, hunks, line, name)
	return i
}

// extra reads a line between "diff --git" and the names.
func (h *header) extra(l string) {
	switch {
	case strings.HasPrefix(l, "new file mode "):
		h.fresh = true
	case strings.HasPrefix(l, "deleted file mode "):
		h.gone = true
	default:
		for _, prefix := range []string{"rename from ", "rename old "} {
			if rest, ok := strings.CutPrefix(l, prefix); ok {
				h.rename = unquote(rest)
			}
		}
		for _, prefix := range []string{"rename to ", "rename new "} {
			if rest, ok := strings.CutPrefix(l, prefix); ok {
				h.git = unquote(rest)
			}
		}
	}
}

// change adds the edits of a header and its hunks.
func (p *parser) change(h header, hunks []Hunk, line int, name string) {
	to := h.to
	if to == "" || to == noFile {
		to = h.git
	}
	if to == "" && h.to != noFile {
		to = name
	}
	fresh, gone := h.fresh || h.from == noFile, h.gone || h.to == noFile
	if gone && h.from != "" {
		to = h.from
	}
	switch {
	case h.bad != "":
		p.bad.add(Malformed, to, line, "%s", h.bad)
	case to == "":
		p.bad.add(Malformed, "", line, "this diff names no file: write --- a/path and +++ b/path before its hunks")
	case gone:
		p.add(Edit{Kind: Delete, Path: to, Line: line})
	case fresh:
		var text strings.Builder
		for _, hunk := range hunks {
			for _, l := range hunk.Lines {
				if l.Op != '+' {
					p.bad.add(Malformed, to, hunk.Line, "a new file has + lines only")
					return
				}
				text.WriteString(l.Text)
			}
		}
		p.add(Edit{Kind: Whole, Path: to, Line: line, New: true, Data: []byte(text.String())})
	case h.rename == "" && h.from != "" && h.from != to:
		p.bad.add(Malformed, to, line, "--- says %s and +++ says %s: a diff changes one file", clip(h.from, 200), clip(to, 200))
	default:
		if h.rename != "" {
			p.add(Edit{Kind: Rename, From: h.rename, Path: to, Line: line})
		}
		if len(hunks) > 0 {
			p.add(Edit{Kind: Patch, Path: to, Line: line, Hunks: hunks})
		} else if h.rename == "" {
			p.bad.add(Malformed, to, line, "this diff has no hunks")
		}
	}
}

// hunk reads the hunk that begins at lines[i]. Until the counts of its head are
// used up, any line with a mark is taken; after that only unambiguous lines.
func (p *parser) hunk(lines []string, i, at int, fenced bool) (Hunk, int) {
	h := Hunk{Line: at + i}
	old, new := 0, 0
	if m := hunkHead().FindStringSubmatch(lines[i]); m != nil {
		h.Start, _ = strconv.Atoi(m[1])
		old, new = count(m[2]), count(m[4])
	}
	said := old+new > 0
	lost := 0   // blank lines without a mark at the end
	goesOn := 0 // up to here blank lines are of the hunk
	for i++; i < len(lines); i++ {
		l := lines[i]
		used := old <= 0 && new <= 0
		if l == "" {
			// A blank line has lost its mark, or is outside of the hunk.
			if used && i >= goesOn {
				if !fenced && said || !continues(lines[i:]) {
					break
				}
				goesOn = i + len(lines[i:]) - len(after(lines[i:]))
			}
			l = " "
			lost++
		} else {
			lost = 0
		}
		if strings.HasPrefix(l, `\ `) && len(h.Lines) > 0 {
			last := &h.Lines[len(h.Lines)-1]
			last.Text = strings.TrimSuffix(last.Text, "\n")
			continue
		}
		if !strings.ContainsRune(" +-", rune(l[0])) {
			break
		}
		if isFileHead(lines[i:]) && (used || startsDiff(lines[i:]) && (old != 1 || new != 1)) || used && l == "-- " {
			break
		}
		h.Lines = append(h.Lines, Line{Op: l[0], Text: l[1:] + "\n"})
		if l[0] != '+' {
			old--
		}
		if l[0] != '-' {
			new--
		}
	}
	if said && (old != 0 || new != 0) {
		p.note("the counts of the hunk at line %d do not fit its lines: the lines were taken", h.Line)
	}
	if !said || old != 0 || new != 0 {
		h.Lines = h.Lines[:len(h.Lines)-lost]
	}
	return h, i
}

// continues reports whether the next line with text is one of a hunk.
func continues(lines []string) bool {
	lines = after(lines)
	return len(lines) > 0 && strings.ContainsRune(" +-", rune(lines[0][0])) && !isFileHead(lines)
}

func count(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s)
	return n
}

// sides returns the two names of a diff. The prefixes a/ and b/ are git's.
func sides(old, new string) (from, to string) {
	from = headName(strings.TrimPrefix(old, "--- "))
	to = headName(strings.TrimPrefix(new, "+++ "))
	a, isA := strings.CutPrefix(from, "a/")
	b, isB := strings.CutPrefix(to, "b/")
	if (isA || from == noFile) && (isB || to == noFile) {
		if isA {
			from = a
		}
		if isB {
			to = b
		}
	}
	return from, to
}

// headName is a name without the time that may follow.
func headName(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	return unquote(strings.TrimSpace(s))
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, `"`) {
		if u, err := strconv.Unquote(s); err == nil {
			return u
		}
	}
	return strings.ReplaceAll(s, `\`, "/")
}

// gitName returns the name in "a/x b/x".
func gitName(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 4*maxName {
		return ""
	}
	for i := strings.IndexByte(s, ' '); i >= 0 && i < len(s); {
		a, b := strings.TrimPrefix(unquote(s[:i]), "a/"), strings.TrimPrefix(unquote(s[i+1:]), "b/")
		if a == b {
			return a
		}
		next := strings.IndexByte(s[i+1:], ' ')
		if next < 0 {
			return b
		}
		i += 1 + next
	}
	return ""
}
