package repomap

import (
	"bytes"
	"cmp"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"github.com/odvcencio/gotreesitter"
)

// Bounds of parsing one file. The parser's time grows with the square of a
// text's nesting depth, and the parser checks its clock only now and then:
// texts not written by a person are kept from the parser.
const (
	maxParse     = 64 << 10 // bytes
	maxNesting   = 200      // brackets
	maxParseTime = 2 * time.Second
	maxDepth     = 1000 // of a tree
	maxSignature = 160  // bytes that are shown
)

// parse replaces what was found line by line, from the file of most weight on,
// as far as the budgets go.
func (m *Map) parse(ctx context.Context) error {
	order := slices.Clone(m.files)
	sort.SliceStable(order, func(i, j int) bool { return order[i].weight > order[j].weight })
	var todo []*file
	left := m.o.ParseBytes
	for _, f := range order {
		if f.lang == nil || f.skipped != "" {
			continue
		}
		if m.o.Base != nil {
			if b := m.o.Base.by[f.path]; b != nil && b.lang == f.lang && b.sum == f.sum && b.fallback == "" {
				f.symbols = b.symbols
				continue
			}
		}
		// go/parser is as fast as reading.
		if f.lang.grammar != nil {
			if f.size > left {
				f.fallback = "beyond the budget of parsing"
				continue
			}
			left -= f.size
		}
		todo = append(todo, f)
	}

	var stop uint32
	defer context.AfterFunc(ctx, func() { atomic.StoreUint32(&stop, 1) })()
	var spent atomic.Int64
	// The library keeps its arenas for the next parse, which may never come.
	defer gotreesitter.DrainArenaPools()
	return m.each(ctx, todo, func(f *file) {
		if time.Duration(spent.Load()) > m.o.ParseTime {
			f.fallback = "beyond the time of parsing"
			return
		}
		src, err := m.src.Read(f.path)
		if err != nil || len(src) > m.o.MaxFileBytes {
			f.fallback = "changed since"
			return
		}
		start := time.Now()
		symbols, reason := outline(f.lang, src, &stop)
		if f.lang.grammar != nil {
			spent.Add(int64(time.Since(start)))
		}
		if reason != "" {
			f.fallback = reason
			return
		}
		f.symbols = symbols
	})
}

// outline parses a text. Where it cannot, it says why.
func outline(l *lang, src []byte, stop *uint32) (symbols []Symbol, reason string) {
	if l.grammar == nil {
		return goOutline(src)
	}
	if reason := unparsable(src); reason != "" {
		return nil, reason
	}
	defer func() {
		if r := recover(); r != nil {
			symbols, reason = nil, "the parser failed"
		}
	}()
	grammar := l.grammar()
	p, _ := l.parsers.Get().(*gotreesitter.Parser)
	if p == nil {
		p = gotreesitter.NewParser(grammar)
	}
	p.SetTimeoutMicros(uint64(maxParseTime.Microseconds()))
	p.SetCancellationFlag(stop)
	tree, err := p.Parse(src)
	// After a panic a parser never gets here, and is not reused.
	p.SetCancellationFlag(nil)
	l.parsers.Put(p)
	if err != nil || tree == nil {
		return nil, "the parser failed"
	}
	defer tree.Release()
	root := tree.RootNode()
	if root == nil {
		return nil, ""
	}
	if tree.ParseStoppedEarly() {
		return nil, "the parser gave up"
	}
	if lost(root, len(src)) {
		return nil, "too many errors"
	}
	w := walker{l: l, grammar: grammar, src: src}
	w.walk(root, 0, 0)
	if root.HasError() {
		// Where the parser lost its way, lines are still informative.
		return merge(w.symbols, byLine(l, src)), ""
	}
	return w.symbols, ""
}

// merge adds further symbols, unless one begins on the line of a symbol or in a
// function.
func merge(symbols, others []Symbol) []Symbol {
	known := map[int]bool{}
	for _, s := range symbols {
		last := s.Line
		if s.Kind == "function" || s.Kind == "method" {
			last = s.End
		}
		for n := s.Line; n <= last; n++ {
			known[n] = true
		}
	}
	for _, o := range others {
		if !known[o.Line] {
			symbols = append(symbols, o)
		}
	}
	slices.SortStableFunc(symbols, func(a, b Symbol) int { return cmp.Compare(a.Line, b.Line) })
	return symbols[:min(len(symbols), maxSymbols)]
}

// unparsable says why a text must not be given to the parser.
func unparsable(src []byte) string {
	if len(src) > maxParse {
		return "too large to parse"
	}
	depth, text, blank := 0, 0, 0
	for _, c := range src {
		switch {
		case c == '(' || c == '[' || c == '{':
			if depth++; depth > maxNesting {
				return "nested too deep"
			}
		case c == ')' || c == ']' || c == '}':
			depth = max(0, depth-1)
		case wordByte(c):
			text++
		case c <= ' ':
			blank++
		}
	}
	// Code is words; what is mostly signs makes deep trees.
	if rest := len(src) - blank; rest > 1<<10 && text < rest*2/5 {
		return "mostly signs"
	}
	return ""
}

// lost reports whether a tree has too many errors to be useful.
func lost(root *gotreesitter.Node, size int) bool {
	if root.IsError() {
		return true
	}
	if !root.HasError() {
		return false
	}
	bad := 0
	for _, c := range root.Children() {
		if c.IsError() {
			bad += int(c.EndByte() - c.StartByte())
		}
	}
	return bad > size/4
}

// walker finds the definitions in a tree.
type walker struct {
	l       *lang
	grammar *gotreesitter.Language
	src     []byte
	symbols []Symbol
}

// walk looks at a node at level of the tree, in depth classes or modules. The
// inside of a named function is ignored.
func (w *walker) walk(n *gotreesitter.Node, level, depth int) {
	if level > maxDepth || len(w.symbols) >= maxSymbols {
		return
	}
	kind := ""
	if n.IsNamed() {
		kind = w.l.defines[n.Type(w.grammar)]
	}
	if kind != "" {
		if id, kind, body := w.definition(n, kind, depth); id != "" {
			w.symbols = append(w.symbols, Symbol{
				Name: id, Kind: kind, Depth: depth,
				Line: int(n.StartPoint().Row) + 1, End: int(n.EndPoint().Row) + 1,
				Text: signature(w.src[n.StartByte():min(body, n.EndByte())]),
			})
			if kind == "function" || kind == "method" {
				return
			}
			depth++
		}
	}
	for _, c := range n.Children() {
		w.walk(c, level+1, depth)
	}
}

// definition returns the name and the kind of the symbol defined by n, and the
// beginning of the body. The name is "" if n is no definition.
func (w *walker) definition(n *gotreesitter.Node, kind string, depth int) (id, of string, body uint32) {
	body = n.EndByte()
	value := n
	if kind == assigned {
		if value, kind = w.value(n); value == nil {
			return "", "", 0
		}
	}
	if b := value.ChildByFieldName("body", w.grammar); b != nil {
		body = b.StartByte()
	} else if b := w.block(value); b != nil {
		body = b.StartByte()
	}
	if kind == "function" && depth > 0 && w.l.name == "python" {
		kind = "method"
	}
	for _, field := range []string{"name", "left", "key", "property"} {
		if c := n.ChildByFieldName(field, w.grammar); c != nil {
			return w.id(c), kind, body
		}
	}
	// Names that are no field: of an assignment, a package, a Bash function.
	for _, c := range n.Children() {
		if c.IsNamed() && c != value && !c.IsExtra() {
			return w.id(c), kind, body
		}
	}
	return "", "", 0
}

// values are the nodes that make an assignment a definition.
var values = map[string]string{
	"arrow_function": "function", "function_expression": "function", "function": "function", "generator_function": "function",
	"class": "class", "function_definition": "function",
}

// value returns the function or class that a node assigns, and its kind. The
// value may be the only element of a list (in Lua).
func (w *walker) value(n *gotreesitter.Node) (*gotreesitter.Node, string) {
	for i := n.ChildCount() - 1; i > 0; i-- {
		c := n.Child(i)
		if c.IsNamed() && c.Type(w.grammar) == "expression_list" && c.NamedChildCount() == 1 {
			c = c.NamedChild(0)
		}
		if kind := values[c.Type(w.grammar)]; c.IsNamed() && kind != "" {
			return c, kind
		}
	}
	return nil, ""
}

// block returns the child that is a body under a different name, or ends a
// body.
func (w *walker) block(n *gotreesitter.Node) *gotreesitter.Node {
	for _, c := range n.Children() {
		switch c.Type(w.grammar) {
		case "block", "body_statement", "class_body", "declaration_list", "compound_statement", "statement_block", "do_group", "subshell":
			return c
		case "end":
			return c // of a body that is empty
		}
	}
	return nil
}

// id is a name as written, reduced to one line.
func (w *walker) id(n *gotreesitter.Node) string {
	b := w.src[n.StartByte():n.EndByte()]
	if len(b) > 100 {
		return ""
	}
	// A member is known by its last name: A.b.c, A:c, A::c.
	s := strings.TrimPrefix(strings.Trim(line(b, 100), `"'`+"`"), "#")
	if i := strings.LastIndexAny(s, ".:"); i >= 0 && w.l.name != "perl" && w.l.name != "bash" && i+1 < len(s) {
		s = s[i+1:]
	}
	return s
}

// signature is the text before a body, on one line.
func signature(b []byte) string {
	s := strings.TrimRight(line(b, maxSignature), " ")
	for _, end := range []string{";", "{", "=>", "=", ":"} {
		s = strings.TrimRight(strings.TrimSuffix(s, end), " ")
	}
	return s
}

// byLine finds definitions by the beginnings of lines, for files that are not
// parsed. It takes indentation for depth.
func byLine(l *lang, src []byte) []Symbol {
	var symbols []Symbol
	total := 1 + bytes.Count(src, []byte("\n"))
	for n := 1; len(src) > 0 && len(symbols) < maxSymbols; n++ {
		var text []byte
		text, src, _ = bytes.Cut(src, []byte("\n"))
		m := l.lines().FindSubmatchIndex(text[:min(len(text), 1000)])
		if m == nil {
			continue
		}
		s := Symbol{Kind: "function", Line: n, Text: signature(text)}
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				s.Name = line(text[m[i]:m[i+1]], 100)
				break
			}
		}
		if s.Name == "" {
			continue
		}
		for _, kind := range []string{"class", "module", "package", "interface", "type", "enum", "trait", "namespace"} {
			if i := strings.Index(s.Text, kind+" "); i >= 0 && i < strings.Index(s.Text, s.Name) {
				s.Kind = map[string]string{"class": "class", "trait": "class", "module": "module", "package": "module", "namespace": "module"}[kind]
				if s.Kind == "" {
					s.Kind = "type"
				}
			}
		}
		if indent := len(text) - len(bytes.TrimLeft(text, " \t")); indent > 0 {
			s.Depth = 1
			if s.Kind == "function" && l.name != "bash" {
				s.Kind = "method"
			}
		}
		symbols = append(symbols, s)
	}
	// A definition ends at the latest at the beginning of the next definition
	// of equal depth.
	for i := range symbols {
		s := &symbols[i]
		s.End = total
		for _, next := range symbols[i+1:] {
			if next.Depth <= s.Depth {
				s.End = max(s.Line, next.Line-1)
				break
			}
		}
	}
	return symbols
}

// goOutline uses Go's own parser, which reads the good parts of a broken file.
func goOutline(src []byte) ([]Symbol, string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if f == nil || f.Name == nil || err != nil && len(f.Decls) == 0 {
		return nil, "too many errors"
	}
	// Comments of the file must not move its lines.
	at := func(p token.Pos) token.Position { return fset.PositionFor(p, false) }
	var symbols []Symbol
	add := func(id *ast.Ident, kind string, from, to token.Pos, body token.Pos) {
		if len(symbols) == maxSymbols || !from.IsValid() {
			return
		}
		end := to
		if body.IsValid() {
			end = body
		}
		symbols = append(symbols, Symbol{
			Name: strings.Clone(id.Name), Kind: kind,
			Line: at(from).Line, End: at(to).Line, Text: signature(src[at(from).Offset:at(end).Offset]),
		})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			kind, body := "function", token.NoPos
			if d.Recv != nil {
				kind = "method"
			}
			if d.Body != nil {
				body = d.Body.Lbrace
			}
			add(d.Name, kind, d.Type.Func, d.End(), body)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					from, body := t.Pos(), token.NoPos
					if !d.Lparen.IsValid() {
						from = d.TokPos
					}
					switch u := t.Type.(type) {
					case *ast.StructType:
						body = u.Fields.Opening
					case *ast.InterfaceType:
						body = u.Methods.Opening
					}
					add(t.Name, "type", from, t.End(), body)
				}
			}
		}
	}
	return symbols, ""
}
