package extract

import (
	"encoding/json"
	"errors"
	"io"
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

// wholeJSON reads a reply that is one JSON value.
func (f *finder) wholeJSON(src string, line, depth int) []block {
	t := strings.TrimSpace(src)
	if t == "" || t[0] != '{' && t[0] != '[' {
		return nil
	}
	return f.jsonBlocks(t, line+strings.Count(src[:strings.Index(src, t)], "\n"), depth, false)
}

// embeddedJSON reads the first JSON object with code in prose.
func (f *finder) embeddedJSON(src string, line, depth int) []block {
	const tries = 16
	for at, n := 0, 0; n < tries; at++ {
		i := strings.IndexByte(src[at:], '{')
		if i < 0 {
			break
		}
		at += i
		if !strings.HasPrefix(strings.TrimLeft(src[at+1:min(at+80, len(src))], " \n\t"), `"`) {
			continue
		}
		n++
		if blocks := f.jsonBlocks(src[at:], line+strings.Count(src[:at], "\n"), depth, true); len(blocks) > 0 {
			return blocks
		}
	}
	return nil
}

// jsonBlocks returns the code in the JSON value that src begins with. Unless
// more is set, nothing may follow it.
func (f *finder) jsonBlocks(src string, line, depth int, more bool) []block {
	if depth > maxNest {
		return nil
	}
	w := &jsonWalk{finder: f, dec: json.NewDecoder(strings.NewReader(src)), src: src, line: line, depth: depth}
	if err := w.value("", 0); err != nil {
		return nil
	}
	if _, err := w.dec.Token(); err != io.EOF && !more {
		return nil
	}
	return w.blocks
}

// jsonWalk reads a JSON value token by token, so that memory stays in
// proportion.
type jsonWalk struct {
	*finder
	dec       *json.Decoder
	src       string
	line      int
	lineUntil int64 // offset up to which lines are counted
	depth     int
	blocks    []block
}

// here counts the lines up to the last token.
func (w *jsonWalk) here() int {
	at := w.dec.InputOffset()
	w.line += strings.Count(w.src[w.lineUntil:at], "\n")
	w.lineUntil = at
	return w.line
}

// value reads one value, the field's if key is set.
func (w *jsonWalk) value(key string, level int) error {
	t, err := w.dec.Token()
	if err != nil {
		return err
	}
	return w.token(t, key, level)
}

func (w *jsonWalk) token(t json.Token, key string, level int) error {
	if level > maxJSONDepth {
		return errors.New("JSON is nested too deep")
	}
	switch t := t.(type) {
	case json.Delim:
		switch t {
		case '{':
			return w.object(key, level)
		case '[':
			for w.dec.More() {
				if err := w.value(key, level+1); err != nil {
					return err
				}
			}
			_, err := w.dec.Token()
			return err
		}
	case string:
		w.text(key, t)
	}
	return nil
}

// field is a string in an object.
type field struct {
	key, value string
	line       int
}

// object reads an object: one that is a file with code, a map of names to
// contents, or one to look into further.
func (w *jsonWalk) object(key string, level int) error {
	var fields []field
	for w.dec.More() {
		t, err := w.dec.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		if t, err = w.dec.Token(); err != nil {
			return err
		}
		if s, ok := t.(string); ok {
			fields = append(fields, field{strings.ToLower(name), s, w.here()})
			if key == "files" {
				fields[len(fields)-1].key = name
			}
			continue
		}
		if err := w.token(t, strings.ToLower(name), level+1); err != nil {
			return err
		}
	}
	if _, err := w.dec.Token(); err != nil {
		return err
	}
	w.fields(fields)
	return nil
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
			if tag == "" && w.byName(f.key) != nil {
				tag = f.key
			}
			w.add(block{text: f.value, tag: tag, line: f.line}, false)
		case slices.Contains(testFields, f.key):
			w.add(block{text: f.value, tag: strings.ToLower(lang), line: f.line}, true)
		case hasFileEnding(f.key) && !strings.ContainsAny(f.key, " \n"):
			w.add(block{text: f.value, name: f.key, line: f.line}, false)
		default:
			w.text(f.key, f.value)
		}
	}
}

// text looks into a string that may hold JSON or Markdown.
func (w *jsonWalk) text(key, s string) {
	if !slices.Contains(nestedFields, key) {
		return
	}
	line := w.here()
	t := strings.TrimSpace(s)
	var inner []block
	if strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
		inner = w.jsonBlocks(t, line, w.depth+1, false)
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
