package language

import (
	"path"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// JavaScript is JavaScript on Node.js, CommonJS and ES modules.
var JavaScript = &Language{
	Name:       "javascript",
	Title:      "JavaScript",
	Aliases:    []string{"javascript", "js", "node", "nodejs", "mjs", "cjs", "jsx", "ecmascript"},
	Extensions: []string{".js", ".mjs", ".cjs"},
	Main:       "main.js",
	Comment:    "//",
	Score:      javaScriptSigns.score,
	IsTest:     isJavaScriptTest,
	Find:       findNode,
	FindModule: findQuickJS("javascript"),
	Plan: func(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
		return planNode(tc, p, javaScriptFiles)
	},
	Exam: func(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
		return examNode(tc, p, t, javaScriptFiles)
	},
	ReadSyntax:  readNodeSyntax,
	ReadFailure: readNodeFailure,
	Libraries:   ownProgram("javascript", "libraries.cjs", "libraries.cjs"),
	Lint:        ownProgram("javascript", "lint.cjs", "lint.cjs"),
	Install:     installNode,
}

// javaScriptSigns are also used by TypeScript, with its own signs added.
var javaScriptSigns = signs{
	signed(40, `^#!.*\bnode\b`),
	signed(35, `^\s*(?:export\s+(?:default\s+)?)?(?:async\s+)?function\s*\*?\s*[A-Za-z_$][\w$]*\s*\(.*\)\s*\{`),
	signed(35, `\brequire\(\s*['"][\w./:@-]+['"]\s*\)`),
	signed(30, `^\s*import\s+(?:[\w${},*\s]+\s+from\s+)?['"][^'"]+['"];?\s*$`),
	signed(25, `\bconsole\.(?:log|error|warn|info)\(`),
	signed(20, `^\s*(?:const|let)\s+(?:[A-Za-z_$][\w$]*|[\[{][^=]*[\]}])\s*=`),
	signed(10, `^\s*var\s+[A-Za-z_$][\w$]*\s*=[^=]`),
	signed(25, `=>\s*[{(\w\[]`),
	signed(20, `[^=!]===[^=]|!==`),
	signed(30, `\b(?:module\.exports|exports\.\w+)\s*=`),
	signed(15, `^\s*export\s+(?:default|const|let|class|\{)`),
	signed(10, `\bnew\s+(?:Map|Set|Promise|Array|Date)\b`),
	signed(10, `\.(?:forEach|reduce|push|slice|charCodeAt)\(`),
	signed(10, `;\s*$`),
	signed(-60, `^\s*<\?php|\$\w+\s*=[^=]|\bfunction\s+\w+\s*\([^)]*\$\w`),
	signed(-50, `^\s*def\s+\w+.*:\s*$|^\s*elif\b|^\s*from\s+[\w.]+\s+import\s`),
	signed(-50, `^package\s+\w+\s*$|\bfunc\s+\w+\(|:=\s`),
	signed(-30, `^\s*#\s*include\b|\bpublic\s+static\s+void\b`),
}

var javaScriptTestName = lazyre.New(`(?:^|[._-])(?:tests?|spec)\.[cm]?[jt]sx?$`)

// isJavaScriptTest serves TypeScript too.
func isJavaScriptTest(f glovebox.File) bool {
	if path.Base(path.Dir(f.Path)) == "__tests__" {
		return true
	}
	return javaScriptTestName().MatchString(path.Base(f.Path))
}
