// Package quickjs runs JavaScript without Node.js: the QuickJS engine as a
// WebAssembly module, provided by a Go module, and our own scripts. The scripts
// emulate as much of Node.js as programs, tests and our own drivers need.
package quickjs

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	quickjswasi "github.com/aperturerobotics/go-quickjs-wasi-reactor"
)

// Version is the engine's version.
const Version = quickjswasi.Version

// Scripts are our scripts. The engine starts with boot.js and loads the others in
// the form made by [Compile], x.jsc for x.js.
//
//go:embed *.js
var Scripts embed.FS

// Module returns the engine without debugging data, and with its stack pointer
// exported. The build has an unguarded stack of 64 KiB, and its runner provides a
// larger one.
func Module() ([]byte, error) { return module() }

var module = sync.OnceValues(func() ([]byte, error) { return prepare(quickjswasi.QuickJSWASM) })

// stackPointer is the exported name of the stack pointer. Compilers make the stack
// pointer the first global.
const stackPointer = "__stack_pointer"

// Inspected sections of a module, and the kind of an exported global.
const (
	customSection = 0
	exportSection = 7
	kindGlobal    = 3
)

// prepare drops custom sections and exports the first global. It checks only the
// necessary parts of the module, because the compiling engine checks the rest.
func prepare(module []byte) ([]byte, error) {
	const head = 8
	if len(module) < head || !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errors.New("it is not a WebAssembly module")
	}
	out := bytes.Clone(module[:head])
	for rest := module[head:]; len(rest) > 0; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, fmt.Errorf("section %d is cut off", id)
		}
		body := rest[1+n : 1+n+int(size)]
		rest = rest[1+n+int(size):]
		if id == customSection {
			continue
		}
		if id == exportSection {
			count, n := binary.Uvarint(body)
			if n <= 0 {
				return nil, errors.New("the exports are cut off")
			}
			more := append(binary.AppendUvarint(nil, count+1), body[n:]...)
			more = append(append(more, byte(len(stackPointer))), stackPointer...)
			body = append(more, kindGlobal, 0)
		}
		out = append(binary.AppendUvarint(append(out, id), uint64(len(body))), body...)
	}
	return out, nil
}
