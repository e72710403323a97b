package language

import (
	"go/ast"
	"go/token"
)

// Each answer about the order of a NaN is false, and infinity is larger than each
// number. So tests that judge by an order have its operands looked at.

// goOrderedGuard is what looks at an operand.
const goOrderedGuard = `
func gloveboxOrdered[T any](v T) T {
	switch v := any(v).(type) {
	case int, int64, uint64, byte, rune, string:
	case float64:
		if v-v != 0 {
			gloveboxWire.Ordered(v)
		}
	default:
		gloveboxWire.Ordered(v)
	}
	return v
}
`

// guarded is a file of tests in the package of a name, as it is where that is
// empty, in which the operands of an order are looked at.
func (f goTestFile) guarded(name string) []byte {
	e := goEdit{base: f.parsed.FileStart}
	if f.fragment {
		e.base += token.Pos(len(goFragmentClause))
	} else if name != "" {
		e.replace(f.parsed.Name.Pos(), f.parsed.Name.End(), name)
	}
	ast.Inspect(f.parsed, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return true
		}
		switch b.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			for _, o := range []ast.Expr{b.X, b.Y} {
				if goHasType(o) {
					e.replace(o.Pos(), o.Pos(), "gloveboxOrdered(")
					e.replace(o.End(), o.End(), ")")
				}
			}
		}
		return true
	})
	return e.apply(f.Data)
}

// goFragmentClause is the clause with which a file without one is read.
const goFragmentClause = "package tests;"

// goHasType reports whether an operand certainly has a type by itself, and is no
// place that is counted: a constant takes its type from the other operand.
func goHasType(e ast.Expr) bool {
	if goCounts(e) {
		return false
	}
	typed := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			typed = typed || n.Obj != nil && n.Obj.Kind == ast.Var
		case *ast.CallExpr:
			switch id, _ := n.Fun.(*ast.Ident); {
			case id == nil:
				typed = true
			case id.Name == "min" || id.Name == "max" || id.Name == "real" || id.Name == "imag" || id.Name == "complex":
				return true // of constants they are constants
			default:
				typed = true
			}
			return false
		case *ast.FuncLit, *ast.CompositeLit:
			return false
		}
		return true
	})
	shifts := false
	ast.Inspect(e, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		shifts = shifts || ok && (b.Op == token.SHL || b.Op == token.SHR)
		return true
	})
	return typed && !shifts
}

// goCounts reports whether e is a length, or a variable that begins with a whole
// number: these are finite.
func goCounts(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && (id.Name == "len" || id.Name == "cap")
	case *ast.Ident:
		if e.Obj == nil {
			return false
		}
		a, ok := e.Obj.Decl.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			return false
		}
		for i, to := range a.Lhs {
			if id, ok := to.(*ast.Ident); ok && id.Obj == e.Obj {
				n, ok := a.Rhs[i].(*ast.BasicLit)
				return ok && n.Kind == token.INT
			}
		}
	}
	return false
}
