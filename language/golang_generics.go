package language

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A generic function of the program has a generic stub. The instances served by the
// program's process must be known in advance: instances for the types spelled by
// the tests, as far as the types satisfy the constraints.

// maxGoInstances bounds the instances of a function.
const maxGoInstances = 150

// goSpelled returns the types spelled by the tests and the types of their
// constants, most frequent first.
func goSpelled(files []goTestFile) []ast.Expr {
	count := map[string]int{}
	of := map[string]ast.Expr{}
	add := func(e ast.Expr) {
		text := types.ExprString(e)
		if len(text) > 100 {
			return
		}
		count[text]++
		of[text] = e
	}
	for _, f := range files {
		ast.Inspect(f.parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if t := goTypeOf(n); t != nil {
					add(t)
				}
			case *ast.Ident:
				switch {
				case n.Obj != nil:
				case n.Name == "true" || n.Name == "false":
					add(ast.NewIdent("bool"))
				case goIsType(n) && n.Name != "comparable", ast.IsExported(n.Name):
					add(n)
				}
			case *ast.SelectorExpr:
				if goPlainTypes[types.ExprString(n)] != "" {
					add(n)
				}
			case *ast.ArrayType, *ast.MapType, *ast.StarExpr:
				add(n.(ast.Expr))
			}
			return true
		})
	}
	var all []ast.Expr
	for _, e := range of {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b ast.Expr) int {
		x, y := types.ExprString(a), types.ExprString(b)
		if count[x] != count[y] {
			return count[y] - count[x]
		}
		return strings.Compare(x, y)
	})
	return all
}

// generic writes the stub of a generic function, and its served instances.
func (s *goStubs) generic(name string, f *ast.FuncType) string {
	const why = "its type parameters have constraints that are not read here"
	var names []string
	var constraints []ast.Expr
	for _, p := range f.TypeParams.List {
		for _, n := range p.Names {
			if goUniverse[n.Name] || n.Name == "_" || strings.HasPrefix(n.Name, "glovebox") {
				return why
			}
			names, constraints = append(names, n.Name), append(constraints, p.Type)
		}
	}
	s.parameters = map[string]bool{}
	for _, n := range names {
		s.parameters[n] = true
	}
	defer func() { s.parameters = nil }()
	var list, keys []string
	for i, n := range names {
		c := s.constraint(constraints[i], 0)
		if c == "" {
			return why
		}
		list = append(list, n+" "+c)
		keys = append(keys, "gloveboxReflect.TypeFor["+n+"]()")
	}
	plain := *f
	plain.TypeParams = nil
	params, results, bad := s.signature(&plain)
	if bad != "" {
		return bad
	}
	var b strings.Builder
	count := 0
	s.instances(names, constraints, func(args []string) {
		if count++; count > maxGoInstances {
			return
		}
		var of []string
		for _, a := range args {
			of = append(of, "gloveboxReflect.TypeFor["+a+"]()")
		}
		key := fmt.Sprintf("gloveboxWire.Instance(%q, %s)", name, strings.Join(of, ", "))
		fmt.Fprintf(&b, "\t\t%s: %s[%s],\n", key, name, strings.Join(args, ", "))
		fmt.Fprintf(&s.both, "\tgloveboxWire.Serves(%s)\n", key)
	})
	if count == 0 || !s.spend(b.Len()) {
		return "the tests spell no types that satisfy its constraints"
	}
	s.entries.WriteString(b.String())
	s.call(&s.stubs, name+"["+strings.Join(list, ", ")+"]", fmt.Sprintf("Call(gloveboxWire.Served(%q, %s), ", name, strings.Join(keys, ", ")), "", params, results)
	return ""
}

// instances calls each with type arguments that satisfy the constraints.
func (s *goStubs) instances(names []string, constraints []ast.Expr, each func(args []string)) {
	most := map[int]int{1: 24, 2: 12, 3: 5}[len(names)]
	var texts []string
	exprs := map[string]ast.Expr{}
	outer := s.parameters
	s.parameters = nil
	for _, e := range s.offered {
		if text := s.spell(e); text != "" && len(text) < 100 && exprs[text] == nil && len(texts) < most {
			texts, exprs[text] = append(texts, text), e
		}
	}
	s.parameters = outer
	args := map[string]ast.Expr{}
	var try func(i int, got []string)
	try = func(i int, got []string) {
		if i < len(names) {
			for _, text := range texts {
				args[names[i]] = exprs[text]
				try(i+1, append(slices.Clone(got), text))
			}
			return
		}
		for i, c := range constraints {
			if !s.satisfies(exprs[got[i]], c, args, 0) {
				return
			}
		}
		each(got)
	}
	try(0, nil)
}

// goOrdered are the types in cmp.Ordered.
var goOrdered = strings.Fields("int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 string")

// constraint spells a constraint from a closed set; empty for any other constraint.
func (s *goStubs) constraint(e ast.Expr, depth int) string {
	if depth > 8 || !s.step() {
		return ""
	}
	switch e := e.(type) {
	case *ast.Ident:
		if e.Name == "any" || e.Name == "comparable" {
			return e.Name
		}
		if t := s.types[e.Name]; t != nil && !s.parameters[e.Name] {
			if i, ok := t.Type.(*ast.InterfaceType); ok {
				return s.constraint(i, depth+1)
			}
		}
		return s.spell(e)
	case *ast.SelectorExpr:
		if types.ExprString(e) == "cmp.Ordered" {
			return "interface{ ~" + strings.Join(goOrdered, " | ~") + " }"
		}
	case *ast.InterfaceType:
		var all []string
		for _, f := range e.Methods.List {
			c := ""
			if len(f.Names) == 0 {
				c = s.constraint(f.Type, depth+1)
			}
			if c == "" {
				return ""
			}
			all = append(all, c)
		}
		return "interface{ " + strings.Join(all, "; ") + " }"
	case *ast.BinaryExpr:
		var all []string
		for _, term := range goTerms(e) {
			c := s.constraint(term, depth+1)
			if c == "" {
				return ""
			}
			all = append(all, c)
		}
		return strings.Join(all, " | ")
	case *ast.UnaryExpr:
		if t := s.spell(e.X); e.Op == token.TILDE && t != "" {
			return "~" + t
		}
	case *ast.ParenExpr:
		return s.constraint(e.X, depth+1)
	default:
		return s.spell(e)
	}
	return ""
}

// goTerms returns the terms of a union; nil for another operator, or too many
// terms.
func goTerms(e ast.Expr) (terms []ast.Expr) {
	for len(terms) < 100 {
		b, ok := e.(*ast.BinaryExpr)
		if !ok {
			return append(terms, e)
		}
		if b.Op != token.OR {
			break
		}
		terms, e = append(terms, b.Y), b.X
	}
	return nil
}

// step bounds the work on type parameters.
func (s *goStubs) step() bool {
	s.steps++
	return s.steps < 200_000
}

// satisfies reports whether a type certainly satisfies a constraint.
func (s *goStubs) satisfies(t, c ast.Expr, args map[string]ast.Expr, depth int) bool {
	if depth > 8 || !s.step() {
		return false
	}
	switch c := c.(type) {
	case *ast.ParenExpr:
		return s.satisfies(t, c.X, args, depth+1)
	case *ast.Ident:
		switch {
		case args[c.Name] != nil:
			return types.ExprString(t) == types.ExprString(args[c.Name])
		case c.Name == "any":
			return true
		case c.Name == "comparable":
			return s.comparable(t, 0)
		}
		if spec := s.types[c.Name]; spec != nil {
			if i, ok := spec.Type.(*ast.InterfaceType); ok {
				return s.satisfies(t, i, args, depth+1)
			}
		}
	case *ast.SelectorExpr:
		if types.ExprString(c) == "cmp.Ordered" {
			u, ok := s.under(t).(*ast.Ident)
			return ok && (slices.Contains(goOrdered, u.Name) || u.Name == "rune" || u.Name == "byte")
		}
	case *ast.InterfaceType:
		return !slices.ContainsFunc(c.Methods.List, func(f *ast.Field) bool {
			return len(f.Names) > 0 || !s.satisfies(t, f.Type, args, depth+1)
		})
	case *ast.BinaryExpr:
		return slices.ContainsFunc(goTerms(c), func(term ast.Expr) bool { return s.satisfies(t, term, args, depth+1) })
	case *ast.UnaryExpr:
		return goAlike(s.under(t), c.X, args)
	}
	return goAlike(t, c, args)
}

// under returns the underlying type of a type named by the program.
func (s *goStubs) under(t ast.Expr) ast.Expr {
	for range 8 {
		id, ok := t.(*ast.Ident)
		if !ok || goUniverse[id.Name] || s.types[id.Name] == nil {
			break
		}
		t = s.types[id.Name].Type
	}
	return t
}

// goAlike reports whether a type is spelled like another, after replacing type
// parameters by their arguments.
func goAlike(t, as ast.Expr, args map[string]ast.Expr) bool {
	if id, ok := as.(*ast.Ident); ok && args[id.Name] != nil {
		return types.ExprString(t) == types.ExprString(args[id.Name])
	}
	switch as := as.(type) {
	case *ast.ArrayType:
		t, ok := t.(*ast.ArrayType)
		return ok && t.Len == nil && as.Len == nil && goAlike(t.Elt, as.Elt, args)
	case *ast.MapType:
		t, ok := t.(*ast.MapType)
		return ok && goAlike(t.Key, as.Key, args) && goAlike(t.Value, as.Value, args)
	case *ast.Ident:
		same := map[string]string{"rune": "int32", "byte": "uint8"}
		id, ok := t.(*ast.Ident)
		return ok && (id.Name == as.Name || same[id.Name] == as.Name || same[as.Name] == id.Name)
	}
	return false
}

// comparable reports whether values of a type can be compared.
func (s *goStubs) comparable(t ast.Expr, depth int) bool {
	if depth > 8 || !s.step() {
		return false
	}
	switch u := s.under(t).(type) {
	case *ast.Ident:
		return goUniverse[u.Name] && u.Name != "any" && u.Name != "error"
	case *ast.StarExpr:
		return true
	case *ast.ArrayType:
		return u.Len != nil && s.comparable(u.Elt, depth+1)
	case *ast.StructType:
		return !slices.ContainsFunc(u.Fields.List, func(f *ast.Field) bool { return !s.comparable(f.Type, depth+1) })
	}
	return false
}
