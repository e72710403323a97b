package extract

import (
	"html"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// codeTags are the tags that code is put in.
var codeTags = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`code pre python py javascript js typescript ts php bash sh shell go golang ruby perl lua execute
		exec run source program script codeblock code_block tool_code python_code solution answer file snippet parameter invoke
		path file_path filepath filename target_file old_str old_string content antartifact boltaction write_to_file file_content new_str file_text`) {
		m[w] = true
	}
	return m
}()

var (
	tagAttr = lazyre.New(`([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)
	entity  = lazyre.New(`&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});`)
)

// looseTags hold other things than code as often.
var looseTags = []string{"solution", "answer", "file", "snippet", "parameter", "invoke", "content", "run", "source", "program", "script", "antartifact", "boltaction", "write_to_file", "file_content", "new_str", "file_text"}

// tag is where a tag opens.
type tag struct {
	start, end int // offsets of it
	name       string
	attrs      string
	closing    string
}

// maxTag is the longest opening tag that is read.
const maxTag = 1 << 10

// nextTag finds the next opening tag that code is put in, from offset at on.
func nextTag(src string, at int) (tag, bool) {
	for at < len(src) {
		i := strings.IndexAny(src[at:], `<[\`)
		if i < 0 {
			break
		}
		at += i
		if t, ok := readTag(src, at); ok {
			return t, true
		}
		at++
	}
	return tag{}, false
}

var latex = lazyre.New(`^\\begin\{(lstlisting|verbatim|minted|python|pythoncode|code)\}(?:\[[^\]\n]*?(?:language=\{?(\w+)\}?)?[^\]\n]*\])?(?:\{(\w+)\})?`)

// readTag reads the opening tag at offset at.
func readTag(src string, at int) (tag, bool) {
	if at == len(src) {
		return tag{}, false
	}
	if src[at] == '\\' {
		if !strings.HasPrefix(src[at:], `\begin{`) {
			return tag{}, false
		}
		m := latex().FindStringSubmatch(src[at:min(len(src), at+200)])
		if m == nil {
			return tag{}, false
		}
		attrs := ""
		if m[2]+m[3] != "" {
			attrs = " lang=" + m[2] + m[3]
		}
		return tag{at, at + len(m[0]), "code", attrs, `\end{` + m[1] + "}"}, true
	}
	end := at + 1
	for end < len(src) && end-at < 40 && (src[end] == '_' || 'a' <= src[end]|32 && src[end]|32 <= 'z') {
		end++
	}
	name := strings.ToLower(src[at+1 : end])
	if src[at] == '[' {
		if name != "python" && name != "code" || end == len(src) || src[end] != ']' {
			return tag{}, false
		}
		return tag{at, end + 1, name, "", "[/" + name + "]"}, true
	}
	if !codeTags[name] && !strings.HasPrefix(name, "execute_") || end == len(src) {
		return tag{}, false
	}
	from := end
	for quote := byte(0); end < len(src) && end-at < maxTag; end++ {
		c := src[end]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else if c == '<' || c == '\n' {
				return tag{}, false
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			attrs := src[from:end]
			if t := strings.TrimSpace(attrs); t != "" && (attrs[0] != ' ' && attrs[0] != '\t' && attrs[0] != '\n' || !letter(t[0])) {
				return tag{}, false
			}
			return tag{at, end + 1, name, attrs, "</" + name + ">"}, true
		case c == '<':
			return tag{}, false
		}
	}
	return tag{}, false
}

// holds tells what a tag of a tool's call holds: the "path" of a file, the
// "old" text of a change, or a "call" with such tags in it; else "".
func (t tag) holds() string {
	name := t.name
	if name == "parameter" {
		if m := tagAttr().FindStringSubmatch(t.attrs); m != nil && m[1] == "name" {
			name = strings.ToLower(m[2] + m[3] + m[4])
		}
	}
	switch name {
	case "path", "file_path", "filepath", "filename", "target_file":
		return "path"
	case "old_str", "old_string":
		return "old"
	case "invoke", "write_to_file":
		return "call"
	}
	return ""
}

// letter reports whether c is an ASCII letter, digit or underscore.
func letter(c byte) bool {
	return c == '_' || 'a' <= c|32 && c|32 <= 'z' || '0' <= c && c <= '9'
}

// wrappers finds code in tags.
func (f *finder) wrappers(src string, line, depth int) []block {
	var blocks []block
	ends := map[string]int{} // where end tags stand, each looked for once; -1: it does not come any more
	said := ""               // the file name in the tag before
	at, counted := 0, 0
	for !f.full(blocks) {
		t, ok := nextTag(src, at)
		if !ok {
			break
		}
		at = t.end
		end := -1
		if at, ok := ends[t.closing]; ok && (at < 0 || at >= t.end) {
			end = max(at-t.end, -1)
		} else if end = indexFold(src[t.end:], t.closing); end < 0 {
			ends[t.closing] = -1
		} else {
			ends[t.closing] = t.end + end
		}
		cut := false
		if end < 0 {
			// Never closed: to the end, if it stands on a line of its own.
			rest := strings.TrimLeft(src[t.end:], " \t")
			if !strings.HasPrefix(rest, "\n") || slices.Contains(looseTags, t.name) {
				continue
			}
			end, cut = len(src)-t.end, true
		}
		line += strings.Count(src[counted:t.end], "\n")
		counted = t.end
		b := block{text: src[t.end : t.end+end], line: line, tag: t.name, cut: cut}
		switch what := t.holds(); {
		case what == "path":
			if n := strings.TrimSpace(b.text); len(n) < 300 && !strings.Contains(n, "\n") {
				said = n
			}
			at = min(len(src), t.end+end+len(t.closing))
			continue
		case what == "old":
			b.lines, b.name, b.tag, b.reason = max(1, countLines(b.text)), said, "", changeReason
			blocks = append(blocks, b)
			at = min(len(src), t.end+end+len(t.closing))
			continue
		case what == "call" && strings.HasPrefix(strings.TrimSpace(b.text), "<"):
			continue // what is in it comes next
		}
		body := strings.TrimLeft(b.text, "\n")
		b.lines = max(1, countLines(body))
		if strings.Contains(b.text, "\n") || wholeLine(src, t.start, t.end+end+len(t.closing)) {
			if body != "" {
				b.line += len(b.text) - len(body)
				b.text = body
			}
			if b.name, said = said, ""; b.name == "" {
				b.before = lineAbove(src, t.start)
				b.name = wholeName(b.before)
				b.above = b.name != ""
			}
			blocks = append(blocks, f.unwrap(b, t.attrs, depth)...)
		}
		at = min(len(src), t.end+end+len(t.closing))
	}
	return blocks
}

// lineAbove returns the last line with text above the line that offset at is on.
func lineAbove(src string, at int) string {
	above := strings.TrimRight(src[max(0, strings.LastIndexByte(src[:at], '\n')-1000):at], " \t")
	if !strings.HasSuffix(above, "\n") {
		return "" // something stands before the tag on its line
	}
	above = strings.TrimSpace(above)
	return above[strings.LastIndexByte(above, '\n')+1:]
}

// wholeLine reports whether src[from:to] is all that its line holds: code in
// running prose is no program.
func wholeLine(src string, from, to int) bool {
	for from > 0 && (src[from-1] == ' ' || src[from-1] == '\t') {
		from--
	}
	for to < len(src) && (src[to] == ' ' || src[to] == '\t') {
		to++
	}
	return (from == 0 || src[from-1] == '\n') && (to >= len(src) || src[to] == '\n')
}

// unwrap reads what a tag holds.
func (f *finder) unwrap(b block, attrs string, depth int) []block {
	name := b.tag
	b.tag = ""
	if f.langs.ByName(name) != nil {
		b.tag = name
	}
	if strings.HasPrefix(name, "execute_") || name == "tool_code" || name == "python_code" {
		if l := strings.TrimPrefix(name, "execute_"); f.langs.ByName(l) != nil {
			b.tag = l
		} else {
			b.tag = "python"
		}
	}
	for _, m := range tagAttr().FindAllStringSubmatch(attrs, 16) {
		v := m[2] + m[3] + m[4]
		switch strings.ToLower(m[1]) {
		case "class":
			for c := range strings.FieldsSeq(v) {
				c = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(c), "language-"), "lang-")
				if f.langs.ByName(c) != nil {
					b.tag = c
				}
			}
		case "language", "lang", "type":
			if f.langs.ByName(v) != nil {
				b.tag = strings.ToLower(v)
			}
		case "path", "file", "filename", "filepath", "file_path", "src", "name", "title":
			if hasFileEnding(v) || strings.ContainsAny(v, `/\`) {
				b.name = v
			}
		}
	}
	text := strings.TrimSpace(b.text)
	if inner, ok := strings.CutPrefix(text, "<![CDATA["); ok {
		b.text = strings.TrimSuffix(strings.TrimSpace(inner), "]]>")
	} else if t, ok := readTag(text, 0); ok && t.closing[0] == '<' && depth < maxNest {
		// <pre><code>…</code></pre>
		inner := f.wrappers(b.text, b.line, depth+1)
		for i := range inner {
			if inner[i].name == "" {
				inner[i].name = b.name
			}
		}
		return inner
	} else if entity().MatchString(b.text) && !strings.Contains(b.text, "<") {
		b.text = html.UnescapeString(b.text)
		b.notes = append(b.notes, "HTML entities were decoded")
	}
	b.text = dedent(trimEnds(b.text))
	if strings.TrimSpace(b.text) == "" {
		b.reason = "empty"
		return []block{b}
	}
	if b.tag == "" && b.name == "" && slices.Contains(looseTags, name) {
		if _, score := f.guess(b.text); score < 30 {
			b.reason = "not recognised as code"
			return []block{b}
		}
	}
	blocks := f.open(b, depth)
	if len(blocks) == 1 && blocks[0].lang == nil && blocks[0].reason == "not recognised as code" && f.wish != nil && !slices.Contains(looseTags, name) {
		blocks[0].lang, blocks[0].reason = f.wish, ""
	}
	return blocks
}

// trimEnds removes white space from the end, and the blank rest of the line
// that the opening tag stands on.
func trimEnds(s string) string {
	if first, rest, ok := strings.Cut(s, "\n"); ok && strings.TrimSpace(first) == "" {
		s = rest
	}
	if end := len(strings.TrimRight(s, " \t\n")); end < len(s) && s[end] == '\n' {
		return s[:end+1]
	}
	return strings.TrimRight(s, " \t\n") + "\n"
}
