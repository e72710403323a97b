package language

import (
	"go/ast"
	"go/token"
)

// Every order comparison with NaN is false, and infinity is larger than every
// number. So the operands of order comparisons in tests are inspected.

// goOrderedGuard inspects an operand.
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

// guarded returns a test file, in the named package, with guarded operands of order
// comparisons. An empty name keeps the package.
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

// goFragmentClause is the clause with which a file without one is parsed.
const goFragmentClause = "package tests;"

// goHasType reports whether an operand certainly has a type by itself and needs a
// guard. A constant takes its type from the other operand.
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
				return true // the result for constants is a constant
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

// goCounts reports whether e is a length, or a variable initialised with a whole
// number. Both are finite.
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
