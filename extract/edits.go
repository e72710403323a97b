package extract

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Agents write changes in forms of their own: the patches of Codex, and the
// searches and replacements of aider and Cline. A file that such a change
// makes is taken; a change of a file is applied where the reply has the file.

// maxEdits bounds the text in which such changes are read.
const maxEdits = 1 << 20

// changeReason says why a change was left.
const changeReason = "a patch of a file that is not in the reply"

const beginPatch = "*** Begin Patch"

var (
	searchMark  = lazyre.New(`^(?:<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)|-{5,9} SEARCH)>?\s*$`)
	divideMark  = lazyre.New(`^={5,9}\s*$`)
	replaceMark = lazyre.New(`^(?:>{5,9} ?(?:REPLACE|UPDATED|[\w./-]+)?|\+{5,9} REPLACE)\s*$`)
)

// hasEdits reports whether a text holds changes in one of these forms.
func hasEdits(text string) bool {
	return strings.Contains(text, beginPatch) || hasAny(text, " SEARCH", "<SEARCH", " ORIGINAL", "<<<<<<< HEAD") && hasAny(text, "<<<<<", "-----") && hasAny(text, "\n=====")
}

// edits reads the changes in a block. ok is false where there are none.
func (f *finder) edits(b block) (blocks []block, ok bool) {
	if !hasEdits(b.text) {
		return nil, false
	}
	if len(b.text) > maxEdits {
		b.reason = "too long for a patch"
		return []block{b}, true
	}
	e := edits{finder: f, from: b, line: b.line - 1}
	for l := range strings.Lines(b.text) {
		if f.full(e.blocks) {
			break
		}
		e.line++
		e.read(strings.TrimRight(l, " \t\n"), strings.TrimSuffix(l, "\n"))
	}
	e.flush()
	return e.blocks, len(e.blocks) > 0
}

// edits is the work on one text.
type edits struct {
	*finder
	from   block
	line   int
	blocks []block

	state  int    // what the lines belong to
	start  int    // the line where the change begins
	name   string // the file's
	above  string // the last line outside of a change
	old    []string
	new    []string
	hunk   []string
	hunks  [][]string
	quoted string // the indentation of a search's mark
}

const (
	outside = iota
	adding
	updating
	deleting
	searching
	replacing
)

// read takes the next line: trimmed at its end, and as it is.
func (e *edits) read(t, raw string) {
	switch e.state {
	case searching:
		if divideMark().MatchString(strings.TrimPrefix(t, e.quoted)) {
			e.state = replacing
		} else {
			e.old = append(e.old, raw)
		}
		return
	case replacing:
		if replaceMark().MatchString(strings.TrimPrefix(t, e.quoted)) {
			e.replaced()
		} else {
			e.new = append(e.new, raw)
		}
		return
	}
	if strings.HasPrefix(t, "*** ") || strings.TrimSpace(t) == beginPatch {
		e.head(t)
		return
	}
	switch e.state {
	case adding:
		if rest, ok := strings.CutPrefix(raw, "+"); ok {
			e.new = append(e.new, rest)
		} else {
			e.new = append(e.new, raw)
		}
		return
	case updating:
		if strings.HasPrefix(t, "@@") {
			e.nextHunk()
			return
		}
		if raw == "" {
			raw = " "
		}
		e.hunk = append(e.hunk, raw)
		return
	case deleting:
		return
	}
	if m := strings.TrimLeft(t, " \t"); searchMark().MatchString(m) {
		e.state, e.start, e.quoted = searching, e.line, t[:len(t)-len(m)]
		e.name = e.from.name
		if n := wholeName(e.above); n != "" {
			e.name = n
		}
		e.old, e.new = nil, nil
		return
	}
	if t != "" {
		e.above = t
	}
}

// head reads a line of Codex's form that says what follows.
func (e *edits) head(t string) {
	before, name, _ := strings.Cut(strings.TrimPrefix(t, "*** "), ": ")
	if before == "Move to" || before == "End of File" {
		return
	}
	e.flush()
	e.start, e.name = e.line, strings.TrimSpace(name)
	switch before {
	case "Add File":
		e.state = adding
	case "Update File":
		e.state = updating
	case "Delete File":
		e.state = deleting
	default: // Begin Patch, End Patch
		e.state = outside
	}
}

func (e *edits) nextHunk() {
	if len(e.hunk) > 0 {
		e.hunks = append(e.hunks, e.hunk)
	}
	e.hunk = nil
}

// block makes a block of the change that ends here.
func (e *edits) block() block {
	return block{line: e.start, lines: max(1, e.line-e.start), name: e.name, before: e.from.before}
}

// flush ends a change in Codex's form.
func (e *edits) flush() {
	b := e.block()
	switch e.state {
	case adding:
		e.made(b, "a new file in a patch")
	case updating:
		e.nextHunk()
		e.patch(b, e.hunks)
	case deleting:
		b.reason = "a file that a patch removes"
		e.blocks = append(e.blocks, b)
	case searching, replacing:
		b.tag, b.reason, b.cut = "diff", "a change that the reply's end cut off", true
		e.blocks = append(e.blocks, b)
	}
	e.state, e.old, e.new, e.hunks, e.hunk = outside, nil, nil, nil, nil
}

// made adds a file that the change makes.
func (e *edits) made(b block, note string) {
	b.text = strings.Join(e.new, "\n") + "\n"
	b.notes = append(b.notes, note)
	if strings.TrimSpace(b.text) == "" {
		b.reason = "empty"
	} else {
		e.label(&b)
	}
	e.blocks = append(e.blocks, b)
}

// patch adds a change of a file.
func (e *edits) patch(b block, hunks [][]string) {
	if len(hunks) == 0 {
		return
	}
	b.tag, b.reason, b.patch = "diff", changeReason, hunks
	e.blocks = append(e.blocks, b)
}

// replaced ends a search and its replacement.
func (e *edits) replaced() {
	e.state = outside
	b := e.block()
	b.lines++
	if strings.TrimSpace(strings.Join(e.old, "")) == "" {
		if b.name == "" && plainTags[e.from.tag] {
			b.tag = ""
		} else if b.name == "" {
			b.tag = e.from.tag
		}
		e.made(b, "a new file in a change")
		return
	}
	var hunk []string
	for _, l := range e.old {
		hunk = append(hunk, "-"+l)
	}
	for _, l := range e.new {
		hunk = append(hunk, "+"+l)
	}
	e.patch(b, [][]string{hunk})
}

// bareEdits finds such changes without a fence around them.
func (f *finder) bareEdits(src string, line, _ int) []block {
	blocks, _ := f.edits(block{text: src, line: line})
	return blocks
}
