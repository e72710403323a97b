package extract

import (
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// fence is a fenced code block.
type fence struct {
	info    string
	code    string
	lines   int // of code
	skipped int // lines that open it again
	end     int // offset after its last line
	closed  bool
}

// mark is a line that opens or closes a fence.
type mark struct {
	char   byte
	length int
	indent int
	info   string
}

// readMark reads a fence's line. Backquotes in an info string mean inline code.
func readMark(line string) (mark, bool) {
	rest := strings.TrimLeft(line, " \t")
	if len(rest) < 3 || rest[0] != '`' && rest[0] != '~' || rest[1] != rest[0] || rest[2] != rest[0] {
		return mark{}, false
	}
	m := mark{char: rest[0], length: 3, indent: width(line[:len(line)-len(rest)])}
	for m.length < len(rest) && rest[m.length] == m.char {
		m.length++
	}
	m.info = strings.TrimSpace(rest[m.length:])
	if m.char == '`' && strings.Contains(m.info, "`") {
		return mark{}, false
	}
	return m, true
}

// width is how many columns white space takes, with tabs in stops of 4.
func width(space string) int {
	column := 0
	for i := range len(space) {
		if column++; space[i] == '\t' {
			column = (column + 3) / 4 * 4
		}
	}
	return column
}

// expand replaces the tabs that a line begins with by spaces, in stops of 4.
func expand(s string) string {
	text := strings.TrimLeft(s, " \t")
	return strings.Repeat(" ", width(s[:len(s)-len(text)])) + text
}

// stripQuotes removes up to n quote marks from the start of a line.
func stripQuotes(s string, n int) string {
	for ; n > 0; n-- {
		rest, ok := strings.CutPrefix(strings.TrimLeft(s, " \t"), ">")
		if !ok {
			return s
		}
		s = strings.TrimPrefix(rest, " ")
	}
	return s
}

// scan reads the fences of a text.
type scan struct {
	*finder
	src    string
	open   mark
	quotes int    // how many quote marks each line of the fence begins with
	column int    // how far its code is indented
	ended  int    // where the last string ended
	next   int    // where a line begins with a mark, at or after the last look; -1: none does
	work   int    // bytes that were read to find the ends of strings
	long   [2]int // where the last fence of four marks stands, by mark
	looked bool   // long is known
}

// late reads a fence that opens after words on its line: "Here it is: ```python".
// Its tag must be a language's, and it must be closed.
func (s *scan) late(pos, end int) (open mark, before string, ok bool) {
	line := strings.TrimRight(s.src[pos:end], " \t\n")
	i := strings.LastIndex(line, "```")
	if i <= 0 || len(line)-i > 20 || s.langs.ByName(line[i+3:]) == nil || strings.Contains(line[:i], "`") {
		return open, "", false
	}
	if s.next < end && s.next >= 0 { // the next mark, looked for once
		if s.next = strings.Index(s.src[end:], "\n```"); s.next >= 0 {
			s.next += end
		}
	}
	if s.next < 0 || s.next-end > 1<<16 {
		return open, "", false
	}
	return mark{char: '`', length: 3, info: line[i+3:]}, "", true
}

// read reads the fence whose first line ends at pos and whose mark stands
// after before.
func (s *scan) read(open mark, before string, pos int) fence {
	s.open = open
	s.quotes = strings.Count(before, ">")
	s.column = width(spaced(stripQuotes(before, s.quotes))) + open.indent
	n := fence{info: open.info}
	code := collector{src: s.src, start: pos, plain: s.quotes == 0 && s.column == 0}
	n.end = s.lines(pos, &n, &code)
	n.code = code.text()
	return n
}

// spaced returns s with spaces for all that is no tab: as wide as s.
func spaced(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}

// collector gathers the lines of a fence: as a part of the reply where each is
// as it stands there.
type collector struct {
	src        string
	start, end int
	plain      bool
	built      strings.Builder
}

func (c *collector) add(line string, end int) {
	if c.plain {
		c.end = end
		return
	}
	c.built.WriteString(line)
}

// copy makes the collector hold a copy of what it has.
func (c *collector) copy() {
	if c.plain {
		c.built.WriteString(c.text())
		c.plain = false
	}
}

func (c *collector) text() string {
	if !c.plain {
		return c.built.String()
	}
	return c.src[c.start:max(c.start, c.end)]
}

// lines reads the lines of a fence from offset pos on and returns the offset
// after the last line that belongs to it.
func (s *scan) lines(pos int, n *fence, code *collector) int {
	markdown := isMarkdown(n.info)
	inner := 0    // length of a fence open inside a Markdown fence
	literal := -1 // lines before this offset are inside a string of the code
	for pos < len(s.src) {
		end := lineEnd(s.src, pos)
		line := s.src[pos:end]
		if s.quotes > 0 {
			if !strings.HasPrefix(strings.TrimLeft(line, " \t"), ">") {
				n.closed = true // the quote ends, and the fence with it
				return pos
			}
			line = stripQuotes(line, s.quotes)
		}
		m, isMark := readMark(line)
		if isMark && m.char == s.open.char && m.indent <= s.column+3 && pos >= literal {
			switch {
			case m.info == "" && inner == 0 && (m.length >= s.open.length || s.never(pos)):
				n.closed = true
				return end
			case m.info == "" && inner > 0:
				inner = 0
			case m.info != "" && markdown:
				inner = m.length
			case m.length != s.open.length || m.info == "":
			case n.lines == 0 && n.skipped == 0 && plainTag(m.info) && (n.info == "" || strings.EqualFold(n.info, m.info)):
				// It is opened a second time.
				n.info = m.info
				n.skipped = 1
				code.start = end
				pos = end
				continue
			case s.endsWith(m.info):
				n.closed = true
				return end
			case plainTag(m.info) && n.lines > 0:
				// The next fence opens: this one's end was forgotten.
				n.closed = true
				return pos
			}
		}
		if rest, ok := s.closedBehind(line, pos, end); ok && !markdown && pos >= literal {
			code.copy() // this line is not as it stands in the reply
			code.add(unindent(rest, s.column), end)
			n.lines++
			n.closed = true
			return end
		}
		code.add(unindent(line, s.column), end)
		n.lines++
		if pos >= literal && !markdown {
			literal = s.stringEnd(pos, end)
		}
		pos = end
	}
	return pos
}

// endsWith reports whether what follows a mark shows that it closes the fence: a
// model's end token or a tag, or words.
func (s *scan) endsWith(info string) bool {
	if info[0] == '<' || strings.HasPrefix(info, "[/") {
		return true
	}
	word, rest, several := strings.Cut(info, " ")
	return several && strings.TrimSpace(rest) != "" && !strings.ContainsAny(info, `="{`) && plainWord().MatchString(word) &&
		s.langs.ByName(word) == nil && !knownTag(strings.ToLower(word))
}

var plainWord = lazyre.New(`^[(*]*[A-Z][a-z']*[,.:)]?$`)

// never reports whether no mark as long as the fence's follows: a model that
// opened with four closes with three.
func (s *scan) never(pos int) bool {
	if s.open.length != 4 {
		return false
	}
	if !s.looked {
		s.looked = true
		for i, m := range []string{"\n````", "\n~~~~"} {
			s.long[i] = strings.LastIndex(s.src, m)
		}
	}
	if s.open.char == '`' {
		return s.long[0] < pos
	}
	return s.long[1] < pos
}

// closedBehind reports whether the fence is closed at the end of a line of code,
// and returns the code: "print(x)```".
func (s *scan) closedBehind(line string, pos, end int) (code string, ok bool) {
	t := strings.TrimRight(line, " \t\n")
	if s.open.char != '`' || s.open.length != 3 || !strings.HasSuffix(t, "```") {
		return "", false
	}
	code = strings.TrimSuffix(t, "```")
	if strings.TrimSpace(code) == "" || strings.ContainsAny(code, "`#") || strings.Count(code, `"`)%2 != 0 || strings.Count(code, "'")%2 != 0 {
		return "", false
	}
	// Where the next mark closes too, this one was a part of the code.
	next := strings.Index(s.src[end:min(len(s.src), end+1<<16)], "```")
	if next >= 0 {
		from := end + next
		rest := strings.TrimSpace(s.src[from+3 : lineEnd(s.src, from)])
		return code, rest != ""
	}
	return code, end+1<<16 >= len(s.src)
}

// unindent removes up to n columns of white space from a line.
func unindent(line string, n int) string {
	i := 0
	for i < n && i < len(line) && line[i] == ' ' {
		i++
	}
	if i < n && i < len(line) && line[i] == '\t' {
		line = expand(line)
		for i < n && i < len(line) && line[i] == ' ' {
			i++
		}
	}
	return line[i:]
}

var (
	plainInfo = lazyre.New(`^[\w+#.-]+$`)
	hereDoc   = lazyre.New(`<<-?~?\s*\\?['"]?([A-Za-z_]\w*)['"]?`)
)

func isMarkdown(info string) bool {
	word := info
	if i := strings.IndexFunc(info, func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r|32 < 'a' || r|32 > 'z') }); i >= 0 {
		word = info[:i]
	}
	return len(word) <= 8 && slices.Contains([]string{"markdown", "md", "mdx"}, strings.ToLower(word))
}

// plainTag reports whether an info string is one word, as when a fence opens.
func plainTag(info string) bool { return len(info) < 100 && plainInfo().MatchString(info) }

// maxLineRead bounds the line whose quotes are read to find strings.
const maxLineRead = 1 << 16

// stringEnd tells where the string that opens on the line [pos, end) of the
// code ends, or -1 where none does: Python's triple quotes and the shell's here
// documents hold fences of their own (a prompt, a README). The marks inside
// must pair up, opening before closing, else it is no string. What all strings
// of a text cost together is in proportion to it: past that none is looked for.
func (s *scan) stringEnd(pos, end int) int {
	line := s.src[pos:end]
	if pos < s.ended || len(line) > maxLineRead || !hasAny(line, `"""`, "'''", "<<") || s.work > 2*len(s.src) {
		return -1
	}
	stop := -1
	if q := openQuote(line); q != "" {
		stop = strings.Index(s.src[end:], q)
	} else if m := hereDoc().FindStringSubmatch(line); m != nil && !strings.Contains(line, "<<<") {
		stop = strings.Index(s.src[end:], "\n"+m[1]+"\n")
	} else {
		return -1
	}
	if stop < 0 {
		s.work += (len(s.src) - end) / 8
		return -1
	}
	s.work += stop / 8
	stop += end
	if q := openQuote(line); q != "" {
		s.ended = stop + len(q) // the line that closes it opens none
	}
	if !strings.Contains(s.src[end:stop], strings.Repeat(string(s.open.char), 3)) {
		return -1
	}
	s.work += stop - end
	depth, marks := 0, 0
	for l := range strings.Lines(s.src[end:stop]) {
		m, ok := readMark(stripQuotes(l, s.quotes))
		if !ok || m.char != s.open.char {
			continue
		}
		marks++
		switch {
		case m.info != "" && depth > 0:
			return -1 // closed before, then opened: the string is none
		case depth > 0:
			depth--
		default:
			depth++
		}
	}
	if marks == 0 || depth > 0 {
		return -1
	}
	return stop
}

// openQuote returns the triple quote that a line of Python leaves open.
func openQuote(line string) string {
	if !hasAny(line, `"""`, "'''") {
		return ""
	}
	open := ""
	for i := 0; i+3 <= len(line); i++ {
		switch q := line[i : i+3]; {
		case line[i] == '#' && open == "":
			return ""
		case q != `"""` && q != "'''":
		case open == "":
			open = q
			i += 2
		case open == q:
			open = ""
			i += 2
		}
	}
	return open
}
