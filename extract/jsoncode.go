package extract

import (
	"errors"
	"slices"
	"strings"
)

// Names of fields, in lower case.
var (
	codeFields = []string{"code", "python", "python_code", "pythoncode", "source", "source_code", "sourcecode", "script", "program", "snippet", "solution", "implementation", "javascript", "typescript", "php", "bash", "ruby", "perl", "lua", "golang"}
	testFields = []string{"tests", "test", "test_code", "unit_tests", "testcode"}
	nameFields = []string{"path", "filename", "file_name", "file", "file_path", "filepath", "name", "title"}
	bodyFields = []string{"content", "contents", "text", "body", "code", "source"}
	langFields = []string{"language", "lang", "programming_language"}
	// nestedFields hold JSON or Markdown in a string.
	nestedFields = []string{"arguments", "args", "input", "parameters", "params", "content", "text", "message", "response", "answer", "output", "action_input", "tool_input", "function_call"}
)

// maxJSONDepth bounds how deep JSON is followed.
const maxJSONDepth = 64

// maxJSONFields bounds the fields of one object that are kept, and maxJSONTries
// how often JSON is looked for in prose, in at most embeddedBytes altogether.
const (
	maxJSONFields = 10_000
	maxJSONTries  = 16
	embeddedBytes = 4 << 20
)

// wholeJSON reads a reply that is one JSON value.
func (f *finder) wholeJSON(src string, line, depth int) []block {
	t := strings.TrimSpace(src)
	if t == "" || t[0] != '{' && t[0] != '[' {
		return nil
	}
	blocks, _ := f.jsonBlocks(t, line+strings.Count(src[:strings.Index(src, t[:1])], "\n"), depth, false)
	return blocks
}

// embeddedJSON reads the first JSON object with code in prose.
func (f *finder) embeddedJSON(src string, line, depth int) []block {
	left := embeddedBytes
	for at, n := 0, 0; n < maxJSONTries && left > 0; at++ {
		i := strings.IndexByte(src[at:], '{')
		if i < 0 {
			break
		}
		at += i
		if first := strings.TrimLeft(src[at+1:min(at+80, len(src))], " \n\t"); first == "" || first[0] != '"' && first[0] != '\'' {
			continue
		}
		n++
		blocks, read := f.jsonBlocks(src[at:min(len(src), at+left)], line+strings.Count(src[:at], "\n"), depth, true)
		if len(blocks) > 0 {
			return blocks
		}
		left -= read
	}
	return nil
}

// jsonBlocks returns the code in the JSON value that src begins with, and how
// many bytes it read. Unless more is set, nothing may follow the value.
func (f *finder) jsonBlocks(src string, line, depth int, more bool) (blocks []block, read int) {
	if depth > maxNest {
		return nil, 0
	}
	w := &jsonWalk{finder: f, jsonReader: jsonReader{src: src}, line: line, depth: depth}
	if err := w.value("", 0); err != nil {
		return nil, w.pos
	}
	if !more && w.next() != 0 {
		return nil, w.pos
	}
	return w.blocks, w.pos
}

// jsonWalk finds the code in a JSON value.
type jsonWalk struct {
	*finder
	jsonReader
	line      int
	lineUntil int // offset up to which lines are counted
	depth     int
	blocks    []block
}

// here counts the lines up to the last token.
func (w *jsonWalk) here() int {
	w.line += strings.Count(w.src[w.lineUntil:w.pos], "\n")
	w.lineUntil = w.pos
	return w.line
}

var (
	errJSON     = errors.New("not JSON")
	errJSONDeep = errors.New("JSON is nested too deep")
	errJSONLong = errors.New("JSON with too many fields")
)

// value reads one value, the field's if key is set.
func (w *jsonWalk) value(key string, level int) error {
	if level > maxJSONDepth {
		return errJSONDeep
	}
	switch c := w.next(); c {
	case '{':
		w.pos++
		return w.object(key, level)
	case '[':
		w.pos++
		return w.array(key, level)
	case '"', '\'':
		s, ok := w.text()
		if !ok {
			return errJSON
		}
		w.look(key, s)
	default:
		if !w.scalar() {
			return errJSON
		}
	}
	return nil
}

// array reads an array. One of strings is a text that is kept line by line, as
// notebooks keep their cells.
func (w *jsonWalk) array(key string, level int) error {
	for !w.take(']') {
		if err := w.value(key, level+1); err != nil {
			return err
		}
		if !w.take(',') && w.next() != ']' {
			return errJSON
		}
	}
	return nil
}

// joined reads an array of strings at which w stands and returns the strings
// as one. ok is false where it is another array; then w stands where it did.
func (w *jsonWalk) joined() (s string, ok bool) {
	start := w.pos
	var b strings.Builder
	w.pos++
	for !w.take(']') {
		if c := w.next(); c != '"' && c != '\'' {
			w.pos = start
			return "", false
		}
		part, ok := w.text()
		if !ok || !w.take(',') && w.next() != ']' {
			w.pos = start
			return "", false
		}
		b.WriteString(part)
	}
	return b.String(), b.Len() > 0
}

// object reads an object: one that is a file with code, a map of names to
// contents, or one to look into further.
func (w *jsonWalk) object(key string, level int) error {
	var fields []field
	for !w.take('}') {
		if c := w.next(); c != '"' && c != '\'' {
			return errJSON
		}
		name, ok := w.text()
		if !ok || !w.take(':') {
			return errJSON
		}
		fd := field{key: strings.ToLower(name)}
		if key == "files" {
			fd.key = name
		}
		whole := true
		switch c := w.next(); {
		case c == '"' || c == '\'':
			if fd.value, ok = w.text(); !ok {
				return errJSON
			}
		case c == '[' && strings.EqualFold(name, "source"):
			if fd.value, whole = w.joined(); !whole {
				if err := w.value(fd.key, level+1); err != nil {
					return err
				}
			}
		default:
			whole = false
			if err := w.value(strings.ToLower(name), level+1); err != nil {
				return err
			}
		}
		if whole {
			fd.line = w.here()
			fields = append(fields, fd)
		}
		if len(fields) > maxJSONFields || w.full(w.blocks) {
			return errJSONLong
		}
		if !w.take(',') && w.next() != '}' {
			return errJSON
		}
	}
	w.fields(fields)
	return nil
}

// field is a string in an object.
type field struct {
	key, value string
	line       int
}

// fields makes blocks of an object's strings.
func (w *jsonWalk) fields(fields []field) {
	get := func(names []string) (string, int) {
		for _, f := range fields {
			if slices.Contains(names, f.key) {
				return f.value, f.line
			}
		}
		return "", 0
	}
	if kind, _ := get([]string{"cell_type"}); kind != "" && kind != "code" {
		return // words between the cells of a notebook
	} else if kind == "code" {
		if source, line := get([]string{"source"}); source != "" {
			w.add(block{text: source, tag: "python", line: line, cell: true}, false)
		}
		return
	}
	lang, _ := get(langFields)
	name, _ := get(nameFields)
	if !hasFileEnding(name) {
		name = ""
	}
	if name != "" {
		if body, line := get(bodyFields); body != "" {
			w.add(block{text: body, name: name, tag: strings.ToLower(lang), line: line}, false)
			return
		}
	}
	for _, f := range fields {
		switch {
		case slices.Contains(codeFields, f.key):
			tag := strings.ToLower(lang)
			if tag == "" && w.langs.ByName(f.key) != nil {
				tag = f.key
			}
			w.add(block{text: f.value, tag: tag, line: f.line}, false)
		case slices.Contains(testFields, f.key):
			w.add(block{text: f.value, tag: strings.ToLower(lang), line: f.line}, true)
		case hasFileEnding(f.key) && !strings.ContainsAny(f.key, " \n"):
			w.add(block{text: f.value, name: f.key, line: f.line}, false)
		default:
			w.look(f.key, f.value)
		}
	}
}

// look looks into a string that may hold JSON or Markdown.
func (w *jsonWalk) look(key, s string) {
	if !slices.Contains(nestedFields, key) {
		return
	}
	line := w.here()
	t := strings.TrimSpace(s)
	var inner []block
	if strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
		inner, _ = w.jsonBlocks(t, line, w.depth+1, false)
	}
	if len(inner) == 0 && (strings.Contains(s, "```") || strings.Contains(s, "~~~")) && w.depth < maxNest {
		inner = w.fences(normalize(s), line, w.depth+1)
	}
	for i := range inner {
		inner[i].line, inner[i].lines = line, 1
	}
	w.blocks = append(w.blocks, inner...)
}

// add takes a field's text as code. It may hold a fence of its own.
func (w *jsonWalk) add(b block, test bool) {
	b.lines = 1
	b.text = normalize(b.text)
	if strings.TrimSpace(b.text) == "" {
		return
	}
	if strings.HasPrefix(strings.TrimSpace(b.text), "```") && w.depth < maxNest {
		if inner := w.fences(b.text, b.line, w.depth+1); len(inner) > 0 {
			for i := range inner {
				inner[i].line, inner[i].lines = b.line, 1
				inner[i].test = inner[i].test || test
				if inner[i].name == "" {
					inner[i].name = b.name
				}
			}
			w.blocks = append(w.blocks, inner...)
			return
		}
	}
	if b.name == "" {
		b.name = nameInside(b.text)
	}
	b.test = test
	w.label(&b)
	if b.lang == nil && b.reason == "not recognised as code" && w.wish != nil {
		b.lang, b.reason = w.wish, ""
	}
	if b.lang != nil && b.reason == "" {
		readTranscript(&b)
	}
	w.blocks = append(w.blocks, b)
}
