package extract

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

var (
	hunk     = lazyre.New(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)
	oldFile  = lazyre.New(`^--- (\S.*?)(?:\t.*)?$`)
	newFile  = lazyre.New(`^\+\+\+ (\S.*?)(?:\t.*)?$`)
	bareHunk = lazyre.New(`^@@(?: .*)?$`)
)

// looksLikeDiff reports whether text begins as a unified diff does.
func looksLikeDiff(text string) bool {
	lines := 0
	old := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case len(line) > maxLine:
		case strings.HasPrefix(line, "diff --git "), hunk().MatchString(line):
			return true
		case old && newFile().MatchString(line):
			return true
		}
		old = len(line) <= maxLine && oldFile().MatchString(line)
		if lines++; lines > 4 {
			return false
		}
	}
	return false
}

// change is what a diff does to one file.
type change struct {
	from, to    string
	line, lines int
	hunks       [][]string // lines with their mark
	fresh       bool       // only added lines
}

// readDiff reads a unified diff. The counts in the hunks' heads are not
// believed: models miscount.
func (f *finder) readDiff(b block) []block {
	if len(b.text) > maxEdits {
		b.reason = "too long for a patch"
		return []block{b}
	}
	var all []change
	cur := change{line: b.line}
	flush := func() {
		if len(cur.hunks) > 0 {
			all = append(all, cur)
		}
	}
	n := b.line - 1
	var from string
	headless := true
	for line := range strings.Lines(b.text) {
		line = strings.TrimRight(line, "\n")
		n++
		switch {
		case strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "index "),
			strings.HasPrefix(line, "new file mode"), strings.HasPrefix(line, `\ No newline`):
			continue
		case strings.HasPrefix(line, "--- ") && oldFile().MatchString(line):
			from = oldFile().FindStringSubmatch(line)[1]
			continue
		case from != "" && newFile().MatchString(line):
			flush()
			cur = change{from: from, to: newFile().FindStringSubmatch(line)[1], line: n - 1}
			from = ""
		case strings.HasPrefix(line, "@@") && bareHunk().MatchString(line):
			headless = false
			cur.hunks = append(cur.hunks, nil)
		default:
			if len(cur.hunks) == 0 {
				cur.hunks = append(cur.hunks, nil)
			}
			if line == "" {
				line = " "
			}
			h := &cur.hunks[len(cur.hunks)-1]
			*h = append(*h, line)
		}
		cur.lines = n - cur.line + 1
	}
	flush()
	var blocks []block
	for _, c := range all {
		nb := block{line: c.line, lines: c.lines, tag: b.tag, name: diffName(c.to), before: b.before, cut: b.cut}
		if nb.name == "" {
			nb.name = b.name
		}
		nb.text, c.fresh = newSide(c.hunks)
		switch {
		case c.to == "/dev/null":
			nb.reason = "a file that a diff removes"
		case c.from == "/dev/null" || c.fresh && c.from != "":
			nb.notes = append(nb.notes, "a new file in a diff")
		case len(all) == 1 && c.from == "" && c.to == "" && headless && marked(c.hunks):
			nb.notes = append(nb.notes, "the new side of a diff without places")
		default:
			nb.tag = "diff"
			nb.reason = "a patch of a file that is not in the reply"
			nb.patch = c.hunks
		}
		if nb.reason == "" {
			nb.tag = ""
			f.label(&nb)
		}
		blocks = append(blocks, nb)
	}
	return blocks
}

// diffName removes git's prefix from a name.
func diffName(name string) string {
	if name == "/dev/null" {
		return ""
	}
	for _, p := range []string{"a/", "b/"} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			return rest
		}
	}
	return name
}

// marked reports whether hunks have both added and removed or kept lines, each
// with its mark: else it is no diff.
func marked(hunks [][]string) bool {
	added := false
	for _, h := range hunks {
		for _, l := range h {
			switch l[0] {
			case '+':
				added = true
			case '-', ' ':
			default:
				return false
			}
		}
	}
	return added
}

// newSide returns what the hunks leave, and whether they only add.
func newSide(hunks [][]string) (text string, fresh bool) {
	var out strings.Builder
	fresh = true
	for _, h := range hunks {
		for _, l := range h {
			switch l[0] {
			case '-':
				fresh = false
			case '+', ' ':
				if l[0] == ' ' && strings.TrimSpace(l) != "" {
					fresh = false
				}
				out.WriteString(l[1:])
				out.WriteByte('\n')
			default: // the mark was forgotten
				fresh = false
				out.WriteString(l)
				out.WriteByte('\n')
			}
		}
	}
	return out.String(), fresh
}

// patched applies hunks to text, each where its old side stands. ok is false
// where one does not.
func patched(text string, hunks [][]string) (result string, ok bool) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	var done strings.Builder
	for _, h := range hunks {
		var before, after strings.Builder
		for _, l := range h {
			if l[0] != '+' {
				before.WriteString(strings.TrimPrefix(strings.TrimPrefix(l, " "), "-") + "\n")
			}
			if l[0] != '-' {
				after.WriteString(strings.TrimPrefix(strings.TrimPrefix(l, " "), "+") + "\n")
			}
		}
		old := before.String()
		i := strings.Index(text, old)
		if old == "" || i < 0 || i > 0 && text[i-1] != '\n' {
			return "", false
		}
		done.WriteString(text[:i])
		done.WriteString(after.String())
		text = text[i+len(old):]
	}
	done.WriteString(text)
	return done.String(), true
}

// bareDiff reads a reply that is a diff without a fence.
func (f *finder) bareDiff(src string, line, _ int) []block {
	start := 0
	for l := range strings.Lines(src) {
		if strings.HasPrefix(l, "diff --git ") || strings.HasPrefix(l, "--- ") && looksLikeDiff(src[start:min(len(src), start+2000)]) {
			return f.readDiff(block{text: src[start:], line: line, lines: countLines(src[start:])})
		}
		start += len(l)
		line++
	}
	return nil
}
