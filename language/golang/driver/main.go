// Command driver compiles, links and starts a Go program in a box. Its first
// argument is a file containing a [Build] as JSON. The driver reports a compiler
// refusal as an event on descriptor 5, and closes the descriptor before the program
// starts.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Build is the driver's configuration.
type Build struct {
	// Go is the directory of the toolchain: compile, link, importcfg.
	Go string `json:"go"`
	// Lang is the version of the language, such as "go1.22".
	Lang     string    `json:"lang"`
	Packages []Package `json:"packages"`
	// Harness means the tests are being built, not the program. A refusal then
	// means a mismatch of tests and program, and the report stays open.
	Harness bool `json:"harness,omitempty"`
	// Together means the tests are built with the program, and the report stays
	// open.
	Together bool `json:"together,omitempty"`
	// Tests are the names of the test files. A refusal in a test file is not the
	// program's fault alone.
	Tests []string `json:"tests,omitempty"`
	// Suites is the number of packages with tests, when built together.
	Suites int `json:"suites,omitempty"`
	// Kept is a directory of cached executables, reused by the next build of the
	// same files. If empty, nothing is cached.
	Kept string `json:"kept,omitempty"`
	// Unfit says why certain names used by the tests have no stand-in.
	Unfit map[string]string `json:"unfit,omitempty"`
}

// Package is one package, listed after all its imports. The last package is main.
type Package struct {
	Path  string   `json:"path"`
	Files []string `json:"files"`
	// Vet asks for the vet checks that go test makes.
	Vet bool `json:"vet,omitempty"`
}

// event is a line of the report, as package language reads it.
type event struct {
	Type   string       `json:"type"`
	Reason string       `json:"reason,omitempty"`
	Syntax *syntaxError `json:"syntax,omitempty"`
}

type syntaxError struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

var report = os.NewFile(5, "report")

func main() {
	var b Build
	if len(os.Args) < 2 {
		fail(fmt.Errorf("no build given"))
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	if err := json.Unmarshal(text, &b); err != nil {
		fail(err)
	}
	dir, err := os.MkdirTemp("", "go-build-")
	if err != nil {
		fail(err)
	}
	exe := b.keep(text, func() string { return b.make(dir) })
	if b.Harness {
		syscall.Exec(exe, []string{exe}, os.Environ())
		fail(fmt.Errorf("the tests could not be started"))
	}
	send(event{Type: "checked"})
	if b.Together {
		b.together(exe)
	}
	report.Close()
	err = syscall.Exec(exe, append([]string{exe}, os.Args[2:]...), os.Environ())
	fail(err)
}

// keep returns the cached executable, or the result of make.
func (b *Build) keep(text []byte, make func() string) string {
	if b.Kept == "" {
		return make()
	}
	sum := sha256.New()
	sum.Write(text)
	for _, p := range b.Packages {
		for _, f := range p.Files {
			data, err := os.ReadFile(f)
			fmt.Fprintln(sum, f, len(data), err)
			sum.Write(data)
		}
	}
	kept := filepath.Join(b.Kept, hex.EncodeToString(sum.Sum(nil)))
	if _, err := os.Stat(kept); err == nil {
		return kept
	}
	exe := make()
	data, err := os.ReadFile(exe)
	part := kept + rand.Text()
	if err != nil || os.WriteFile(part, data, 0o755) != nil || os.Rename(part, kept) != nil {
		return exe
	}
	return kept
}

// make builds the executable in dir and returns its path.
func (b *Build) make(dir string) string {
	config, err := os.ReadFile(filepath.Join(b.Go, "importcfg"))
	if err != nil {
		fail(err)
	}
	cfg := filepath.Join(dir, "importcfg")
	var object string
	vetted := make(chan *syntaxError, len(b.Packages))
	for i, p := range b.Packages {
		if err := os.WriteFile(cfg, config, 0o600); err != nil {
			fail(err)
		}
		object = filepath.Join(dir, strconv.Itoa(i)+".a")
		if bytes.Contains(config, []byte("packagefile "+p.Path+"=")) {
			b.refuse(&syntaxError{File: p.Files[0], Line: 1, Message: "the package's path " + p.Path + " is that of another package"})
		}
		args := []string{
			"-o", object, "-p", p.Path, "-lang", b.Lang, "-importcfg", cfg,
			"-complete", "-pack", "-dwarf=false", "-nolocalimports", "-c=2",
		}
		for _, f := range p.Files {
			args = append(args, "./"+f) // so that no file name looks like an option
		}
		b.tool("compile", dir, args)
		if p.Vet {
			go b.vet(p, dir, config, vetted)
		} else {
			vetted <- nil
		}
		config = fmt.Appendf(config, "packagefile %s=%s\n", p.Path, object)
	}
	if err := os.WriteFile(cfg, config, 0o600); err != nil {
		fail(err)
	}
	exe := filepath.Join(dir, "program")
	b.tool("link", dir, []string{"-o", exe, "-importcfg", cfg, "-s", "-w", "-buildid=", object})
	for range b.Packages {
		if e := <-vetted; e != nil && !slices.Contains(b.Tests, e.File) {
			b.refuse(e)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range left {
		if name != exe {
			os.Remove(name)
		}
	}
	return exe
}

// checks are the vet checks that go test makes by default.
var checks = strings.Fields("-atomic -bool -buildtags -directive -errorsas -ifaceassert -nilfunc -printf -slog -stringintconv -tests")

// vet sends the first finding of vet in a package to found. config lists the
// package's imports. vet sends nil if there is no finding, or no vet.
func (b *Build) vet(p Package, dir string, config []byte, found chan<- *syntaxError) {
	archives, same := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(config)) {
		name, archive, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "packagefile "), "=")
		if ok {
			archives[name], same[name] = archive, name
		}
	}
	job, _ := json.Marshal(map[string]any{
		"ID": p.Path, "Compiler": "gc", "Dir": ".", "ImportPath": p.Path, "GoFiles": p.Files, "GoVersion": b.Lang,
		"ImportMap": same, "PackageFile": archives, "VetxOutput": filepath.Join(dir, "vetx"),
	})
	cfg := filepath.Join(dir, strings.ReplaceAll(p.Path, "/", "_")+".cfg")
	if os.WriteFile(cfg, job, 0o600) != nil {
		found <- nil
		return
	}
	vet := exec.Command(filepath.Join(b.Go, "vet"), append(checks, cfg)...)
	vet.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir) // vet counts its uses there, not among the program's files
	out, _ := vet.CombinedOutput()
	e := explain(string(out))
	if e != nil {
		e.Message = "go vet: " + e.Message
		os.Stderr.Write(out)
	}
	found <- e
}

// tool writes its arguments to a file, with these escapes: there may be many
// arguments.
var escaped = strings.NewReplacer("\\", "\\\\", "\n", "\\n")

// tool runs one tool of the toolchain. A refusal ends the driver.
func (b *Build) tool(name, dir string, args []string) {
	list := filepath.Join(dir, "arguments")
	for i, a := range args {
		args[i] = escaped.Replace(a)
	}
	if err := os.WriteFile(list, []byte(strings.Join(args, "\n")), 0o600); err != nil {
		fail(err)
	}
	var out bytes.Buffer
	cmd := exec.Command(filepath.Join(b.Go, name), "@"+list)
	cmd.Env = []string{"GOMAXPROCS=2", "TMPDIR=" + os.TempDir()}
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err == nil {
		return
	}
	os.Stderr.Write(out.Bytes())
	state := cmd.ProcessState
	if state == nil || !state.Exited() {
		fail(fmt.Errorf("%s ended with %v", name, err))
	}
	e := explain(out.String())
	if e == nil {
		fail(fmt.Errorf("%s ended with %v", name, err))
	}
	b.refuse(e)
}

// refuse ends the driver when the code is at fault.
func (b *Build) refuse(e *syntaxError) {
	if b.Harness || slices.Contains(b.Tests, e.File) {
		reason := fmt.Sprintf("tests and program do not compile together: %s:%d: %s", e.File, e.Line, e.Message)
		for _, name := range word.FindAllString(e.Message, -1) {
			if why := b.Unfit[name]; why != "" {
				reason += "; of " + name + ": " + why
				break
			}
		}
		send(event{Type: "broken", Reason: reason})
	} else {
		send(event{Type: "syntax", Syntax: e})
	}
	os.Exit(1)
}

var (
	position = regexp.MustCompile(`(?m)^(?:\./)?([^:\s]+):(\d+):(?:(\d+):)? (.*(?:\n\t.*)*)`)
	missing  = regexp.MustCompile(`^could not import (\S+)`)
	word     = regexp.MustCompile(`[\pL_][\pL\pN_]*`)
	noMain   = regexp.MustCompile(`(?m)function main is undeclared in the main package`)
)

// glue is the directory of generated files, and the prefix of the test files' names
// in compiler output.
const glue = ".glovebox/"

// explain reads the first error of a tool's output; nil if there is none.
func explain(out string) *syntaxError {
	m := position.FindStringSubmatch(out)
	if m == nil {
		if noMain.MatchString(out) {
			return &syntaxError{Message: noMain.FindString(out)}
		}
		return nil
	}
	e := &syntaxError{File: strings.TrimPrefix(m[1], glue), Message: strings.ReplaceAll(m[4], "\n\t", " ")}
	e.Line, _ = strconv.Atoi(m[2])
	e.Column, _ = strconv.Atoi(m[3])
	if m := missing.FindStringSubmatch(e.Message); m != nil {
		e.Message = "package " + m[1] + " is not in the standard library, and there is nothing else to import here"
	}
	return e
}

func send(e event) {
	if line, err := json.Marshal(e); err == nil {
		report.Write(append(line, '\n'))
	}
}

// fail ends the driver when the code is not at fault.
func fail(err error) {
	fmt.Fprintln(os.Stderr, "driver:", err)
	os.Exit(125)
}
