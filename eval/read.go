package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what is read. The files come from anywhere.
const (
	// maxFile bounds a file after decompression, in bytes.
	maxFile = 1 << 30
	// maxText bounds one text of a row, in bytes: no input of a box is larger.
	maxText = 16 << 20
	// maxRows bounds the rows of a file, and the samples in all rows.
	maxRows = 1 << 20
	// maxList bounds the elements of a list in a row, for example of cases.
	maxList = 1 << 14
)

// row is one JSON object of a file.
type row struct {
	fields map[string]json.RawMessage
	where  string // file:line
}

// errorf is about the row, with its file and line.
func (r row) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", r.where, fmt.Errorf(format, args...))
}

// readRows reads JSON lines, JSON objects in sequence, or a JSON list of
// objects, plain or compressed with gzip, and calls f with each.
func readRows(name string, in io.Reader, f func(row) error) error {
	base := filepath.Base(name)
	text, err := readAll(in)
	if err != nil {
		return fmt.Errorf("%s: %w", base, err)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	d := json.NewDecoder(bytes.NewReader(text))
	line, counted := 1, 0
	// at is the line of an offset; offsets only grow.
	at := func(offset int) string {
		line += bytes.Count(text[counted:offset], []byte("\n"))
		counted = offset
		return fmt.Sprintf("%s:%d", base, line)
	}
	list := len(bytes.TrimLeft(text, " \t\r\n")) > 0 && bytes.TrimLeft(text, " \t\r\n")[0] == '['
	if list {
		if _, err := d.Token(); err != nil {
			return fmt.Errorf("%s: %w", base, err)
		}
	}
	for n := 0; d.More(); n++ {
		if n == maxRows {
			return fmt.Errorf("%s: it has more than %d rows", base, maxRows)
		}
		start := skipTo(text, int(d.InputOffset()))
		where := at(start)
		r := row{where: where}
		if err := d.Decode(&r.fields); err != nil {
			return broken(at, where, start, text, err)
		}
		if r.fields == nil {
			return r.errorf("it is null; a row is a JSON object")
		}
		if err := f(r); err != nil {
			return err
		}
	}
	if list {
		if _, err := d.Token(); err != nil {
			return fmt.Errorf("%s: the list does not end: %w", base, err)
		}
	}
	if rest := skipTo(text, int(d.InputOffset())); rest < len(text) {
		return fmt.Errorf("%s: %.20q is no JSON object", at(rest), text[rest:])
	}
	return nil
}

// skipTo skips what stands between two values.
func skipTo(text []byte, offset int) int {
	for offset < len(text) && strings.IndexByte(" \t\r\n,", text[offset]) >= 0 {
		offset++
	}
	return offset
}

// broken locates the defect in the row at start.
func broken(at func(int) string, where string, start int, text []byte, err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%s: it is a %s; a row is a JSON object", where, kind.Value)
	}
	// A decoder's offsets are not those of the file.
	var syntax *json.SyntaxError
	if !errors.As(json.Unmarshal(text[start:], new(json.RawMessage)), &syntax) || start+int(syntax.Offset) >= len(text) {
		return fmt.Errorf("%s: the row does not end: is the file cut off?", where)
	}
	return fmt.Errorf("%s: the JSON is broken: %w", at(start+int(syntax.Offset)-1), syntax)
}

// readAll reads a possibly compressed file, up to a bound.
func readAll(in io.Reader) ([]byte, error) {
	buffered := bufio.NewReader(in)
	in = buffered
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		in = z
	}
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return text, nil
}

// has reports whether the row has the field with a value other than null.
func (r row) has(name string) bool {
	v, ok := r.fields[name]
	return ok && string(v) != "null"
}

// names lists the row's fields, within bounds: they are shown to people.
func (r row) names() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.fields)) {
		if len(names) == 30 {
			names = append(names, "…")
			break
		}
		names = append(names, strings.Trim(strconv.QuoteToGraphic(name[:min(len(name), 60)]), `"`))
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// text returns the first of the fields present in the row, a string. None is
// "".
func (r row) text(names ...string) (string, error) {
	for _, name := range names {
		if !r.has(name) {
			continue
		}
		var s string
		if err := json.Unmarshal(r.fields[name], &s); err != nil {
			return "", r.errorf("field %q is not a string", name)
		}
		return s, r.bound(name, s)
	}
	return "", nil
}

func (r row) bound(name, s string) error {
	if len(s) > maxText {
		return r.errorf("field %q has %d bytes: at most %d", name, len(s), maxText)
	}
	return nil
}

// id returns the first of the fields present in the row: a string, or a number
// as its digits.
func (r row) id(names ...string) (string, error) {
	for _, name := range names {
		if !r.has(name) {
			continue
		}
		var n json.Number
		if r.fields[name][0] != '"' && json.Unmarshal(r.fields[name], &n) == nil {
			return n.String(), nil
		}
		s, err := r.text(name)
		switch {
		case err != nil:
			return "", r.errorf("field %q is neither a string nor a number", name)
		case s == "" || len(s) > 512:
			return "", r.errorf("field %q has %d bytes: it must have 1 to 512", name, len(s))
		}
		return s, nil
	}
	return "", nil
}

// list returns a field that is a list of strings, or, as in SWE-bench, a string
// with a JSON list of strings in it.
func (r row) list(name string) ([]string, error) {
	if !r.has(name) {
		return nil, nil
	}
	raw := []byte(r.fields[name])
	var inner string
	if json.Unmarshal(raw, &inner) == nil {
		if strings.TrimSpace(inner) == "" {
			return nil, nil
		}
		raw = []byte(inner)
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, r.errorf("field %q is not a list of strings", name)
	}
	if len(list) > maxList {
		return nil, r.errorf("field %q has %d elements: at most %d", name, len(list), maxList)
	}
	for _, s := range list {
		if err := r.bound(name, s); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// seconds returns a field that is a number of seconds. None is 0.
func (r row) seconds(name string) (float64, error) {
	if !r.has(name) {
		return 0, nil
	}
	n, err := strconv.ParseFloat(string(r.fields[name]), 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		return 0, r.errorf("field %q is not a number of seconds above 0", name)
	}
	return n, nil
}
