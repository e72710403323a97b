package language

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Lists and maps cross the link as copies. Tests that depend on memory shared with
// the program run in the same process. Structs behind pointers need no sharing,
// because they have a number on both ends.

// goSharing records the uses of shared memory in one test function.
type goSharing struct {
	*goUses
	loops    []ast.Node
	bound    []goBound
	changes  []goChanged
	calls    []goCalled
	uses     []goUsed
	places   []ast.Expr      // expressions that depend on the identity of memory
	commands []*ast.CallExpr // calls with dropped results, except errors
}

// goObject is the declaration behind a name. The parser resolves only names
// declared in the same file, and no more is needed.
//
//lint:ignore SA1019 types would have to be checked, of files that need not compile
type goObject = ast.Object

// goBound is an assignment to a variable.
type goBound struct {
	to   *goObject
	from ast.Expr
	at   token.Pos
}

// goChanged is a list or map changed in place by the tests. ordered: only the order
// of the elements changed. plain: the target of a pointer to a plain value.
type goChanged struct {
	what           ast.Expr
	at             token.Pos
	ordered, plain bool
}

// goCalled is a call of the program. of is the receiver of a method; nil for a
// function.
type goCalled struct {
	call *ast.CallExpr
	of   ast.Expr
}

// goUsed is a variable, or a field of one, that is read.
type goUsed struct {
	id   *ast.Ident
	path string
	how  goUse
}

type goUse byte

const (
	goReads    goUse = iota // any other use
	goAsks                  // an object of the program: a method, a field, or an argument
	goElements              // its elements
	goWalks                 // all its elements, by a loop
	goLength                // its length
)

func (r goUsed) holds() bool { return r.how == goElements || r.how == goWalks }

// shares notes whether the tests of a file depend on shared memory.
func (u *goUses) shares(f *goTestFile) {
	for _, d := range f.parsed.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		s := &goSharing{goUses: u}
		s.read(fn.Body)
		if (len(s.bound)+1)*len(s.commands) > goMaxPairs || len(s.changes)*(len(s.calls)+len(s.uses)) > goMaxPairs {
			u.reason("the tests are too long to tell what they share with the program (" + fn.Name.Name + ")")
			continue
		}
		if what, why := s.why(); what != nil {
			name := strings.ToValidUTF8(fmt.Sprintf("%.40s", types.ExprString(what)), "")
			u.reason(fmt.Sprintf("the tests %s (%s, line %d)", why, name, f.line(what.Pos())))
		}
	}
}

// goMaxPairs bounds the pairs examined in one test function.
const goMaxPairs = 1 << 22

const (
	goChangesResult = "change what the program gave them"
	goChangesGiven  = "change what they gave the program"
	goKeepsResult   = "keep what the program gave them while it changes"
	goKeepsGiven    = "look at what an object of the program got, and may change later"
	goSameMemory    = "rest on which memory it is"
)

// why returns the first expression that depends on shared memory, and the reason.
func (s *goSharing) why() (what ast.Expr, why string) {
	for _, c := range s.changes {
		if s.isShared(c) {
			return c.what, goChangesResult
		}
		if s.isKept(c) {
			return c.what, goChangesGiven
		}
	}
	if len(s.places) > 0 {
		return s.places[0], goSameMemory
	}
	for _, b := range s.bound {
		if used := s.snapshot(b); used != nil {
			return used, goKeepsResult
		}
		if used := s.lent(b); used != nil {
			return used, goKeepsGiven
		}
	}
	return nil, ""
}

// read collects the input of the rules.
func (s *goSharing) read(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		if s.tells(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.ForStmt:
			s.loops = append(s.loops, n)
		case *ast.RangeStmt:
			s.loops = append(s.loops, n)
			if id, ok := n.Value.(*ast.Ident); ok && id.Obj != nil {
				s.bound = append(s.bound, goBound{id.Obj, n.X, n.Pos()})
			}
			s.use(n.X, goWalks)
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				from := n.Rhs[min(i, len(n.Rhs)-1)]
				if id, ok := to.(*ast.Ident); ok && id.Obj != nil {
					s.bound = append(s.bound, goBound{id.Obj, from, n.End()})
				}
				s.changed(to, from)
			}
			if c, ok := n.Rhs[0].(*ast.CallExpr); ok && !slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool {
				id, ok := e.(*ast.Ident)
				return !ok || id.Name != "_" && id.Name != "err"
			}) {
				s.commands = append(s.commands, c)
			}
		case *ast.ValueSpec:
			for i, to := range n.Names {
				if to.Obj != nil && len(n.Values) > 0 {
					s.bound = append(s.bound, goBound{to.Obj, n.Values[min(i, len(n.Values)-1)], n.End()})
				}
			}
		case *ast.IncDecStmt:
			s.changed(n.X, nil)
		case *ast.ExprStmt:
			if c, ok := n.X.(*ast.CallExpr); ok {
				s.commands = append(s.commands, c)
			}
		case *ast.IndexExpr:
			s.use(n.X, goElements)
		case *ast.SelectorExpr:
			if s.object(n.X) {
				s.use(n.X, goAsks)
			}
		case *ast.BinaryExpr:
			if goPlace(n.X) && goPlace(n.Y) && (s.rests(n.X) || s.rests(n.Y)) {
				s.places = append(s.places, n)
			}
		case *ast.CallExpr:
			s.call(n)
		case *ast.Ident:
			s.use(n, goReads)
		}
		return true
	})
}

// tells reports whether a call only prints a failure message. Such a call judges
// nothing.
func (s *goSharing) tells(n ast.Node) bool {
	c, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains(goTells, sel.Sel.Name) && !s.object(sel.X)
}

var goTells = strings.Fields("Error Errorf Fatal Fatalf Log Logf Skip Skipf")

// goPlace reports whether e is the address of an element.
func goPlace(e ast.Expr) bool {
	a, ok := e.(*ast.UnaryExpr)
	if !ok || a.Op != token.AND {
		return false
	}
	_, ok = a.X.(*ast.IndexExpr)
	return ok
}

// object reports whether e is a value of the program, possibly with methods.
func (s *goSharing) object(e ast.Expr) bool { return s.says(e) || s.typed(e) }

func (s *goSharing) use(e ast.Expr, how goUse) {
	if root, path := goPath(e); root != nil && root.Obj != nil && root.Obj.Kind == ast.Var {
		s.uses = append(s.uses, goUsed{root, path, how})
	}
}

// changed notes an assignment to an element, to a field of an element, or through a
// pointer to a plain value.
func (s *goSharing) changed(to, from ast.Expr) {
	switch e := to.(type) {
	case *ast.ParenExpr:
		s.changed(e.X, from)
	case *ast.StarExpr:
		if from == nil || !s.holdsMemory(s.typeOf(from, 0), 0) {
			s.changes = append(s.changes, goChanged{what: e.X, at: to.End(), plain: true})
		}
	case *ast.IndexExpr:
		s.changes = append(s.changes, goChanged{what: e.X, at: to.End()})
	case *ast.SelectorExpr:
		if _, pointer := s.under(s.typeOf(e.X, 0)).(*ast.StarExpr); !pointer {
			if _, element := e.X.(*ast.IndexExpr); element || goIsSelector(e.X) {
				s.changed(e.X, from)
			}
		}
	}
}

func goIsSelector(e ast.Expr) bool {
	_, ok := e.(*ast.SelectorExpr)
	return ok
}

// goChangers are functions that change their first argument in place. A star marks
// a function that changes only the order.
var goChangers = strings.Fields(`delete clear copy maps.Copy maps.DeleteFunc maps.Insert slices.Delete slices.DeleteFunc slices.Insert
	slices.Replace slices.Compact slices.CompactFunc sort.Ints* sort.Strings* sort.Float64s* sort.Slice* sort.SliceStable* sort.Sort* sort.Stable*
	slices.Sort* slices.SortFunc* slices.SortStableFunc* slices.Reverse`)

// call notes the arguments changed, queried and read by a call.
func (s *goSharing) call(c *ast.CallExpr) {
	name := types.ExprString(c.Fun)
	sel, method := c.Fun.(*ast.SelectorExpr)
	switch {
	case s.ident(c.Fun) != nil && !goIsTypeName(s.ident(c.Fun), s.goUses):
		s.calls = append(s.calls, goCalled{c, nil})
		s.twice(c)
		for _, a := range c.Args {
			if s.object(a) {
				s.use(a, goAsks)
			} else {
				s.use(a, goElements)
			}
		}
		return
	case method && s.object(sel.X):
		s.calls = append(s.calls, goCalled{c, sel.X})
		s.twice(c)
		return
	case len(c.Args) == 0:
		if method && slices.Contains([]string{"Pointer", "UnsafePointer", "UnsafeAddr"}, sel.Sel.Name) && s.rests(sel.X) {
			s.places = append(s.places, c)
		}
		return
	case slices.Contains(goChangers, name), slices.Contains(goChangers, name+"*"):
		what := c.Args[0]
		if wrap, ok := what.(*ast.CallExpr); ok && len(wrap.Args) == 1 && name == "sort.Sort" {
			what = wrap.Args[0] // sort.Sort(sort.IntSlice(xs))
		}
		s.changes = append(s.changes, goChanged{what: what, at: c.End(), ordered: !slices.Contains(goChangers, name)})
		return
	}
	if part, ok := c.Args[0].(*ast.SliceExpr); ok && name == "append" {
		s.changes = append(s.changes, goChanged{what: part.X, at: c.End()})
	}
	how := goReads
	if name == "len" {
		how = goLength
	}
	for _, a := range c.Args {
		if _, list := a.(*ast.CompositeLit); list || method && slices.Contains(goComparers, sel.Sel.Name) && sel.Sel.Name != "Is" {
			how = goElements
		}
	}
	for _, a := range c.Args {
		s.use(a, how)
		if lit, ok := c.Args[0].(*ast.BasicLit); ok && strings.Contains(lit.Value, "%p") && s.rests(a) {
			s.places = append(s.places, c)
		}
	}
}

// later reports whether position at comes after from, or comes after it on the next
// iteration of a loop with the same variable.
func (s *goSharing) later(from, at token.Pos, o *goObject) bool {
	if at >= from {
		return true
	}
	return slices.ContainsFunc(s.loops, func(l ast.Node) bool {
		in := func(p token.Pos) bool { return l.Pos() <= p && p <= l.End() }
		return in(from) && in(at) && (o == nil || o.Pos() < l.Pos())
	})
}

// origin returns the source of a list or map: a call of the program, a field of one
// of its objects, or a variable of the program; nil for the tests' own data.
func (s *goSharing) origin(e ast.Expr, depth int) ast.Expr {
	if depth > 20 {
		return nil
	}
	if inner := goInner(e); inner != nil {
		return s.origin(inner, depth+1)
	}
	switch e := e.(type) {
	case *ast.Ident:
		if s.ident(e) != nil {
			return e
		}
		if last := s.binding(e); last.from != nil {
			return s.origin(last.from, depth+1)
		}
	case *ast.UnaryExpr:
		return s.origin(e.X, depth+1)
	case *ast.SelectorExpr:
		if s.ident(e) != nil {
			return e
		}
		if element, ok := e.X.(*ast.IndexExpr); ok {
			if call, ok := s.origin(element, depth+1).(*ast.CallExpr); ok {
				return call
			}
		}
		if s.object(e.X) {
			return e
		}
	case *ast.CallExpr:
		id, _ := e.Fun.(*ast.Ident)
		sel, method := e.Fun.(*ast.SelectorExpr)
		named := s.ident(e.Fun)
		switch {
		case named != nil && goIsTypeName(named, s.goUses), named == nil && goIsType(e.Fun), id != nil && id.Name == "append" && id.Obj == nil:
			if len(e.Args) > 0 {
				return s.origin(e.Args[0], depth+1)
			}
		case named != nil, method && s.object(sel.X):
			return e
		}
	}
	return nil
}

// binding returns the last assignment to a variable before a use.
func (s *goSharing) binding(id *ast.Ident) (last goBound) {
	for _, b := range s.bound {
		if id.Obj != nil && b.to == id.Obj && b.at <= id.Pos() {
			last = b
		}
	}
	return last
}

// isShared reports whether the tests change data from the program and query the
// program afterwards: for the changed data, for data given before, or for any
// answer of an object. A changed order counts only if the same query is repeated,
// because tests sort unordered results.
func (s *goSharing) isShared(c goChanged) bool {
	root, _ := goPath(c.what)
	if root == nil {
		root = &ast.Ident{}
	}
	from := s.origin(c.what, 0)
	if c.plain {
		return from != nil && slices.ContainsFunc(s.calls, func(o goCalled) bool { return s.later(c.at, o.call.Pos(), nil) })
	}
	switch from := from.(type) {
	case *ast.Ident:
		return true
	case *ast.CallExpr:
		sel, method := from.Fun.(*ast.SelectorExpr)
		switch {
		case s.again(from, c.at):
			return true
		case c.ordered:
			return false
		case method && s.ident(from.Fun) == nil:
			return s.asks(c.at, func(o *goObject) bool { return o != root.Obj && (o != nil || s.newest(sel.X) == nil) })
		}
		return slices.ContainsFunc(from.Args, func(a ast.Expr) bool {
			given, path := goPath(a)
			return given != nil && given.Obj != nil && given.Obj != root.Obj && s.changeable(a) && s.readLater(c.at, given.Obj, path)
		})
	case *ast.SelectorExpr:
		if s.ident(from) != nil {
			return true
		}
		// The object itself has a number: only objects derived from it can share
		// the rest.
		of, _ := goPath(from)
		return of != nil && of.Obj != nil && s.asks(c.at, func(o *goObject) bool { return o != nil && o != of.Obj && s.related(of.Obj, o) })
	}
	return false
}

// again reports whether the same call is repeated after a position.
func (s *goSharing) again(call *ast.CallExpr, from token.Pos) bool {
	text, newest := types.ExprString(call), s.newest(call)
	return slices.ContainsFunc(s.calls, func(o goCalled) bool {
		return types.ExprString(o.call) == text && s.newest(o.call) == newest && s.later(from, o.call.Pos(), newest)
	})
}

// asks reports whether, after a position, an earlier object of the program is
// queried. which selects the variable holding the object, or nil for the result of
// a call.
func (s *goSharing) asks(from token.Pos, which func(*goObject) bool) bool {
	return slices.ContainsFunc(s.uses, func(r goUsed) bool {
		return (r.how == goAsks || r.holds() && s.object(r.id)) && r.id.Obj.Pos() < from && which(r.id.Obj) && s.later(from, r.id.Pos(), r.id.Obj)
	}) || slices.ContainsFunc(s.calls, func(c goCalled) bool {
		return c.of != nil && s.newest(c.of) == nil && which(nil) && s.later(from, c.call.Pos(), nil)
	})
}

// newest returns the variable declared last among those in an expression; nil
// without variables.
func (s *goSharing) newest(e ast.Expr) (o *goObject) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Obj != nil && id.Obj.Kind == ast.Var && (o == nil || o.Pos() < id.Obj.Pos()) {
			o = id.Obj
		}
		return true
	})
	return o
}

// readLater reports whether a variable or field is read after a position, for more
// than its length.
func (s *goSharing) readLater(from token.Pos, o *goObject, path string) bool {
	return slices.ContainsFunc(s.uses, func(r goUsed) bool {
		return r.id.Obj == o && (r.how == goAsks || r.holds()) && (r.path == path || strings.HasPrefix(r.path, path+".")) && s.later(from, r.id.Pos(), o)
	})
}

// related reports whether one of two objects was derived from the other, or both
// come from the same call.
func (s *goSharing) related(a, b *goObject) bool {
	of := func(o *goObject) (all []ast.Expr) {
		for _, x := range s.bound {
			if x.to == o {
				all = append(all, x.from)
			}
		}
		return all
	}
	has := func(e ast.Expr, o *goObject) (found bool) {
		ast.Inspect(e, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Obj == o
			return !found
		})
		return found
	}
	for _, x := range of(a) {
		_, call := x.(*ast.CallExpr)
		if has(x, b) || slices.ContainsFunc(of(b), func(y ast.Expr) bool { return call && types.ExprString(x) == types.ExprString(y) }) {
			return true
		}
	}
	return slices.ContainsFunc(of(b), func(y ast.Expr) bool { return has(y, a) })
}

// isKept reports whether the tests change data given to an object of the program,
// or to a function with a result used afterwards.
func (s *goSharing) isKept(c goChanged) bool {
	root, path := goPath(c.what)
	if root == nil || root.Obj == nil || s.object(c.what) {
		return false
	}
	for _, call := range s.calls {
		if !slices.ContainsFunc(call.call.Args, func(a ast.Expr) bool {
			r, p := goPath(a)
			return r != nil && r.Obj == root.Obj && strings.HasPrefix(path, p) && s.changeable(a)
		}) || !s.later(call.call.End(), c.at, root.Obj) {
			continue
		}
		if call.of != nil {
			if object := s.newest(call.of); object == nil || s.readLater(c.at, object, "") {
				return true
			}
		}
		for _, b := range s.bound {
			if b.from == ast.Expr(call.call) && slices.ContainsFunc(s.uses, func(r goUsed) bool {
				return r.id.Obj == b.to && (r.how == goAsks || r.holds() && !c.ordered) && s.later(c.at, r.id.Pos(), b.to)
			}) {
				return true
			}
		}
	}
	return false
}

// snapshot returns the place where the tests read data obtained from a method or a
// field of an object, after a command to the object; nil if there is none.
func (s *goSharing) snapshot(b goBound) ast.Expr {
	var of ast.Expr
	switch from := b.from.(type) {
	case *ast.CallExpr:
		if sel, ok := from.Fun.(*ast.SelectorExpr); ok && s.ident(from.Fun) == nil && s.object(sel.X) {
			of = sel.X
		}
	case *ast.SelectorExpr:
		if s.ident(from) == nil && s.object(from.X) {
			of = from.X
		}
	}
	root, path := goPath(of)
	if root == nil || root.Obj == nil {
		return nil
	}
	return s.afterCommand(b, root.Obj, path, func(r goUsed) bool {
		return r.id.Obj == b.to && r.path == "" && (r.holds() || r.how == goLength) && s.binding(r.id).at == b.at
	})
}

// afterCommand returns the first use of a kind after a command to an object, where
// the command follows an assignment; nil if there is none.
func (s *goSharing) afterCommand(b goBound, of *goObject, path string, which func(goUsed) bool) ast.Expr {
	for _, c := range s.commands {
		if c.Pos() < b.at || !s.isCommand(c, of, path) {
			continue
		}
		for _, r := range s.uses {
			if r.id.Pos() > c.End() && which(r) {
				return r.id
			}
		}
	}
	return nil
}

// isCommand reports whether a call is a method call on an object.
func (s *goSharing) isCommand(c *ast.CallExpr, of *goObject, path string) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || !s.object(sel.X) {
		return false
	}
	root, at := goPath(sel.X)
	return root != nil && root.Obj == of && at == path
}

// lent returns the place where the tests read their own list or map after two
// steps: building an object of the program from it, and a command to the object.
// Without such a place, lent returns nil.
func (s *goSharing) lent(b goBound) ast.Expr {
	from := b.from
	if a, ok := from.(*ast.UnaryExpr); ok {
		from = a.X
	}
	var given []ast.Expr
	switch e := from.(type) {
	case *ast.CallExpr:
		if s.ident(e.Fun) != nil {
			given = e.Args
		}
	case *ast.CompositeLit:
		for _, el := range e.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			if s.ident(e.Type) != nil {
				given = append(given, el)
			}
		}
	}
	for _, g := range given {
		root, path := goPath(g)
		if root == nil || root.Obj == nil || s.object(g) || !s.isList(g) {
			continue
		}
		used := s.afterCommand(b, b.to, "", func(r goUsed) bool {
			return r.id.Obj == root.Obj && r.path == path && r.how == goElements && s.binding(r.id).at < b.at
		})
		if used != nil {
			return used
		}
	}
	return nil
}

// twice notes a call with both a list and a part of the list as arguments.
func (s *goSharing) twice(c *ast.CallExpr) {
	for _, a := range c.Args {
		part, ok := a.(*ast.SliceExpr)
		if ok && slices.ContainsFunc(c.Args, func(o ast.Expr) bool { return types.ExprString(o) == types.ExprString(part.X) }) {
			s.places = append(s.places, c)
		}
	}
}

// isList reports whether an expression of the tests may be a slice or a map.
func (s *goSharing) isList(e ast.Expr) bool {
	switch t := s.under(s.typeOf(e, 0)).(type) {
	case nil:
		return s.changeable(e)
	case *ast.ArrayType:
		return t.Len == nil
	case *ast.MapType:
		return true
	}
	return false
}
