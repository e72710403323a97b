package language

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language/wasi"
)

// Wasm is a compiled WebAssembly module that uses WASI preview 1, from any
// compiler. Only a tier for modules can run it.
var Wasm = &Language{
	Name:       "wasm",
	Title:      "WebAssembly",
	Aliases:    []string{"wasm", "wasi"},
	Extensions: []string{".wasm"},
	Main:       "main.wasm",
	Comment:    ";;",
	Score: func(src string) int {
		if strings.HasPrefix(src, "\x00asm") {
			return 100
		}
		return 0
	},
	IsTest: func(glovebox.File) bool { return false },
	Find: func(context.Context, Host) (*Toolchain, error) {
		return nil, errors.New("WebAssembly modules run in the tier wasm alone: choose it (--tier wasm)")
	},
	FindModule: func(context.Context, Host) (*Toolchain, error) {
		return &Toolchain{Language: "wasm", Version: "WASI preview 1", Exe: wasi.Check, Path: "/"}, nil
	},
	Plan: func(_ *Toolchain, p *glovebox.Program) (*Plan, error) {
		return &Plan{Files: p.Files, Run: Step{Args: []string{wasi.Check, path.Join("/workspace", p.Main)}}}, nil
	},
	ReadSyntax:  func(CheckOutput) *glovebox.SyntaxError { return nil },
	ReadFailure: readTrap,
	Install:     "nothing needs to be installed",
}

// readTrap reads the tier's message about a module ended by a trap.
func readTrap(stderr []byte) *glovebox.Failure {
	stderr = stderr[max(0, len(stderr)-failureBytes):]
	text := strings.ToValidUTF8(string(stderr), "\uFFFD")
	at := strings.LastIndex("\n"+text, "\nwasm trap: ")
	if at < 0 {
		return nil
	}
	message, _, _ := strings.Cut(strings.TrimPrefix(text[at:], "wasm trap: "), "\n")
	return &glovebox.Failure{Type: "wasm trap", Message: message}
}
