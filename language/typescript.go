package language

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language/typescript"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// TypeScript is TypeScript on Node.js. Its types are stripped in the box, by
// esbuild, and never checked.
var TypeScript = &Language{
	Name:       "typescript",
	Title:      "TypeScript",
	Aliases:    []string{"typescript", "ts", "mts", "cts", "tsx"},
	Extensions: []string{".ts", ".mts", ".cts"},
	Main:       "main.ts",
	Comment:    "//",
	Score:      scoreTypeScript,
	IsTest:     isJavaScriptTest,
	Find:       findTypeScript,
	FindModule: findQuickJS("typescript"),
	Plan: func(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
		return planNode(tc, p, typeScriptFiles)
	},
	Exam: func(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
		return examNode(tc, p, t, typeScriptFiles)
	},
	ReadSyntax:  readNodeSyntax,
	ReadFailure: readNodeFailure,
	Libraries:   ownProgram("typescript", "libraries.cjs", "libraries.cts"),
	Lint:        ownProgram("typescript", "lint.cjs", "lint.cts"),
	Install:     installNode,
}

// typeScriptSigns are signs found only in TypeScript.
var typeScriptSigns = signs{
	signed(40, `^\s*(?:export\s+)?(?:declare\s+)?interface\s+\w+(?:<[^>]*>)?\s*(?:extends\s+[\w, <>]+)?\{`),
	signed(40, `^\s*(?:export\s+)?type\s+\w+(?:<[^>]*>)?\s*=`),
	signed(40, `[(,]\s*\w+\??\s*:\s*(?:readonly\s+)?(?:number|string|boolean|any|unknown|void|never|object|Array<|Map<|Set<|Record<|\[)`),
	signed(40, `\)\s*:\s*(?:number|string|boolean|any|unknown|void|never|Promise<|Array<|Map<|Set<|[A-Z]\w*)(?:\[\])*\s*(?:\{|=>|\|)`),
	signed(40, `\b(?:const|let|var)\s+\w+\s*:\s*[\w<>\[\]{}|, ]+\s*=`),
	signed(30, `\bas\s+(?:const|any|unknown|number|string|[A-Z]\w*)\b`),
	signed(30, `^\s*(?:private|public|protected|readonly)\s+\w+\s*[:(?]`),
	signed(30, `^\s*(?:export\s+)?(?:const\s+)?enum\s+\w+\s*\{`),
	signed(30, `^\s*import\s+type\s`),
	signed(30, `^\s*declare\s+(?:var|const|let|function|module|global)\b`),
}

// scoreTypeScript exceeds JavaScript's score if a type is written, else returns 0:
// a program valid in both languages counts as JavaScript.
func scoreTypeScript(src string) int {
	types := typeScriptSigns.score(src)
	if types == 0 {
		return 0
	}
	return min(types+javaScriptSigns.score(src), 100)
}

// findTypeScript finds Node.js and adds our own executable, which strips types.
func findTypeScript(ctx context.Context, h Host) (*Toolchain, error) {
	tc, err := findNode(ctx, h)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return nil, fmt.Errorf("finding our own executable: %w", err)
	}
	libs, err := h.Libraries(self)
	if err != nil {
		return nil, fmt.Errorf("finding the libraries of our own executable: %w", err)
	}
	tc.Language = "typescript"
	tc.Root.Add(rootfs.Libraries(libs)...)
	tc.Root.Add(rootfs.Entry{Path: typescript.Path, Source: self})
	return tc, nil
}

// stripped returns step preceded by the stripping of the files.
func stripped(step Step, job typescript.Job) (Step, error) {
	text, err := json.Marshal(job)
	if err != nil {
		return Step{}, err
	}
	step.Args = append([]string{typescript.Path, string(text)}, step.Args...)
	step.Makes = outputs(job.Files)
	return step, nil
}
