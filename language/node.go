package language

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/language/typescript"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// JavaScript and TypeScript both run on Node.js.

//go:embed javascript/*.js
var nodeScripts embed.FS

const (
	installNode = "install Node.js 20.10 or later (package nodejs) so that node is on PATH"
	nodeExe     = "/usr/local/bin/node"
	// nodeHome is the directory of our scripts in the box.
	nodeHome = "/opt/glovebox/javascript/"
	// nodeShared is the directory of frameworks in the box.
	nodeShared = "/opt/glovebox/node_modules"
)

// findNode finds Node.js.
func findNode(ctx context.Context, h Host) (*Toolchain, error) {
	exe, err := h.LookPath("node", "nodejs")
	if err != nil {
		return nil, fmt.Errorf("Node.js was not found (%w): %s", err, installNode)
	}
	version, err := h.Ask(ctx, exe, "--version")
	if err != nil {
		return nil, fmt.Errorf("asking %s for its version: %w", exe, err)
	}
	version = strings.TrimPrefix(strings.TrimSpace(version), "v")
	if !versionAtLeast(version, 20, 10) {
		return nil, fmt.Errorf("Node.js %s at %s is too old: %s", version, exe, installNode)
	}
	libs, err := h.Libraries(exe)
	if err != nil {
		return nil, fmt.Errorf("finding the libraries of %s: %w", exe, err)
	}
	root := rootfs.Base()
	tools := map[string]string{}
	for _, name := range []string{"jest", "vitest", "mocha"} {
		f, err := findNodeFramework(h, name)
		if err != nil {
			continue
		}
		libs = append(libs, f.Libraries...)
		tools[name] = nodeShared + "/" + f.Program
		root.Add(rootfs.Entry{Path: nodeShared + "/" + name, Source: f.Directory + "/" + name})
		if chai := f.Directory + "/chai"; name == "mocha" && nodePackage(h, chai) {
			tools["chai"] = nodeShared + "/chai"
			root.Add(rootfs.Entry{Path: nodeShared + "/chai", Source: chai})
		}
	}
	root.Add(rootfs.Libraries(libs)...)
	root.Add(rootfs.Entry{Path: nodeExe, Source: exe, Linked: true})
	if err := addDrivers(&root, nodeScripts, "javascript", nodeHome); err != nil {
		return nil, err
	}
	return &Toolchain{
		Language: "javascript",
		Version:  version,
		Exe:      nodeExe,
		Tools:    tools,
		Path:     "/usr/local/bin:/usr/bin:/bin",
		Root:     root,
	}, nil
}

// nodeFramework is a test framework installed globally (npm install -g). Its
// package includes all its dependencies.
type nodeFramework struct {
	// Directory contains the package, and Program is the file to start in it.
	Directory, Program string
	Libraries          []string
}

// nodePackage reports whether a directory is a self-contained package.
func nodePackage(h Host, directory string) bool {
	_, err := h.Stat(directory + "/package.json")
	return err == nil
}

func findNodeFramework(h Host, name string) (nodeFramework, error) {
	exe, err := h.LookPath(name)
	if err != nil {
		return nodeFramework{}, err
	}
	return Remember(h, "framework of Node.js "+name, []string{exe}, func() (f nodeFramework, err error) {
		before, program, ok := strings.Cut(exe, "/node_modules/"+name+"/")
		f.Directory, f.Program = before+"/node_modules", name+"/"+program
		if !ok {
			return f, fmt.Errorf("%s at %s is in no directory of modules", name, exe)
		}
		if _, err := h.Stat(f.Directory + "/" + name + "/node_modules"); err != nil {
			return f, fmt.Errorf("%s at %s is not installed for all: %w", name, exe, err)
		}
		elfs, err := h.ELFs(f.Directory + "/" + name)
		if err == nil && len(elfs) > 0 {
			f.Libraries, err = h.Libraries(elfs...)
		}
		return f, err
	})
}

// versionAtLeast compares the first two parts of a version.
func versionAtLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, _ := strconv.Atoi(parts[0])
	b, _ := strconv.Atoi(parts[1])
	return a > major || a == major && b >= minor
}

// nodeCommand returns the node command with the flags needed by every start.
// Checking an ES module needs vm modules. Older versions need a flag to recognise
// an ES module in a .js file by its text.
func nodeCommand(tc *Toolchain, args ...string) []string {
	if tc.isModule() {
		return append([]string{tc.Exe, quickBoot}, args...)
	}
	command := []string{tc.Exe, "--experimental-vm-modules"}
	v := tc.Version
	if !versionAtLeast(v, 20, 19) || versionAtLeast(v, 21, 0) && !versionAtLeast(v, 22, 7) {
		command = append(command, "--experimental-detect-module")
	}
	if tc.Language == "typescript" {
		command = append(command, "--enable-source-maps")
	}
	return append(command, args...)
}

// nodeFiles are the endings of the files read by a parser.
type nodeFiles []string

var (
	javaScriptFiles = nodeFiles{".js", ".mjs", ".cjs"}
	typeScriptFiles = nodeFiles{".ts", ".mts", ".cts"}
)

// among returns the paths of the files with one of the endings, starting with
// first.
func (n nodeFiles) among(files []glovebox.File, first string) []string {
	var names []string
	for _, f := range files {
		if slices.Contains(n, path.Ext(f.Path)) && !strings.HasSuffix(f.Path, ".d.ts") {
			names = append(names, f.Path)
		}
	}
	if i := slices.Index(names, first); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, first)
	}
	return names
}

// outputs returns the JavaScript file names for TypeScript files.
func outputs(names []string) []string {
	var js []string
	for _, name := range names {
		js = append(js, typescript.Output(name))
	}
	return js
}

// planNode runs a program. Its files are checked first: by a preloaded script, or
// for TypeScript while stripping.
func planNode(tc *Toolchain, p *glovebox.Program, files nodeFiles) (*Plan, error) {
	names := files.among(p.Files, p.Main)
	main := typescript.Output(p.Main)
	plan := &Plan{Files: p.Files}
	if tc.Language == "typescript" {
		step, err := stripped(Step{Args: nodeCommand(tc, main)}, typescript.Job{Files: names, Last: true})
		plan.Run = step
		return plan, err
	}
	plan.Run = Step{
		Args: nodeCommand(tc, "--require", nodeHome+"check.js", main),
		Env:  []string{"GLOVEBOX_CHECK=" + strings.Join(names, "\n")},
	}
	return plan, nil
}

// nodePrologue lets our drivers look up a name in the scope of the program, like
// tests appended to the program.
const nodePrologue = `globalThis[Symbol.for("glovebox")]?.($glovebox=>eval($glovebox));`

// nodeExam is the exam's description for its drivers.
type nodeExam struct {
	// Files are the program's, as the parser reads them, the main file first. For a
	// tree, Files are the files imported by its tests.
	Files []string `json:"files,omitempty"`
	// Tree means there is no main file.
	Tree bool `json:"tree,omitempty"`
}

// nodeTests is the configuration of a driver that runs tests.
type nodeTests struct {
	// Tests are the test files to start, Files all staged files.
	Tests []string `json:"tests"`
	Files []string `json:"files"`
	// Names are display names for the tests in Tests, if cases are named after
	// their files.
	Names []string `json:"names,omitempty"`
	// Modules are the program's files, the main file first.
	Modules []string `json:"modules"`
	Loaded  nodeExam `json:"loaded"`
	// Package is the name of the program's own package, Root the file of a tree
	// behind that name.
	Package string `json:"package,omitempty"`
	Root    string `json:"root,omitempty"`
	Entry   string `json:"entry,omitempty"`
	// Framework is the real framework that runs the tests, and Command its program.
	// Chai is the path of the chai library, if the tests use its words without an
	// import.
	Framework string `json:"framework,omitempty"`
	Command   string `json:"command,omitempty"`
	Chai      string `json:"chai,omitempty"`
}

// examNode runs tests in a separate process, unless they need more than calls.
func examNode(tc *Toolchain, p *glovebox.Program, t Tests, files nodeFiles) (*Exam, error) {
	names := files.among(p.Files, p.Main)
	tests, err := stageNodeTests(tc, p, t)
	if err != nil {
		return nil, err
	}
	testNames := typeScriptFiles.among(tests, "")
	wants, unrunnable := readNodeWants(tc, p, tests)
	if unrunnable != nil {
		return nil, unrunnable
	}
	candidate := slices.Clone(p.Files)
	if tc.Language != "typescript" {
		for i, f := range candidate {
			if f.Path == p.Main {
				candidate[i].Data = []byte(typescript.Prepend(string(f.Data), nodePrologue))
			}
		}
	}
	told := nodeTests{Tests: []string{}, Package: nodePackageOf(p), Modules: outputs(names), Loaded: nodeExam{Files: outputs(names)}, Entry: t.Entry}
	started, prologue := tests, nodePrologue
	if p.Main == "" {
		started, prologue = told.tree(p, tests), ""
	}
	for _, f := range tests {
		told.Files = append(told.Files, typescript.Output(f.Path))
	}
	for _, f := range started {
		if isNodeModule(f.Path) {
			told.Tests = append(told.Tests, typescript.Output(f.Path))
			told.Names = append(told.Names, f.Path)
		}
	}
	if len(told.Names) == 1 && !strings.Contains(told.Names[0], "/") {
		told.Names = nil
	}
	driver, reason := "inprocess.js", wants.needsProcess(tests)
	if wants.framework != "" {
		driver, reason, err = told.real(tc, wants)
		if err != nil {
			return nil, err
		}
	}
	strips := tc.Language == "typescript"
	if strips && told.Framework == "vitest" {
		strips = false // Vitest reads TypeScript itself
		told.Tests, told.Modules, told.Loaded.Files = nil, names, nil
		for _, f := range started {
			if isNodeModule(f.Path) {
				told.Tests = append(told.Tests, f.Path)
			}
		}
	}
	config, err := json.Marshal(told)
	if err != nil {
		return nil, err
	}
	// together runs the tests in the program's process.
	together := func() (*Exam, error) {
		args := []string{"--no-warnings", nodeHome + driver, string(config)}
		if told.Framework == "node:test" {
			args = append([]string{"--test-reporter=" + nodeHome + "nodetest.js", "--test-reporter-destination=stdout"}, args...)
		}
		step := Step{Args: nodeCommand(tc, args...), Files: tests}
		var err error
		if strips {
			step, err = stripped(step, typescript.Job{Files: append(slices.Clone(names), testNames...), Tests: testNames, Prologue: prologue})
		}
		return &Exam{Proof: glovebox.ProofInProcess, Reason: reason, Files: candidate, Candidate: step}, err
	}
	if reason != "" {
		return together()
	}

	program, err := json.Marshal(told.Loaded)
	if err != nil {
		return nil, err
	}
	exam := &Exam{
		Proof:     glovebox.ProofOutOfProcess,
		Files:     candidate,
		Candidate: Step{Args: nodeCommand(tc, "--no-warnings", nodeHome+"candidate.js", string(program))},
		Harness: &Step{
			Args:  nodeCommand(tc, "--no-warnings", "--disallow-code-generation-from-strings", nodeHome+"harness.js", string(config)),
			Files: tests,
		},
		Fallback: together,
	}
	if tc.Language == "typescript" {
		exam.Candidate, err = stripped(exam.Candidate, typescript.Job{Files: names, Prologue: prologue})
		if err != nil {
			return nil, err
		}
	}
	if len(testNames) > 0 {
		harness, err := stripped(*exam.Harness, typescript.Job{Files: testNames, Tests: testNames})
		exam.Harness = &harness
		return exam, err
	}
	return exam, nil
}

// nodeImport matches an import of the tests by a string.
var nodeImport = lazyre.New(`(?:\brequire\(|\bfrom|\bimport|\bimport\()\s*['"]([^'"\n]+)['"]`)

// tree describes a program without a main file, and returns the tests to start.
// Modules imported by tests are loaded before the tests run: at this point the
// driver can wait for an ES module, but not during a require.
func (told *nodeTests) tree(p *glovebox.Program, tests []glovebox.File) []glovebox.File {
	told.Modules, told.Loaded = nil, nodeExam{Tree: true}
	var own struct{ Name, Main string }
	for _, f := range p.Files {
		if isNodeModule(f.Path) && !strings.HasSuffix(f.Path, ".d.ts") || path.Ext(f.Path) == ".json" {
			told.Modules = append(told.Modules, typescript.Output(f.Path))
		}
		if f.Path == "package.json" && json.Unmarshal(f.Data, &own) != nil {
			own.Name, own.Main = "", ""
		}
	}
	own.Name = nodePackageOf(p)
	told.Package = own.Name
	told.Root = told.module(path.Join(cmp.Or(own.Main, "index")))
	for _, f := range tests {
		for _, m := range nodeImport().FindAllStringSubmatch(string(f.Data), -1) {
			found := ""
			switch rest, ours := strings.CutPrefix(m[1], own.Name); {
			case strings.HasPrefix(m[1], "."):
				found = told.module(path.Join(path.Dir(f.Path), m[1]))
			case own.Name != "" && ours && rest == "":
				found = told.Root
			case own.Name != "" && ours && rest[0] == '/':
				found = told.module(rest[1:])
			}
			if found != "" && !slices.Contains(told.Loaded.Files, found) {
				told.Loaded.Files = append(told.Loaded.Files, found)
			}
		}
	}
	return startedTests(tests, isJavaScriptTest)
}

var nodeEnding = lazyre.New(`\.[cm]?[jt]sx?$`)

// module finds the module of the tree for a path, or "".
func (told *nodeTests) module(name string) string {
	bare := func(name string) string {
		name = nodeEnding().ReplaceAllString(name, "")
		return strings.TrimSuffix("/"+name, "/index")
	}
	if name == "." {
		return told.Root
	}
	for _, m := range told.Modules {
		if m == name || bare(m) == bare(name) {
			return m
		}
	}
	return ""
}

func isNodeModule(name string) bool {
	return slices.Contains(javaScriptFiles, path.Ext(name)) || slices.Contains(typeScriptFiles, path.Ext(name))
}

// stageNodeTests returns the test files under names not used by the program's
// files.
func stageNodeTests(tc *Toolchain, p *glovebox.Program, t Tests) ([]glovebox.File, error) {
	taken := map[string]bool{}
	for _, f := range p.Files {
		taken[typescript.Output(f.Path)] = true
	}
	tests, _ := stageTests(t.Files, path.Ext(p.Main))
	runnable := false
	for i, f := range tests {
		if taken[typescript.Output(f.Path)] {
			tests[i].Path = "tests/" + f.Path
		}
		runnable = runnable || isNodeModule(f.Path)
	}
	switch {
	case !runnable:
		return nil, &Unrunnable{Reason: "the tests are in no file of JavaScript or TypeScript: its name ends in .js, .mjs, .cjs, .ts, .mts or .cts"}
	case tc.Language != "typescript" && len(typeScriptFiles.among(tests, "")) > 0:
		return nil, &Unrunnable{Reason: "the tests are TypeScript and the program is JavaScript"}
	}
	return tests, nil
}

// real configures the framework that runs the tests, and returns its driver and the
// reason for the proof.
func (told *nodeTests) real(tc *Toolchain, wants nodeWants) (driver, reason string, err error) {
	title := map[string]string{"jest": "Jest", "vitest": "Vitest", "mocha": "Mocha", "node:test": "the test runner of Node.js"}[wants.framework]
	told.Framework, told.Command = wants.framework, tc.Tools[wants.framework]
	if wants.framework == "mocha" {
		told.Chai = tc.Tools["chai"]
	}
	if tc.isModule() || told.Command == "" && wants.framework != "node:test" {
		return "", "", &Unrunnable{Reason: fmt.Sprintf("the tests use %s, which only %s has, and that is not here", wants.what, title), Missing: []string{wants.framework}}
	}
	reason = fmt.Sprintf("the tests use %s: %s runs them in the program's process", wants.what, title)
	if wants.framework == "node:test" {
		return "inprocess.js", reason, nil
	}
	return "framework.js", reason, nil
}
