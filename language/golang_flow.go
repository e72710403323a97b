package language

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// The flow of program values through the text of tests: into variables, channels,
// maps and calls of other functions, and into the arguments that a call of the
// program may have changed.

// goGiven is a variable or field of the tests passed to a call of the program.
type goGiven struct {
	root any // its *ast.Object
	path string
}

// goGift records the position after which the program may have changed a goGiven.
// bare: the call is a statement, made for its side effects. whole: the program got
// the address, and so may have changed a list's length.
type goGift struct {
	from  token.Pos
	bare  bool
	whole bool
}

// rests reports whether the program contributed to e.
func (u *goUses) rests(e ast.Expr) bool { return u.part(e, false) }

// part reports whether the program contributed to e. With bare, arguments of a call
// with a used result count as the tests' own.
func (u *goUses) part(e ast.Expr, bare bool) bool {
	if u.says(e) || u.changed(e, bare) {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		k := u.key(e)
		return k != nil && u.parts[k]
	case *ast.SelectorExpr:
		if _, ok := e.X.(*ast.CallExpr); ok && u.part(e.X, bare) {
			return true
		}
		return u.parts[u.key(e)]
	case *ast.BinaryExpr:
		return u.part(e.X, bare) || u.part(e.Y, bare)
	case *ast.ParenExpr:
		return u.part(e.X, bare)
	case *ast.StarExpr:
		return u.part(e.X, bare)
	case *ast.UnaryExpr:
		return u.part(e.X, bare)
	case *ast.SliceExpr:
		return u.part(e.X, bare)
	case *ast.TypeAssertExpr:
		return u.part(e.X, bare)
	case *ast.IndexExpr:
		return u.part(e.X, bare) || u.keyed(e) && u.part(e.Index, bare)
	case *ast.CompositeLit:
		return slices.ContainsFunc(e.Elts, func(el ast.Expr) bool {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			return !u.isFunction(el) && !goEmpty(el) && u.part(el, bare)
		})
	case *ast.CallExpr:
		if u.isLength(e) {
			return false
		}
		switch f := e.Fun.(type) {
		case *ast.Ident:
			if k := u.key(f); k != nil && u.parts[goReturns{k}] {
				return true
			}
		case *ast.SelectorExpr:
			if _, ok := u.variable(f.X); ok && u.part(f.X, bare) {
				return true
			} else if _, ok := f.X.(*ast.CallExpr); ok && u.part(f.X, bare) {
				return true
			}
		}
		return slices.ContainsFunc(e.Args, func(a ast.Expr) bool { return !u.isFunction(a) && u.part(a, bare) })
	}
	return false
}

// goEmpty reports whether e is an empty literal.
func goEmpty(e ast.Expr) bool {
	if a, ok := e.(*ast.UnaryExpr); ok {
		e = a.X
	}
	lit, ok := e.(*ast.CompositeLit)
	return ok && len(lit.Elts) == 0
}

// isLength reports whether a call returns the length of a list passed by value. The
// program cannot have changed such a length.
func (u *goUses) isLength(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	if !ok || id.Name != "len" && id.Name != "cap" || id.Obj != nil || u.declared[id.Name] || len(call.Args) != 1 || u.says(call.Args[0]) {
		return false
	}
	root, path := goPath(call.Args[0])
	if root == nil || root.Obj == nil || u.parts[u.key(call.Args[0])] {
		return false
	}
	if _, list := u.under(u.typeOf(call.Args[0], 0)).(*ast.ArrayType); !list {
		return false
	}
	// Only the list's own length is certain, not the lengths of lists within a
	// list.
	if _, element := call.Args[0].(*ast.IndexExpr); element {
		return false
	}
	for p := path; ; p = p[:strings.LastIndexByte(p, '.')] {
		for _, g := range u.gifted[goGiven{root.Obj, p}] {
			if g.whole || p != path {
				return false
			}
		}
		if p == "" {
			return true
		}
	}
}

// goReturns marks a function of the tests that returns a program value.
type goReturns struct{ function any }

// isFunction reports whether e is a function of the program, not another program
// value.
func (u *goUses) isFunction(e ast.Expr) bool {
	id := u.ident(e)
	return id != nil && u.called(id.Name)
}

// variable returns the test variable named by e.
func (u *goUses) variable(e ast.Expr) (*ast.Ident, bool) {
	id, ok := e.(*ast.Ident)
	return id, ok && (id.Obj != nil && id.Obj.Kind == ast.Var || id.Obj == nil && u.declared[id.Name])
}

// keyed reports whether e is an element of a map with keys from the program. A
// plain list has indexes instead of keys.
func (u *goUses) keyed(e *ast.IndexExpr) bool {
	k := u.key(e.X)
	return k != nil && u.parts[goKeyed{k}]
}

type goKeyed struct{ of any }

// goPath returns the variable at the root of e, and the path of fields and elements
// from the root to e.
func goPath(e ast.Expr) (root *ast.Ident, path string) {
	switch e := e.(type) {
	case *ast.Ident:
		return e, ""
	case *ast.SelectorExpr:
		root, path = goPath(e.X)
		return root, path + "." + e.Sel.Name
	case *ast.UnaryExpr:
		if e.Op == token.AND || e.Op == token.RANGE {
			return goPath(e.X)
		}
	}
	if inner := goInner(e); inner != nil {
		return goPath(inner)
	}
	return nil, ""
}

// goInner returns the operand of an index, slice, parenthesis, dereference or type
// assertion expression; nil for other expressions.
func goInner(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.IndexExpr:
		return e.X
	case *ast.SliceExpr:
		return e.X
	case *ast.ParenExpr:
		return e.X
	case *ast.StarExpr:
		return e.X
	case *ast.TypeAssertExpr:
		return e.X
	}
	return nil
}

// changed reports whether e belongs to an argument of an earlier program call.
func (u *goUses) changed(e ast.Expr, bare bool) bool {
	root, path := goPath(e)
	if root == nil || root.Obj == nil {
		return false
	}
	for {
		for _, g := range u.gifted[goGiven{root.Obj, path}] {
			if e.Pos() >= g.from && (g.bare || !bare) {
				return true
			}
		}
		at := strings.LastIndexByte(path, '.')
		if at < 0 {
			return false
		}
		path = path[:at]
	}
}

// give notes that a call of the program receives e and may change e.
func (u *goUses) give(e ast.Expr, g goGift, loops []ast.Node, depth int) {
	switch e := e.(type) {
	case *ast.CompositeLit:
		for _, el := range e.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			u.give(el, g, loops, depth)
		}
		return
	case *ast.CallExpr:
		// A conversion, or append, passes on the same memory.
		if id, ok := e.Fun.(*ast.Ident); len(e.Args) == 1 && (goIsType(e.Fun) || u.ident(e.Fun) != nil) || ok && id.Name == "append" && id.Obj == nil && len(e.Args) > 0 {
			u.give(e.Args[0], g, loops, depth)
		}
		return
	}
	if a, ok := e.(*ast.UnaryExpr); ok && a.Op == token.AND {
		g.whole = true
	}
	root, path := goPath(e)
	if root == nil || root.Obj == nil || root.Obj.Kind != ast.Var || depth > 8 || !u.changeable(e) {
		return
	}
	// In a loop over the same variable, the whole body comes later.
	from := g.from
	for _, l := range loops {
		if root.Obj.Pos() < l.Pos() && l.Pos() < from {
			from = l.Pos()
		}
	}
	if u.isTop(root) {
		from = 0
	}
	k := goGiven{root.Obj, path}
	if gift := (goGift{from, g.bare, g.whole}); !slices.Contains(u.gifted[k], gift) {
		u.gifted[k] = append(u.gifted[k], gift)
		u.gifts++
	}
	if a, ok := root.Obj.Decl.(*ast.AssignStmt); ok {
		if from, ok := goAssigned(a, root.Obj); ok {
			u.give(from, g, loops, depth+1)
		}
	}
}

// goAssigned returns the value assigned to a variable by its declaration.
func goAssigned(a *ast.AssignStmt, o any) (ast.Expr, bool) {
	for i, to := range a.Lhs {
		if id, ok := to.(*ast.Ident); ok && id.Obj == o {
			if len(a.Rhs) == len(a.Lhs) {
				return a.Rhs[i], true
			}
			if r, ok := a.Rhs[0].(*ast.UnaryExpr); ok && r.Op == token.RANGE && i == 1 {
				return r, true
			}
		}
	}
	return nil, false
}

// givenTo notes the arguments of all calls of the program in a file.
func (u *goUses) givenTo(f *ast.File) {
	var above []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		above = append(above, n)
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		args := call.Args
		sel, method := call.Fun.(*ast.SelectorExpr)
		switch {
		case u.ident(call.Fun) != nil && goIsTypeName(u.ident(call.Fun), u):
			return true
		case u.ident(call.Fun) != nil:
		case method && (u.says(sel.X) || u.typed(sel.X)):
			args = append(slices.Clone(args), sel.X)
		case u.isCalledWord(call.Fun):
		default:
			return true
		}
		g := goGift{from: call.Pos()}
		var loops []ast.Node
		for i := len(above) - 2; i >= 0; i-- {
			switch s := above[i].(type) {
			case *ast.ExprStmt:
				g.bare = g.bare || s.X == call
				g.from = min(g.from, s.Pos())
			case *ast.AssignStmt, *ast.ValueSpec, *ast.ReturnStmt, *ast.SendStmt:
				g.from = min(g.from, s.Pos())
			case *ast.BinaryExpr:
				g.from = min(g.from, s.Pos())
			case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
				loops = append(loops, s)
			}
			if _, ok := above[i].(ast.Stmt); ok && g.bare {
				g.from = max(g.from, call.End())
			}
		}
		for _, a := range args {
			u.give(a, g, loops, 0)
		}
		return true
	})
}

// isCalledWord reports whether the called expression is a test variable holding a
// program function.
func (u *goUses) isCalledWord(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Obj != nil && u.word[e.Obj]
	case *ast.SelectorExpr:
		return u.word["field "+e.Sel.Name]
	}
	return false
}

// goIsTypeName reports whether a name of the program is also used as a type. A call
// of such a name is a conversion.
func goIsTypeName(id *ast.Ident, u *goUses) bool { return u.word["type "+id.Name] }

// typed reports whether e has a type of the program, spelled out in the tests.
func (u *goUses) typed(e ast.Expr) bool {
	t := u.typeOf(e, 0)
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if t == nil {
		return false
	}
	id := u.ident(t)
	return id != nil
}

// goBasics are standard library packages with results that no program can change.
var goBasics = strings.Fields("math strconv utf8 unicode time cmp bits cmplx")

// typeOf reads the type of an expression off the text of the tests; nil if the text
// does not suffice.
func (u *goUses) typeOf(e ast.Expr, depth int) ast.Expr {
	if depth > 20 {
		return nil
	}
	basic := ast.NewIdent("int")
	switch e := e.(type) {
	case *ast.BasicLit, *ast.BinaryExpr:
		return basic
	case *ast.CompositeLit:
		return e.Type
	case *ast.FuncLit:
		return e.Type
	case *ast.ParenExpr:
		return u.typeOf(e.X, depth+1)
	case *ast.SliceExpr:
		return u.typeOf(e.X, depth+1)
	case *ast.TypeAssertExpr:
		return e.Type
	case *ast.StarExpr:
		if s, ok := u.under(u.typeOf(e.X, depth+1)).(*ast.StarExpr); ok {
			return s.X
		}
	case *ast.UnaryExpr:
		t := u.typeOf(e.X, depth+1)
		if e.Op == token.AND && t != nil {
			return &ast.StarExpr{X: t}
		} else if e.Op != token.AND && e.Op != token.ARROW {
			return basic
		}
		if c, ok := u.under(t).(*ast.ChanType); ok {
			return c.Value
		}
	case *ast.IndexExpr:
		_, elem := u.elements(u.typeOf(e.X, depth+1))
		return elem
	case *ast.SelectorExpr:
		t := u.under(u.typeOf(e.X, depth+1))
		if s, ok := t.(*ast.StarExpr); ok {
			t = u.under(s.X)
		}
		if s, ok := t.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				for _, n := range f.Names {
					if n.Name == e.Sel.Name {
						return f.Type
					}
				}
			}
		}
	case *ast.CallExpr:
		switch f := e.Fun.(type) {
		case *ast.Ident:
			switch {
			case f.Obj == nil && !u.declared[f.Name] && (f.Name == "make" || f.Name == "new") && len(e.Args) > 0:
				if f.Name == "new" {
					return &ast.StarExpr{X: e.Args[0]}
				}
				return e.Args[0]
			case f.Obj == nil && !u.declared[f.Name] && f.Name == "append" && len(e.Args) > 0:
				return u.typeOf(e.Args[0], depth+1)
			case f.Obj == nil && !u.declared[f.Name] && (goUniverse[f.Name] || u.ident(f) != nil && u.word["type "+f.Name]):
				return f
			}
			for _, d := range u.decls[f.Name] {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Type.Results.NumFields() > 0 {
					return fn.Type.Results.List[0].Type
				}
			}
		case *ast.SelectorExpr:
			if id, ok := f.X.(*ast.Ident); ok && id.Obj == nil {
				switch {
				case slices.Contains(goBasics, id.Name), id.Name == "fmt" && strings.HasPrefix(f.Sel.Name, "Sprint"),
					id.Name == "rand" && f.Sel.Name != "Perm" && f.Sel.Name != "New",
					id.Name == "strings" && !strings.HasPrefix(f.Sel.Name, "Split") && !strings.HasPrefix(f.Sel.Name, "Field") && !strings.HasPrefix(f.Sel.Name, "New"):
					return basic
				}
			}
		case *ast.ArrayType, *ast.MapType, *ast.ParenExpr:
			return f
		}
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" || e.Obj != nil && e.Obj.Kind == ast.Con {
			return basic
		}
		if e.Obj == nil {
			for _, d := range u.decls[e.Name] {
				if s, ok := d.(*ast.ValueSpec); ok {
					return u.specified(s, e.Name, depth)
				}
			}
			return nil
		}
		switch d := e.Obj.Decl.(type) {
		case *ast.Field:
			if v, ok := d.Type.(*ast.Ellipsis); ok {
				return &ast.ArrayType{Elt: v.Elt}
			}
			return d.Type
		case *ast.ValueSpec:
			return u.specified(d, e.Name, depth)
		case *ast.AssignStmt:
			for i, to := range d.Lhs {
				id, ok := to.(*ast.Ident)
				if !ok || id.Obj != e.Obj {
					continue
				}
				if r, ok := d.Rhs[0].(*ast.UnaryExpr); ok && r.Op == token.RANGE {
					key, elem := u.elements(u.typeOf(r.X, depth+1))
					if _, number := r.X.(*ast.BasicLit); number || i == 0 && key == nil {
						return basic
					} else if i == 0 {
						return key
					}
					return elem
				}
				if len(d.Rhs) == len(d.Lhs) {
					return u.typeOf(d.Rhs[i], depth+1)
				}
			}
		}
	}
	return nil
}

// specified returns the type of a declared variable.
func (u *goUses) specified(s *ast.ValueSpec, name string, depth int) ast.Expr {
	if s.Type != nil {
		return s.Type
	}
	for i, n := range s.Names {
		if n.Name == name && len(s.Values) == len(s.Names) {
			return u.typeOf(s.Values[i], depth+1)
		}
	}
	return nil
}

// under returns the underlying type of a type named by the tests.
func (u *goUses) under(t ast.Expr) ast.Expr {
	for range 8 {
		id, ok := t.(*ast.Ident)
		if !ok {
			break
		}
		next := goUnderlying(t)
		if next == t {
			for _, d := range u.decls[id.Name] {
				if s, ok := d.(*ast.TypeSpec); ok {
					next = s.Type
				}
			}
		}
		if next == t {
			break
		}
		t = next
	}
	return t
}

// elements returns the types of the keys and the elements in a range clause.
func (u *goUses) elements(t ast.Expr) (key, elem ast.Expr) {
	basic := ast.NewIdent("int")
	switch t := u.under(t).(type) {
	case *ast.ArrayType:
		return basic, t.Elt
	case *ast.MapType:
		return t.Key, t.Value
	case *ast.ChanType:
		return t.Value, nil
	case *ast.Ident:
		if goUniverse[t.Name] {
			return basic, basic
		}
	case *ast.StarExpr:
		return u.elements(t.X)
	}
	return nil, nil
}

// changeable reports whether a program that receives e can change data of the
// tests. If the text does not show the type, it can, unless the tests use e in
// arithmetic.
func (u *goUses) changeable(e ast.Expr) bool {
	if a, ok := e.(*ast.UnaryExpr); ok && a.Op == token.AND {
		return true
	}
	t := u.typeOf(e, 0)
	if t == nil {
		root, path := goPath(e)
		return root == nil || !u.numbers[goGiven{root.Obj, path}]
	}
	return u.holdsMemory(t, 0)
}

func (u *goUses) holdsMemory(t ast.Expr, depth int) bool {
	if depth > 8 {
		return true
	}
	switch t := u.under(t).(type) {
	case *ast.Ident:
		return !goUniverse[t.Name] || t.Name == "any" || t.Name == "error"
	case *ast.ArrayType:
		return t.Len == nil || u.holdsMemory(t.Elt, depth+1)
	case *ast.StructType:
		return slices.ContainsFunc(t.Fields.List, func(f *ast.Field) bool { return u.holdsMemory(f.Type, depth+1) })
	case *ast.FuncType, *ast.ChanType:
		return false
	case *ast.SelectorExpr:
		return !strings.HasPrefix(types.ExprString(t), "time.")
	}
	return true
}

// calculated notes the operands of arithmetic in the tests. Such numbers are copied
// when passed to the program, so the program cannot change them.
func (u *goUses) calculated(f *ast.File) {
	note := func(e ast.Expr) {
		if root, path := goPath(e); root != nil && root.Obj != nil {
			if _, index := e.(*ast.IndexExpr); !index {
				u.numbers[goGiven{root.Obj, path}] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			switch n.Op {
			case token.EQL, token.NEQ, token.LAND, token.LOR:
			default:
				note(n.X)
				note(n.Y)
			}
		case *ast.IncDecStmt:
			note(n.X)
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				note(n.Lhs[0])
			}
		case *ast.CallExpr:
			if goIsType(n.Fun) && len(n.Args) == 1 {
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name != "string" && id.Name != "any" {
					note(n.Args[0])
				}
			}
		}
		return true
	})
}

// follow notes the flow of program values beyond plain assignments.
func (u *goUses) follow(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				from := n.Rhs[min(i, len(n.Rhs)-1)]
				u.keys(to)
				if k := u.key(to); k != nil && u.rests(from) {
					switch n.Tok {
					case token.SUB_ASSIGN, token.QUO_ASSIGN, token.REM_ASSIGN, token.XOR_ASSIGN, token.AND_NOT_ASSIGN:
						u.parts[k] = true
						if u.parts[goAdded{k}] {
							u.differs[k] = true
						}
					default:
						u.parts[goAdded{k}] = true
					}
				}
			}
		case *ast.IncDecStmt:
			u.keys(n.X)
		case *ast.SendStmt:
			if k := u.key(n.Chan); k != nil && u.rests(n.Value) {
				u.parts[k] = true
			}
		case *ast.RangeStmt:
			if n.Value == nil && n.Key != nil && u.rests(n.X) {
				switch u.under(u.typeOf(n.X, 0)).(type) {
				case *ast.ChanType, *ast.MapType:
					u.parts[u.key(n.Key)] = true
				}
			}
		case *ast.FuncDecl:
			if n.Body != nil && n.Recv == nil {
				u.returns("name "+n.Name.Name, n.Body)
				if n.Name.Obj != nil {
					u.returns(n.Name.Obj, n.Body)
				}
			}
		case *ast.CallExpr:
			u.written(n)
		}
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, from := range a.Rhs {
				if lit, ok := from.(*ast.FuncLit); ok && u.key(a.Lhs[i]) != nil {
					u.returns(u.key(a.Lhs[i]), lit.Body)
				}
			}
		}
		return true
	})
	u.givenTo(f)
}

// goAdded marks a variable into which a program value was put.
type goAdded struct{ to any }

// keys notes a map with a program value as a key.
func (u *goUses) keys(e ast.Expr) {
	i, ok := e.(*ast.IndexExpr)
	if !ok || u.key(i.X) == nil || !u.rests(i.Index) {
		return
	}
	if _, list := u.under(u.typeOf(i.X, 0)).(*ast.ArrayType); !list {
		u.parts[goKeyed{u.key(i.X)}] = true
	}
}

// returns notes a test function that returns a program value.
func (u *goUses) returns(k any, body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && slices.ContainsFunc(r.Results, u.rests) {
			u.parts[goReturns{k}] = true
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
}

// written notes an object of the tests, such as a strings.Builder, to which a call
// writes a program value.
func (u *goUses) written(call *ast.CallExpr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return !u.isFunction(a) && u.rests(a) }) {
		return
	}
	to := sel.X
	if id, ok := to.(*ast.Ident); ok && id.Name == "fmt" && id.Obj == nil && strings.HasPrefix(sel.Sel.Name, "Fprint") {
		to = call.Args[0]
	}
	root, _ := goPath(to)
	if root == nil || root.Obj == nil || root.Obj.Kind != ast.Var {
		return
	}
	t := u.typeOf(root, 0)
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if s, ok := t.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok && id.Name == "testing" {
			return
		}
	}
	u.parts[root.Obj] = true
}

// verdict reports whether e is a judgement by the program on its own value. The
// truth of e is then not established by the tests.
func (u *goUses) verdict(e ast.Expr) bool {
	if k := u.key(e); k != nil && u.verdicts[k] || u.found(e) {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return u.verdict(e.X)
	case *ast.UnaryExpr:
		return e.Op == token.NOT && u.verdict(e.X)
	case *ast.BinaryExpr:
		return (e.Op == token.LAND || e.Op == token.LOR) && (u.verdict(e.X) || u.verdict(e.Y))
	case *ast.CallExpr:
		sel, method := e.Fun.(*ast.SelectorExpr)
		if u.ident(e.Fun) == nil && !u.isCalledWord(e.Fun) && !(method && (u.says(sel.X) || u.typed(sel.X))) {
			return false
		}
		return slices.ContainsFunc(e.Args, func(a ast.Expr) bool { return !u.isFunction(a) && u.part(a, true) })
	}
	return false
}

// found reports whether e looks up a program value in a map with keys from the
// program.
func (u *goUses) found(e ast.Expr) bool {
	i, ok := e.(*ast.IndexExpr)
	return ok && u.keyed(i) && u.rests(i.Index)
}

// truths reports whether a statement or an operator relies on a verdict.
func (u *goUses) truths(n ast.Node) bool {
	isBool := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && (id.Name == "true" || id.Name == "false")
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		return u.verdict(n.Cond)
	case *ast.ForStmt:
		return n.Cond != nil && u.verdict(n.Cond)
	case *ast.UnaryExpr:
		return n.Op == token.NOT && u.verdict(n.X)
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LAND, token.LOR:
			return u.verdict(n.X) || u.verdict(n.Y)
		case token.EQL, token.NEQ:
			return isBool(n.Y) && u.verdict(n.X) || isBool(n.X) && u.verdict(n.Y)
		}
	case *ast.SwitchStmt:
		// Both compared values come from the program.
		for _, c := range n.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				if n.Tag == nil && u.verdict(e) || n.Tag != nil && u.rests(n.Tag) && u.rests(e) {
					return true
				}
			}
		}
	}
	return false
}

// between reports whether two program values are compared in both directions: if
// neither is smaller, they are equal.
func (u *goUses) between(d ast.Node) bool {
	seen := map[[2]string]bool{}
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return true
		}
		x, y := b.X, b.Y
		switch b.Op {
		case token.GTR, token.GEQ:
			x, y = y, x
		case token.LSS, token.LEQ:
		default:
			return true
		}
		if u.rests(x) && u.rests(y) {
			one, other := types.ExprString(x), types.ExprString(y)
			found = found || seen[[2]string{other, one}]
			seen[[2]string{one, other}] = true
		}
		return true
	})
	return found
}
