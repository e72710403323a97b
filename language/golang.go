package language

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Go is Go without a network: a program of one module, importing only itself and
// the standard library. All compiler refusals, including type errors, are syntax
// errors.
var Go = &Language{
	Name:        "go",
	Title:       "Go",
	Aliases:     []string{"go", "golang"},
	Extensions:  []string{".go"},
	Main:        "main.go",
	Comment:     "//",
	Score:       goSigns.score,
	IsTest:      isGoTest,
	Find:        findGo,
	FindInImage: findGoInImage,
	Plan:        planGo,
	Exam:        examGo,
	ReadSyntax:  readGoSyntax,

	ReadFailure: readGoFailure,
	Libraries:   ownProgram("go", "libraries.go.txt", "libraries.go"),
	Lint:        ownProgram("go", "lint.go.txt", "lint.go"),
	Install:     installGo,
}

const installGo = "install Go 1.22 or later from https://go.dev/dl and put its bin directory on PATH"

// Paths in a box.
const (
	goDriver = "/opt/glovebox/go/driver"
	goTools  = "/usr/local/go/pkg"
)

var goSigns = signs{
	signed(70, `^package\s+\w+\s*(?://.*)?$`),
	signed(50, `^func\s+(?:\(\w+\s+\*?\w+\)\s*)?\w+\([^)]*\)[^{;]*\{\s*$`),
	signed(40, `^import\s+(?:\(|"[\w/.-]+")\s*$`),
	signed(30, `\bfmt\.(?:Print|Sprint|Errorf)\w*\(`),
	signed(25, `^\s*\w+(?:,\s*\w+)*\s*:=\s`),
	signed(25, `\bif err != nil \{`),
	signed(25, `^type\s+\w+\s+(?:struct|interface)\s*\{`),
	signed(15, `\b(?:chan|defer|go func|range)\b`),
	signed(-70, `^package\s+[\w.]+;`),
	signed(-50, `^\s*(?:def|end|class)\b|\bfunction\b|;\s*$`),
	signed(-40, `^\s*(?:const|let|var)\s+\w+\s*=\s*(?:require|\(|\[|\{|async)`),
	signed(-60, `<\?php\b`),
}

func isGoTest(f glovebox.File) bool {
	return strings.HasSuffix(path.Base(f.Path), "_test.go")
}

// goBuild is the JSON configuration of the driver in the box; see golang/driver.
type goBuild struct {
	Go       string      `json:"go"`
	Lang     string      `json:"lang"`
	Packages []goPackage `json:"packages"`
	Harness  bool        `json:"harness,omitempty"`
	Together bool        `json:"together,omitempty"`
	Tests    []string    `json:"tests,omitempty"`
	Suites   int         `json:"suites,omitempty"`
	// Unfit says why certain names used by the tests have no stand-in.
	Unfit map[string]string `json:"unfit,omitempty"`
}

// goPackage is one package of a build: its import path and its files. Vet: go test
// would vet the package.
type goPackage struct {
	Path  string   `json:"path"`
	Files []string `json:"files"`
	Vet   bool     `json:"vet,omitempty"`
}

// step makes the step that builds and runs b. The driver reads its configuration
// from a file, because a long list of file names does not fit an argument.
func (b goBuild) step(tc *Toolchain, files ...glovebox.File) Step {
	b.Go = goTools
	data, _ := json.Marshal(b)
	build := glovebox.File{Path: goGlue + "build.json", Data: data}
	return Step{Args: []string{tc.Tools["driver"], build.Path}, Files: append(files, build)}
}

// goProgram holds the facts learned by parsing a program's Go files.
type goProgram struct {
	// name is the package clause of the main file; empty if the clause is missing.
	name string
	// main is the directory of the main file.
	main string
	// module is the module's path; given: the path comes from a go.mod.
	module string
	given  bool
	// lang is the version of the language, such as "go1.22".
	lang string
	// dirs holds the packages by directory.
	dirs map[string]*goDir
}

// goDir is a package as files of one directory.
type goDir struct {
	files   []string
	imports []string
}

const (
	// goProgramPath is the import path of a program without a path of its own.
	goProgramPath = "program"
	// maxGoFile bounds a file parsed on the host, in bytes.
	maxGoFile = 1 << 20
)

// readGo reads a program. Files with syntax errors are left to the compiler.
func readGo(tc *Toolchain, p *glovebox.Program) *goProgram {
	g := &goProgram{main: path.Dir(p.Main), lang: "go" + goLanguage(tc.Version), dirs: map[string]*goDir{}}
	for _, f := range p.Files {
		if path.Base(f.Path) == "go.mod" && path.Dir(f.Path) == "." {
			g.readModule(f.Data, tc.Version)
		}
		if f.Path != p.Main && (!strings.HasSuffix(f.Path, ".go") || isGoTest(f) || !goMatches(f)) {
			continue
		}
		dir := g.dirs[path.Dir(f.Path)]
		if dir == nil {
			dir = &goDir{}
			g.dirs[path.Dir(f.Path)] = dir
		}
		dir.files = append(dir.files, f.Path)
		if file := parseGo(f, parser.ImportsOnly); file != nil {
			for _, i := range file.Imports {
				dir.imports = append(dir.imports, goImport(i))
			}
			if f.Path == p.Main {
				g.name = file.Name.Name
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(g.dirs)) {
		g.makeModule(g.dirs[dir].imports)
	}
	return g
}

// makeModule sets the module path for files without a go.mod. The path is derived
// from an import that ends in one of the program's folders.
func (g *goProgram) makeModule(imports []string) {
	for _, i := range imports {
		if isGoStandard(i) {
			continue
		}
		for at, c := range i {
			if c == '/' && g.module == "" && g.dirs[i[at+1:]] != nil {
				g.module = i[:at]
			}
		}
	}
}

// parseGo parses a file. It returns nil for a file that is too large or has no
// package clause.
func parseGo(f glovebox.File, mode parser.Mode) *ast.File {
	if len(f.Data) > maxGoFile {
		return nil
	}
	file, _ := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, mode)
	if file == nil || file.Name == nil || file.Name.Name == "_" || file.Name.Name == "" {
		return nil
	}
	return file
}

func goImport(i *ast.ImportSpec) string {
	p, _ := strconv.Unquote(i.Path.Value)
	return p
}

// goMatches reports whether the file is for this system, by its name and its build
// constraint.
func goMatches(f glovebox.File) bool {
	c := build.Default
	c.CgoEnabled = false
	c.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(string(f.Data))), nil
	}
	ok, err := c.MatchFile(".", path.Base(f.Path))
	return ok || err != nil
}

var (
	goModModule = lazyre.New(`(?m)^module\s+"?([\w./~-]+)"?`)
	goModGo     = lazyre.New(`(?m)^go\s+(\d+\.\d+)`)
)

func (g *goProgram) readModule(mod []byte, version string) {
	if m := goModModule().FindSubmatch(mod); m != nil {
		g.module, g.given = string(m[1]), true
	}
	if m := goModGo().FindSubmatch(mod); m != nil && goOlder(string(m[1]), goLanguage(version)) {
		g.lang = "go" + string(m[1])
	}
}

// goLanguage reduces a toolchain version to a language version.
func goLanguage(version string) string {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return major + "." + strings.TrimRight(minor, "abcdefghijklmnopqrstuvwxyz-")
}

func goOlder(a, b string) bool {
	minor := func(v string) int {
		_, m, _ := strings.Cut(v, ".")
		n, _ := strconv.Atoi(m)
		return n
	}
	return strings.HasPrefix(a, "1.") && minor(a) < minor(b)
}

// packages lists the packages needed by the main file's package in dependency
// order, followed by the packages imported only by tests. at is the index of the
// main package, with the path mainPath; inside are the imports of the tests within
// that package.
func (g *goProgram) packages(mainPath string, inside, outside []string) (list []goPackage, at int) {
	seen := map[string]bool{}
	var visit func(dir, as string, imports []string)
	all := func(imports []string) {
		for _, i := range imports {
			if rel, ok := g.local(i); ok && g.dirs[rel] != nil {
				visit(rel, i, g.dirs[rel].imports)
			}
		}
	}
	visit = func(dir, as string, imports []string) {
		if !seen[dir] {
			seen[dir] = true
			all(imports)
			list = append(list, goPackage{Path: as, Files: g.dirs[dir].files})
		}
	}
	if d := g.dirs[g.main]; d != nil {
		visit(g.main, mainPath, slices.Concat(d.imports, inside))
	}
	at = len(list) - 1
	all(outside)
	return list, at
}

// local returns the directory of a package of the program's own module.
func (g *goProgram) local(imported string) (string, bool) {
	rel, ok := strings.CutPrefix(imported, g.module)
	if g.module == "" || !ok || rel != "" && rel[0] != '/' {
		return "", false
	}
	return path.Clean(cmp.Or(strings.TrimPrefix(rel, "/"), ".")), true
}

// planGo compiles, links and runs. A package other than main has nothing to run; it
// is only compiled, linked and initialised.
func planGo(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
	g := readGo(tc, p)
	b := goBuild{Lang: g.lang}
	var extra []glovebox.File
	if g.name == "main" || g.name == "" {
		b.Packages, _ = g.packages("main", nil, nil)
	} else {
		b.Packages, _ = g.packages(goProgramPath, nil, nil)
		main := glovebox.File{Path: goGlue + "main.go", Data: fmt.Appendf(nil, "package main\n\nimport _ %q\n\nfunc main() {}\n", goProgramPath)}
		b.Packages = append(b.Packages, goPackage{Path: "main", Files: []string{main.Path}})
		extra = append(extra, main)
	}
	if len(b.Packages) == 0 {
		return nil, fmt.Errorf("the program has no main file %q", p.Main)
	}
	return &Plan{Files: slices.Clone(p.Files), Run: b.step(tc, extra...)}, nil
}

// goGlue is the directory of generated files.
const goGlue = ".glovebox/"

var goPosition = lazyre.New(`(?m)^(?:\./)?([^:\s]+):(\d+):(?:(\d+):)? (.+)$`)

// readGoSyntax reads the compiler's first error.
func readGoSyntax(out CheckOutput) *glovebox.SyntaxError {
	if out.ExitCode == 0 {
		return nil
	}
	m := goPosition().FindSubmatch(out.Stderr)
	if m == nil {
		return nil
	}
	e := &glovebox.SyntaxError{File: string(m[1]), Message: string(m[4])}
	e.Line, _ = strconv.Atoi(string(m[2]))
	e.Column, _ = strconv.Atoi(string(m[3]))
	return e
}

var (
	goPanic = lazyre.New(`(?m)^(panic|fatal error): (.*)$`)
	goFrame = lazyre.New(`(?m)^\t(?:\./|/workspace/)?([^/\s:][^\s:]*\.go):(\d+)`)
	goError = lazyre.New(`^runtime error: `)
)

// readGoFailure reads a panic or a fatal error of the runtime, and the first frame
// in the program's own files.
func readGoFailure(stderr []byte) *glovebox.Failure {
	at := goPanic().FindSubmatchIndex(stderr)
	if at == nil {
		return nil
	}
	f := &glovebox.Failure{Type: string(stderr[at[2]:at[3]]), Message: string(stderr[at[4]:at[5]])}
	if goError().MatchString(f.Message) {
		f.Type, f.Message = "runtime error", f.Message[len("runtime error: "):]
	}
	f.Message = strings.TrimSuffix(f.Message, " [recovered]")
	if m := goFrame().FindSubmatch(stderr[at[1]:]); m != nil {
		f.File = string(m[1])
		f.Line, _ = strconv.Atoi(string(m[2]))
	}
	return f
}
