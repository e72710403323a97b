package language

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// examGo makes the exam of a program whose tests are func TestX(*testing.T).
//
// A test file without a package clause belongs to the program's main file, as
// if it were appended to it. Where the tests only call functions of the program
// by name, they are built into a binary of their own, in which those functions
// are stubs that call over the link. Else tests and program are one binary.
func examGo(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	if p.Main == "" {
		return examGoTree(tc, p, t)
	}
	x, fault := readGoTests(t)
	if fault != nil {
		x = &goExam{fault: "the tests do not " + fault.Error()}
	}
	x.tc, x.program, x.read = tc, p, readGo(tc, p)
	for _, f := range p.Files {
		if f.Path == p.Main {
			x.main = f
		}
	}
	x.parsed = parseGo(x.main, parser.SkipObjectResolution)
	if x.name = x.read.name; x.name == "" {
		x.name = "main"
	}
	if x.more != "" {
		return x.together(), nil
	}
	return x.apart(), nil
}

// goExam is what an exam is made from.
type goExam struct {
	tc      *Toolchain
	program *glovebox.Program
	read    *goProgram
	main    glovebox.File
	parsed  *ast.File // of main; nil where it does not parse
	name    string    // of the program's package

	files []goTestFile
	// tests are the names of the test functions, in order.
	tests []string
	// wanted are the names that the tests use and do not declare: the
	// program's functions.
	wanted []string
	// more says what the tests need beyond calls; empty means nothing.
	more string
	// fault says why the tests cannot be run, whatever the program is.
	fault string
}

// goTestFile is one file of tests.
type goTestFile struct {
	glovebox.File
	// fragment: it has no package clause.
	fragment bool
	parsed   *ast.File
	// outside: it is a package of its own, which imports the program.
	outside bool
	// qualifiers are the names before a dot that a fragment does not declare:
	// the imports that it needs.
	qualifiers []string
}

// readGoTests reads the tests, and nothing else: they alone decide the exam. An
// error says what the tests do not do.
func readGoTests(t Tests) (*goExam, error) {
	x := &goExam{}
	for _, f := range t.Files {
		if !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		if len(f.Data) > maxGoFile {
			return nil, fmt.Errorf("fit: the file %s is larger than %d bytes", f.Path, maxGoFile)
		}
		tf := goTestFile{File: f}
		var err error
		tf.parsed, err = parser.ParseFile(token.NewFileSet(), f.Path, f.Data, 0)
		if tf.parsed == nil || !tf.parsed.Package.IsValid() {
			tf.fragment = true
			tf.parsed, err = parser.ParseFile(token.NewFileSet(), f.Path, "package tests;"+string(f.Data), 0)
		}
		if err != nil {
			return nil, fmt.Errorf("parse: %w", err)
		}
		tf.outside = !tf.fragment && isGoOutside(tf.parsed)
		x.files = append(x.files, tf)
	}
	u := goUses{declared: map[string]bool{}, fields: map[string]bool{}, wanted: map[string]bool{}}
	for _, f := range x.files {
		u.declare(f.parsed)
		for _, d := range f.parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			switch {
			case !ok || fn.Recv != nil:
			case fn.Name.Name == "TestMain":
				return nil, errors.New("run: they have a TestMain, which is not supported; leave it out")
			case isGoTestFunc(fn):
				x.tests = append(x.tests, fn.Name.Name)
			}
		}
	}
	if len(x.tests) == 0 {
		return nil, errors.New("have a function TestXxx(t *testing.T)")
	}
	for i := range x.files {
		x.files[i].qualifiers = u.read(&x.files[i])
		if x.files[i].outside {
			u.need("a package of their own, " + x.files[i].parsed.Name.Name)
		}
	}
	x.wanted = slices.Sorted(maps.Keys(u.wanted))
	x.more = u.more
	if x.more == "" && len(x.wanted) == 0 {
		x.more = "no call of a function that they do not declare themselves"
	}
	return x, nil
}

// isGoOutside tells whether tests are a package of their own that imports the
// program. One that imports only the standard library can reach the program no
// other way than by being its package, whatever its name.
func isGoOutside(f *ast.File) bool {
	return strings.HasSuffix(f.Name.Name, "_test") && slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		return !isGoStandard(goImport(i))
	})
}

// isGoStandard tells whether a package is of the standard library, by the first
// element of its path.
func isGoStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return slices.Contains(goStandard, first)
}

var goStandard = strings.Fields(`archive bufio bytes cmp compress container context crypto database debug embed
	encoding errors expvar flag fmt go hash html image index io iter log maps math mime net os path plugin reflect
	regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe weak`)

func isGoTestFunc(fn *ast.FuncDecl) bool {
	rest, ok := strings.CutPrefix(fn.Name.Name, "Test")
	return ok && (rest == "" || strings.ToLower(rest[:1]) != rest[:1] || rest[0] == '_' || rest[0] >= '0' && rest[0] <= '9') &&
		fn.Type.Params.NumFields() == 1 && fn.Type.Results.NumFields() == 0 && fn.Type.TypeParams == nil
}

// goUses finds what tests use of the program.
type goUses struct {
	declared map[string]bool
	// fields are fields and methods of the tests' own types.
	fields map[string]bool
	wanted map[string]bool
	more   string
}

// need notes the first thing that takes more than calls.
func (u *goUses) need(what string) {
	if u.more == "" {
		u.more = what
	}
}

func (u *goUses) declare(f *ast.File) {
	for name := range f.Scope.Objects {
		u.declared[name] = true
	}
	for _, i := range f.Imports {
		u.declared[goImportName(i)] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, field := range n.Fields.List {
				for _, name := range field.Names {
					u.fields[name.Name] = true
				}
			}
		case *ast.FuncDecl:
			if n.Recv != nil {
				u.fields[n.Name.Name] = true
			}
		}
		return true
	})
}

// goImportName is the name under which a file has an import: by convention
// the last element of its path that is not a version.
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

// goTestingMethods are methods of *testing.T, and of error, that tests call on
// what is none of the program's.
var goTestingMethods = strings.Fields(`Attr Chdir Cleanup Context Deadline Error Errorf Fail FailNow Failed Fatal Fatalf
	Helper Log Logf Name Output Parallel Run Setenv Skip SkipNow Skipf Skipped TempDir`)

// read notes what a file uses, and returns its qualifiers if it is a fragment.
func (u *goUses) read(f *goTestFile) []string {
	foreign := map[*ast.Ident]bool{}
	for _, id := range f.parsed.Unresolved {
		if !u.declared[id.Name] && !goUniverse[id.Name] {
			foreign[id] = true
		}
	}
	imports := map[string]bool{}
	for _, i := range f.parsed.Imports {
		imports[goImportName(i)] = true
		if p := goImport(i); !isGoStandard(p) {
			u.need("the package " + p)
		}
	}
	qualifiers := map[string]bool{}
	callable := map[*ast.Ident]bool{}
	//lint:ignore SA1019 names within one file are what is wanted; there are no types yet
	called := map[*ast.Object]bool{}
	ast.Inspect(f.parsed, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Obj != nil {
				called[id.Obj] = true
			}
		}
		return true
	})
	ast.Inspect(f.parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			switch {
			case ok && imports[id.Name] && id.Obj == nil:
			case ok && foreign[id] && f.fragment && n.Sel.IsExported():
				qualifiers[id.Name] = true
				delete(foreign, id)
			case u.fields[n.Sel.Name] || slices.Contains(goTestingMethods, n.Sel.Name):
			default:
				u.need("the method or field " + n.Sel.Name)
			}
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			if ok {
				callable[id] = true
				goGiven(callable, goSignatureOf(id), n.Args)
			}
			if ok && foreign[id] {
				for _, a := range n.Args {
					if _, ok := a.(*ast.FuncLit); ok {
						u.need("a function as an argument of " + id.Name)
					}
				}
			}
		case *ast.AssignStmt:
			for i, e := range n.Rhs {
				to, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident)
				if from, isName := e.(*ast.Ident); ok && isName && to.Obj != nil && called[to.Obj] {
					callable[from] = true
				}
			}
		case *ast.ValueSpec:
			for i, e := range n.Values {
				goHeld(callable, n.Type, e)
				if from, ok := e.(*ast.Ident); ok && called[n.Names[min(i, len(n.Names)-1)].Obj] {
					callable[from] = true
				}
			}
		case *ast.CompositeLit:
			goHeld(callable, nil, n)
		}
		return true
	})
	for id := range foreign {
		u.wanted[id.Name] = true
		if !callable[id] {
			u.need("the type or variable " + id.Name)
		}
	}
	return slices.Sorted(maps.Keys(qualifiers))
}

// goHeld notes in callable the names that stand where tests have a function, in
// a value of the type held.
func goHeld(callable map[*ast.Ident]bool, held, value ast.Expr) {
	lit, ok := value.(*ast.CompositeLit)
	if ok && lit.Type != nil {
		held = lit.Type
	}
	held = goUnderlying(held)
	if id, isName := value.(*ast.Ident); isName {
		if _, ok := held.(*ast.FuncType); ok {
			callable[id] = true
		}
	}
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		if keyed {
			e = kv.Value
		}
		switch held := held.(type) {
		case *ast.ArrayType:
			goHeld(callable, held.Elt, e)
		case *ast.MapType:
			goHeld(callable, held.Value, e)
		case *ast.StructType:
			at := 0
			for _, field := range held.Fields.List {
				for _, name := range field.Names {
					if key, ok := goKey(kv); ok && key == name.Name || !keyed && at == i {
						goHeld(callable, field.Type, e)
					}
					at++
				}
			}
		}
	}
}

func goKey(kv *ast.KeyValueExpr) (string, bool) {
	if kv == nil {
		return "", false
	}
	id, ok := kv.Key.(*ast.Ident)
	return id.String(), ok
}

// goUnderlying is the type that a name of the tests' own stands for.
func goUnderlying(t ast.Expr) ast.Expr {
	if id, ok := t.(*ast.Ident); ok && id.Obj != nil {
		if spec, ok := id.Obj.Decl.(*ast.TypeSpec); ok {
			return spec.Type
		}
	}
	return t
}

// goSignatureOf is the type of a function that the same file declares.
func goSignatureOf(name *ast.Ident) *ast.FuncType {
	if name.Obj == nil {
		return nil
	}
	switch d := name.Obj.Decl.(type) {
	case *ast.FuncDecl:
		return d.Type
	case *ast.AssignStmt:
		for i, e := range d.Lhs {
			if id, ok := e.(*ast.Ident); ok && id.Obj == name.Obj && i < len(d.Rhs) {
				if f, ok := d.Rhs[i].(*ast.FuncLit); ok {
					return f.Type
				}
			}
		}
	}
	return nil
}

// goGiven notes in callable the names that are given as functions to one of
// that type.
func goGiven(callable map[*ast.Ident]bool, f *ast.FuncType, args []ast.Expr) {
	if f == nil {
		return
	}
	at := 0
	for _, p := range f.Params.List {
		for range max(len(p.Names), 1) {
			if rest, ok := p.Type.(*ast.Ellipsis); ok {
				for ; at < len(args); at++ {
					goHeld(callable, rest.Elt, args[at])
				}
			} else if at < len(args) {
				goHeld(callable, p.Type, args[at])
			}
			at++
		}
	}
}

// goUniverse are the names that every Go file has.
var goUniverse = func() map[string]bool {
	names := map[string]bool{}
	for _, n := range strings.Fields(`any bool byte comparable complex64 complex128 error float32 float64 int int8 int16
		int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex
		copy delete imag len make max min new panic print println real recover _`) {
		names[n] = true
	}
	return names
}()

// together makes the exam in which program and tests are one binary.
func (x *goExam) together() *Exam {
	main := x.withTestsRenamed()
	var pkg, outside []string
	var staged []glovebox.File
	alias, outsideName := goProgramPath, ""
	for i, f := range x.files {
		switch {
		case f.fragment:
			main.Data = fmt.Appendf(main.Data, "\n//line %s:1\n%s\n", f.Path, f.Data)
		case f.outside:
			outsideName = f.parsed.Name.Name
			alias = x.importedAs(f.parsed, alias)
			outside = append(outside, goGlue+strconv.Itoa(i)+".go")
			staged = append(staged, glovebox.File{Path: outside[len(outside)-1], Data: fmt.Appendf(nil, "//line %s:1\n%s", f.Path, f.Data)})
		default:
			pkg = append(pkg, goGlue+strconv.Itoa(i)+".go")
			staged = append(staged, glovebox.File{Path: pkg[len(pkg)-1], Data: fmt.Appendf(nil, "//line %s:1\n%s", f.Path, x.inPackage(f))})
		}
	}
	b := goBuild{Lang: x.read.lang, Packages: x.read.packages(alias), Together: true}
	for _, f := range x.files {
		b.Tests = append(b.Tests, f.Path)
	}
	last := len(b.Packages) - 1
	if last >= 0 {
		b.Packages[last].Files = slices.Concat(b.Packages[last].Files, pkg)
	}
	tested := alias
	if outsideName != "" {
		tested = alias + "_test"
		b.Packages = append(b.Packages, goPackage{tested, outside})
	}
	files := x.programFiles(main)
	if outsideName != "" && x.name == "main" {
		x.makeImportable(files, alias)
	}
	runner := x.runner(tested, false)
	b.Packages = append(b.Packages, goPackage{"main", []string{runner.Path}})
	return &Exam{
		Proof:     glovebox.ProofInProcess,
		Files:     files,
		Candidate: b.step(x.tc, append(staged, runner)...),
		Reason:    "the tests use " + x.more,
	}
}

// makeImportable names the package main of files after its import path: tests
// of a package of their own import it, which nothing can do with a main.
func (x *goExam) makeImportable(files []glovebox.File, as string) {
	name := path.Base(as)
	if !token.IsIdentifier(name) {
		name = goProgramPath
	}
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

// importedAs is the import path under which tests of a package of their own
// have the program.
func (x *goExam) importedAs(tests *ast.File, otherwise string) string {
	if x.read.module != "" {
		return path.Join(x.read.module, x.read.main)
	}
	for _, i := range tests.Imports {
		if p := goImport(i); !isGoStandard(p) && slices.Contains([]string{x.name, strings.TrimSuffix(tests.Name.Name, "_test")}, path.Base(p)) {
			return p
		}
	}
	return otherwise
}

// programFiles are the program's files with main in place of its main file.
func (x *goExam) programFiles(main glovebox.File) []glovebox.File {
	files := slices.Clone(x.program.Files)
	for i := range files {
		if files[i].Path == main.Path {
			files[i] = main
		}
	}
	return files
}

// withTestsRenamed returns the main file in which functions that the tests
// declare too are called _: the tests' own are the ones that count.
func (x *goExam) withTestsRenamed() glovebox.File {
	f := x.main
	if x.parsed == nil {
		return f
	}
	e := goEdit{base: x.parsed.FileStart}
	for _, d := range x.parsed.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && slices.Contains(x.tests, fn.Name.Name) {
			e.replace(fn.Name.Pos(), fn.Name.End(), "_")
		}
	}
	f.Data = e.apply(f.Data)
	return f
}

// apart makes the exam of two binaries.
func (x *goExam) apart() *Exam {
	serve, stubs := x.link()
	candidate := goBuild{Lang: x.read.lang, Packages: x.read.packages(goProgramPath)}
	if last := len(candidate.Packages) - 1; last >= 0 {
		candidate.Packages[last].Files = append(slices.Clone(candidate.Packages[last].Files), serve.Path)
	}
	start := glovebox.File{
		Path: goGlue + "main.go",
		Data: fmt.Appendf(nil, "package main\n\nimport program %q\n\nfunc main() { program.GloveboxServe() }\n", goProgramPath),
	}
	candidate.Packages = append(candidate.Packages, goPackage{"main", []string{start.Path}})

	harness := goBuild{Lang: x.read.lang, Harness: true, Broken: x.fault}
	names := []string{stubs.Path}
	staged := []glovebox.File{stubs}
	for i, f := range x.files {
		name := goGlue + strconv.Itoa(i) + ".go"
		text := fmt.Appendf(nil, "//line %s:1\n%s", f.Path, x.inPackage(f))
		if f.fragment {
			text = fmt.Appendf(nil, "package %s\n%s\n//line %s:1\n%s", x.name, x.imports(f.qualifiers), f.Path, f.Data)
		}
		names = append(names, name)
		staged = append(staged, glovebox.File{Path: name, Data: text})
	}
	runner := x.runner(goProgramPath, true)
	harness.Packages = []goPackage{{goProgramPath, names}, {"main", []string{runner.Path}}}
	step := harness.step(x.tc, append(staged, runner)...)
	return &Exam{
		Proof:     glovebox.ProofOutOfProcess,
		Files:     x.programFiles(x.withoutUnused()),
		Candidate: candidate.step(x.tc, serve, start),
		Harness:   &step,
	}
}

// imports are the import declarations of the main file that a fragment of it
// needs. A renamed one is not taken: it could make any package out of another.
func (x *goExam) imports(qualifiers []string) string {
	var b strings.Builder
	if x.parsed != nil {
		for _, i := range x.parsed.Imports {
			if i.Name == nil && slices.Contains(qualifiers, goImportName(i)) {
				fmt.Fprintf(&b, "import %q\n", goImport(i))
			}
		}
	}
	return b.String()
}

// withoutUnused returns the main file in which imports that only a fragment of
// the tests uses are blank: alone they would not compile.
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
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"testing\"\n\n\t\"glovebox/runner\"\n\ttested %q\n)\n\n", tested)
	fmt.Fprintf(&b, "func main() {\n\trunner.Main(%t, []testing.InternalTest{\n", remote)
	for _, name := range x.tests {
		fmt.Fprintf(&b, "\t\t{Name: %q, F: tested.%s},\n", name, name)
	}
	b.WriteString("\t})\n}\n")
	return glovebox.File{Path: goGlue + "main.go", Data: b.Bytes()}
}

// link generates the two ends of the link: what serves the program's functions
// and what stands for them in the tests. A function whose signature has other
// than plain types is left out, and the tests then do not compile.
func (x *goExam) link() (serve, stubs glovebox.File) {
	var s, c bytes.Buffer
	fmt.Fprintf(&s, "package %s\n\nimport gloveboxWire \"glovebox/wire\"\n\n", x.name)
	fmt.Fprintf(&c, "package %s\n\nimport (\n\tgloveboxWire \"glovebox/wire\"\n\t\"math/big\"\n\t\"time\"\n)\n\n", x.name)
	c.WriteString("var _, _, _ = gloveboxWire.Call, big.Below, time.Second\n")
	s.WriteString("func GloveboxServe() {\n\tgloveboxWire.Serve(map[string]interface{}{\n")
	for _, fn := range x.functions() {
		sig, ok := readGoSignature(fn)
		if !ok {
			continue
		}
		fmt.Fprintf(&s, "\t\t%q: %s,\n", fn.Name.Name, fn.Name.Name)
		sig.stub(&c, fn.Name.Name)
	}
	s.WriteString("\t})\n}\n")
	return glovebox.File{Path: goGlue + "serve.go", Data: s.Bytes()},
		glovebox.File{Path: goGlue + "stubs.go", Data: c.Bytes()}
}

// inPackage is a file of tests in the program's package, whatever its clause
// says.
func (x *goExam) inPackage(f goTestFile) []byte {
	e := goEdit{base: f.parsed.FileStart}
	if !f.fragment {
		e.replace(f.parsed.Name.Pos(), f.parsed.Name.End(), x.name)
	}
	return e.apply(f.Data)
}

// functions are the program's functions that the tests want.
func (x *goExam) functions() []*ast.FuncDecl {
	var found []*ast.FuncDecl
	dir := x.read.dirs[x.read.main]
	for _, f := range x.program.Files {
		if dir == nil || !slices.Contains(dir.files, f.Path) {
			continue
		}
		file := x.parsed
		if f.Path != x.main.Path {
			file = parseGo(f, parser.SkipObjectResolution)
		}
		if file == nil {
			continue
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && slices.Contains(x.wanted, fn.Name.Name) {
				found = append(found, fn)
			}
		}
	}
	return found
}

// goSignature is a function's, in plain types.
type goSignature struct {
	params, results []string
	variadic        bool
}

func readGoSignature(fn *ast.FuncDecl) (*goSignature, bool) {
	if fn.Type.TypeParams != nil {
		return nil, false
	}
	s := &goSignature{}
	for _, f := range fn.Type.Params.List {
		t := f.Type
		if e, ok := t.(*ast.Ellipsis); ok {
			s.variadic = true
			t = e.Elt
		}
		text := goPlainType(t)
		if text == "" {
			return nil, false
		}
		for range max(len(f.Names), 1) {
			s.params = append(s.params, text)
		}
	}
	if fn.Type.Results != nil {
		for _, f := range fn.Type.Results.List {
			text := goPlainType(f.Type)
			if text == "" {
				return nil, false
			}
			for range max(len(f.Names), 1) {
				s.results = append(s.results, text)
			}
		}
	}
	return s, true
}

// goPlainTypes are the types of packages whose values travel.
var goPlainTypes = []string{"big.Int", "big.Rat", "big.Float", "time.Time", "time.Duration"}

// goPlainType spells a type whose values travel; empty where e is none.
func goPlainType(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		switch e.Name {
		case "any", "bool", "byte", "error", "rune", "string", "uintptr", "complex64", "complex128", "float32", "float64",
			"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64":
			return e.Name
		}
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok && slices.Contains(goPlainTypes, pkg.Name+"."+e.Sel.Name) {
			return pkg.Name + "." + e.Sel.Name
		}
	case *ast.InterfaceType:
		if e.Methods.NumFields() == 0 {
			return "interface{}"
		}
	case *ast.ParenExpr:
		return goPlainType(e.X)
	case *ast.StarExpr:
		return goAround("*", e.X)
	case *ast.ArrayType:
		if e.Len == nil {
			return goAround("[]", e.Elt)
		}
		if n, ok := e.Len.(*ast.BasicLit); ok && n.Kind == token.INT && len(n.Value) <= 4 {
			return goAround("["+n.Value+"]", e.Elt)
		}
	case *ast.MapType:
		if key := goPlainType(e.Key); key != "" {
			return goAround("map["+key+"]", e.Value)
		}
	}
	return ""
}

func goAround(before string, e ast.Expr) string {
	if t := goPlainType(e); t != "" {
		return before + t
	}
	return ""
}

// stub writes the function that stands for one of the program's.
func (s *goSignature) stub(b *bytes.Buffer, name string) {
	fmt.Fprintf(b, "\nfunc %s(", name)
	var args, results []string
	for i, t := range s.params {
		if s.variadic && i == len(s.params)-1 {
			t = "..." + t
		}
		fmt.Fprintf(b, "a%d %s, ", i, t)
		args = append(args, fmt.Sprintf("&a%d", i))
	}
	b.WriteString(") (")
	for i, t := range s.results {
		fmt.Fprintf(b, "r%d %s, ", i, t)
		results = append(results, fmt.Sprintf("&r%d", i))
	}
	fmt.Fprintf(b, ") {\n\tgloveboxWire.Call(%q, []interface{}{%s}, []interface{}{%s})\n\treturn\n}\n",
		name, strings.Join(args, ", "), strings.Join(results, ", "))
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

// apply returns the changed text; data is left as it is.
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
