package policy

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a file. Each is checked before the step that would be expensive.
const (
	maxBytes  = 1 << 20
	maxTokens = 60_000
	maxDepth  = 24
	maxNodes  = 40_000
	maxText   = 8 << 10
	maxFaults = 100
)

// Place is a position in a policy file. Line and Column count from 1 and are 0 for the
// program's own defaults.
type Place struct {
	Layer  Layer  `json:"layer"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// String returns the place as "file:line:column", or "built-in".
func (p Place) String() string {
	if p.Line == 0 {
		return string(LayerBuiltIn)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

type kind string

const (
	kindNull   kind = "null"
	kindBool   kind = "boolean"
	kindInt    kind = "integer"
	kindNumber kind = "number"
	kindString kind = "string"
	kindMap    kind = "object"
	kindList   kind = "array"
)

// node is a value of a file with its place. A map has as many keys as items.
type node struct {
	kind  kind
	at    Place
	text  string
	style token.Type // of a text
	keys  []*node
	items []*node
}

// get returns the value of a key of a map, or nil.
func (n *node) get(key string) *node {
	if n == nil || n.kind != kindMap {
		return nil
	}
	for i, k := range n.keys {
		if k.text == key {
			return n.items[i]
		}
	}
	return nil
}

// inside returns the place of a text's first character: after a quote, or below the sign
// of a block.
func (n *node) inside() Place {
	at := n.at
	switch n.style {
	case token.SingleQuoteType, token.DoubleQuoteType:
		at.Column++
	case token.LiteralType:
		at.Line, at.Column = at.Line+1, 1
	}
	return at
}

// find returns the value at a dotted path of keys, or nil.
func (n *node) find(path string) *node {
	for key := range strings.SplitSeq(path, ".") {
		n = n.get(key)
	}
	return n
}

// reader turns a file's text into nodes and gathers faults.
type reader struct {
	base   Place
	faults []Fault
	nodes  int
}

func (r *reader) fault(at Place, path, format string, args ...any) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, Fault{Class: ClassSyntax, At: at, Field: path, Message: fmt.Sprintf(format, args...)})
	}
}

func (r *reader) place(t *token.Token) Place {
	at := r.base
	at.Line, at.Column = 1, 1
	if t != nil && t.Position != nil {
		at.Line, at.Column = max(t.Position.Line, 1), max(t.Position.Column, 1)
	}
	return at
}

// read parses one YAML document. The result is nil where there were faults.
func (r *reader) read(data []byte) *node {
	start := r.place(nil)
	switch {
	case len(data) > maxBytes:
		r.fault(start, "", "the file is %d bytes long: at most %d", len(data), maxBytes)
		return nil
	case !utf8.Valid(data):
		r.fault(start, "", "the file is not valid UTF-8: save it as UTF-8")
		return nil
	}
	line, column := 1, 1
	for _, c := range string(data) {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			at := r.base
			at.Line, at.Column = line, column
			r.fault(at, "", "the file has the control character %U: remove it", c)
			return nil
		}
		if column++; c == '\n' {
			line, column = line+1, 1
		}
	}
	tokens := lexer.Tokenize(strings.TrimPrefix(string(data), "\ufeff"))
	if !r.bounded(tokens) {
		return nil
	}
	file, err := parse(tokens)
	if err != nil {
		var located interface {
			GetToken() *token.Token
			GetMessage() string
		}
		if errors.As(err, &located) {
			r.fault(r.place(located.GetToken()), "", "not YAML: %s", located.GetMessage())
		} else {
			text, _, _ := strings.Cut(err.Error(), "\n")
			r.fault(start, "", "not YAML: %s", text)
		}
		return nil
	}
	var docs []*ast.DocumentNode
	for _, d := range file.Docs {
		if d.Body != nil {
			docs = append(docs, d)
		}
	}
	switch {
	case len(docs) == 0:
		r.fault(start, "", "the file is empty: write at least version: 1")
		return nil
	case len(file.Docs) > 1:
		r.fault(r.place(file.Docs[1].Start), "", "the file has %d documents: keep one, without ---", len(file.Docs))
		return nil
	}
	n := r.node(docs[0].Body, "", 0)
	if len(r.faults) > 0 {
		return nil
	}
	return n
}

// parse calls the parser. Hostile text that makes it panic is an error.
func parse(tokens token.Tokens) (f *ast.File, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the parser cannot read this file: write it more simply")
		}
	}()
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// bounded checks what would make parsing expensive: number of tokens and depth.
func (r *reader) bounded(tokens token.Tokens) bool {
	if len(tokens) > maxTokens {
		r.fault(r.place(tokens[maxTokens]), "", "the file has more than %d YAML tokens: make it shorter", maxTokens)
		return false
	}
	flow := 0
	columns := []int{0} // of the enclosing block collections
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(flow-1, 0)
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.MappingKeyType:
			r.fault(r.place(t), "", "%q is not allowed: a policy has no anchors, aliases, merge keys, tags or complex keys; write the value out", t.Value)
			if len(r.faults) >= maxFaults {
				return false
			}
		case token.SequenceEntryType, token.MappingValueType:
			if flow > 0 || t.Position == nil {
				break
			}
			column := t.Position.Column
			if t.Type == token.MappingValueType && t.Prev != nil && t.Prev.Position != nil {
				column = t.Prev.Position.Column
			}
			for len(columns) > 1 && columns[len(columns)-1] >= column {
				columns = columns[:len(columns)-1]
			}
			columns = append(columns, column)
		}
		if flow+len(columns) > maxDepth {
			r.fault(r.place(t), "", "values are nested more than %d deep: make it flatter", maxDepth)
			return false
		}
	}
	return len(r.faults) == 0
}

// node converts a node of the parser. Path names it in faults.
func (r *reader) node(a ast.Node, path string, depth int) *node {
	n := &node{at: r.place(a.GetToken())}
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		if r.nodes == maxNodes+1 || depth > maxDepth {
			r.fault(n.at, path, "the file has more than %d values or is nested more than %d deep", maxNodes, maxDepth)
		}
		return n
	}
	switch a := a.(type) {
	case *ast.MappingNode:
		n.kind = kindMap
		seen := map[string]Place{}
		for i, v := range a.Values {
			if v.Key == nil || v.Value == nil {
				r.fault(n.at, path, "a key without a value")
				continue
			}
			key := &node{kind: kindString, at: r.place(v.Key.GetToken()), text: keyText(v.Key)}
			if i == 0 {
				n.at = key.at
			}
			if first, again := seen[key.text]; again {
				r.fault(key.at, join(path, key.text), "this key is here twice, first at %s: keep one", first)
				continue
			}
			seen[key.text] = key.at
			n.keys = append(n.keys, key)
			n.items = append(n.items, r.node(v.Value, join(path, key.text), depth+1))
		}
	case *ast.SequenceNode:
		n.kind = kindList
		for i, v := range a.Values {
			if v == nil {
				r.fault(n.at, path, "an entry without a value")
				continue
			}
			n.items = append(n.items, r.node(v, fmt.Sprintf("%s[%d]", path, i), depth+1))
		}
	case *ast.StringNode:
		n.kind, n.text, n.style = kindString, a.Value, a.GetToken().Type
	case *ast.LiteralNode:
		n.kind, n.style = kindString, token.LiteralType
		if a.Value != nil {
			n.text = a.Value.Value
		}
	case *ast.IntegerNode:
		n.kind, n.text = kindInt, fmt.Sprint(a.Value)
	case *ast.FloatNode:
		n.kind, n.text = kindNumber, strconv.FormatFloat(a.Value, 'g', -1, 64)
		if math.IsInf(a.Value, 0) || math.IsNaN(a.Value) {
			n.kind = kindString
		}
	case *ast.BoolNode:
		n.kind, n.text = kindBool, strconv.FormatBool(a.Value)
	case *ast.NullNode:
		n.kind = kindNull
	default:
		r.fault(n.at, path, "%s is not allowed here: write a plain value", strings.ToLower(a.Type().String()))
	}
	if len(n.text) > maxText {
		r.fault(n.at, path, "the text is %d bytes long: at most %d", len(n.text), maxText)
	}
	return n
}

func keyText(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return k.String()
}

func join(path, key string) string {
	if len(key) > 64 {
		key = key[:64] + "…"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}
