package language

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// goTree makes the exam of a module whose tests lie in the folders of their
// packages. All of them are one binary, with the program: each package's tests
// run in its folder, one package after the other.
type goTree struct {
	read *goProgram
	// inside and outside are the test files by folder: those of the package
	// itself, and those of a package of their own.
	inside, outside map[string][]goTreeFile
	packages        []goPackage
	seen            map[string]bool
}

type goTreeFile struct {
	glovebox.File
	parsed *ast.File
}

func examGoTree(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	x := &goTree{read: readGo(tc, p), inside: map[string][]goTreeFile{}, outside: map[string][]goTreeFile{}, seen: map[string]bool{}}
	x.read.module = cmp.Or(x.read.module, goProgramPath)
	b := goBuild{Lang: x.read.lang, Together: true}
	staged := readOnly(t.Files)
	if fault := x.readTests(t); fault != nil {
		b.Broken = TestsAtFault + fault.Error()
	}
	files := slices.Clone(p.Files)
	for _, dir := range x.dirs() {
		x.importable(dir, files, staged)
	}
	for _, dir := range x.dirs() {
		x.visit(dir)
	}
	for _, dir := range slices.Sorted(maps.Keys(x.outside)) {
		x.packages = append(x.packages, goPackage{x.path(dir) + "_test", goTreePaths(x.outside[dir])})
	}
	for _, f := range t.Files {
		b.Tests = append(b.Tests, f.Path)
	}
	runner := x.runner()
	b.Packages = append(x.packages, goPackage{"main", []string{runner.Path}})
	return &Exam{
		Proof:     glovebox.ProofInProcess,
		Files:     files,
		Candidate: b.step(tc, append(staged, runner)...),
		Reason:    "the tests are compiled with the packages that they test",
	}, nil
}

// readTests sorts the tests by package. The error says what they do not do.
func (x *goTree) readTests(t Tests) error {
	found := false
	for _, f := range t.Files {
		if !isGoTest(f) || !goMatches(f) || goIgnored(f.Path) {
			continue
		}
		if len(f.Data) > maxGoFile {
			return fmt.Errorf("fit: the file %s is larger than %d bytes", f.Path, maxGoFile)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse: %w", err)
		}
		dir, set := path.Dir(f.Path), x.inside
		if strings.HasSuffix(parsed.Name.Name, "_test") {
			set = x.outside
		}
		set[dir] = append(set[dir], goTreeFile{f, parsed})
		for _, fn := range goTestFuncs(parsed) {
			if fn == "TestMain" {
				return fmt.Errorf("run: %s has a TestMain, which is not supported", f.Path)
			}
			found = true
		}
	}
	if !found {
		return fmt.Errorf("have a function TestXxx(t *testing.T) in a file that ends in _test.go")
	}
	return nil
}

// goIgnored tells whether the go command passes over a file by its folder.
func goIgnored(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if part == "testdata" || strings.HasPrefix(part, "_") || len(part) > 1 && part[0] == '.' {
			return true
		}
	}
	return false
}

// goTestFuncs are the names of a file's test functions, and of its TestMain.
func goTestFuncs(f *ast.File) []string {
	var names []string
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && (isGoTestFunc(fn) || fn.Name.Name == "TestMain") {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

// dirs are the folders with tests.
func (x *goTree) dirs() []string {
	all := map[string]bool{}
	for d := range x.inside {
		all[d] = true
	}
	for d := range x.outside {
		all[d] = true
	}
	return slices.Sorted(maps.Keys(all))
}

func (x *goTree) path(dir string) string { return path.Join(x.read.module, dir) }

func goTreePaths(files []goTreeFile) []string {
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	return names
}

// visit adds the package of a folder, with its tests, after those that it and
// they import.
func (x *goTree) visit(dir string) {
	if x.seen[dir] {
		return
	}
	x.seen[dir] = true
	d := x.read.dirs[dir]
	if d == nil {
		d = &goDir{}
	}
	imports := slices.Clone(d.imports)
	for _, f := range x.inside[dir] {
		for _, i := range f.parsed.Imports {
			imports = append(imports, goImport(i))
		}
	}
	x.visitAll(imports)
	if all := slices.Concat(d.files, goTreePaths(x.inside[dir])); len(all) > 0 {
		x.packages = append(x.packages, goPackage{x.path(dir), all})
	}
	for _, f := range x.outside[dir] {
		var imports []string
		for _, i := range f.parsed.Imports {
			imports = append(imports, goImport(i))
		}
		x.visitAll(imports)
	}
}

func (x *goTree) visitAll(imports []string) {
	for _, i := range imports {
		if rel, ok := x.read.local(i); ok {
			x.visit(rel)
		}
	}
}

// importable gives a package main that has tests another name: nothing imports
// a main.
func (x *goTree) importable(dir string, files, tests []glovebox.File) {
	name := path.Base(x.path(dir))
	if !token.IsIdentifier(name) || name == "main" {
		name = goProgramPath
	}
	of := goTreePaths(x.inside[dir])
	if d := x.read.dirs[dir]; d != nil {
		of = append(of, d.files...)
	}
	for _, set := range [][]glovebox.File{files, tests} {
		for i, f := range set {
			if !slices.Contains(of, f.Path) {
				continue
			}
			if parsed := parseGo(f, parser.PackageClauseOnly); parsed != nil && parsed.Name.Name == "main" {
				e := goEdit{base: parsed.FileStart}
				e.replace(parsed.Name.Pos(), parsed.Name.End(), name)
				set[i].Data = e.apply(f.Data)
			}
		}
	}
}

// runner generates the main package. A test has its package's path before its
// name where two packages have one of that name.
func (x *goTree) runner() glovebox.File {
	count := map[string]int{}
	for _, set := range []map[string][]goTreeFile{x.inside, x.outside} {
		for _, files := range set {
			for _, f := range files {
				for _, name := range goTestFuncs(f.parsed) {
					count[name]++
				}
			}
		}
	}
	var imports, list bytes.Buffer
	n := 0
	for _, dir := range x.dirs() {
		for _, set := range []struct {
			files  []goTreeFile
			suffix string
		}{{x.inside[dir], ""}, {x.outside[dir], "_test"}} {
			var tests bytes.Buffer
			for _, f := range set.files {
				for _, name := range goTestFuncs(f.parsed) {
					label := name
					if count[name] > 1 {
						label = x.path(dir) + set.suffix + "." + name
					}
					fmt.Fprintf(&tests, "\t\t\t{Label: %q, Name: %q, F: t%d.%s},\n", label, name, n, name)
				}
			}
			if tests.Len() == 0 {
				continue
			}
			fmt.Fprintf(&imports, "\tt%d %q\n", n, x.path(dir)+set.suffix)
			fmt.Fprintf(&list, "\t\t{Dir: %q, Tests: []runner.Test{\n%s\t\t}},\n", dir, tests.Bytes())
			n++
		}
	}
	return glovebox.File{Path: goGlue + "main.go", Data: fmt.Appendf(nil,
		"package main\n\nimport (\n\t\"glovebox/runner\"\n%s)\n\nfunc main() {\n\trunner.Tree([]runner.Package{\n%s\t})\n}\n", imports.Bytes(), list.Bytes())}
}
