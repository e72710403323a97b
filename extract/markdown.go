package extract

import "strings"

// Markdown is read line by line, once: of its grammar only fences, the quotes
// and lists around them, and the words and headings above them matter. What
// this costs is in proportion to the reply, whatever the reply is.

// maxContainers is how many quotes and lists a line may be in; deeper ones are
// read as text.
const maxContainers = 24

// fences finds the fenced blocks of a reply, with what stands above them.
func (f *finder) fences(src string, line, depth int) []block {
	if !strings.Contains(src, "```") && !strings.Contains(src, "~~~") {
		return nil
	}
	s := scan{finder: f, src: src}
	var blocks []block
	var over above
	for pos := 0; pos < len(src) && !f.full(blocks); line++ {
		end := lineEnd(src, pos)
		text, before := uncontained(src[pos:end])
		open, ok := readMark(text)
		if !ok {
			open, before, ok = s.late(pos, end)
		}
		if !ok {
			over.read(text)
			pos = end
			continue
		}
		fn := s.read(open, before, end)
		b := block{text: fn.code, line: line, lines: fn.lines, cut: !fn.closed}
		if b.lines > 0 {
			b.line = line + 1 + fn.skipped // after the fence's own line
		}
		b.before, b.heading = over.line, over.heading
		b.tag, b.name = readInfo(fn.info)
		if b.name == "" {
			b.name = nameAbove(b.before, b.heading)
			b.above = b.name != ""
		}
		line += strings.Count(src[pos:fn.end], "\n") - 1
		pos = fn.end
		over = above{}
		blocks = append(blocks, f.open(b, depth)...)
	}
	return blocks
}

// lineEnd returns the offset after the line that begins at pos.
func lineEnd(src string, pos int) int {
	if i := strings.IndexByte(src[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(src)
}

// uncontained splits a line into what it says and the marks of the quotes and
// lists around that, with the white space between them.
func uncontained(line string) (text, before string) {
	i := 0
	for range maxContainers {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		n := containerMark(line[i:])
		if n == 0 {
			break
		}
		i += n
	}
	return line[i:], line[:i]
}

// containerMark returns the length of the mark of a quote or list that a line
// begins with, or 0.
func containerMark(l string) int {
	if l == "" {
		return 0
	}
	n := 0
	switch c := l[0]; {
	case c == '>':
		return 1
	case c == '-' || c == '*' || c == '+':
		n = 1
	case '0' <= c && c <= '9':
		for n < len(l) && n < 9 && '0' <= l[n] && l[n] <= '9' {
			n++
		}
		if n == len(l) || l[n] != '.' && l[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	if n == len(l) || l[n] != ' ' && l[n] != '\t' {
		return 0
	}
	return n
}

// above is what stands above a fence and below the one before.
type above struct {
	line    string // the last line with text
	heading string // the last heading
}

// read takes the next line, without the marks of quotes and lists.
func (a *above) read(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if len(text) > 1000 {
		text = ""
	}
	title := strings.TrimLeft(text, "#")
	if n := len(text) - len(title); 0 < n && n <= 6 && (title == "" || title[0] == ' ' || title[0] == '\t') {
		text = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(title), "#"))
		a.heading = text
	}
	a.line = text
}
