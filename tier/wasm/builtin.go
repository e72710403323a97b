package wasm

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	esys "github.com/tetratelabs/wazero/experimental/sys"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language/typescript"
	"github.com/gloveboxhq/glovebox/language/wasi"
	"github.com/gloveboxhq/glovebox/tier"
)

// builtins are programs inside a box's process. Each does its work and returns
// the following command, or nil for a failure. builtins are our own machine
// code, confined here like a module.
var builtins = map[string]func(g *guest, args []string, stderr io.Writer) []string{
	typescript.Path: stripTypes,
	wasi.Check:      checkModule,
}

// checkModule is the program wasi.Check.
func checkModule(g *guest, args []string, stderr io.Writer) []string {
	if len(args) < 2 {
		fmt.Fprintln(stderr, "check: no module")
		return nil
	}
	event := map[string]any{"type": "checked"}
	_, _, err := g.module(args[1])
	if err != nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		event = map[string]any{"type": "syntax", "syntax": glovebox.SyntaxError{
			File: strings.TrimPrefix(args[1], tier.Workspace+"/"), Message: message,
		}}
	}
	if f := g.report(); f != nil {
		line, _ := json.Marshal(event)
		_, errno := f.Write(append(line, '\n'))
		f.Close()
		if errno != 0 {
			fmt.Fprintln(stderr, "check:", errno)
		}
	}
	if err != nil {
		return nil
	}
	return args[1:]
}

// report is the descriptor of check reports, or nil.
func (g *guest) report() esys.File {
	n := g.files.mkdirs("/dev/fd").children["5"]
	if n == nil {
		return nil
	}
	f, errno := n.device(esys.O_WRONLY)
	if errno != 0 {
		return nil
	}
	return f
}
