package language

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Tests that cannot compile with any program are not the program's fault.

// fault is the reason why a test file cannot compile with any program, as far as
// its text alone shows; empty if no fault shows.
func (f *goTestFile) fault() string {
	uses := map[string]*ast.Ident{}
	for _, id := range f.parsed.Unresolved {
		uses[id.Name] = id
	}
	has := map[string]bool{}
	for _, i := range f.parsed.Imports {
		name := goImportName(i)
		has[name] = true
		if isGoStandard(goImport(i)) && uses[name] == nil && name != "_" && name != "." {
			return f.at(i.Pos(), "%s imported and not used", i.Path.Value)
		}
	}
	var fault string
	used := map[*goObject]bool{}
	set := map[*ast.Ident]bool{}
	ast.Inspect(f.parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				if id, ok := to.(*ast.Ident); ok && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
					set[id] = true
				}
			}
		case *ast.RangeStmt:
			for _, to := range []ast.Expr{n.Key, n.Value} {
				if id, ok := to.(*ast.Ident); ok {
					set[id] = true
				}
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && uses[id.Name] == id && !f.fragment && !has[id.Name] && slices.Contains(goAlways, id.Name) && fault == "" {
				fault = f.at(id.Pos(), "%s is not imported", id.Name)
			}
		case *ast.Ident:
			if n.Obj != nil && !set[n] && n.Pos() != n.Obj.Pos() {
				used[n.Obj] = true
			}
		}
		return true
	})
	for _, d := range f.parsed.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		guards := map[*ast.Ident]bool{}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSwitchStmt); ok {
				if a, ok := s.Assign.(*ast.AssignStmt); ok {
					id, _ := a.Lhs[0].(*ast.Ident)
					guards[id] = true
				}
			}
			id, ok := n.(*ast.Ident)
			if !ok || id.Obj == nil || id.Obj.Kind != ast.Var || id.Pos() != id.Obj.Pos() || used[id.Obj] || guards[id] || id.Name == "_" || fault != "" {
				return true
			}
			switch id.Obj.Decl.(type) {
			case *ast.AssignStmt, *ast.ValueSpec:
				fault = f.at(id.Pos(), "declared and not used: %s", id.Name)
			}
			return true
		})
	}
	return fault
}

// goAlways are package names unlikely to be variables of a program.
var goAlways = strings.Fields("fmt strings strconv reflect errors math sort slices maps time os bytes testing")

// at formats a message about a position in the file.
func (f *goTestFile) at(p token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.Path, f.line(p), fmt.Sprintf(format, args...))
}

// line returns the line of a position in the parsed file.
func (f *goTestFile) line(p token.Pos) int {
	at := int(p - f.parsed.FileStart)
	if f.fragment {
		at -= len(goFragmentClause)
	}
	return 1 + bytes.Count(f.Data[:min(max(0, at), len(f.Data))], []byte("\n"))
}
