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

// goTree makes the exam of a module with tests in its package folders. All packages
// are one binary, including the program. Each package's tests run in its folder,
// one package after the other.
type goTree struct {
	read *goProgram
	// inside and outside are the test files by folder: files of the package itself,
	// and files of an external test package.
	inside, outside map[string][]goTreeFile
	packages        []goPackage
	seen            map[string]bool
}

type goTreeFile struct {
	glovebox.File
	parsed *ast.File
	tests  []goTest
	// main: the file has a TestMain.
	main bool
}

func examGoTree(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	x := &goTree{read: readGo(tc, p), inside: map[string][]goTreeFile{}, outside: map[string][]goTreeFile{}, seen: map[string]bool{}}
	b := goBuild{Lang: x.read.lang, Together: true}
	staged := readOnly(t.Files)
	if err := x.readTests(t); err != nil {
		return nil, err
	}
	x.read.module = cmp.Or(x.read.module, goProgramPath)
	files := slices.Clone(p.Files)
	for _, dir := range x.dirs() {
		x.importable(dir, files, staged)
	}
	for _, dir := range x.dirs() {
		x.visit(dir)
	}
	for _, dir := range slices.Sorted(maps.Keys(x.outside)) {
		x.packages = append(x.packages, goPackage{Path: x.path(dir) + "_test", Files: goTreePaths(x.outside[dir])})
	}
	for _, f := range t.Files {
		b.Tests = append(b.Tests, f.Path)
	}
	runner, suites := x.runner()
	b.Suites = suites
	b.Packages = append(x.packages, goPackage{Path: "main", Files: []string{runner.Path}})
	return &Exam{
		Proof:     glovebox.ProofInProcess,
		Files:     files,
		Candidate: b.step(tc, append(staged, runner)...),
		Reason:    "the tests are compiled with the packages that they test",
	}, nil
}

// readTests sorts the tests by package.
func (x *goTree) readTests(t Tests) error {
	found := false
	var missing, own []string
	for _, f := range t.Files {
		if !isGoTest(f) || !goMatches(f) || goIgnored(f.Path) {
			continue
		}
		if len(f.Data) > maxGoFile {
			return goUnrunnable("the file %s is larger than %d bytes", f.Path, maxGoFile)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return goUnrunnable("the tests do not parse: %v", err)
		}
		dir, set := path.Dir(f.Path), x.inside
		for _, i := range parsed.Imports {
			p := goImport(i)
			x.read.makeModule([]string{p})
			if _, local := x.read.local(p); (!local && isGoHosted(p) || isGoJudge(p)) && !slices.Contains(missing, p) {
				missing = append(missing, p)
			}
			// Tests in their package's folder spell the module path. The path is
			// the program's, whatever its go.mod says.
			if m, ok := strings.CutSuffix(p, "/"+dir); ok && parsed.Name.Name == path.Base(dir)+"_test" {
				own = append(own, m+"/")
			}
		}
		if strings.HasSuffix(parsed.Name.Name, "_test") {
			set = x.outside
		}
		tests, main := readGoTestFuncs(parsed)
		set[dir] = append(set[dir], goTreeFile{f, parsed, tests, main})
		found = found || len(tests) > 0
	}
	missing = slices.DeleteFunc(missing, func(p string) bool {
		return slices.ContainsFunc(own, func(m string) bool { return strings.HasPrefix(p, m) })
	})
	if len(missing) > 0 {
		return &Unrunnable{
			Reason:  "the tests import " + missing[0] + ", which is neither in the standard library nor among the given files",
			Missing: missing,
		}
	}
	if !found {
		return goUnrunnable("the tests have no function TestXxx(t *testing.T), no example with its output and no fuzz target in a file that ends in _test.go")
	}
	return nil
}

// goIgnored reports whether the go command ignores a file because of its folder.
func goIgnored(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if part == "testdata" || strings.HasPrefix(part, "_") || len(part) > 1 && part[0] == '.' {
			return true
		}
	}
	return false
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

// visit adds the package of a folder, with its tests, after all packages imported
// by either.
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
		x.packages = append(x.packages, goPackage{Path: x.path(dir), Files: all, Vet: len(x.inside[dir])+len(x.outside[dir]) > 0})
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

// importable renames a package main with tests, because a package main cannot be
// imported.
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

// runner generates the main package. If two packages have a test of the same name,
// each name is prefixed with the package's path.
func (x *goTree) runner() (glovebox.File, int) {
	count := map[string]int{}
	for _, set := range []map[string][]goTreeFile{x.inside, x.outside} {
		for _, files := range set {
			for _, f := range files {
				for _, t := range f.tests {
					count[t.name]++
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
			main := ""
			for _, f := range set.files {
				for _, t := range f.tests {
					label := t.name
					if count[t.name] > 1 {
						label = x.path(dir) + set.suffix + "." + t.name
					}
					fmt.Fprintf(&tests, "\t\t\t%s,\n", t.entry(fmt.Sprintf("t%d.%s", n, t.name), label, false))
				}
				if f.main {
					main = fmt.Sprintf(", TestMain: t%d.TestMain", n)
				}
			}
			if tests.Len() == 0 {
				continue
			}
			fmt.Fprintf(&imports, "\tt%d %q\n", n, x.path(dir)+set.suffix)
			fmt.Fprintf(&list, "\t\t{Dir: %q, Subtests: true%s, Tests: []runner.Test{\n%s\t\t}},\n", dir, main, tests.Bytes())
			n++
		}
	}
	return glovebox.File{Path: goGlue + "main.go", Data: fmt.Appendf(nil,
		"package main\n\nimport (\n\t\"glovebox/runner\"\n%s)\n\nfunc main() {\n\trunner.Tree([]runner.Suite{\n%s\t})\n}\n", imports.Bytes(), list.Bytes())}, n
}
