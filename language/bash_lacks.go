package language

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/gloveboxhq/glovebox"
)

// Gaps in the tests that their text alone shows, before any box starts: a missing
// file, or no test at all.

// bashLoads are the commands with which tests load or start a file.
var bashLoads = []string{"source", ".", "load", "bash", "sh", "run"}

// batsLibraries are the Bats libraries that tests load by name.
var batsLibraries = []string{"bats-support", "bats-assert", "bats-file"}

// bashLibrary returns the Bats library named by a path, or "".
func bashLibrary(file string) string {
	file = strings.TrimSuffix(file, ".bash")
	if name := path.Base(path.Dir(file)); path.Base(file) == "load" && slices.Contains(batsLibraries, name) {
		return name
	}
	return ""
}

// bashLacks reports the first gap in the tests, if any. libraries are files
// replacing the Bats libraries where the tests load their own copies.
func bashLacks(p *glovebox.Program, tests []glovebox.File, started []string, tools map[string]string) (libraries []glovebox.File, err error) {
	tested := func(file string) bool {
		return slices.ContainsFunc(tests, func(f glovebox.File) bool { return f.Path == file })
	}
	here := func(file string) bool {
		return slices.ContainsFunc(slices.Concat(p.Files, tests), func(f glovebox.File) bool { return path.Base(f.Path) == path.Base(file) }) || slices.Contains(bashNames, path.Base(file))
	}
	does, declared, skipped := false, 0, 0
	for _, f := range tests {
		if !isBashScript(f) || isBatsLibrary(f) {
			continue
		}
		tree, parsed := bashParse(f)
		if parsed != nil {
			return nil, nil // Bash itself reports the syntax error
		}
		start := slices.Contains(started, f.Path)
		syntax.Walk(tree, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.TestDecl:
				declared++
				if b, ok := n.Body.Cmd.(*syntax.Block); ok && len(b.Stmts) > 0 {
					if c, ok := b.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == "skip" {
						skipped++
					}
				}
			case *syntax.BinaryCmd, *syntax.IfClause, *syntax.FuncDecl, *syntax.TestClause, *syntax.ArithmCmd, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause:
				does = does || start
			case *syntax.CallExpr:
				if len(n.Args) > 0 {
					does = does || start && !slices.Contains([]string{"source", ".", "echo", "printf", "set", ":", "true"}, n.Args[0].Lit())
				}
			}
			return true
		})
		for _, c := range bashPlain(tree) {
			at := slices.IndexFunc(c.Args, func(w *syntax.Word) bool { return !slices.Contains(bashLoads, w.Lit()) })
			if at < 0 || c.Args[0].Lit() == "run" && c.Args[at].Lit() == "" && at == 1 && bashTail(c.Args[at]) == "" {
				continue
			}
			loads := at > 0 && c.Args[at-1].Lit() == "load"
			file := bashPath(c.Args[at])
			to := path.Join(path.Dir(f.Path), strings.TrimSuffix(file, ".bash")+".bash")
			// A judging library never comes from the program, whatever files the
			// program has.
			judges := loads && bashLibrary(file) != "" && !strings.HasPrefix(to, "..") && !tested(to)
			if file == "" || strings.HasPrefix(file, "/") || !judges && loads && (here(file) || here(file+".bash")) || !loads && (here(file) || path.Ext(file) != ".sh" && path.Ext(file) != ".bash") ||
				!loads && at == 0 && !strings.Contains(file, "/") {
				continue
			}
			if judges {
				name := bashLibrary(file)
				if tools[name] == "" {
					return nil, &Unrunnable{Reason: "the tests need " + name + ", which is not here", Missing: []string{name}}
				}
				libraries = append(libraries, glovebox.File{Path: to, Data: []byte(". " + tools[name] + "/load.bash\n")})
				continue
			}
			// A file named a second time may be created by the tests.
			named := 0
			for _, g := range tests {
				named += bytes.Count(g.Data, []byte(path.Base(file)))
			}
			if named == 1 && p.Main != "" {
				return nil, notHere(path.Base(file), p.Main, "solution.sh")
			}
		}
	}
	switch {
	case !does && declared == 0:
		return nil, &Unrunnable{Reason: "the tests are empty"}
	case declared > 0 && declared == skipped:
		return nil, &Unrunnable{Reason: "all tests are skipped"}
	}
	return libraries, nil
}

// bashPlain returns the unconditional calls of a script. Calls inside conditions,
// or followed by an alternative on failure, are left out.
func bashPlain(tree *syntax.File) []*syntax.CallExpr {
	var calls []*syntax.CallExpr
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd, *syntax.IfClause, *syntax.CaseClause, *syntax.WhileClause, *syntax.CmdSubst:
			return false
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				calls = append(calls, n)
			}
		}
		return true
	})
	return calls
}

// bashPath returns a path as written in the tests, without the name of their own
// folder, or "".
func bashPath(w *syntax.Word) string {
	if text, ok := bashLiteral(w); ok {
		return text
	}
	parts := w.Parts
	if d, ok := parts[0].(*syntax.DblQuoted); ok && len(d.Parts) > 1 {
		parts = slices.Concat(d.Parts, parts[1:])
	}
	rest, ok := bashLiteral(&syntax.Word{Parts: parts[1:]})
	switch p := parts[0].(type) {
	case *syntax.ParamExp:
		if p.Param == nil || p.Param.Value != "BATS_TEST_DIRNAME" {
			return ""
		}
	case *syntax.CmdSubst:
	default:
		return ""
	}
	if !ok || !strings.HasPrefix(rest, "/") {
		return ""
	}
	return rest[1:]
}
