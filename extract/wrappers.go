package extract

import (
	"html"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

var (
	openTag = lazyre.New(`(?i)<(code|pre|python|py|javascript|js|typescript|ts|php|bash|sh|shell|go|golang|ruby|perl|lua|execute(?:_\w+)?|exec|run|source|program|script|code_?block|tool_code|python_code|solution|answer|file|snippet|parameter|invoke|content)((?:\s+[\w:-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))?)*)\s*>|\[(python|code)\]`)
	tagAttr = lazyre.New(`([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)
	entity  = lazyre.New(`&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});`)
)

// looseTags hold other things than code as often.
var looseTags = []string{"solution", "answer", "file", "snippet", "parameter", "invoke", "content", "run", "source", "program", "script"}

// wrappers finds code in tags.
func (f *finder) wrappers(src string, line, depth int) []block {
	if !strings.ContainsAny(src, "<[") {
		return nil
	}
	var blocks []block
	lower := asciiLower(src)
	missing := map[string]bool{} // end tags that do not come any more
	at, counted := 0, 0
	for at < len(src) && len(blocks) <= maxBlocks {
		m := openTag().FindStringSubmatchIndex(src[at:])
		if m == nil {
			break
		}
		tag, attrs, closing := "", "", ""
		if m[2] >= 0 {
			tag, attrs = lower[at+m[2]:at+m[3]], src[at+m[4]:at+m[5]]
			closing = "</" + tag + ">"
		} else {
			tag = lower[at+m[6] : at+m[7]]
			closing = "[/" + tag + "]"
		}
		start := at + m[1]
		at = start
		end := -1
		if !missing[closing] {
			if end = strings.Index(lower[start:], closing); end < 0 {
				missing[closing] = true
			}
		}
		cut := false
		if end < 0 {
			// Never closed: to the end, if it stands on a line of its own.
			rest := strings.TrimLeft(src[start:], " \t")
			if !strings.HasPrefix(rest, "\n") || slices.Contains(looseTags, tag) {
				continue
			}
			end, cut = len(src)-start, true
		}
		line += strings.Count(src[counted:start], "\n")
		counted = start
		b := block{text: src[start : start+end], line: line, tag: tag, cut: cut}
		body := strings.TrimLeft(b.text, "\n")
		b.lines = max(1, countLines(body))
		if strings.Contains(b.text, "\n") || wholeLine(src, start-(m[1]-m[0]), start+end+len(closing)) {
			if body != "" {
				b.line += len(b.text) - len(body)
				b.text = body
			}
			blocks = append(blocks, f.unwrap(b, attrs, depth)...)
		}
		at = min(len(src), start+end+len(closing))
	}
	return blocks
}

// wholeLine tells whether src[from:to] is all that its line holds: code in
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
	tag := b.tag
	b.tag = ""
	if f.byName(tag) != nil {
		b.tag = tag
	}
	if strings.HasPrefix(tag, "execute_") || tag == "tool_code" || tag == "python_code" {
		if l := strings.TrimPrefix(tag, "execute_"); f.byName(l) != nil {
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
				if f.byName(c) != nil {
					b.tag = c
				}
			}
		case "language", "lang", "type":
			if f.byName(v) != nil {
				b.tag = strings.ToLower(v)
			}
		case "path", "file", "filename", "src", "name", "title":
			if hasFileEnding(v) || strings.ContainsAny(v, `/\`) {
				b.name = v
			}
		}
	}
	text := strings.TrimSpace(b.text)
	if inner, ok := strings.CutPrefix(text, "<![CDATA["); ok {
		b.text = strings.TrimSuffix(strings.TrimSpace(inner), "]]>")
	} else if m := openTag().FindStringSubmatchIndex(text); m != nil && m[0] == 0 && m[2] >= 0 && depth < maxNest {
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
	if b.tag == "" && b.name == "" && slices.Contains(looseTags, tag) {
		if _, score := f.guess(b.text); score < 30 {
			b.reason = "not recognised as code"
			return []block{b}
		}
	}
	blocks := f.open(b, depth)
	if len(blocks) == 1 && blocks[0].lang == nil && blocks[0].reason == "not recognised as code" && f.wish != nil && !slices.Contains(looseTags, tag) {
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
	return strings.TrimRight(s, " \t\n") + "\n"
}

// asciiLower is strings.ToLower for ASCII only: offsets stay.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
