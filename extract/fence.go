package extract

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// fence is a fenced code block. Unlike goldmark's it knows whether it was
// closed.
type fence struct {
	ast.BaseBlock
	info   string
	code   string
	start  int // offset of the line that opens it
	lines  int // of code
	closed bool
}

var kindFence = ast.NewNodeKind("Fence")

// Kind implements ast.Node.
func (*fence) Kind() ast.NodeKind { return kindFence }

// IsRaw implements ast.Node.
func (*fence) IsRaw() bool { return true }

// Dump implements ast.Node.
func (n *fence) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// fenceParser reads a fence as a whole when it opens, so that the lists around
// it do not end it: models often forget to indent the code in a list.
type fenceParser struct{}

// misses counts, in a parse, the here documents without an end: each of them
// cost a search through the rest of the reply.
var misses = parser.NewContextKey()

const maxMisses = 32

// Trigger implements parser.BlockParser.
func (fenceParser) Trigger() []byte { return []byte{'`', '~'} }

// CanInterruptParagraph implements parser.BlockParser.
func (fenceParser) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements parser.BlockParser.
func (fenceParser) CanAcceptIndentedLine() bool { return true }

// Continue implements parser.BlockParser.
func (fenceParser) Continue(ast.Node, text.Reader, parser.Context) parser.State {
	return parser.Close
}

// Close implements parser.BlockParser.
func (fenceParser) Close(ast.Node, text.Reader, parser.Context) {}

// Open implements parser.BlockParser.
func (fenceParser) Open(_ ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, seg := r.PeekLine()
	src := r.Source()
	open, ok := readMark(string(line))
	if !ok {
		return nil, parser.NoChildren
	}
	start := bytes.LastIndexByte(src[:seg.Start], '\n') + 1
	before := string(src[start:seg.Start])
	s := scan{
		src:    src,
		open:   open,
		quotes: strings.Count(before, ">"),
	}
	s.misses, _ = pc.Get(misses).(int)
	s.column = len(expand(stripQuotes(before, s.quotes))) + seg.Padding + open.indent
	n := &fence{info: open.info, start: seg.Start}
	end := s.run(seg.Stop, n)
	pc.Set(misses, s.misses)
	// The reader is left on the last line that belongs to the fence.
	for {
		_, at := r.Position()
		if at.Stop >= end {
			break
		}
		r.AdvanceLine()
	}
	return n, parser.NoChildren
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
	expanded := line
	if strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
		expanded = expand(line)
	}
	rest := strings.TrimLeft(expanded, " ")
	m := mark{indent: len(expanded) - len(rest)}
	if rest == "" || rest[0] != '`' && rest[0] != '~' {
		return m, false
	}
	m.char = rest[0]
	for m.length < len(rest) && rest[m.length] == m.char {
		m.length++
	}
	if m.length < 3 {
		return m, false
	}
	m.info = strings.TrimSpace(rest[m.length:])
	if m.char == '`' && strings.Contains(m.info, "`") {
		return m, false
	}
	return m, true
}

// expand replaces the tabs that a line begins with by spaces, in stops of 4.
func expand(s string) string {
	column, i := 0, 0
	for ; i < len(s) && (s[i] == ' ' || s[i] == '\t'); i++ {
		if column++; s[i] == '\t' {
			column = (column + 3) / 4 * 4
		}
	}
	return strings.Repeat(" ", column) + s[i:]
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

// scan reads the lines of a fence.
type scan struct {
	src    []byte
	open   mark
	quotes int // how many quote marks each line begins with
	column int // how far the code is indented
	misses int
}

// run fills n with the lines from offset pos on and returns the offset after
// the last line that belongs to the fence.
func (s *scan) run(pos int, n *fence) int {
	var code strings.Builder
	defer func() { n.code = code.String() }()
	markdown := isMarkdown(n.info)
	inner := 0    // length of a fence open inside a Markdown fence
	literal := -1 // lines before this offset are inside a string of the code
	for pos < len(s.src) {
		end := pos + bytes.IndexByte(s.src[pos:], '\n') + 1
		if end == pos {
			end = len(s.src)
		}
		line := string(s.src[pos:end])
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
			case m.info == "" && m.length >= s.open.length && inner == 0:
				n.closed = true
				return end
			case m.info == "" && inner > 0:
				inner = 0
			case m.info != "" && markdown:
				inner = m.length
			case m.info != "" && m.length == s.open.length && plainTag(m.info) && n.lines > 0:
				// The next fence opens: this one's end was forgotten.
				n.closed = true
				return pos
			}
		}
		code.WriteString(unindent(line, s.column))
		n.lines++
		if pos >= literal && !markdown {
			literal = s.stringEnd(pos, end)
		}
		pos = end
	}
	return pos
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
	markdownTag = lazyre.New(`^(?i:markdown|md|mdx)\b`)
	plainInfo   = lazyre.New(`^[\w+#.-]+$`)
	hereDoc     = lazyre.New(`<<-?~?\s*\\?['"]?([A-Za-z_]\w*)['"]?`)
)

func isMarkdown(info string) bool { return markdownTag().MatchString(info) }

// plainTag tells whether an info string is one word, as when a fence opens.
func plainTag(info string) bool { return plainInfo().MatchString(info) }

// stringEnd tells where the string that opens on the line [pos, end) of the
// code ends, or -1 where none does: Python's triple quotes and the shell's here
// documents hold fences of their own (a prompt, a README). The marks inside
// must pair up, opening before closing, else it is no string.
func (s *scan) stringEnd(pos, end int) int {
	line := string(s.src[pos:end])
	if !hasAny(line, `"""`, "'''", "<<") {
		return -1
	}
	var stop int
	if q := openQuote(line); q != "" {
		i := bytes.Index(s.src[end:], []byte(q))
		if i < 0 {
			return -1
		}
		stop = end + i
	} else if m := hereDoc().FindStringSubmatch(line); m != nil && !strings.Contains(line, "<<<") && s.misses < maxMisses {
		i := bytes.Index(s.src[end:], []byte("\n"+m[1]+"\n"))
		if i < 0 {
			s.misses++
			return -1
		}
		stop = end + i
	} else {
		return -1
	}
	depth, marks := 0, 0
	for l := range bytes.Lines(s.src[end:stop]) {
		m, ok := readMark(stripQuotes(string(l), s.quotes))
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
