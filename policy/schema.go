package policy

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gloveboxhq/glovebox"
)

// Schema returns the JSON Schema of a policy file, draft 2020-12.
func Schema() []byte {
	b, err := json.MarshalIndent(schema(), "", "  ")
	if err != nil {
		panic(err) // the schema is our own
	}
	return append(b, '\n')
}

// schema and testSchema are made at the first use, so that a program that loads no policy
// does not pay for them.
var (
	schema     = sync.OnceValue(func() *jsonschema.Schema { return schemaOf[document]("Glovebox policy") })
	testSchema = sync.OnceValue(func() *jsonschema.Schema { return schemaOf[testDocument]("Glovebox policy tests") })
)

const (
	conditionName = `^[a-z][a-z0-9_-]{0,63}$`
	maxListLength = 2000
)

func schemaOf[T any](title string) *jsonschema.Schema {
	word := func(values ...string) *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "string"}
		for _, v := range values {
			s.Enum = append(s.Enum, v)
		}
		return s
	}
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[action]():   word(texts(actions)...),
		reflect.TypeFor[Level]():    word(texts(levels)...),
		reflect.TypeFor[duration](): {Type: "string", Format: "go-duration"},
		reflect.TypeFor[size]():     {Types: []string{"integer", "string"}, Format: "bytes"},
		reflect.TypeFor[money]():    {Types: []string{"integer", "number"}, Format: "usd", Minimum: new(0.0)},
		reflect.TypeFor[date]():     {Type: "string", Format: "day-or-time"},
	}})
	if err != nil {
		panic(err) // the type is our own
	}
	plain(s)
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", title
	set := func(path string, change func(*jsonschema.Schema)) {
		at := s
		for key := range strings.SplitSeq(path, ".") {
			if at = at.Properties[key]; at == nil {
				return
			}
			if at.Items != nil && at.Type == "array" && len(at.Items.Properties) > 0 {
				at = at.Items
			}
		}
		change(at)
	}
	enum := func(path string, values []string) {
		set(path, func(s *jsonschema.Schema) {
			if s.Items != nil {
				s = s.Items
			}
			s.Enum = word(values...).Enum
		})
	}
	set("version", func(s *jsonschema.Schema) { s.Enum = []any{1} })
	set("name", func(s *jsonschema.Schema) { s.Pattern = `^[\pL\pN][\pL\pN ._/@-]{0,99}$` })
	enum("tiers.allow", texts(namedTiers))
	enum("proof", texts(glovebox.Proofs))
	enum("findings.severity", texts(severities))
	set("tiers.needs", func(s *jsonschema.Schema) { s.Items.Format = "need" })
	set("inputs.types", func(s *jsonschema.Schema) { s.Items.Pattern = `^[A-Za-z0-9_+-]{1,16}$` })
	set("conditions.name", func(s *jsonschema.Schema) { s.Pattern = conditionName })
	set("conditions.except", func(s *jsonschema.Schema) { s.Items.Pattern = `^[0-9a-f]{64}$` })
	set("egress.ports", func(s *jsonschema.Schema) { s.Items.Minimum, s.Items.Maximum = new(1.0), new(65535.0) })
	return s
}

func texts[S ~string](values []S) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

// plain takes out null, which the library adds to slices and pointers, and bounds lists.
func plain(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
	if len(s.Types) == 1 {
		s.Type, s.Types = s.Types[0], nil
	}
	switch s.Type {
	case "array":
		s.MaxItems = new(maxListLength)
	case "integer":
		if s.Minimum == nil {
			s.Minimum = new(0.0)
		}
	case "string":
		if s.Format == "" && s.Enum == nil && s.Pattern == "" {
			s.MinLength = new(1)
		}
	}
	plain(s.Items)
	if s.AdditionalProperties != nil && len(s.Properties) == 0 {
		plain(s.AdditionalProperties)
	}
	for _, p := range s.Properties {
		plain(p)
	}
}

// check compares a node with a schema and reports each difference at its place.
func (r *reader) check(n *node, s *jsonschema.Schema, path string) {
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if len(types) > 0 && !slices.Contains(types, string(n.kind)) && !(n.kind == kindInt && slices.Contains(types, "number")) {
		hint := ""
		if n.kind == kindMap && slices.Contains(types, "string") {
			hint = "; put a text that has a colon in quotes"
		}
		r.fault(n.at, path, "%s, not %s%s", wanted(s, types), article(n.kind), hint)
		return
	}
	switch n.kind {
	case kindMap:
		r.checkMap(n, s, path)
	case kindList:
		if s.MaxItems != nil && len(n.items) > *s.MaxItems {
			r.fault(n.at, path, "the list has %d entries: at most %d", len(n.items), *s.MaxItems)
			return
		}
		for i, item := range n.items {
			r.check(item, s.Items, fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		if problem := scalar(n, s); problem != "" {
			r.fault(n.at, path, "%s", problem)
		}
	}
}

func (r *reader) checkMap(n *node, s *jsonschema.Schema, path string) {
	for i, k := range n.keys {
		switch p := s.Properties[k.text]; {
		case p != nil:
			r.check(n.items[i], p, join(path, k.text))
		case len(s.Properties) == 0 && s.AdditionalProperties != nil:
			r.check(n.items[i], s.AdditionalProperties, join(path, k.text))
		default:
			known := s.PropertyOrder
			r.fault(k.at, join(path, k.text), "unknown field%s: the fields are %s", near(k.text, known), strings.Join(known, ", "))
		}
	}
	for _, key := range s.Required {
		if n.get(key) == nil {
			r.fault(n.at, join(path, key), "missing: write %s: %s", key, sampleOf(s.Properties[key]))
		}
	}
}

// scalar returns what is wrong with a value that has the right type, or "".
func scalar(n *node, s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		var words []string
		for _, e := range s.Enum {
			words = append(words, fmt.Sprint(e))
		}
		if !slices.Contains(words, n.text) {
			return fmt.Sprintf("%q is not known%s: write %s", clip(n.text), near(n.text, words), strings.Join(words, ", "))
		}
		return ""
	}
	var err error
	switch s.Format {
	case "go-duration":
		_, err = parseDuration(n.text)
	case "bytes":
		_, err = parseSize(n.text)
	case "usd":
		_, err = parseMoney(n.text)
	case "day-or-time":
		_, err = parseDate(n.text)
	case "need":
		err = glovebox.Need(n.text).Validate()
	}
	if err != nil {
		return err.Error()
	}
	if n.kind == kindInt && s.Format == "" {
		v, err := strconv.ParseInt(n.text, 10, 64)
		if err != nil || s.Minimum != nil && float64(v) < *s.Minimum || s.Maximum != nil && float64(v) > *s.Maximum {
			if s.Maximum != nil {
				return fmt.Sprintf("%s is out of range: write %v to %v", clip(n.text), *s.Minimum, *s.Maximum)
			}
			return fmt.Sprintf("%s is out of range: write 0 or more", clip(n.text))
		}
	}
	if s.MinLength != nil && n.text == "" {
		return "the text is empty: write a value or leave the field out"
	}
	if s.Pattern != "" && !pattern(s.Pattern).MatchString(n.text) {
		return fmt.Sprintf("%q does not have the form %s", clip(n.text), s.Pattern)
	}
	return ""
}

var compiled sync.Map

func pattern(text string) *regexp.Regexp {
	if re, ok := compiled.Load(text); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(text)
	compiled.Store(text, re)
	return re
}

func article(k kind) string {
	switch k {
	case kindMap:
		return "a map of fields"
	case kindList:
		return "a list"
	case kindInt:
		return "a whole number"
	case kindNumber:
		return "a number"
	case kindBool:
		return "true or false"
	case kindNull:
		return "nothing"
	}
	return "text"
}

func wanted(s *jsonschema.Schema, types []string) string {
	return "write " + article(kind(types[len(types)-1])) + ", such as " + sampleOf(s)
}

// sampleOf returns a value that a schema accepts, for messages.
func sampleOf(s *jsonschema.Schema) string {
	switch {
	case s == nil:
		return "VALUE"
	case len(s.Enum) > 0:
		return fmt.Sprint(s.Enum[0])
	case s.Format == "go-duration":
		return "10s"
	case s.Format == "bytes":
		return "512MiB"
	case s.Format == "usd":
		return "2.50"
	case s.Format == "day-or-time":
		return "2026-12-31"
	case s.Format == "need":
		return string(glovebox.NeedKernelBoundary)
	case s.Type == "array":
		return "[" + sampleOf(s.Items) + "]"
	case s.Type == "object" && len(s.PropertyOrder) > 0:
		first := s.PropertyOrder[0]
		return "{" + first + ": " + sampleOf(s.Properties[first]) + "}"
	case s.Type == "integer":
		return strconv.Itoa(int(max(1, deref(s.Minimum))))
	case s.Type == "boolean":
		return "true"
	}
	return "TEXT"
}

func deref(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}

// near names the known word that differs from text by at most two letters.
func near(text string, known []string) string {
	if len(text) > 40 {
		return ""
	}
	best, least := "", 3
	for _, k := range known {
		if d := distance(text, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// plainValue returns a checked node as encoding/json would read the document.
func (n *node) plainValue() any {
	switch n.kind {
	case kindMap:
		m := map[string]any{}
		for i, k := range n.keys {
			m[k.text] = n.items[i].plainValue()
		}
		return m
	case kindList:
		l := make([]any, len(n.items))
		for i, item := range n.items {
			l[i] = item.plainValue()
		}
		return l
	case kindBool:
		return n.text == "true"
	case kindInt, kindNumber:
		return json.Number(n.text)
	}
	return n.text
}

// decode fills v from a node that was checked. Sizes and amounts become text first: their
// types hold text.
func decode(n *node, s *jsonschema.Schema, v any) error {
	b, err := json.Marshal(textual(n, s).plainValue())
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

func textual(n *node, s *jsonschema.Schema) *node {
	if s == nil {
		return n
	}
	c := *n
	switch n.kind {
	case kindMap:
		c.items = make([]*node, len(n.items))
		for i, k := range n.keys {
			sub := s.Properties[k.text]
			if sub == nil {
				sub = s.AdditionalProperties
			}
			c.items[i] = textual(n.items[i], sub)
		}
	case kindList:
		c.items = make([]*node, len(n.items))
		for i, item := range n.items {
			c.items[i] = textual(item, s.Items)
		}
	case kindInt, kindNumber:
		if s.Format == "bytes" || s.Format == "usd" {
			c.kind = kindString
		}
	}
	return &c
}
