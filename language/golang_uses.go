package language

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// goUses finds the tests' uses of the program, from the text of the tests alone.
type goUses struct {
	// declared are the names declared by the tests in their package.
	declared map[string]bool
	// decls are the tests' own top-level declarations by name.
	decls map[string][]ast.Node
	// ownTypes are the types declared by the tests.
	ownTypes map[string]bool
	wanted   map[string]bool
	spelled  map[string]bool
	// foreign are the identifiers that can only belong to the program.
	foreign map[*ast.Ident]bool
	// qualified are the local names of imports of the program.
	qualified map[string]bool
	imports   map[*goTestFile]map[string]string
	// word marks variables, parameters and fields of the tests that hold values
	// from the program alone.
	word map[any]bool
	// errors marks names that hold an error declared by the program.
	errors map[any]bool
	// differs marks names that hold a difference of two program values.
	differs map[any]bool
	// parts marks names with a contribution of the program, verdicts names that
	// hold the program's judgement on its own values.
	parts, verdicts map[any]bool
	// gifted are the arguments of program calls that the program may have changed,
	// gifts their number. numbers are operands of arithmetic in the tests.
	gifted  map[goGiven][]goGift
	gifts   int
	numbers map[goGiven]bool
	// more is the first reason why the tests need more than calls.
	more string
}

func (u *goUses) need(what string) { u.reason("the tests use " + what) }

func (u *goUses) reason(why string) {
	if u.more == "" {
		u.more = why
	}
}

// readGoUses reads all files.
func readGoUses(files []goTestFile, program func(imported string) bool) *goUses {
	u := &goUses{declared: map[string]bool{}, decls: map[string][]ast.Node{}, ownTypes: map[string]bool{}, wanted: map[string]bool{},
		spelled: map[string]bool{}, foreign: map[*ast.Ident]bool{}, qualified: map[string]bool{}, imports: map[*goTestFile]map[string]string{}, word: map[any]bool{}, errors: map[any]bool{}, differs: map[any]bool{},
		parts: map[any]bool{}, verdicts: map[any]bool{}, gifted: map[goGiven][]goGift{}, numbers: map[goGiven]bool{}}
	for i := range files {
		u.declare(&files[i], program)
	}
	for i := range files {
		u.names(&files[i])
	}
	for i := range files {
		u.calculated(files[i].parsed)
		u.typeNames(files[i].parsed)
	}
	known := func() int {
		return len(u.word) + len(u.errors) + len(u.differs) + len(u.parts) + len(u.verdicts) + u.gifts
	}
	for again := true; again; {
		before := known()
		for i := range files {
			u.flow(files[i].parsed)
			u.follow(files[i].parsed)
		}
		again = known() > before
	}
	for i := range files {
		u.needs(&files[i])
		u.shares(&files[i])
	}
	u.unused(files)
	u.panics(files)
	return u
}

// panics notes an explicit panic in code that the program may call: in methods, in
// functions used as values, and in their callees.
func (u *goUses) panics(files []goTestFile) {
	seen := map[string]bool{}
	var visit func(root ast.Node)
	visit = func(root ast.Node) {
		ast.Inspect(root, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" && id.Obj == nil && !u.declared["panic"] {
					u.need("a panic of their own, from which the program may recover")
				}
			}
			if id, ok := n.(*ast.Ident); ok && u.decls[id.Name] != nil && !seen[id.Name] {
				seen[id.Name] = true
				for _, d := range u.decls[id.Name] {
					visit(d)
				}
			}
			return true
		})
	}
	for _, f := range files {
		called := map[ast.Node]bool{}
		ast.Inspect(f.parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				called[n.Fun] = true
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Run", "Fuzz", "Cleanup"}, sel.Sel.Name) && !u.says(sel.X) && len(n.Args) > 0 {
					called[n.Args[len(n.Args)-1]] = true // called by package testing
				}
			case *ast.FuncDecl:
				called[n.Name] = n.Recv == nil
				if n.Recv != nil {
					visit(n)
				}
			case *ast.FuncLit:
				if !called[n] {
					visit(n)
				}
			case *ast.SelectorExpr:
				called[n.Sel] = true
			case *ast.Ident:
				if !called[n] && (n.Obj == nil || n.Obj.Kind == ast.Fun) {
					visit(n)
				}
			}
			return true
		})
	}
}

// unused notes functions that tests declare and never use: the program may use
// them.
func (u *goUses) unused(files []goTestFile) {
	used := map[string]bool{}
	for _, f := range files {
		ast.Inspect(f.parsed, func(n ast.Node) bool {
			if d, ok := n.(*ast.FuncDecl); ok && d.Body != nil {
				ast.Inspect(d.Body, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && id.Name != d.Name.Name {
						used[id.Name] = true
					}
					return true
				})
				return false
			}
			if s, ok := n.(*ast.ValueSpec); ok {
				for _, v := range s.Values {
					ast.Inspect(v, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							used[id.Name] = true
						}
						return true
					})
				}
			}
			return true
		})
	}
	for _, f := range files {
		for _, d := range f.parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && fn.Body != nil && !used[fn.Name.Name] && !goIsRun(fn) && !f.fragment {
				u.need("a function that only the program can use, " + fn.Name.Name)
			}
		}
	}
}

// goIsRun reports whether package testing runs a function.
func goIsRun(fn *ast.FuncDecl) bool {
	return goIsNamed(fn, "Test") || goIsNamed(fn, "Benchmark") || goIsNamed(fn, "Fuzz") || goIsNamed(fn, "Example")
}

func (u *goUses) declare(f *goTestFile, program func(string) bool) {
	for name, o := range f.parsed.Scope.Objects {
		u.declared[name] = true
		if _, ok := o.Decl.(*ast.TypeSpec); ok {
			u.ownTypes[name] = true
		}
	}
	imports := map[string]string{}
	u.imports[f] = imports
	for _, i := range f.parsed.Imports {
		name := goImportName(i)
		if f.outside && program(goImport(i)) {
			u.qualified[name] = true
			continue
		}
		imports[name] = goImport(i)
	}
	for _, d := range f.parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			u.decls[d.Name.Name] = append(u.decls[d.Name.Name], d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						u.decls[n.Name] = append(u.decls[n.Name], s)
					}
				case *ast.TypeSpec:
					u.decls[s.Name.Name] = append(u.decls[s.Name.Name], s)
				}
			}
		}
	}
}

// names notes names that can only belong to the program, and the qualifiers of a
// fragment.
func (u *goUses) names(f *goTestFile) {
	imports := u.imports[f]
	unresolved := map[*ast.Ident]bool{}
	for _, id := range f.parsed.Unresolved {
		if _, imported := imports[id.Name]; !imported && !u.declared[id.Name] && !goUniverse[id.Name] && !u.qualified[id.Name] {
			unresolved[id] = true
		}
	}
	ast.Inspect(f.parsed, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok || id.Obj != nil || imports[id.Name] == "" {
			u.spelled[sel.Sel.Name] = true // errors.Is is not a method of the program
		}
		switch {
		case !ok || id.Obj != nil:
		case u.qualified[id.Name] && f.outside:
			u.foreign[sel.Sel] = true
			u.wanted[sel.Sel.Name] = true
		case unresolved[id] && f.fragment && sel.Sel.IsExported() && goPackageNamed[id.Name] != "":
			// In a fragment, a package name means the standard library.
			if !slices.Contains(f.qualifiers, id.Name) {
				f.qualifiers = append(f.qualifiers, id.Name)
			}
			imports[id.Name] = goPackageNamed[id.Name]
			delete(unresolved, id)
		}
		return true
	})
	for id := range unresolved {
		if f.fragment && imports[id.Name] != "" {
			continue
		}
		if !f.outside {
			u.foreign[id] = true
			u.wanted[id.Name] = true
		}
	}
}

// goPackageNamed maps names to the standard library packages available to a
// fragment.
var goPackageNamed = func() map[string]string {
	named := map[string]string{}
	for _, p := range strings.Fields(`bufio bytes cmp container/heap container/list container/ring context crypto/md5 crypto/sha1
		crypto/sha256 crypto/sha512 encoding/base64 encoding/binary encoding/csv encoding/hex encoding/json errors flag fmt hash/crc32
		html io iter log maps math math/big math/bits math/cmplx math/rand net/url os path path/filepath reflect regexp runtime slices
		sort strconv strings sync sync/atomic testing text/tabwriter text/template time unicode unicode/utf8 unsafe`) {
		named[p[strings.LastIndex(p, "/")+1:]] = p
	}
	return named
}()

// goSentinel matches the usual spelling of an error declared by the program.
var goSentinel = lazyre.New(`^[Ee]rr(?:[A-Z0-9_]|$)`)

// ident returns the program's name in e; nil if e is not such a name.
func (u *goUses) ident(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		if u.foreign[e] {
			return e
		}
	case *ast.SelectorExpr:
		if u.foreign[e.Sel] {
			return e.Sel
		}
	case *ast.ParenExpr:
		return u.ident(e.X)
	case *ast.StarExpr:
		return u.ident(e.X)
	case *ast.IndexExpr:
		return u.ident(e.X)
	}
	return nil
}

// ofType reports whether a type belongs to the program, or contains such a type.
func (u *goUses) ofType(t ast.Expr) bool {
	found := false
	if t != nil {
		ast.Inspect(t, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && u.ident(e) != nil {
				found = true
			}
			return !found
		})
	}
	return found
}

// key identifies the variable or field that an expression of the tests names. A
// field is identified by name.
func (u *goUses) key(e ast.Expr) any {
	switch e := e.(type) {
	case *ast.Ident:
		if e.Obj != nil {
			return e.Obj
		}
		if u.declared[e.Name] {
			return "name " + e.Name
		}
	case *ast.SelectorExpr:
		return "field " + e.Sel.Name
	case *ast.IndexExpr:
		return u.key(e.X)
	case *ast.StarExpr:
		return u.key(e.X)
	case *ast.ParenExpr:
		return u.key(e.X)
	}
	return nil
}

// mark notes the contents of a name of the tests.
func (u *goUses) mark(k any, e ast.Expr) {
	if k == nil {
		return
	}
	if u.says(e) {
		u.word[k] = true
	}
	if u.sentinel(e) {
		u.errors[k] = true
	}
	if u.difference(e) {
		u.differs[k] = true
	}
	if u.rests(e) {
		u.parts[k] = true
	}
	if u.verdict(e) {
		u.verdicts[k] = true
	}
}

// difference reports whether e is the difference of two program values. A test for
// a small difference only says that both values are equal.
func (u *goUses) difference(e ast.Expr) bool {
	if k := u.key(e); k != nil && u.differs[k] {
		return true
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.SUB, token.XOR, token.AND_NOT:
			if u.rests(e.X) && u.rests(e.Y) {
				return true
			}
		case token.QUO, token.REM:
			if u.says(e.X) && u.says(e.Y) {
				return true
			}
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
			return false // judged separately
		}
		return u.difference(e.X) || u.difference(e.Y)
	case *ast.ParenExpr:
		return u.difference(e.X)
	case *ast.UnaryExpr:
		return u.difference(e.X)
	case *ast.CallExpr:
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok && slices.Contains(goDifferences, sel.Sel.Name) && u.part(sel.X, true) && len(e.Args) == 1 && u.part(e.Args[0], true) {
			return true
		}
		return slices.ContainsFunc(e.Args, u.difference)
	}
	return false
}

// goDifferences are methods, such as those of time.Time, that return the difference
// of two values.
var goDifferences = strings.Fields("Sub Diff Distance Minus")

// sentinel reports whether e is an error declared by the program. The tests choose
// the error, the program its text.
func (u *goUses) sentinel(e ast.Expr) bool {
	if id := u.ident(e); id != nil {
		return goSentinel().MatchString(id.Name)
	}
	if lit, ok := e.(*ast.CompositeLit); ok {
		return slices.ContainsFunc(lit.Elts, u.sentinel)
	}
	k := u.key(e)
	return k != nil && u.errors[k]
}

// says reports whether e is a value from the program alone.
func (u *goUses) says(e ast.Expr) bool {
	if id := u.ident(e); id != nil {
		return !goSentinel().MatchString(id.Name)
	}
	if k := u.key(e); k != nil && u.word[k] {
		return true
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		if u.ident(e.Fun) != nil {
			return true
		}
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok {
			if u.says(sel.X) || u.sentinel(sel.X) || u.typed(sel.X) {
				return true
			}
			if id, ok := sel.X.(*ast.Ident); !ok || id.Obj != nil {
				return false
			}
		}
		if id, ok := e.Fun.(*ast.Ident); ok && id.Obj != nil && u.word[id.Obj] {
			return true
		}
		return len(e.Args) > 0 && !slices.ContainsFunc(e.Args, func(a ast.Expr) bool { return !u.says(a) && !u.sentinel(a) })
	case *ast.SelectorExpr:
		return u.says(e.X)
	case *ast.IndexExpr:
		return u.says(e.X)
	case *ast.SliceExpr:
		return u.says(e.X)
	case *ast.StarExpr:
		return u.says(e.X)
	case *ast.ParenExpr:
		return u.says(e.X)
	case *ast.UnaryExpr:
		return u.says(e.X)
	case *ast.TypeAssertExpr:
		return u.says(e.X)
	case *ast.BinaryExpr:
		return u.says(e.X) && u.says(e.Y)
	case *ast.CompositeLit:
		if len(e.Elts) == 0 {
			return u.ofType(e.Type)
		}
		for _, el := range e.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			if !u.says(el) {
				return false
			}
		}
		return true
	}
	return false
}

// flow notes the destinations of program values.
func (u *goUses) flow(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				from := n.Rhs[min(i, len(n.Rhs)-1)]
				if id, ok := to.(*ast.Ident); ok && id.Obj != nil && u.word[calledObject{id.Obj}] {
					u.function(from)
				}
				u.mark(u.key(to), from)
			}
		case *ast.ValueSpec:
			for i, to := range n.Names {
				if _, ok := n.Type.(*ast.FuncType); (ok || u.word[calledObject{to.Obj}]) && i < len(n.Values) {
					u.function(n.Values[i])
				}
				if u.ofType(n.Type) && len(n.Values) == 0 && to.Obj != nil {
					u.word[to.Obj] = true
				}
				if len(n.Values) > 0 {
					u.mark(u.key(to), n.Values[min(i, len(n.Values)-1)])
				}
			}
		case *ast.RangeStmt:
			if n.Key != nil && u.says(n.X) {
				u.mark(u.key(n.Key), n.X)
			}
			if n.Value != nil {
				u.mark(u.key(n.Value), n.X)
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				u.mark("field "+id.Name, n.Value)
			}
		case *ast.CompositeLit:
			u.positional(n)
		case *ast.CallExpr:
			if id := u.ident(n.Fun); id != nil {
				u.word["called "+id.Name] = true
			} else if id, ok := n.Fun.(*ast.Ident); ok && id.Obj != nil {
				u.word[calledObject{id.Obj}] = true
			}
			u.given(n)
		}
		return true
	})
}

// typeNames notes the names of the program used as types by the tests.
func (u *goUses) typeNames(f *ast.File) {
	note := func(t ast.Expr) {
		if t == nil {
			return
		}
		ast.Inspect(t, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if id := u.ident(e); id != nil {
					u.word["type "+id.Name] = true
				}
			}
			return true
		})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			note(n.Type)
		case *ast.Field:
			note(n.Type)
		case *ast.ValueSpec:
			note(n.Type)
		case *ast.TypeAssertExpr:
			note(n.Type)
		}
		return true
	})
}

// calledObject marks a variable called by the tests.
type calledObject struct{ *goObject }

// function notes a name of the program in the place of a function.
func (u *goUses) function(e ast.Expr) {
	if id := u.ident(e); id != nil {
		u.word["called "+id.Name] = true
	}
}

// positional notes fields set by position in a literal.
func (u *goUses) positional(lit *ast.CompositeLit) {
	t := goUnderlying(lit.Type)
	if a, ok := t.(*ast.ArrayType); ok {
		elem := goUnderlying(a.Elt)
		_, isFunction := elem.(*ast.FuncType)
		for _, e := range lit.Elts {
			if inner, ok := e.(*ast.CompositeLit); ok && inner.Type == nil {
				u.fields(elem, inner.Elts)
			} else if isFunction {
				u.function(e)
			}
		}
		return
	}
	if m, ok := t.(*ast.MapType); ok {
		if _, ok := goUnderlying(m.Value).(*ast.FuncType); ok {
			for _, e := range lit.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					u.function(kv.Value)
				}
			}
		}
		return
	}
	u.fields(t, lit.Elts)
}

func (u *goUses) fields(t ast.Expr, values []ast.Expr) {
	s, ok := t.(*ast.StructType)
	if !ok {
		return
	}
	at := 0
	for _, f := range s.Fields.List {
		_, isFunction := f.Type.(*ast.FuncType)
		for _, n := range f.Names {
			for i, v := range values {
				kv, keyed := v.(*ast.KeyValueExpr)
				if keyed {
					if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != n.Name {
						continue
					}
					v = kv.Value
				} else if i != at {
					continue
				}
				if isFunction {
					u.function(v)
				}
				u.mark("field "+n.Name, v)
			}
			at++
		}
	}
}

// goUnderlying returns the type behind a name declared by the tests.
func goUnderlying(t ast.Expr) ast.Expr {
	if id, ok := t.(*ast.Ident); ok && id.Obj != nil {
		if spec, ok := id.Obj.Decl.(*ast.TypeSpec); ok {
			return spec.Type
		}
	}
	return t
}

// given notes the parameters of a test function that receive program values.
func (u *goUses) given(call *ast.CallExpr) {
	var f *ast.FuncType
	switch e := call.Fun.(type) {
	case *ast.Ident:
		for _, d := range u.decls[e.Name] {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil {
				f = d.Type
			}
		}
		if e.Obj != nil {
			if a, ok := e.Obj.Decl.(*ast.AssignStmt); ok && len(a.Rhs) == 1 {
				if lit, ok := a.Rhs[0].(*ast.FuncLit); ok {
					f = lit.Type
				}
			}
		}
	case *ast.FuncLit:
		f = e.Type
	}
	if f == nil {
		return
	}
	at := 0
	for _, p := range f.Params.List {
		_, isFunction := p.Type.(*ast.FuncType)
		for _, n := range p.Names {
			if at < len(call.Args) {
				if isFunction {
					u.function(call.Args[at])
				}
				if n.Obj != nil {
					u.mark(n.Obj, call.Args[at])
				}
			}
			at++
		}
	}
}

// goComparers are functions comparing two values.
var goComparers = strings.Fields("DeepEqual Equal EqualFunc Compare CompareFunc EqualFold Is Index IndexAny LastIndex Contains ContainsAny HasPrefix HasSuffix Count BinarySearch Less")

// goEquals are methods comparing an object with another.
var goEquals = strings.Fields("Equal Equals Eq Cmp Compare CompareTo Less LessThan Same Is")

// judged reports whether a declaration of the tests, including its callees, lets
// the program decide. The program decides in three cases: the tests compare its
// values with each other, use values declared by the program, or use its notion of
// equality.
func (u *goUses) judged(name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	found := false
	for _, d := range u.decls[name] {
		values := u.values(d)
		found = found || u.between(d)
		ast.Inspect(d, func(n ast.Node) bool {
			found = found || u.truths(n)
			switch n := n.(type) {
			case *ast.Ident:
				if values[n] || u.decls[n.Name] != nil && (n.Obj == nil || n.Obj.Kind != ast.Var || u.isTop(n)) && u.judged(n.Name, seen) {
					found = true
				}
			case *ast.BinaryExpr:
				switch n.Op {
				case token.EQL, token.NEQ:
					found = found || u.rests(n.X) && u.rests(n.Y) || u.difference(n.X) || u.difference(n.Y) || u.found(n.X) || u.found(n.Y)
				case token.LSS, token.LEQ, token.GTR, token.GEQ:
					found = found || u.difference(n.X) || u.difference(n.Y) || u.found(n.X) || u.found(n.Y)
				}
			case *ast.CallExpr:
				sel, ok := n.Fun.(*ast.SelectorExpr)
				if !ok {
					break
				}
				id, isName := sel.X.(*ast.Ident)
				switch {
				case isName && id.Obj == nil && slices.Contains(goComparers, sel.Sel.Name) && len(n.Args) > 1 && u.rests(n.Args[0]) && u.rests(n.Args[1]):
					found = true
				case isName && id.Obj == nil && (id.Name == "sort" || id.Name == "heap") && len(n.Args) == 1 && u.ident(n.Args[0]) == nil && u.holds(n.Args[0]):
					found = true
				case slices.Contains(goEquals, sel.Sel.Name) && (u.says(sel.X) || u.typed(sel.X) || u.rests(sel.X) && slices.ContainsFunc(n.Args, u.rests)):
					found = true
				}
			}
			return !found
		})
	}
	return found
}

// speaks reports whether a declaration of the tests, including its callees, has a
// name or a text that matches.
func (u *goUses) speaks(name string, of *regexp.Regexp, seen map[string]bool) bool {
	return u.has(name, seen, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			return of.MatchString(n.Name)
		case *ast.BasicLit:
			return of.MatchString(n.Value)
		}
		return false
	})
}

// divides reports whether the declaration divides by anything but a literal.
func (u *goUses) divides(name string, seen map[string]bool) bool {
	return u.has(name, seen, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			_, number := n.Y.(*ast.BasicLit)
			return n.Op == token.QUO && !number
		case *ast.AssignStmt:
			return n.Tok == token.QUO_ASSIGN
		}
		return false
	})
}

func (u *goUses) has(name string, seen map[string]bool, is func(ast.Node) bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	found := false
	for _, d := range u.decls[name] {
		ast.Inspect(d, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || n != nil && is(n) || ok && u.decls[id.Name] != nil && u.has(id.Name, seen, is)
			return !found
		})
	}
	return found
}

// isTop reports whether an identifier is declared at the tests' top level.
func (u *goUses) isTop(n *ast.Ident) bool {
	for _, d := range u.decls[n.Name] {
		if n.Obj != nil && n.Obj.Decl == d {
			return true
		}
	}
	return false
}

// holds reports whether an argument is a conversion to a type of the program, or a
// call of the program.
func (u *goUses) holds(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && u.ident(call.Fun) != nil
}

// values returns the program's variables and constants in a declaration: its names
// that are not called, and are neither types nor errors.
func (u *goUses) values(d ast.Node) map[*ast.Ident]bool {
	values := map[*ast.Ident]bool{}
	types := map[*ast.Ident]bool{}
	typ := func(e ast.Expr) {
		if e == nil {
			return
		}
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				types[id] = true
			}
			_, isFunction := n.(*ast.FuncLit)
			return !isFunction
		})
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if id := u.ident(n.Fun); id != nil {
				types[id] = true
				// An argument of the program is not an expected value.
				for _, a := range n.Args {
					typ(a)
				}
			}
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "new" || id.Name == "make") && id.Obj == nil && len(n.Args) > 0 {
				typ(n.Args[0])
			}
			// A function passed to a function of the tests or of the program.
			for _, a := range n.Args {
				if id := u.ident(a); id != nil && u.called(id.Name) {
					types[id] = true
				}
			}
		case *ast.CompositeLit:
			typ(n.Type)
		case *ast.Field:
			typ(n.Type)
		case *ast.ValueSpec:
			typ(n.Type)
		case *ast.TypeSpec:
			typ(n.Type)
		case *ast.TypeAssertExpr:
			typ(n.Type)
		case *ast.ArrayType:
			typ(n.Elt)
		case *ast.MapType:
			typ(n.Key)
			typ(n.Value)
		case *ast.CaseClause:
			if u.isTypeSwitch(d, n) {
				for _, e := range n.List {
					typ(e)
				}
			}
		}
		return true
	})
	for id := range u.foreign {
		if !types[id] && !goSentinel().MatchString(id.Name) && id.Pos() >= d.Pos() && id.End() <= d.End() && !u.called(id.Name) {
			values[id] = true
		}
	}
	return values
}

// called reports whether a name of the program is a function: the tests call the
// name, or use it in the place of a function.
func (u *goUses) called(name string) bool { return u.word["called "+name] }

func (u *goUses) isTypeSwitch(d ast.Node, c *ast.CaseClause) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		if s, ok := n.(*ast.TypeSwitchStmt); ok && slices.Contains(s.Body.List, ast.Stmt(c)) {
			found = true
		}
		return !found
	})
	return found
}

// goShared are parts of the standard library that need tests and program in one
// process, because a value set by the tests must be visible to the program.
var goShared = map[string]string{
	"os":               "Setenv Unsetenv Clearenv Chdir Stdout Stderr Stdin Args Pipe WriteFile Create CreateTemp Mkdir MkdirAll MkdirTemp Open OpenFile ReadFile Remove RemoveAll",
	"testing":          "AllocsPerRun Benchmark",
	"runtime":          "NumGoroutine ReadMemStats GC GOMAXPROCS",
	"math/rand":        "Seed New NewSource",
	"math/rand/v2":     "New NewPCG NewChaCha8",
	"log":              "SetOutput SetFlags SetPrefix Default New",
	"flag":             "*",
	"net/http":         "*",
	"net":              "*",
	"testing/synctest": "*",
	"testing/iotest":   "*",
	"testing/fstest":   "*",
	"unsafe":           "*",
	"context":          "*",
	"log/slog":         "*",
	"os/exec":          "*",
	"text/template":    "*",
	"html/template":    "*",
	"plugin":           "*",
}

// goReflects are methods of package reflect that reveal the extra parts of a
// stand-in.
var goReflects = strings.Fields("NumField NumMethod MethodByName VisibleFields")

// needs notes uses beyond calls and values.
func (u *goUses) needs(f *goTestFile) {
	imports := u.imports[f]
	ast.Inspect(f.parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Obj == nil {
				if p := imports[id.Name]; p != "" {
					names := goShared[p]
					if strings.HasPrefix(p, "net/http/") || names == "*" || slices.Contains(strings.Fields(names), n.Sel.Name) {
						u.need(id.Name + "." + n.Sel.Name)
					}
					return true
				}
			}
			if slices.Contains(goReflects, n.Sel.Name) && slices.Contains(slices.Collect(maps.Values(imports)), "reflect") {
				u.reason("the tests look into the program's types (" + n.Sel.Name + ")")
			}
			if n.Sel.Name == "Setenv" || n.Sel.Name == "Chdir" || n.Sel.Name == "TempDir" {
				u.need("the method " + n.Sel.Name)
			}
		case *ast.CallExpr:
			u.call(n)
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				if u.sets(to) {
					u.need("a variable of the program that they set")
				}
			}
		case *ast.IncDecStmt:
			if u.sets(n.X) {
				u.need("a variable of the program that they set")
			}
		case *ast.UnaryExpr:
			switch id := u.ident(n.X); {
			case n.Op == token.ARROW && u.says(n.X):
				u.need("a channel of the program")
			case n.Op == token.AND && id != nil:
				u.need("the address of " + id.Name)
			}
		case *ast.SendStmt:
			if u.says(n.Chan) {
				u.need("a channel of the program")
			}
		case *ast.IndexExpr:
			// A name with a type in brackets is generic.
			if id := u.ident(n.X); id != nil && goIsType(n.Index) {
				u.need("the type parameters of " + id.Name)
			}
		case *ast.IndexListExpr:
			if id := u.ident(n.X); id != nil {
				u.need("the type parameters of " + id.Name)
			}
		}
		return true
	})
}

// sets reports whether an assignment changes a variable of the program.
func (u *goUses) sets(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.IndexExpr:
		return u.sets(e.X)
	case *ast.SelectorExpr:
		return u.ident(e) != nil || u.sets(e.X)
	}
	return u.ident(e) != nil
}

func goIsType(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return goUniverse[e.Name] && e.Name != "true" && e.Name != "false" && e.Name != "nil" && e.Name != "iota" && e.Name != "len"
	case *ast.ArrayType, *ast.MapType, *ast.StructType, *ast.FuncType, *ast.InterfaceType, *ast.ChanType:
		return true
	case *ast.StarExpr:
		return goIsType(e.X)
	}
	return false
}

// call notes arguments of the program's functions that do not travel.
func (u *goUses) call(n *ast.CallExpr) {
	name := ""
	if id := u.ident(n.Fun); id != nil {
		name = id.Name
	} else if sel, ok := n.Fun.(*ast.SelectorExpr); ok && u.says(sel.X) {
		name = sel.Sel.Name
	}
	if name == "" {
		return
	}
	for _, a := range n.Args {
		if what := u.stays(a); what != "" {
			u.need(what + " as an argument of " + name)
		}
	}
}

// stays names the part of an argument that stays in the tests' process; empty if
// the argument travels.
func (u *goUses) stays(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return u.stays(e.X)
	case *ast.CompositeLit:
		return u.staysOf(e.Type)
	case *ast.FuncLit:
		for _, p := range e.Type.Params.List {
			if what := u.staysOf(p.Type); what != "" {
				return what
			}
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "make" && len(e.Args) > 0 {
			if _, ok := e.Args[0].(*ast.ChanType); ok {
				return "a channel"
			}
		}
	case *ast.Ident:
		if e.Obj == nil {
			return ""
		}
		switch d := e.Obj.Decl.(type) {
		case *ast.AssignStmt:
			for i, to := range d.Lhs {
				if id, ok := to.(*ast.Ident); ok && id.Obj == e.Obj && len(d.Rhs) == len(d.Lhs) {
					if _, ok := d.Rhs[i].(*ast.Ident); !ok {
						return u.stays(d.Rhs[i])
					}
				}
			}
		case *ast.Field:
			return u.staysOf(d.Type)
		case *ast.ValueSpec:
			return u.staysOf(d.Type)
		}
	}
	return ""
}

// staysOf does the same for a type.
func (u *goUses) staysOf(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		if sel, ok := t.X.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == "testing" {
				return "the test itself"
			}
		}
		return u.staysOf(t.X)
	case *ast.ChanType:
		return "a channel"
	case *ast.ArrayType:
		return u.staysOf(t.Elt)
	case *ast.MapType:
		return cmp.Or(u.staysOf(t.Key), u.staysOf(t.Value))
	case *ast.Ident:
		if u.ownTypes[t.Name] {
			if _, ok := goUnderlying(t).(*ast.StructType); ok {
				return "a value of their type " + t.Name
			}
		}
	}
	return ""
}
