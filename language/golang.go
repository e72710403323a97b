package language

import (
	"path"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// Go is Go without modules: a program of one package that imports only the
// standard library.
var Go = &Language{
	Name:       "go",
	Title:      "Go",
	Aliases:    []string{"go", "golang"},
	Extensions: []string{".go"},
	Main:       "main.go",
	Comment:    "//",
	Score:      goSigns.score,
	IsTest:     isGoTest,
	Install:    "install Go 1.22 or later from https://go.dev/dl and put its bin directory on PATH",
}

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
