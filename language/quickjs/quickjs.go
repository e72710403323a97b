// Package quickjs is JavaScript where there is no Node.js: the QuickJS engine
// as a WebAssembly module, which a Go module brings, and scripts of ours that
// make it as much of a Node.js as programs, tests and our own drivers need.
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

// Scripts are our scripts. The engine starts with boot.js; the others it loads as what
// [Compile] makes of them, x.jsc for x.js.
//
//go:embed *.js
var Scripts embed.FS

// Module returns the engine, without what only a debugger reads, and with its
// stack pointer exported: the build has a stack of 64 KiB that nothing guards,
// and who runs it gives it a larger one.
func Module() ([]byte, error) { return module() }

var module = sync.OnceValues(func() ([]byte, error) { return prepare(quickjswasi.QuickJSWASM) })

// stackPointer is the name under which the stack pointer is exported. Compilers
// make it the first global.
const stackPointer = "__stack_pointer"

// Sections of a module that are looked at, and the kind of an export that is a
// global.
const (
	customSection = 0
	exportSection = 7
	kindGlobal    = 3
)

// prepare drops custom sections and exports the first global. It does not
// check more of the module than it must: the engine that compiles it does.
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
