package language

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// examGo makes the exam of a program whose tests are func TestX(*testing.T).
//
// A test file without a package clause belongs to the program's main file, as if
// appended. If the tests only call functions of the program by name, they are built
// into a separate binary, with stubs that call those functions over the link.
// Otherwise tests and program are one binary.
func examGo(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	if p.Main == "" {
		return examGoTree(tc, p, t)
	}
	x := &goExam{tc: tc, program: p, read: readGo(tc, p)}
	if err := x.readTests(t); err != nil {
		return nil, err
	}
	if len(x.folders()) > 1 {
		return examGoTree(tc, p, t)
	}
	x.choosePackage()
	if x.more != "" {
		return x.together(), nil
	}
	return x.apart(), nil
}

// goExam holds the inputs of an exam.
type goExam struct {
	tc      *Toolchain
	program *glovebox.Program
	read    *goProgram
	main    glovebox.File
	parsed  *ast.File // main's syntax tree; nil if main does not parse
	name    string    // the name of the program's package

	files []goTestFile
	// tests are the tests to run, in order.
	tests []goTest
	// testMain: the tests have a TestMain.
	testMain bool
	// wanted are the names used but not declared by the tests: names of the
	// program.
	wanted []string
	// own are the names declared by the tests, spelled the methods and fields they
	// use.
	own, spelled map[string]bool
	// beside are the imported packages of the program, except the tested package.
	beside []string
	// more is the reason why the tests need more than calls and values, if any.
	more string
	// nan: a test mentions NaN; inf: a test mentions infinity.
	nan, inf bool
	// parallel: tests may run at the same time.
	parallel bool
	// joined: the tests mention errors joined from several.
	joined bool
}

// goTest is a test function, an example with its output, or a fuzz target, run with
// its seeds only.
type goTest struct {
	name, kind string
	output     string
	unordered  bool
	// judged: a pass rests on a decision of the program itself.
	judged bool
	// nan: the test does not mention NaN. inf: the test does not mention infinity,
	// and divides.
	nan, inf bool
	// bound: the test does not mention infinity.
	bound bool
}

// goTestFile is one file of tests.
type goTestFile struct {
	glovebox.File
	// fragment: the file has no package clause.
	fragment bool
	parsed   *ast.File
	// outside: the file belongs to an external test package, which imports the
	// program.
	outside bool
	// qualifiers are the standard library's packages that a fragment uses without
	// an import.
	qualifiers []string
}

// readTests reads only the tests: they alone decide the exam.
func (x *goExam) readTests(t Tests) error {
	for _, f := range t.Files {
		if !strings.HasSuffix(f.Path, ".go") || !goMatches(f) {
			continue
		}
		if len(f.Data) > maxGoFile {
			return goUnrunnable("the file %s is larger than %d bytes", f.Path, maxGoFile)
		}
		tf := goTestFile{File: f}
		var err error
		tf.parsed, err = parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.ParseComments)
		if tf.parsed == nil || !tf.parsed.Package.IsValid() {
			tf.fragment = true
			tf.parsed, err = parser.ParseFile(token.NewFileSet(), f.Path, goFragmentClause+string(f.Data), parser.ParseComments)
		}
		if err != nil {
			return goUnrunnable("the tests do not parse: %v", err)
		}
		if fault := tf.fault(); fault != "" {
			return goUnrunnable("the tests do not compile: %s", fault)
		}
		tf.outside = !tf.fragment && isGoOutside(tf.parsed)
		x.parallel = x.parallel || bytes.Contains(f.Data, []byte(".Parallel("))
		x.joined = x.joined || bytes.Contains(f.Data, []byte("errors.Join")) || bytes.Contains(f.Data, []byte("Unwrap"))
		x.files = append(x.files, tf)
	}
	x.read.makeModule(x.imported())
	missing := slices.DeleteFunc(x.imported(), func(p string) bool { return x.isProgram(p) && !(isGoJudge(p) && p != x.claimed()) })
	if len(missing) > 0 {
		return &Unrunnable{
			Reason:  "the tests import " + missing[0] + ", which is neither in the standard library nor among the given files",
			Missing: missing,
		}
	}
	u := readGoUses(x.files, func(p string) bool { return !isGoStandard(p) && p == x.importPath() })
	for i := range x.files {
		x.readTestFile(&x.files[i], u)
	}
	if len(x.tests) == 0 {
		return goUnrunnable("the tests have no function TestXxx(t *testing.T), no example with its output and no fuzz target")
	}
	for i, n := range x.tests {
		x.tests[i].judged = u.judged(n.name, map[string]bool{})
		x.tests[i].nan = !u.speaks(n.name, goNaN(), map[string]bool{})
		x.tests[i].bound = !u.speaks(n.name, goInf(), map[string]bool{})
		x.tests[i].inf = u.divides(n.name, map[string]bool{}) && x.tests[i].bound
		x.nan, x.inf = x.nan || !x.tests[i].nan, x.inf || !x.tests[i].bound
	}
	// With parallel tests, a number cannot be attributed to a test.
	for i := range x.tests {
		x.tests[i].nan = x.tests[i].nan && !x.parallel
		x.tests[i].inf = x.tests[i].inf && !x.parallel
		x.tests[i].bound = x.tests[i].bound && !x.parallel
	}
	x.wanted, x.own, x.spelled, x.more = slices.Sorted(maps.Keys(u.wanted)), u.declared, u.spelled, u.more
	x.beside = slices.DeleteFunc(x.imported(), func(p string) bool { return x.outside() && p == x.importPath() })
	if len(x.beside) > 0 {
		x.more = "the tests use a second package of the program, " + x.beside[0]
	}
	if x.more == "" && len(x.wanted) == 0 {
		x.more = "the tests use no call of a function that they do not declare themselves"
	}
	return nil
}

// goNaN and goInf match mentions of NaN and of infinity, but not words such as
// tenant or info.
var (
	goNaN = lazyre.New(`NaN|NAN|Nan(?:[^a-z]|$)|(?:^|[^A-Za-z])nan(?:[^a-z]|$)`)
	goInf = lazyre.New(`Inf(?:[^a-z]|$)|(?i:infinit)|(?:^|[^A-Za-z])inf(?:[^a-z]|$)`)
)

func goUnrunnable(format string, args ...any) error {
	return &Unrunnable{Reason: fmt.Sprintf(format, args...)}
}

// imported returns the packages outside the standard library that the tests import.
// outside selects external test packages, or the others.
func (x *goExam) imported(outside ...bool) []string {
	var all []string
	for _, f := range x.files {
		for _, i := range f.parsed.Imports {
			p := goImport(i)
			if (len(outside) == 0 || f.outside == outside[0]) && !isGoStandard(p) && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// outside reports whether any of the tests form an external package.
func (x *goExam) outside() bool {
	return slices.ContainsFunc(x.files, func(f goTestFile) bool { return f.outside })
}

// isProgram reports whether an import of the tests is the program or a package of
// its module.
func (x *goExam) isProgram(imported string) bool {
	if rel, ok := x.read.local(imported); ok && (x.read.dirs[rel] != nil || x.read.given) {
		return true
	}
	return x.outside() && imported == x.importPath()
}

// importPath is the import path of the program in external test packages: the
// import named by their package clause; else the program's module path, if
// imported; else the first import without a public host; else goProgramPath.
func (x *goExam) importPath() string {
	if p := x.claimed(); p != "" {
		return p
	}
	all := x.imported()
	for _, p := range all {
		if x.outside() && p == path.Join(x.read.module, x.read.main) {
			return p
		}
	}
	for _, p := range all {
		if !isGoHosted(p) {
			return p
		}
	}
	return goProgramPath
}

// claimed is the import named by the package clause of external tests; empty if
// there is none.
func (x *goExam) claimed() string {
	for _, f := range x.files {
		for _, p := range x.imported() {
			if f.outside && path.Base(p) == strings.TrimSuffix(f.parsed.Name.Name, "_test") {
				return p
			}
		}
	}
	return ""
}

// folders returns the test folders named like their packages, and one folder for
// all other tests.
func (x *goExam) folders() []string {
	var all []string
	for _, f := range x.files {
		dir := path.Dir(f.Path)
		if f.fragment || path.Base(dir) != strings.TrimSuffix(f.parsed.Name.Name, "_test") {
			dir = "."
		}
		if !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all
}

// choosePackage finds the tested package: the main file's package, or the package
// in the tests' folder or among their imports.
func (x *goExam) choosePackage() {
	dir := x.folders()[0]
	if rel, ok := x.read.local(x.importPath()); ok && x.outside() {
		dir = rel
	}
	main := x.program.Main
	if d := x.read.dirs[dir]; d != nil && dir != x.read.main && (dir != "." || x.outside()) {
		x.read.main, main = dir, d.files[0]
	}
	for _, f := range x.program.Files {
		if f.Path == main {
			x.main = f
		}
	}
	x.name = "main"
	if x.parsed = parseGo(x.main, parser.SkipObjectResolution); x.parsed != nil {
		x.name = x.parsed.Name.Name
	}
}

// isGoHosted reports whether a module has a public host. Such a module is not part
// of the program unless the tests say so.
func isGoHosted(p string) bool {
	return slices.ContainsFunc(goHosts, func(h string) bool { return strings.HasPrefix(p, h+"/") })
}

// goHosts are public hosts of modules.
var goHosts = strings.Fields("github.com golang.org gopkg.in google.golang.org go.uber.org gotest.tools gitlab.com bitbucket.org k8s.io")

// isGoJudge reports whether an import is a well-known module for comparing,
// asserting or mocking. A judging module is never the program's.
func isGoJudge(p string) bool {
	return slices.ContainsFunc(goJudgeModules, func(m string) bool { return p == m || strings.HasPrefix(p, m+"/") })
}

var goJudgeModules = strings.Fields(`github.com/google/go-cmp github.com/stretchr/testify github.com/onsi/gomega github.com/onsi/ginkgo
	github.com/go-test/deep github.com/matryer/is github.com/frankban/quicktest github.com/smartystreets github.com/smarty
	github.com/r3labs/diff github.com/kr/pretty github.com/davecgh/go-spew github.com/pmezard/go-difflib github.com/sergi/go-diff
	github.com/golang/mock github.com/google/gofuzz github.com/leanovate/gopter github.com/alecthomas/assert github.com/shoenig/test
	github.com/franela/goblin github.com/rogpeppe/go-internal github.com/bradleyjkemp/cupaloy github.com/approvals github.com/nsf/jsondiff
	github.com/yudai/gojsondiff github.com/wI2L/jsondiff github.com/maxatome/go-testdeep github.com/DATA-DOG github.com/jarcoal/httpmock
	github.com/petergtz/pegomock github.com/vektra/mockery github.com/bytedance/mockey github.com/samber/lo github.com/thoas/go-funk
	github.com/shopspring/decimal github.com/pkg/errors github.com/hashicorp/go-multierror go.uber.org/mock go.uber.org/goleak
	go.uber.org/multierr golang.org/x gonum.org gopkg.in/check.v1 gotest.tools pgregory.net/rapid google.golang.org/protobuf`)

// readTestFile collects the tests of a file.
func (x *goExam) readTestFile(f *goTestFile, u *goUses) {
	tests, main := readGoTestFuncs(f.parsed)
	x.tests = append(x.tests, tests...)
	x.testMain = x.testMain || main
	for _, e := range doc.Examples(f.parsed) {
		if e.Output == "" && !e.EmptyOutput {
			continue
		}
		ast.Inspect(e.Code, func(n ast.Node) bool {
			// A call without results may print, and its output is then the
			// program's.
			if s, ok := n.(*ast.ExprStmt); ok {
				if c, ok := s.X.(*ast.CallExpr); ok && (u.ident(c.Fun) != nil || u.method(c)) {
					u.need("what the program prints")
				}
			}
			return true
		})
	}
}

// readGoTestFuncs returns a file's tests, fuzz targets and examples with their
// output, and whether the file has a TestMain.
func readGoTestFuncs(f *ast.File) (tests []goTest, main bool) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		switch {
		case !ok || fn.Recv != nil:
		case fn.Name.Name == "TestMain" && goTakes(fn, "M"):
			main = true
		case isGoTestFunc(fn):
			tests = append(tests, goTest{name: fn.Name.Name, kind: "test"})
		case goIsNamed(fn, "Fuzz") && goTakes(fn, "F"):
			tests = append(tests, goTest{name: fn.Name.Name, kind: "fuzz"})
		}
	}
	for _, e := range doc.Examples(f) {
		if e.Output != "" || e.EmptyOutput {
			tests = append(tests, goTest{name: "Example" + e.Name, kind: "example", output: e.Output, unordered: e.Unordered})
		}
	}
	return tests, main
}

// method reports whether a call is a method call on a value from the program.
func (u *goUses) method(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	return ok && u.says(sel.X)
}

// goTakes reports whether a function has a single parameter, a pointer to the named
// type of package testing.
func goTakes(fn *ast.FuncDecl, name string) bool {
	if fn.Type.Params.NumFields() != 1 {
		return false
	}
	star, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch t := star.X.(type) {
	case *ast.SelectorExpr:
		return t.Sel.Name == name
	case *ast.Ident:
		return t.Name == name
	}
	return false
}

// isGoOutside reports whether a test file is an external package importing the
// program. A file importing only the standard library can reach the program only
// from within the program's package, whatever its name.
func isGoOutside(f *ast.File) bool {
	return strings.HasSuffix(f.Name.Name, "_test") && slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		return !isGoStandard(goImport(i))
	})
}

// isGoStandard reports whether a package is in the standard library, by the first
// element of its path.
func isGoStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return slices.Contains(goStandard, first)
}

var goStandard = strings.Fields(`archive bufio bytes cmp compress container context crypto database debug embed
	encoding errors expvar flag fmt go hash html image index io iter log maps math mime net os path plugin reflect
	regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe weak`)

func isGoTestFunc(fn *ast.FuncDecl) bool {
	return goIsNamed(fn, "Test") && fn.Type.Params.NumFields() == 1 && fn.Type.Results.NumFields() == 0 &&
		fn.Type.TypeParams == nil && !goTakes(fn, "M")
}

// goIsNamed reports whether a function's name is the prefix, not followed by a
// lower-case letter.
func goIsNamed(fn *ast.FuncDecl, prefix string) bool {
	rest, ok := strings.CutPrefix(fn.Name.Name, prefix)
	r, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(r))
}

// goImportName is the local name of an import. By convention, an unnamed import is
// known by the last element of its path, skipping a version.
func goImportName(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	p := goImport(i)
	name := path.Base(p)
	if len(name) > 1 && name[0] == 'v' && name[1] >= '0' && name[1] <= '9' {
		name = path.Base(path.Dir(p))
	}
	return name
}

// goUniverse are the predeclared names of Go.
var goUniverse = func() map[string]bool {
	names := map[string]bool{}
	for _, n := range strings.Fields(`any bool byte comparable complex64 complex128 error float32 float64 int int8 int16
		int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex
		copy delete imag len make max min new panic print println real recover _`) {
		names[n] = true
	}
	return names
}()

// together makes the exam with program and tests in one binary.
func (x *goExam) together() *Exam {
	main := x.withTestsRenamed()
	var pkg, outside []string
	var staged []glovebox.File
	alias, outsideName := goProgramPath, ""
	if x.read.module != "" && x.name != "main" {
		alias = path.Join(x.read.module, x.read.main)
	}
	for i, f := range x.files {
		switch {
		case f.fragment:
			main.Data = fmt.Appendf(main.Data, "\n//line %s:1\n%s\n", f.Path, f.Data)
		case f.outside:
			outsideName = f.parsed.Name.Name
			alias = x.importPath()
			outside = append(outside, goGlue+strconv.Itoa(i)+".go")
			staged = append(staged, glovebox.File{Path: outside[len(outside)-1], Data: fmt.Appendf(nil, "//line %s:1\n%s", f.Path, f.Data)})
		default:
			pkg = append(pkg, goGlue+strconv.Itoa(i)+".go")
			staged = append(staged, glovebox.File{Path: pkg[len(pkg)-1], Data: fmt.Appendf(nil, "//line %s:1\n%s", f.Path, f.inPackage(x.name))})
		}
	}
	b := goBuild{Lang: x.read.lang, Together: true}
	var last int
	b.Packages, last = x.read.packages(alias, x.imported(false), x.imported(true))
	for _, f := range x.files {
		b.Tests = append(b.Tests, f.Path)
	}
	if last >= 0 {
		b.Packages[last].Files = slices.Concat(b.Packages[last].Files, pkg)
		b.Packages[last].Vet = true
	}
	tested := alias
	if outsideName != "" {
		tested = alias + "_test"
		b.Packages = append(b.Packages, goPackage{Path: tested, Files: outside})
	}
	files := x.programFiles(main)
	if outsideName != "" && x.name == "main" {
		x.makeImportable(files, alias)
	}
	runner := x.runner(tested, false)
	b.Packages = append(b.Packages, goPackage{Path: "main", Files: []string{runner.Path}})
	return &Exam{
		Proof:     glovebox.ProofInProcess,
		Files:     files,
		Candidate: b.step(x.tc, append(staged, runner)...),
		Reason:    x.more,
	}
}

// makeImportable renames the package main of files after its import path. External
// tests import the package, and a package main cannot be imported.
func (x *goExam) makeImportable(files []glovebox.File, as string) {
	name := goPackageName(as)
	dir := x.read.dirs[x.read.main]
	for i, f := range files {
		if dir == nil || !slices.Contains(dir.files, f.Path) {
			continue
		}
		if parsed := parseGo(f, parser.PackageClauseOnly); parsed != nil && parsed.Name.Name == "main" {
			e := goEdit{base: parsed.FileStart}
			e.replace(parsed.Name.Pos(), parsed.Name.End(), name)
			files[i].Data = e.apply(f.Data)
		}
	}
}

// goPackageName is the name of the package with a given import path.
func goPackageName(imported string) string {
	if name := path.Base(imported); token.IsIdentifier(name) && name != "main" {
		return name
	}
	return goProgramPath
}

// programFiles returns the program's files with main replacing its main file.
func (x *goExam) programFiles(main glovebox.File) []glovebox.File {
	files := slices.Clone(x.program.Files)
	for i := range files {
		if files[i].Path == main.Path {
			files[i] = main
		}
	}
	return files
}

// withTestsRenamed returns the main file, with functions also declared by the tests
// renamed to _. The tests' own functions count.
func (x *goExam) withTestsRenamed() glovebox.File {
	f := x.main
	if x.parsed == nil {
		return f
	}
	e := goEdit{base: x.parsed.FileStart}
	for _, d := range x.parsed.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && (x.own[fn.Name.Name] || fn.Name.Name == "TestMain") {
			e.replace(fn.Name.Pos(), fn.Name.End(), "_")
		}
	}
	f.Data = e.apply(f.Data)
	return f
}

// apart makes the exam with two binaries.
func (x *goExam) apart() *Exam {
	name := x.name
	for _, f := range x.files {
		if f.outside && name == "main" {
			name = goPackageName(x.importPath()) // a package main cannot be imported
		}
	}
	serve, stubs, unfit := x.link(name)
	candidate := goBuild{Lang: x.read.lang}
	var last int
	if candidate.Packages, last = x.read.packages(goProgramPath, nil, nil); last >= 0 {
		candidate.Packages[last].Files = append(slices.Clone(candidate.Packages[last].Files), serve.Path)
		candidate.Packages[last].Vet = true
	}
	start := glovebox.File{
		Path: goGlue + "main.go",
		Data: fmt.Appendf(nil, "package main\n\nimport program %q\n\nfunc main() { program.GloveboxServe() }\n", goProgramPath),
	}
	candidate.Packages = append(candidate.Packages, goPackage{Path: "main", Files: []string{start.Path}})

	harness := goBuild{Lang: x.harnessLang(), Harness: true, Unfit: unfit}
	alias := goProgramPath
	names := []string{stubs.Path}
	var outside []string
	staged := []glovebox.File{stubs}
	for i, f := range x.files {
		file := goGlue + strconv.Itoa(i) + ".go"
		text := fmt.Appendf(nil, "//line %s:1\n%s", f.Path, f.guarded(name))
		switch {
		case f.fragment:
			text = fmt.Appendf(nil, "package %s\n%s\n//line %s:1\n%s", name, goImports(f.qualifiers), f.Path, f.guarded(""))
			names = append(names, file)
		case f.outside:
			text = fmt.Appendf(nil, "//line %s:1\n%s", f.Path, f.guarded(""))
			if len(outside) == 0 {
				guard := glovebox.File{Path: goGlue + "guard.go", Data: fmt.Appendf(nil, "package %s\n\nimport gloveboxWire \"glovebox/wire\"\n%s", f.parsed.Name.Name, goOrderedGuard)}
				outside, staged = append(outside, guard.Path), append(staged, guard)
			}
			outside = append(outside, file)
			alias = x.importPath()
		default:
			names = append(names, file)
		}
		staged = append(staged, glovebox.File{Path: file, Data: text})
	}
	tested := alias
	harness.Packages = []goPackage{{Path: alias, Files: names}}
	if len(outside) > 0 {
		tested += "_test"
		harness.Packages = append(harness.Packages, goPackage{Path: tested, Files: outside})
	}
	runner := x.runner(tested, true)
	harness.Packages = append(harness.Packages, goPackage{Path: "main", Files: []string{runner.Path}})
	step := harness.step(x.tc, append(staged, runner)...)
	return &Exam{
		Proof:     glovebox.ProofOutOfProcess,
		Files:     x.programFiles(x.withoutUnused()),
		Candidate: candidate.step(x.tc, serve, start),
		Harness:   &step,
	}
}

// harnessLang is the language of the tests' build: the toolchain's own.
func (x *goExam) harnessLang() string { return "go" + goLanguage(x.tc.Version) }

// goImports returns the import declarations needed by a fragment. All of them are
// from the standard library, so the program has no say in them.
func goImports(qualifiers []string) string {
	var b strings.Builder
	for _, q := range qualifiers {
		fmt.Fprintf(&b, "import %q\n", goPackageNamed[q])
	}
	return b.String()
}

// withoutUnused returns the main file, with blank names for imports used only by a
// fragment of the tests. The file alone would not compile otherwise.
func (x *goExam) withoutUnused() glovebox.File {
	f := x.main
	if x.parsed == nil {
		return f
	}
	needed := map[string]bool{}
	for _, t := range x.files {
		for _, q := range t.qualifiers {
			needed[q] = true
		}
	}
	used := map[string]bool{}
	ast.Inspect(x.parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	e := goEdit{base: x.parsed.FileStart}
	for _, i := range x.parsed.Imports {
		if name := goImportName(i); i.Name == nil && needed[name] && !used[name] {
			e.replace(i.Path.Pos(), i.Path.Pos(), "_ ")
		}
	}
	f.Data = e.apply(f.Data)
	return f
}

// runner generates the main package that runs the tests of a package.
func (x *goExam) runner(tested string, remote bool) glovebox.File {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"glovebox/runner\"\n\ttested %q\n)\n\n", tested)
	fmt.Fprintf(&b, "func main() {\n\trunner.Main(runner.Suite{Remote: %t, Tests: []runner.Test{\n", remote)
	for _, t := range x.tests {
		fmt.Fprintf(&b, "\t\t%s,\n", t.entry("tested."+t.name, t.name, remote))
	}
	b.WriteString("\t}")
	if x.testMain {
		b.WriteString(", TestMain: tested.TestMain")
	}
	b.WriteString("})\n}\n")
	return glovebox.File{Path: goGlue + "main.go", Data: b.Bytes()}
}

// entry returns the runner's source line for a test.
func (t goTest) entry(function, label string, remote bool) string {
	field := map[string]string{"test": "F", "fuzz": "Fuzz", "example": "Example"}[t.kind]
	s := fmt.Sprintf("{Label: %q, Name: %q, %s: %s", label, t.name, field, function)
	if t.kind == "example" {
		s += fmt.Sprintf(", Output: %q, Unordered: %t", t.output, t.unordered)
	}
	if remote {
		s += fmt.Sprintf(", Judged: %t, NaN: %t, Inf: %t, Bound: %t", t.judged, t.nan, t.inf, t.bound)
	}
	return s + "}"
}

// inPackage returns a test file with its package clause replaced by the given name.
func (f goTestFile) inPackage(name string) []byte {
	e := goEdit{base: f.parsed.FileStart}
	if !f.fragment {
		e.replace(f.parsed.Name.Pos(), f.parsed.Name.End(), name)
	}
	return e.apply(f.Data)
}

// goEdit is a list of changes to a file's text, by position.
type goEdit struct {
	base    token.Pos
	changes []goChange
}

type goChange struct {
	from, to int
	text     string
}

func (e *goEdit) replace(from, to token.Pos, text string) {
	e.changes = append(e.changes, goChange{int(from - e.base), int(to - e.base), text})
}

// apply returns the changed text and leaves data unchanged.
func (e *goEdit) apply(data []byte) []byte {
	sort.Slice(e.changes, func(i, j int) bool { return e.changes[i].from < e.changes[j].from })
	var out []byte
	at := 0
	for _, c := range e.changes {
		if c.from < at || c.to > len(data) {
			continue
		}
		out = append(append(out, data[at:c.from]...), c.text...)
		at = c.to
	}
	return append(out, data[at:]...)
}
