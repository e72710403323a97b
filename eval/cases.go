package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/compare"
	"github.com/gloveboxhq/glovebox/language"
)

// caseRow is one case. Of a program: input and output, each a string, a list of
// lines, or a number. Of a function: the list of arguments and the result, any
// JSON.
type caseRow struct {
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Output    json.RawMessage `json:"output"`
	Stdin     json.RawMessage `json:"stdin"`
	Stdout    json.RawMessage `json:"stdout"`
	Args      []string        `json:"args"`
	Match     glovebox.Match  `json:"match"`
	Tolerance float64         `json:"tolerance"`
}

// cases reads a row {id, cases: [{input, output}]}. If the row names a
// function, as entry_point, or by name beside a program in the way of QuixBugs,
// the function is called with each input, the list of its arguments.
func (*loader) cases(r row, p *Problem) error {
	var list []caseRow
	if err := json.Unmarshal(r.fields["cases"], &list); err != nil {
		return r.errorf("field \"cases\" is not a list of objects with input and output: %w", err)
	}
	switch {
	case len(list) == 0:
		return r.errorf("field \"cases\" is empty: nothing would be tested")
	case len(list) > maxList:
		return r.errorf("field \"cases\" has %d elements: at most %d", len(list), maxList)
	}
	name, err1 := r.text("language", "lang")
	entry, err2 := r.text("entry_point", "entry")
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	if name != "" {
		l := language.ByName(name)
		if l == nil {
			return r.errorf("language %q is not known; there are %s", name, language.All().Names())
		}
		p.Language = l.Name
	}
	if entry == "" && r.has("name") && (r.has("buggy") || r.has("correct")) {
		entry = p.ID
	}
	if entry != "" {
		return calls(r, p, entry, list)
	}
	p.Kind = KindCases
	for i, c := range list {
		in, err1 := plainText(cmp.Or(rawString(c.Stdin), rawString(c.Input)))
		out, err2 := plainText(cmp.Or(rawString(c.Stdout), rawString(c.Output)))
		_, err3 := compare.ParseMatch(string(c.Match))
		if err := cmp.Or(err1, err2, err3); err != nil {
			return r.errorf("case %d: %w", i+1, err)
		}
		if c.Stdout == nil && c.Output == nil {
			return r.errorf("case %d has no output to compare with", i+1)
		}
		p.Cases = append(p.Cases, glovebox.Case{
			Name: cmp.Or(c.Name, fmt.Sprintf("case %d", i+1)), Stdin: in, Stdout: out,
			Args: c.Args, Match: c.Match, Tolerance: c.Tolerance,
		})
	}
	return nil
}

func rawString(b json.RawMessage) string { return string(b) }

// plainText is a string, a list of lines, or a number, as text.
func plainText(raw string) (string, error) {
	b := []byte(raw)
	var s string
	var lines []string
	switch {
	case len(b) == 0 || string(b) == "null":
	case json.Unmarshal(b, &s) == nil:
	case json.Unmarshal(b, &lines) == nil:
		s = strings.Join(lines, "\n") + "\n"
	case b[0] == '{' || b[0] == '[':
		return "", fmt.Errorf("%.40s is no text; for a function's arguments, name it in entry_point", b)
	default:
		s = string(b)
	}
	if len(s) > maxText {
		return "", fmt.Errorf("it has %d bytes: at most %d", len(s), maxText)
	}
	return s, nil
}

// calls makes the tests of a function.
func calls(r row, p *Problem, entry string, list []caseRow) error {
	p.Kind = KindCalls
	if p.Language == "" {
		p.Language = language.Python.Name
	}
	if p.Language != language.Python.Name {
		return r.errorf("cases that call a function are known in Python only, not in %s", p.Language)
	}
	if !isName(entry) {
		return r.errorf("%q is not the name of a function", entry)
	}
	var b strings.Builder
	// Results of functions are compared in JSON's terms: a tuple is a list, and
	// so are the values of a generator.
	fmt.Fprintf(&b, "import json\nfrom solution import %s\n\n\ndef plain(v):\n"+
		"    return json.loads(json.dumps(list(v) if hasattr(v, '__next__') else v))\n", entry)
	for i, c := range list {
		var in, out bytes.Buffer
		if json.Compact(&in, c.Input) != nil || in.Len() == 0 || in.Bytes()[0] != '[' {
			return r.errorf("case %d: its input is not the list of the arguments of %s", i+1, entry)
		}
		if len(c.Output) == 0 || json.Compact(&out, c.Output) != nil {
			return r.errorf("case %d has no output to compare with", i+1)
		}
		fmt.Fprintf(&b, "\n\ndef test_%d():\n    assert plain(%s(*json.loads(%s))) == json.loads(%s)\n",
			i+1, entry, pythonString(in.String()), pythonString(out.String()))
	}
	p.Tests = []glovebox.File{{Path: "test_cases.py", Data: []byte(b.String())}}
	return nil
}

// isName reports whether s can be a Python function's name, in ASCII.
func isName(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 256
}

// pythonString quotes s for Python: JSON's escapes mean the same in Python,
// except for characters outside the basic plane, which stay unescaped.
func pythonString(s string) string {
	b, _ := json.Marshal(s) // a string can be encoded
	return string(b)
}
