// Package typescript strips the types of TypeScript files with esbuild, inside
// a box: what parses hostile text may fall over its depth, its exponential
// corners or its memory, so it does that under the box's limits and not here.
//
// The program that does it is the calling executable itself, placed in the
// box's root at [Path] and recognised, before main, by being started under that
// name.
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

// Path is where the stripping program is in a box, and its argv[0].
const Path = "/opt/glovebox/typescript/strip"

// Job is what the program is told, as JSON, in its first argument. The
// arguments after that are the command to execute when all files are stripped.
type Job struct {
	// Files are the TypeScript files in the working directory. Each becomes
	// the file that [Output] names.
	Files []string `json:"files"`
	// Tests names the files that are tests: an error in one is none of the
	// program's.
	Tests []string `json:"tests,omitempty"`
	// Last: nothing else will check the program, so a report of "checked" is
	// written and the descriptor closed.
	Last bool `json:"last,omitempty"`
	// Prologue goes before the first statement of the first file.
	Prologue string `json:"prologue,omitempty"`
}

// The report goes to the descriptor that all check reports go to.
const report = 5

func init() {
	if len(os.Args) > 2 && os.Args[0] == Path {
		os.Exit(run(os.Args[1], os.Args[2:]))
	}
}

// run strips, then becomes the command. What it returns is an exit code.
func run(text string, command []string) int {
	debug.SetGCPercent(400)
	var job Job
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		fmt.Fprintln(os.Stderr, "strip:", err)
		return 1
	}
	for i, name := range job.Files {
		src, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "strip:", err)
			return 1
		}
		code, syntax := Strip(name, string(src))
		if syntax != nil {
			job.refuse(syntax)
			return 1
		}
		if i == 0 && job.Prologue != "" {
			code = Prepend(code, job.Prologue)
		}
		if err := os.WriteFile(Output(name), []byte(code), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "strip:", err)
			return 1
		}
	}
	if job.Last {
		tell(map[string]any{"type": "checked"})
		syscall.Close(report)
	}
	err := syscall.Exec(command[0], command, os.Environ())
	fmt.Fprintln(os.Stderr, "strip:", command[0], err)
	return 1
}

// refuse reports a syntax error.
func (j Job) refuse(syntax *glovebox.SyntaxError) {
	if slices.Contains(j.Tests, syntax.File) {
		tell(map[string]any{"type": "broken",
			"reason": fmt.Sprintf("the tests do not parse: %s, line %d: SyntaxError: %s", syntax.File, syntax.Line, syntax.Message)})
		return
	}
	tell(map[string]any{"type": "syntax", "syntax": syntax})
}

func tell(event map[string]any) {
	line, err := json.Marshal(event)
	if err == nil {
		_, err = syscall.Write(report, append(line, '\n'))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "strip:", err)
	}
}

// Output returns the name of the JavaScript file of a TypeScript file.
func Output(name string) string {
	switch ext := path.Ext(name); ext {
	case ".ts", ".mts", ".cts":
		return strings.TrimSuffix(name, "ts") + "js"
	}
	return name
}

// Strip turns TypeScript into JavaScript with an inline source map. It makes a
// CommonJS module, which finds its siblings without file endings, unless the
// source has what only an ES module may have.
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
