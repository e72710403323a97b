package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Parse reads the edits of a reply. The error holds every [*Error] found; see
// [Problems]. A reply without edits is [NoEdits].
func Parse(reply string) (*Set, error) {
	p := &parser{}
	if len(reply) > maxReply {
		p.bad.add(TooLarge, "", 0, "the reply has %d bytes: at most %d are read", len(reply), maxReply)
		return nil, p.bad.err()
	}
	if n := strings.Count(reply, "\n"); n > maxLines {
		p.bad.add(TooLarge, "", 0, "the reply has %d lines: at most %d are read", n, maxLines)
		return nil, p.bad.err()
	}
	lines := strings.Split(strings.TrimPrefix(reply, "\ufeff"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	skip := thinking(lines)
	p.text(lines[skip:], skip+1, false, "")
	if p.count > maxEdits {
		p.bad.add(TooLarge, "", 0, "the reply has %d edits: at most %d are made", p.count, maxEdits)
	}
	if len(p.bad.list) == 0 && len(p.set.Edits) == 0 {
		detail := "the reply holds no edit. Write a search/replace block with the path on the line before it, or a whole file in a fence with the path on the line above"
		if p.nameless > 0 {
			detail += fmt.Sprintf("; %d fences name no path", p.nameless)
		}
		p.bad.add(NoEdits, "", 0, "%s", detail)
	}
	if err := p.bad.err(); err != nil {
		return nil, err
	}
	return &p.set, nil
}

// thinking returns the number of lines of reasoning that some models put in
// front of their answer. Reasoning without an end has no answer.
func thinking(lines []string) int {
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if l == "" {
			continue
		}
		for _, tag := range []string{"think", "thinking", "reasoning"} {
			if !strings.HasPrefix(strings.ToLower(l), "<"+tag+">") {
				continue
			}
			for j := i; j < len(lines); j++ {
				if strings.Contains(strings.ToLower(lines[j]), "</"+tag+">") {
					return j + 1
				}
			}
			return len(lines)
		}
		break
	}
	return 0
}

// parser collects the edits of a reply.
type parser struct {
	set      Set
	bad      problems
	count    int    // edits, blocks and hunks
	last     string // path of the last search/replace block
	nameless int    // fences without a path
}

func (p *parser) add(e Edit) {
	p.count += 1 + len(e.Hunks)
	if p.count <= maxEdits {
		p.set.Edits = append(p.set.Edits, e)
	}
}

func (p *parser) note(format string, args ...any) {
	if len(p.set.Notes) < 100 {
		p.set.Notes = append(p.set.Notes, fmt.Sprintf(format, args...))
	}
}

var (
	openBlock  = lazyre.New(`^<{5,9} ?SEARCH:?\s*$`)
	closeBlock = lazyre.New(`^>{5,9} ?REPLACE\s*$`)
	divider    = lazyre.New(`^={5,9}\s*$`)
	directive  = lazyre.New(`^\*\*\* (Delete|Remove|Rename|Move|Add|Create|Update) File: *(.+?)\s*$`)
)

// text reads lines, the first of which is line at of the reply. In a fence,
// name is the path that the fence has.
func (p *parser) text(lines []string, at int, fenced bool, name string) {
	for i := 0; i < len(lines); {
		l := lines[i]
		f, isFence := openFence(l)
		switch {
		case openBlock().MatchString(l):
			i = p.block(lines, i, at, name)
		case isFence && !fenced:
			i = p.fence(f, lines, i, at)
		case directive().MatchString(l):
			i = p.directive(lines, i, at)
		case startsDiff(lines[i:]) || fenced && name != "" && strings.HasPrefix(l, "@@"):
			i = p.diff(lines, i, at, fenced, name)
		default:
			i++
		}
	}
}

// fence is the line that opens a fence.
type fence struct {
	mark   string // the backquotes or tildes
	indent int
	info   string
}

var fenceLine = lazyre.New("^( *)(`{3,}|~{3,}) *([^`]*)$")

func openFence(l string) (f fence, ok bool) {
	if !strings.Contains(l, "```") && !strings.Contains(l, "~~~") {
		return f, false
	}
	m := fenceLine().FindStringSubmatch(l)
	if m == nil {
		return f, false
	}
	return fence{mark: m[2], indent: len(m[1]), info: strings.TrimSpace(m[3])}, true
}

// closes reports whether a line ends the fence. A line with deeper indentation
// is part of the contents.
func (f fence) closes(l string) bool {
	rest := strings.TrimLeft(l, " ")
	text := strings.TrimRight(rest, " \t")
	return len(l)-len(rest) <= f.indent && len(text) >= len(f.mark) && strings.Trim(text, f.mark[:1]) == ""
}

// fence reads the fence that opens at lines[i] and returns the line after it.
func (p *parser) fence(f fence, lines []string, i, at int) int {
	tag, name := readInfo(f.info)
	if name == "" {
		name = above(lines[:i], false)
	}
	first, second := firstTwo(lines[i+1:])
	isBlock := openBlock().MatchString(strings.TrimSpace(first)) || loneName(first, true) != "" && openBlock().MatchString(strings.TrimSpace(second))
	var body []string
	end, closed := i+1, false
	inBlock, inner := false, ""
	for ; end < len(lines) && !closed; end++ {
		l := lines[end]
		g, isFence := openFence(l)
		switch {
		case (isBlock || name == "") && openBlock().MatchString(strings.TrimSpace(l)):
			isBlock, inBlock = true, true
		case isBlock && closeBlock().MatchString(strings.TrimSpace(l)):
			inBlock = false
		case inBlock:
		case inner != "" && g.mark == inner && g.info == "":
			inner = ""
		case isFence && g.info != "" && g.mark[0] == f.mark[0] && (tag == "markdown" || tag == "md" || hasEnding(name, ".md", ".markdown", ".mdx")):
			inner = g.mark
		case inner == "" && f.closes(l):
			closed = true
			continue
		}
		body = append(body, unindent(l, f.indent))
	}
	line := at + i
	isPatch := !hasEnding(name, ".diff", ".patch") && (slices.Contains([]string{"diff", "patch", "udiff"}, tag) || startsDiff(after(body)))
	switch {
	case isBlock:
		if name == "" {
			name = above(lines[:i], true)
		}
		p.text(body, line+1, true, name)
	case (isPatch || directive().MatchString(first) || strings.HasPrefix(first, "*** Begin Patch")) && !closed:
		p.bad.add(Malformed, name, line, "the reply ends inside this fence")
	case isPatch:
		before, errors := p.count, len(p.bad.list)
		p.text(body, line+1, true, name)
		if p.count == before && len(p.bad.list) == errors {
			p.bad.add(Malformed, name, line, "there is no diff in this fence: it must begin with --- and +++ lines, or its path must stand on the line above, and its hunks with @@")
		}
	case directive().MatchString(first) || strings.HasPrefix(first, "*** Begin Patch"):
		p.text(body, line+1, true, name)
	default:
		p.whole(name, body, line, closed)
	}
	return end
}

// whole reads a fence as a whole file.
func (p *parser) whole(name string, body []string, line int, closed bool) {
	if name == "" && len(body) > 0 {
		inside, isLabel := nameInside(body[0])
		if name = inside; name != "" && isLabel {
			body = body[1:]
		}
	}
	switch {
	case name == "":
		p.nameless++
		p.note("the fence at line %d names no path: left", line)
	case !closed:
		p.bad.add(Malformed, name, line, "the reply ends inside this fence: the file is not whole")
	default:
		p.add(Edit{Kind: Whole, Path: name, Line: line, Data: []byte(join(body))})
	}
}

// above returns the path on the last line with text.
func above(lines []string, sure bool) string {
	for i := len(lines) - 1; i >= max(0, len(lines)-3); i-- {
		if strings.TrimSpace(lines[i]) != "" {
			return loneName(lines[i], sure)
		}
	}
	return ""
}

// after returns lines from the first with text on.
func after(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}

// firstTwo returns the first two lines with text.
func firstTwo(lines []string) (first, second string) {
	lines = after(lines)
	if len(lines) == 0 {
		return "", ""
	}
	first = lines[0]
	if lines = after(lines[1:]); len(lines) > 0 {
		second = lines[0]
	}
	return first, second
}

func hasEnding(name string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(strings.ToLower(name), e) })
}

func unindent(l string, n int) string {
	for n > 0 && strings.HasPrefix(l, " ") {
		l, n = l[1:], n-1
	}
	return l
}

// join makes a text of lines, each with a line end.
func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
