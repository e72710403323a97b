package language

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// goDeclared is the program's declared interface: the top-level declarations of its
// main package, read and never run.
type goDeclared struct {
	functions map[string]*ast.FuncType
	// generics are functions with type parameters.
	generics map[string]*ast.FuncType
	types    map[string]*ast.TypeSpec
	methods  map[string][]*ast.FuncDecl
	// variables have a type if the text shows one.
	variables map[string]ast.Expr
	constants map[string]*types.Const
}

func (x *goExam) declared() *goDeclared {
	g := &goDeclared{functions: map[string]*ast.FuncType{}, generics: map[string]*ast.FuncType{}, types: map[string]*ast.TypeSpec{}, methods: map[string][]*ast.FuncDecl{},
		variables: map[string]ast.Expr{}, constants: map[string]*types.Const{}}
	var constants []*ast.GenDecl
	dir := x.read.dirs[x.read.main]
	for _, f := range x.program.Files {
		if dir == nil || !slices.Contains(dir.files, f.Path) {
			continue
		}
		file := x.parsed
		if f.Path != x.main.Path {
			file = parseGo(f, parser.SkipObjectResolution)
		}
		if file == nil {
			continue
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					if d.Type.TypeParams == nil {
						g.functions[d.Name.Name] = d.Type
					} else {
						g.generics[d.Name.Name] = d.Type
					}
				} else if name, _ := goReceiver(d); name != "" {
					g.methods[name] = append(g.methods[name], d)
				}
			case *ast.GenDecl:
				if d.Tok == token.CONST {
					constants = append(constants, d)
				}
				g.read(d)
			}
		}
	}
	g.evaluate(constants)
	return g
}

// goReceiver returns the type name of a method's receiver.
func goReceiver(d *ast.FuncDecl) (name string, pointer bool) {
	if len(d.Recv.List) != 1 {
		return "", false
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t, pointer = star.X, true
	}
	id, ok := t.(*ast.Ident)
	if !ok {
		return "", false
	}
	return id.Name, pointer
}

func (g *goDeclared) read(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.TypeParams == nil {
				g.types[s.Name.Name] = s
			}
		case *ast.ValueSpec:
			if d.Tok != token.VAR {
				continue
			}
			for i, name := range s.Names {
				t := s.Type
				if t == nil && len(s.Values) == len(s.Names) {
					t = goTypeOf(s.Values[i])
				}
				if f, ok := t.(*ast.FuncType); ok {
					g.functions[name.Name] = f
				} else {
					g.variables[name.Name] = t
				}
			}
		}
	}
}

// goTypeOf reads a value's type off its spelling; nil if the spelling is not
// enough.
func goTypeOf(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return e.Type
	case *ast.FuncLit:
		return e.Type
	case *ast.ParenExpr:
		return goTypeOf(e.X)
	case *ast.UnaryExpr:
		if t := goTypeOf(e.X); e.Op == token.AND && t != nil {
			return &ast.StarExpr{X: t}
		} else if e.Op == token.SUB || e.Op == token.ADD {
			return t
		}
	case *ast.BasicLit:
		return ast.NewIdent(map[token.Token]string{token.INT: "int", token.FLOAT: "float64", token.STRING: "string", token.CHAR: "rune", token.IMAG: "complex128"}[e.Kind])
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return ast.NewIdent("bool")
		}
	case *ast.CallExpr:
		switch f := e.Fun.(type) {
		case *ast.SelectorExpr:
			if id, ok := f.X.(*ast.Ident); ok && (id.Name+"."+f.Sel.Name == "errors.New" || id.Name+"."+f.Sel.Name == "fmt.Errorf") {
				return ast.NewIdent("error")
			}
		case *ast.Ident:
			if (f.Name == "make" || f.Name == "new") && len(e.Args) > 0 {
				if f.Name == "new" {
					return &ast.StarExpr{X: e.Args[0]}
				}
				return e.Args[0]
			}
		case *ast.ArrayType, *ast.MapType:
			return e.Fun
		}
	}
	return nil
}

// evaluate computes constants. They may use each other, and the program's types
// with a basic underlying type.
func (g *goDeclared) evaluate(constants []*ast.GenDecl) {
	file := &ast.File{Name: ast.NewIdent("constants")}
	for name, s := range g.types {
		if id, ok := s.Type.(*ast.Ident); ok && !s.Assign.IsValid() {
			file.Decls = append(file.Decls, &ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{&ast.TypeSpec{Name: ast.NewIdent(name), Type: ast.NewIdent(id.Name)}}})
		}
	}
	for _, d := range g.bounded(constants) {
		file.Decls = append(file.Decls, d)
	}
	if len(file.Decls) > maxGoConstants {
		return
	}
	defer func() { recover() }() // constants that go/types cannot read are skipped
	config := types.Config{Error: func(error) {}, FakeImportC: true}
	pkg, _ := config.Check("constants", token.NewFileSet(), []*ast.File{file}, nil)
	if pkg == nil {
		return
	}
	for _, name := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok && c.Val().Kind() != constant.Unknown {
			g.constants[name] = c
		}
	}
}

// maxGoConstants bounds the constants and the types evaluated on the host: each may
// need all the others.
const maxGoConstants = 2000

// bounded returns the groups of constants that the host can evaluate in little time
// and memory. Expressions may contain only numbers, texts, names, operators and
// conversions. Sums of texts are excluded, because a few lines can make a text
// larger than any memory.
func (g *goDeclared) bounded(constants []*ast.GenDecl) []*ast.GenDecl {
	specs := 0
	constants = slices.DeleteFunc(slices.Clone(constants), func(d *ast.GenDecl) bool {
		specs += len(d.Specs)
		return !goPlainConstants(d)
	})
	if specs > maxGoConstants || len(g.types) > maxGoConstants {
		return nil
	}
	// texts are the names of text constants and of text types, found by their
	// declarations.
	texts := map[string]bool{"string": true}
	has := func(d ast.Node) (text, sum bool) {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				text = text || n.Kind == token.STRING
			case *ast.Ident:
				text = text || texts[n.Name]
			case *ast.BinaryExpr:
				sum = sum || n.Op == token.ADD
			}
			return true
		})
		return text, sum
	}
	for rounds, before := 0, -1; before < len(texts); rounds++ {
		if rounds > 20 {
			return nil
		}
		before = len(texts)
		for name, s := range g.types {
			if id, ok := s.Type.(*ast.Ident); ok && texts[id.Name] {
				texts[name] = true
			}
		}
		for _, d := range constants {
			if text, _ := has(d); text {
				for _, s := range d.Specs {
					if s, ok := s.(*ast.ValueSpec); ok {
						for _, n := range s.Names {
							texts[n.Name] = true
						}
					}
				}
			}
		}
	}
	return slices.DeleteFunc(constants, func(d *ast.GenDecl) bool {
		text, sum := has(d)
		return text && sum
	})
}

// goPlainConstants reports whether constants consist only of numbers, texts, names,
// operators and conversions.
func goPlainConstants(d *ast.GenDecl) bool {
	plain := true
	ast.Inspect(d, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.GenDecl, *ast.ValueSpec, *ast.Comment, *ast.CommentGroup, *ast.BasicLit, *ast.Ident, *ast.ParenExpr,
			*ast.UnaryExpr, *ast.BinaryExpr, *ast.CallExpr, *ast.SelectorExpr:
		default:
			plain = false
		}
		return plain
	})
	return plain
}

// goStubs writes both ends of the link for the names used by the tests.
type goStubs struct {
	*goDeclared
	// own are the names declared by the tests themselves.
	own map[string]bool
	// spelled are the methods and fields used by the tests.
	spelled map[string]bool
	// done records whether each type travels; a type still being read counts as
	// travelling.
	done map[string]bool
	// offered are the types spelled by the tests, parameters the type parameters of
	// the current function.
	offered    []ast.Expr
	parameters map[string]bool
	steps      int
	// unfit says why certain names used by the tests have no stub.
	unfit map[string]string
	// depth is the current nesting of types, room the remaining output budget.
	depth, room int

	stubs, serve bytes.Buffer // declarations of the two ends
	entries      bytes.Buffer // served functions
	both         bytes.Buffer // registrations at both ends
	imports      map[string]bool
}

// link generates the two ends. name is the package name of the tests' end.
func (x *goExam) link(name string) (serve, stubs glovebox.File, unfit map[string]string) {
	s := &goStubs{goDeclared: x.declared(), own: x.own, spelled: x.spelled, done: map[string]bool{}, unfit: map[string]string{}, room: maxGoStubs, imports: map[string]bool{}, offered: goSpelled(x.files)}
	for _, w := range x.wanted {
		s.want(w)
	}
	var c, p bytes.Buffer
	fmt.Fprintf(&c, "package %s\n\nimport (\n\tgloveboxReflect \"reflect\"\n\tgloveboxWire \"glovebox/wire\"\n", name)
	fmt.Fprintf(&p, "package %s\n\nimport (\n\tgloveboxReflect \"reflect\"\n\tgloveboxWire \"glovebox/wire\"\n", x.name)
	for _, path := range slices.Sorted(maps.Keys(s.imports)) {
		fmt.Fprintf(&c, "\t%s %q\n", goStubImports[path], path)
		fmt.Fprintf(&p, "\t%s %q\n", goStubImports[path], path)
	}
	maps.DeleteFunc(s.unfit, func(name, _ string) bool { return !slices.Contains(x.wanted, name) && !x.spelled[name] })
	uses := "var _ = gloveboxReflect.TypeFor[int]\n\nvar _ = gloveboxWire.Call\n"
	for _, path := range slices.Sorted(maps.Keys(s.imports)) {
		uses += "var _ " + goStubUses[path] + "\n"
	}
	// Every stub needs gloveboxReady, because initialisers of test variables may
	// call stubs.
	fmt.Fprintf(&c, ")\n\n%s%s\nvar gloveboxReady = func() bool {\n%s\tgloveboxWire.AllowNaN, gloveboxWire.AllowInf, gloveboxWire.AllowJoined = %t, %t, %t\n\tgloveboxWire.Start()\n\treturn true\n}()\n%s", uses, s.stubs.Bytes(), s.both.Bytes(), x.nan, x.inf, x.joined, goOrderedGuard)
	ready := "var gloveboxReady = true\n"
	fmt.Fprintf(&p, ")\n\n%s%s%s\nfunc GloveboxServe() {\n%s\tgloveboxWire.Serve(map[string]any{\n%s\t})\n}\n",
		uses, ready, s.serve.Bytes(), s.both.Bytes(), s.entries.Bytes())
	return glovebox.File{Path: goGlue + "serve.go", Data: p.Bytes()}, glovebox.File{Path: goGlue + "stubs.go", Data: c.Bytes()}, s.unfit
}

// Bounds of the code generated for a program. A few names can spell a long type
// many times, and types can lead to types without end.
const (
	maxGoStubs      = 8 << 20 // bytes, approximately
	maxGoType       = 4096    // bytes of one type
	maxGoTypes      = 100     // nested types
	maxGoParameters = 200
)

// spend reports whether n more bytes fit into the remaining budget.
func (s *goStubs) spend(n int) bool {
	s.room -= n + 64
	return s.room > 0
}

// goStubImports maps packages with travelling types to their names in stubs.
var goStubImports = map[string]string{"math/big": "gloveboxBig", "time": "gloveboxTime", "io": "gloveboxIO", "fmt": "gloveboxFmt"}

var goStubUses = map[string]string{"math/big": "gloveboxBig.Int", "time": "gloveboxTime.Time", "io": "gloveboxIO.Reader", "fmt": "gloveboxFmt.Stringer"}

// goPlainTypes are the package types with travelling values.
var goPlainTypes = map[string]string{
	"big.Int": "math/big", "big.Rat": "math/big", "big.Float": "math/big",
	"time.Time": "time", "time.Duration": "time", "time.Month": "time", "time.Weekday": "time",
	"io.Reader": "io", "io.Writer": "io", "io.ReadWriter": "io", "fmt.Stringer": "fmt",
}

// want writes the stand-in for a name of the program. Names not declared by the
// program are left to the compiler.
func (s *goStubs) want(name string) {
	switch {
	case s.functions[name] != nil:
		s.function(name, s.functions[name])
	case s.generics[name] != nil:
		if why := s.generic(name, s.generics[name]); why != "" {
			s.unfit[name] = why
		}
	case s.types[name] != nil:
		s.typ(name)
	case s.constants[name] != nil:
		s.constant(name, s.constants[name])
	default:
		if t, ok := s.variables[name]; ok {
			s.variable(name, t)
		}
	}
}

func (s *goStubs) function(name string, f *ast.FuncType) {
	if why := s.stub(&s.stubs, "", name, name, f); why != "" {
		s.unfit[name] = why
		return
	}
	fmt.Fprintf(&s.entries, "\t\t%q: %s,\n", name, name)
}

func (s *goStubs) constant(name string, c *types.Const) {
	if goSentinel().MatchString(name) {
		// Two errors with equal values could be mistaken for each other.
		for other, c2 := range s.constants {
			if other != name && goSentinel().MatchString(other) && c2.Val().Kind() == c.Val().Kind() && constant.Compare(c.Val(), token.EQL, c2.Val()) {
				s.unfit[name] = "it has the same value as " + other
				return
			}
		}
	}
	value := c.Val().ExactString()
	if c.Val().Kind() == constant.Float {
		value = c.Val().String()
		if f, _ := constant.Float64Val(c.Val()); f == f {
			value = strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	of := ""
	switch t := c.Type().(type) {
	case *types.Named:
		if !s.typ(t.Obj().Name()) {
			return
		}
		of = t.Obj().Name()
	case *types.Basic:
		if t.Info()&types.IsUntyped == 0 {
			of = t.Name()
		} else if t.Kind() == types.UntypedRune {
			of = "rune"
			fmt.Fprintf(&s.stubs, "\nconst %s = rune(%s)\n", name, value)
			return
		}
	}
	fmt.Fprintf(&s.stubs, "\nconst %s %s = %s\n", name, of, value)
}

func (s *goStubs) variable(name string, t ast.Expr) {
	text := ""
	if t != nil {
		text = s.spell(t)
	}
	if goSentinel().MatchString(name) {
		text = "error" // known as an error by its name, whatever its type: each is distinct
	}
	if text == "" {
		s.unfit[name] = "its type cannot be read off its declaration, or does not travel: declare it with its type"
		return
	}
	if text == "error" {
		fmt.Fprintf(&s.stubs, "\nvar %s = gloveboxWire.Sentinel(%q, gloveboxWire.Named(%q))\n", name, name, name)
		fmt.Fprintf(&s.serve, "\nvar _ = gloveboxWire.Sentinel(%q, %s)\n", name, name)
		fmt.Fprintf(&s.both, "\tgloveboxWire.Text(%q, %s)\n", name, name)
		return
	}
	fmt.Fprintf(&s.stubs, "\nvar %s %s\n", name, text)
	fmt.Fprintf(&s.both, "\tgloveboxWire.Watch(%q, &%s)\n", name, name)
}

// typ declares a type of the program in the tests, with stubs of its methods, and
// reports whether its values travel.
func (s *goStubs) typ(name string) bool {
	if ok, seen := s.done[name]; seen {
		return ok
	}
	spec := s.types[name]
	if spec == nil {
		return false
	}
	s.done[name] = true
	outer := s.parameters
	s.parameters = nil
	defer func() { s.parameters = outer }()
	var body, tail bytes.Buffer
	var fields []string
	ok := true
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields = s.structure(&body, t)
	case *ast.InterfaceType:
		ok = s.contract(&body, &tail, name, t)
	case *ast.ChanType:
		ok = false
	default:
		text := s.spell(t)
		ok = text != ""
		body.WriteString(text)
	}
	if !ok {
		s.done[name] = false
		s.unfit[name] = "values of this type do not travel"
		return false
	}
	if !s.own[name] {
		alias := ""
		if spec.Assign.IsValid() {
			alias = "= "
		}
		fmt.Fprintf(&s.stubs, "\ntype %s %s%s\n", name, alias, body.Bytes())
	}
	s.stubs.Write(tail.Bytes())
	if _, isInterface := spec.Type.(*ast.InterfaceType); isInterface || spec.Assign.IsValid() {
		return true
	}
	fmt.Fprintf(&s.both, "\tgloveboxWire.Register(%q, gloveboxReflect.TypeFor[%s]()", name, name)
	for _, f := range fields {
		fmt.Fprintf(&s.both, ", %q", f)
	}
	s.both.WriteString(")\n")
	if s.own[name] {
		return true
	}
	for _, m := range s.methods[name] {
		s.method(name, m)
	}
	return true
}

// goJudges are comparison methods that the standard library calls on values of the
// tests. They get a stub only if the tests spell them.
var goJudges = []string{"Is", "As", "Equal", "Compare", "Cmp"}

func (s *goStubs) method(of string, m *ast.FuncDecl) {
	name := m.Name.Name
	if name == "_" || slices.Contains(goJudges, name) && !s.spelled[name] {
		return
	}
	_, pointer := goReceiver(m)
	receiver, served := of, of+"."+name
	if pointer {
		receiver, served = "*"+of, "(*"+of+")."+name
	}
	var b bytes.Buffer
	if why := s.stub(&b, receiver, name, of+"."+name, m.Type); why != "" {
		if s.spelled[name] {
			s.unfit[name] = why
		}
		return
	}
	s.stubs.Write(b.Bytes())
	fmt.Fprintf(&s.entries, "\t\t%q: %s,\n", of+"."+name, served)
}

// structure writes a struct with the travelling fields. One extra field represents
// the other fields, if any.
func (s *goStubs) structure(b *bytes.Buffer, t *ast.StructType) (fields []string) {
	var list bytes.Buffer
	partial := false
	for _, f := range t.Fields.List {
		text := s.spell(f.Type)
		tag := ""
		if f.Tag != nil {
			if v, err := strconv.Unquote(f.Tag.Value); err == nil {
				tag = " " + strconv.Quote(v)
			}
		}
		if len(f.Names) == 0 {
			name := strings.TrimPrefix(text, "*")
			if text == "" || !token.IsIdentifier(name) || goUniverse[name] {
				partial = true
				continue
			}
			fields = append(fields, name)
			fmt.Fprintf(&list, "\t%s%s\n", text, tag)
			continue
		}
		for _, n := range f.Names {
			if text == "" || n.Name == "_" || !s.spend(len(text)) {
				partial = true
				continue
			}
			fields = append(fields, n.Name)
			fmt.Fprintf(&list, "\t%s %s%s\n", n.Name, text, tag)
		}
	}
	fmt.Fprintf(b, "struct {\n%s", list.Bytes())
	if partial {
		fields = append([]string{"gloveboxHeld"}, fields...)
		b.WriteString("\tgloveboxHeld uint64\n")
	}
	b.WriteString("}")
	return fields
}

// goInterfaces are standard interfaces that a program's interfaces may embed.
var goInterfaces = func() map[string]*ast.InterfaceType {
	all := map[string]*ast.InterfaceType{}
	for name, text := range map[string]string{
		"io.Reader": "Read(p []byte) (n int, err error)", "io.Writer": "Write(p []byte) (n int, err error)", "io.Closer": "Close() error",
		"fmt.Stringer": "String() string", "error": "Error() string",
	} {
		e, err := parser.ParseExpr("interface{ " + text + " }")
		if err != nil {
			panic(err)
		}
		all[name] = e.(*ast.InterfaceType)
	}
	return all
}()

// contract writes an interface of the program, and the proxy for values of the
// other end.
func (s *goStubs) contract(b, tail *bytes.Buffer, name string, t *ast.InterfaceType) bool {
	b.WriteString("interface {\n")
	proxy := "gloveboxA" + name
	var methods bytes.Buffer
	count := 0
	steps := 0
	var add func(t *ast.InterfaceType, depth int) bool
	add = func(t *ast.InterfaceType, depth int) bool {
		if steps++; steps > 100 {
			return false
		}
		for _, f := range t.Methods.List {
			sig, ok := f.Type.(*ast.FuncType)
			if !ok {
				// An embedded interface: the program's, or a known one.
				if sel, ok := f.Type.(*ast.SelectorExpr); ok {
					known := goInterfaces[types.ExprString(sel)]
					if known == nil || !add(known, depth+1) {
						return false
					}
					continue
				}
				id, ok := f.Type.(*ast.Ident)
				if ok && id.Name == "error" && add(goInterfaces["error"], depth+1) {
					continue
				}
				if !ok || s.types[id.Name] == nil || depth > 8 {
					return false
				}
				inner, ok := s.types[id.Name].Type.(*ast.InterfaceType)
				if !ok || !add(inner, depth+1) {
					return false
				}
				continue
			}
			for _, n := range f.Names {
				params, results, why := s.signature(sig)
				if why != "" || slices.Contains(goJudges, n.Name) && !s.spelled[n.Name] {
					return false
				}
				fmt.Fprintf(b, "\t%s(%s) (%s)\n", n.Name, strings.Join(params, ", "), strings.Join(results, ", "))
				s.call(&methods, "(r "+proxy+") "+n.Name, fmt.Sprintf("CallMethod(r.Remote, %q, ", n.Name), "", params, results)
				count++
			}
		}
		return true
	}
	if !add(t, 0) || count == 0 {
		return false
	}
	b.WriteString("}")
	fmt.Fprintf(&s.both, "\tgloveboxWire.Proxy(gloveboxReflect.TypeFor[%s](), func(id uint64) any { return %s{gloveboxWire.Remote(id)} })\n", name, proxy)
	text := fmt.Sprintf("\ntype %s struct{ gloveboxWire.Remote }\n%s", proxy, methods.Bytes())
	tail.WriteString(text)
	s.serve.WriteString(text)
	return true
}

// stub writes the stub of a function or method of the program. If there is no stub,
// stub returns the reason.
func (s *goStubs) stub(b *bytes.Buffer, receiver, name, target string, f *ast.FuncType) string {
	params, results, why := s.signature(f)
	if why != "" {
		return why
	}
	if receiver == "" {
		s.call(b, name, fmt.Sprintf("Call(%q, ", target), "", params, results)
		return ""
	}
	s.call(b, "(r "+receiver+") "+name, fmt.Sprintf("Call(%q, ", target), "&r, ", params, results)
	return ""
}

func (s *goStubs) call(b *bytes.Buffer, head, callee, first string, params, results []string) {
	fmt.Fprintf(b, "\nfunc %s(", head)
	args, outs := first, ""
	for i, t := range params {
		fmt.Fprintf(b, "a%d %s, ", i, t)
		args += fmt.Sprintf("&a%d, ", i)
	}
	b.WriteString(") (")
	for i, t := range results {
		fmt.Fprintf(b, "r%d %s, ", i, t)
		outs += fmt.Sprintf("&r%d, ", i)
	}
	fmt.Fprintf(b, ") {\n\t_ = gloveboxReady\n\tgloveboxWire.%s[]interface{}{%s}, []interface{}{%s})\n\treturn\n}\n", callee, args, outs)
}

// signature spells parameters and results; why names the part that does not travel.
func (s *goStubs) signature(f *ast.FuncType) (params, results []string, why string) {
	if f.TypeParams != nil {
		return nil, nil, "it has type parameters"
	}
	read := func(list *ast.FieldList) (all []string) {
		if list == nil {
			return nil
		}
		for _, p := range list.List {
			t, before := p.Type, ""
			if e, ok := t.(*ast.Ellipsis); ok {
				t, before = e.Elt, "..."
			}
			text := s.spell(t)
			if text == "" {
				shown := types.ExprString(t)
				why = "its type has " + shown[:min(len(shown), 200)] + ", which does not travel between the program and its tests"
				return nil
			}
			for range max(len(p.Names), 1) {
				if len(all) == maxGoParameters || !s.spend(len(text)) {
					why = "it has too many parameters or results, or they are too large"
					return nil
				}
				all = append(all, before+text)
			}
		}
		return all
	}
	params = read(f.Params)
	if why == "" {
		results = read(f.Results)
	}
	return params, results, why
}

// spell spells a travelling type, from a closed set and the program's own types;
// empty for any other type.
func (s *goStubs) spell(e ast.Expr) string {
	if s.depth == maxGoTypes {
		return ""
	}
	s.depth++
	defer func() { s.depth-- }()
	if text := s.spelling(e); len(text) <= maxGoType {
		return text
	}
	return ""
}

func (s *goStubs) spelling(e ast.Expr) string {
	around := func(before string, e ast.Expr) string {
		if t := s.spell(e); t != "" {
			return before + t
		}
		return ""
	}
	switch e := e.(type) {
	case *ast.Ident:
		if s.parameters[e.Name] {
			return e.Name
		}
		switch e.Name {
		case "any":
			return "interface{}"
		case "bool", "byte", "error", "rune", "string", "uintptr", "complex64", "complex128", "float32", "float64",
			"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64":
			return e.Name
		}
		if !goUniverse[e.Name] && s.typ(e.Name) {
			return e.Name
		}
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			if path := goPlainTypes[pkg.Name+"."+e.Sel.Name]; path != "" {
				s.imports[path] = true
				return goStubImports[path] + "." + e.Sel.Name
			}
		}
	case *ast.InterfaceType:
		if e.Methods.NumFields() == 0 {
			return "interface{}"
		}
	case *ast.ParenExpr:
		return s.spell(e.X)
	case *ast.StarExpr:
		return around("*", e.X)
	case *ast.ArrayType:
		if e.Len == nil {
			return around("[]", e.Elt)
		}
		switch n := e.Len.(type) {
		case *ast.BasicLit:
			if n.Kind == token.INT && len(n.Value) <= 4 {
				return around("["+n.Value+"]", e.Elt)
			}
		case *ast.Ident:
			if c := s.constants[n.Name]; c != nil {
				if v, ok := constant.Int64Val(constant.ToInt(c.Val())); ok && v >= 0 && v < 10000 {
					return around("["+strconv.FormatInt(v, 10)+"]", e.Elt)
				}
			}
		}
	case *ast.MapType:
		if key := s.spell(e.Key); key != "" {
			return around("map["+key+"]", e.Value)
		}
	case *ast.FuncType:
		params, results, why := s.signature(e)
		if why == "" {
			return "func(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")"
		}
	case *ast.StructType:
		var b strings.Builder
		for _, f := range e.Fields.List {
			t := s.spell(f.Type)
			if t == "" || len(f.Names) == 0 {
				return ""
			}
			if b.Len() > maxGoType {
				return ""
			}
			for _, n := range f.Names[:min(len(f.Names), maxGoType)] {
				b.WriteString(n.Name + " " + t + "; ")
			}
		}
		if b.Len() == 0 {
			return "struct{}"
		}
	}
	return ""
}
