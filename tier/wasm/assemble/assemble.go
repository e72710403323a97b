// Package assemble writes small WebAssembly modules: the programs of the tier's
// probe and of its tests.
package assemble

import (
	"encoding/binary"
	"slices"
)

// Module is a module in the making. Its functions have the signatures of
// WASI's.
type Module struct {
	imports []function
	data    []segment
	code    []byte
	locals  int
	// Pages is the initial memory, in pages of 64 KiB.
	Pages uint32
}

type function struct{ module, name, params, results string }

type segment struct {
	at    int
	bytes []byte
}

// WASI is the name of the module that the system interface is imported from.
const WASI = "wasi_snapshot_preview1"

// Import imports a function and returns its number. Parameters and results are
// a letter each: i for 32 bits, I for 64. All imports come before the code.
func (m *Module) Import(module, name, params, results string) int {
	f := function{module, name, params, results}
	if i := slices.Index(m.imports, f); i >= 0 {
		return i
	}
	m.imports = append(m.imports, f)
	return len(m.imports) - 1
}

// Data puts bytes into the memory.
func (m *Module) Data(at int, bytes []byte) { m.data = append(m.data, segment{at, bytes}) }

// Local makes a local variable of 32 bits and returns its number.
func (m *Module) Local() int { m.locals++; return m.locals - 1 }

// Code appends instructions to the start function.
func (m *Module) Code(parts ...[]byte) { m.code = append(m.code, slices.Concat(parts...)...) }

// Bytes returns the module: one that exports its memory and "_start".
func (m *Module) Bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, items [][]byte) {
		body := binary.AppendUvarint(nil, uint64(len(items)))
		body = append(body, slices.Concat(items...)...)
		out = append(out, id)
		out = append(binary.AppendUvarint(out, uint64(len(body))), body...)
	}
	var types, imports, data [][]byte
	for i, f := range m.imports {
		types = append(types, slices.Concat([]byte{0x60}, kinds(f.params), kinds(f.results)))
		imports = append(imports, slices.Concat(text(f.module), text(f.name), []byte{0}, number(i)))
	}
	types = append(types, []byte{0x60, 0, 0})
	section(1, types)
	section(2, imports)
	section(3, [][]byte{number(len(m.imports))})
	section(5, [][]byte{append([]byte{0}, binary.AppendUvarint(nil, uint64(max(m.Pages, 1)))...)})
	section(7, [][]byte{append(text("memory"), 2, 0), slices.Concat(text("_start"), []byte{0}, number(len(m.imports)))})
	var locals []byte
	if m.locals > 0 {
		locals = slices.Concat([]byte{1}, number(m.locals), []byte{i32})
	} else {
		locals = []byte{0}
	}
	body := slices.Concat(locals, m.code, []byte{0x0b})
	section(10, [][]byte{append(number(len(body)), body...)})
	for _, s := range m.data {
		data = append(data, slices.Concat([]byte{0}, I32(s.at), []byte{0x0b}, number(len(s.bytes)), s.bytes))
	}
	section(11, data)
	return out
}

const (
	i32 = 0x7f
	i64 = 0x7e
)

func number(n int) []byte  { return binary.AppendUvarint(nil, uint64(n)) }
func text(s string) []byte { return append(number(len(s)), s...) }
func signed(n int64) []byte {
	var out []byte
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func kinds(letters string) []byte {
	out := number(len(letters))
	for _, c := range letters {
		if c == 'I' {
			out = append(out, i64)
		} else {
			out = append(out, i32)
		}
	}
	return out
}

// I32 and I64 push a number.
func I32(n int) []byte   { return append([]byte{0x41}, signed(int64(int32(n)))...) }
func I64(n int64) []byte { return append([]byte{0x42}, signed(n)...) }

// Call calls a function that was imported.
func Call(f int) []byte { return append([]byte{0x10}, number(f)...) }

// Self calls the start function once more. It comes after all imports.
func (m *Module) Self() []byte { return Call(len(m.imports)) }

// Instructions without operands.
var (
	Drop        = []byte{0x1a}
	Unreachable = []byte{0x00}
	Add         = []byte{0x6a}
	DivS        = []byte{0x6d}
	Eqz         = []byte{0x45}
	Return      = []byte{0x0f}
	Grow        = []byte{0x40, 0}
	Load        = []byte{0x28, 2, 0}
	Store       = []byte{0x36, 2, 0}
	Load8       = []byte{0x2d, 0, 0}
	Store8      = []byte{0x3a, 0, 0}
)

// Get and Set read and write a local variable.
func Get(l int) []byte { return append([]byte{0x20}, number(l)...) }
func Set(l int) []byte { return append([]byte{0x21}, number(l)...) }

// Loop repeats its body for ever, or until a Leave.
func Loop(body ...[]byte) []byte {
	return slices.Concat([]byte{0x02, 0x40, 0x03, 0x40}, slices.Concat(body...), []byte{0x0c, 0, 0x0b, 0x0b})
}

// Leave ends the loop around it where the number on the stack is not 0.
var Leave = []byte{0x0d, 1}

// If runs its body where the number on the stack is not 0.
func If(body ...[]byte) []byte {
	return slices.Concat([]byte{0x04, 0x40}, slices.Concat(body...), []byte{0x0b})
}
