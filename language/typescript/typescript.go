// Package typescript strips the types of TypeScript files with esbuild, inside a
// box. Parsing hostile text may exhaust stack, time or memory, so the parser runs
// under the box's limits.
//
// The stripping program is the calling executable itself, placed in the box's root
// at [Path]. Before main, the executable recognises its role by its name.
package typescript

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/gloveboxhq/glovebox"
)

// Path is the stripping program's path in a box, and its argv[0].
const Path = "/opt/glovebox/typescript/strip"

// Job is the program's configuration, as JSON, in its first argument. The following
// arguments are the command to execute after all files are stripped.
type Job struct {
	// Files are the TypeScript files in the working directory. Each becomes the
	// file named by [Output].
	Files []string `json:"files"`
	// Tests names the test files. An error in a test file is not the program's
	// fault.
	Tests []string `json:"tests,omitempty"`
	// Last: no later check of the program follows, so a report of "checked" is
	// written and the descriptor closed.
	Last bool `json:"last,omitempty"`
	// Prologue goes before the first statement of the first file.
	Prologue string `json:"prologue,omitempty"`
}

// The report goes to the same descriptor as all check reports.
const report = 5

func writeReport(line []byte) (int, error) { return syscall.Write(report, line) }
func closeReport()                         { _ = syscall.Close(report) }

func init() {
	if len(os.Args) > 2 && os.Args[0] == Path {
		os.Exit(run(os.Args[1], os.Args[2:]))
	}
}

// run strips, then becomes the command. On failure, run returns an exit code.
func run(text string, command []string) int {
	debug.SetGCPercent(400)
	var job Job
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		fmt.Fprintln(os.Stderr, "strip:", err)
		return 1
	}
	ok, err := job.Strip(Files{Read: os.ReadFile, Write: func(name string, data []byte) error {
		return os.WriteFile(name, data, 0o644)
	}}, func(line []byte) error {
		_, err := writeReport(line)
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "strip:", err)
	}
	if !ok {
		return 1
	}
	if job.Last {
		closeReport()
	}
	err = syscall.Exec(command[0], command, os.Environ())
	fmt.Fprintln(os.Stderr, "strip:", command[0], err)
	return 1
}

// Files gives access to the files of a Job.
type Files struct {
	Read  func(name string) ([]byte, error)
	Write func(name string, data []byte) error
}

// Strip executes the job. It reports a syntax error, or finally the end of the
// check, with a line of a report. It returns false if the program must not be
// started.
func (j Job) Strip(files Files, tell func(line []byte) error) (bool, error) {
	event := func(e map[string]any) error {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		return tell(append(line, '\n'))
	}
	for i, name := range j.Files {
		src, err := files.Read(name)
		if err != nil {
			return false, err
		}
		code, syntax := Strip(name, string(src))
		if syntax != nil {
			return false, event(j.refuse(syntax))
		}
		if i == 0 && j.Prologue != "" {
			code = Prepend(code, j.Prologue)
		}
		if err := files.Write(Output(name), []byte(code)); err != nil {
			return false, err
		}
	}
	if j.Last {
		return true, event(map[string]any{"type": "checked"})
	}
	return true, nil
}

// refuse returns the report of a syntax error.
func (j Job) refuse(syntax *glovebox.SyntaxError) map[string]any {
	if slices.Contains(j.Tests, syntax.File) {
		return map[string]any{"type": "broken",
			"reason": fmt.Sprintf("the tests do not parse: %s, line %d: SyntaxError: %s", syntax.File, syntax.Line, syntax.Message)}
	}
	return map[string]any{"type": "syntax", "syntax": syntax}
}

// Output returns the name of the JavaScript file of a TypeScript file.
func Output(name string) string {
	switch ext := path.Ext(name); ext {
	case ".ts", ".mts", ".cts":
		return strings.TrimSuffix(name, "ts") + "js"
	}
	return name
}

// Strip turns TypeScript into JavaScript with an inline source map. The result is a
// CommonJS module, which finds its siblings without file endings. A source with
// features of ES modules becomes an ES module.
func Strip(name, src string) (string, *glovebox.SyntaxError) {
	format := api.FormatCommonJS
	if path.Ext(name) == ".mts" || strings.Contains(src, "import.meta") {
		format = api.FormatESModule
	}
	result := transform(name, src, format)
	if len(result.Errors) > 0 && format == api.FormatCommonJS && path.Ext(name) != ".cts" &&
		strings.HasPrefix(result.Errors[0].Text, "Top-level await") {
		result = transform(name, src, api.FormatESModule)
	}
	if len(result.Errors) > 0 {
		first := result.Errors[0]
		syntax := &glovebox.SyntaxError{File: name, Message: first.Text}
		if first.Location != nil {
			syntax.Line, syntax.Column = first.Location.Line, first.Location.Column+1
		}
		return "", syntax
	}
	return string(result.Code), nil
}

func transform(name, src string, format api.Format) api.TransformResult {
	return api.Transform(src, api.TransformOptions{
		Loader:         api.LoaderTS,
		Format:         format,
		Platform:       api.PlatformNode,
		Target:         api.ES2022,
		Sourcefile:     path.Base(name),
		Sourcemap:      api.SourceMapInline,
		SourcesContent: api.SourcesContentExclude,
		TreeShaking:    api.TreeShakingFalse,
		TsconfigRaw:    `{"compilerOptions":{"alwaysStrict":true}}`,
		LogLevel:       api.LogLevelSilent,
	})
}
