package glove

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// Addresses in the glove's memory. The loader's instructions and the fault
// words are part of the image; scripts are loaded at scriptBase.
const (
	faultBase  = 0x10000000 // the address of the failed instruction, its result
	loaderBase = 0x10000040
	killerBase = 0x10000800
	lenderBase = 0x10000d00
	scriptBase = 0x10001000
	memoryEnd  = 0x11000000

	// MaxScript is the most bytes of a script, its buffers included.
	MaxScript = memoryEnd - scriptBase
)

// An instruction is eleven words of eight bytes:
//
//	0      system call number, or one of the op constants
//	1..6   arguments
//	7      where the result is stored, 0 for nowhere
//	8      condition of the jump
//	9      what the result is compared with
//	10     target of the jump
const (
	wordNR = iota
	wordArg
	wordDest = iota + 5
	wordCond
	wordCompare
	wordTarget
	words
	insSize = words * 8
)

// Operations that are not system calls.
const (
	opAdd   = ^uintptr(0)     // a0 + a1
	opLoad  = ^uintptr(0) - 1 // the word at a0
	opAddTo = ^uintptr(0) - 2 // adds a1 to the word at a0
	opSubTo = ^uintptr(0) - 3 // subtracts a1 from the word at a0
	opLeave = ^uintptr(0) - 4 // returns to who called the virtual machine
)

// Conditions of a jump.
const (
	condNever = iota
	condError
	condEqual
	condOther
	condAlways
)

// Script is a list of system calls that the glove executes, with the memory
// they work on. The zero Script is empty and ready to use.
//
// Arguments are integers, strings (which become NUL-terminated), byte slices,
// and [Ref] values (addresses of script memory). A call that fails ends the
// script with a [*Fault] that names the call, unless it says otherwise.
type Script struct {
	ins     []*Ins
	data    []byte
	scratch int
	fault   *Label // where a failed call replies
	onFail  *Label // where calls that fail go now; nil means fault
}

// Ins is one instruction.
type Ins struct {
	index   int
	name    string
	nr      uintptr
	args    [6]value
	dest    value
	cond    uint64
	compare value
	target  *Label
}

// value is a word of an instruction: a number, or an address that is known
// when the script is laid out. It is small and without a pointer: each box takes
// thousands of them.
type value struct {
	number uint64
	kind   valueKind
	ins    int32 // the index of an instruction
}

type valueKind uint8

const (
	kindNumber  valueKind = iota
	kindData              // number is an offset in the data
	kindScratch           // number is an offset in the memory after the data
	kindArg               // number is a word of ins
)

// Ref is the address of a piece of script memory.
type Ref struct{ v value }

// Plus returns the address n bytes further. It is for data only.
func (r Ref) Plus(n int) Ref {
	r.v.number += uint64(n)
	return r
}

// Label is a place to jump to.
type Label struct {
	index int
	fixed uint64 // an address outside of the script
}

// Buffer reserves n zero bytes and returns their address.
func (s *Script) Buffer(n int) Ref {
	for len(s.data)%8 != 0 {
		s.data = append(s.data, 0)
	}
	off := len(s.data)
	s.data = append(s.data, make([]byte, n)...)
	return Ref{value{kind: kindData, number: uint64(off)}}
}

// Execute appends the calls that turn the process into a command, in its directory.
func (s *Script) Execute(cmd *tier.Command) {
	s.Call("chdir", linux.SYS_CHDIR, cmp.Or(cmd.Dir, tier.Workspace))
	s.execute(cmd)
}

func (s *Script) execute(cmd *tier.Command) {
	s.Call("execve", linux.SYS_EXECVE, cmd.Args[0], s.Strings(cmd.Args), s.Strings(cmd.Env))
}

// Scratch reserves n bytes that are not sent with the script, so that a large
// buffer costs nothing. What is in them before is undefined.
func (s *Script) Scratch(n int) Ref {
	off := s.scratch
	s.scratch += (n + 7) &^ 7
	return Ref{value{kind: kindScratch, number: uint64(off)}}
}

// Bytes puts b into the script's memory.
func (s *Script) Bytes(b []byte) Ref {
	r := s.Buffer(len(b))
	copy(s.data[r.v.number:], b)
	return r
}

// String puts str into the script's memory, with a NUL at its end.
func (s *Script) String(str string) Ref { return s.Bytes(append([]byte(str), 0)) }

// Words puts a vector of words into the script's memory. References in it
// become addresses when the script runs.
func (s *Script) Words(vs ...any) Ref {
	r := s.Buffer(8 * len(vs))
	for i, v := range vs {
		s.Set(r.Plus(8*i), v)
	}
	return r
}

// Strings puts a NULL-terminated vector of strings into the script's memory,
// as execve takes.
func (s *Script) Strings(list []string) Ref {
	vs := make([]any, len(list)+1)
	for i, v := range list {
		vs[i] = s.String(v)
	}
	vs[len(list)] = 0
	return s.Words(vs...)
}

// Set stores v in the word at r: at once where v is a number, else by an
// instruction.
func (s *Script) Set(r Ref, v any) {
	x := s.value(v)
	if x.kind == kindNumber && r.v.kind == kindData {
		binary.LittleEndian.PutUint64(s.data[r.v.number:], x.number)
		return
	}
	s.add("set", opAdd, Ref{x}, 0).To(r)
}

// Call appends a system call. name tells it in a fault.
func (s *Script) Call(name string, nr uintptr, args ...any) *Ins {
	return s.add(name, nr, args...).IfError(s.failure())
}

// CallOn appends a system call whose first argument is the word at r, such as
// a descriptor that an earlier call has stored there.
func (s *Script) CallOn(r Ref, name string, nr uintptr, rest ...any) *Ins {
	first := s.Load(r)
	i := s.Call(name, nr, append([]any{0}, rest...)...)
	first.To(i.Arg(0))
	return i
}

// Pipe appends the calls that make a pipe whose ends have the numbers read and
// write.
func (s *Script) Pipe(read, write int) {
	// Two numbers of four bytes; a call takes four of the eight that it is given.
	ends := s.Buffer(16)
	s.Call("pipe", linux.SYS_PIPE2, ends, linux.O_CLOEXEC)
	s.Renumber(ends, read)
	s.Renumber(ends.Plus(4), write)
}

// Renumber appends the calls that give the descriptor in a word the number to.
func (s *Script) Renumber(fd Ref, to int) {
	s.CallOn(fd, "dup3", linux.SYS_DUP3, to, linux.O_CLOEXEC)
	s.CallOn(fd, "close", linux.SYS_CLOSE)
}

// OnFail makes the calls that follow go to l when they fail; nil means that the
// script ends with a [*Fault].
func (s *Script) OnFail(l *Label) { s.onFail = l }

// Fail goes to where calls that fail go now, with the fault of the last that
// did.
func (s *Script) Fail() { s.Jump(s.failure()) }

func (s *Script) failure() *Label {
	if s.onFail != nil {
		return s.onFail
	}
	if s.fault == nil {
		s.fault = s.Label()
	}
	return s.fault
}

// Jump appends an unconditional jump.
func (s *Script) Jump(l *Label) {
	i := s.add("jump", opAdd)
	i.cond, i.target = condAlways, l
}

// Load appends an instruction whose result is the word at r.
func (s *Script) Load(r Ref) *Ins { return s.add("load", opLoad, r) }

// AddTo appends an instruction that adds v to the word at r.
func (s *Script) AddTo(r Ref, v any) *Ins { return s.add("add", opAddTo, r, v) }

// Sub appends an instruction that subtracts v from the word at r.
func (s *Script) Sub(r Ref, v any) *Ins { return s.add("subtract", opSubTo, r, v) }

// Label makes a label that is not placed; see [Script.Place].
func (s *Script) Label() *Label { return &Label{index: -1} }

// Place puts l before the next instruction.
func (s *Script) Place(l *Label) { l.index = len(s.ins) }

func (s *Script) add(name string, nr uintptr, args ...any) *Ins {
	i := &Ins{index: len(s.ins), name: name, nr: nr}
	if len(args) > len(i.args) {
		panic("glove: " + name + " has too many arguments")
	}
	for n, a := range args {
		i.args[n] = s.value(a)
	}
	s.ins = append(s.ins, i)
	return i
}

func (s *Script) value(v any) value {
	switch v := v.(type) {
	case Ref:
		return v.v
	case string:
		return s.String(v).v
	case []byte:
		return s.Bytes(v).v
	case int:
		return value{number: uint64(v)}
	case int64:
		return value{number: uint64(v)}
	case uint32:
		return value{number: uint64(v)}
	case uint64:
		return value{number: v}
	case uintptr:
		return value{number: uint64(v)}
	case linux.Signal:
		return value{number: uint64(v)}
	}
	panic(fmt.Sprintf("glove: a script cannot hold a %T", v))
}

// Arg is the address of argument n, so that the result of another call can be
// stored there.
func (i *Ins) Arg(n int) Ref {
	return Ref{value{kind: kindArg, number: uint64(wordArg + n), ins: int32(i.index)}}
}

// Compare is the address of the word that IfEqual and IfOther compare with.
func (i *Ins) Compare() Ref {
	return Ref{value{kind: kindArg, number: wordCompare, ins: int32(i.index)}}
}

// To stores the result in the word at r.
func (i *Ins) To(r Ref) *Ins {
	i.dest = r.v
	return i
}

// Ignore goes on whatever the result is.
func (i *Ins) Ignore() *Ins {
	i.cond, i.target = condNever, nil
	return i
}

// IfError jumps when the call fails.
func (i *Ins) IfError(l *Label) *Ins {
	i.cond, i.target = condError, l
	return i
}

// IfEqual jumps when the result is v.
func (i *Ins) IfEqual(v int64, l *Label) *Ins {
	i.cond, i.compare, i.target = condEqual, value{number: uint64(v)}, l
	return i
}

// IfOther jumps when the result is not v.
func (i *Ins) IfOther(v int64, l *Label) *Ins {
	i.cond, i.compare, i.target = condOther, value{number: uint64(v)}, l
	return i
}

// layout appends the script as bytes for the address base.
func (s *Script) layout(to []byte, base uint64) ([]byte, error) {
	size := len(s.ins) * insSize
	end := size + (len(s.data)+7)&^7
	if n := end + s.scratch; n > MaxScript {
		return nil, fmt.Errorf("glove: the script has %d bytes: at most %d", n, MaxScript)
	}
	to = slices.Grow(to, size+len(s.data))
	all := to[len(to) : len(to)+size]
	clear(all)
	for n, i := range s.ins {
		w := all[n*insSize:]
		put := func(word int, v value) {
			binary.LittleEndian.PutUint64(w[word*8:], address(v, base, size, end))
		}
		put(wordNR, value{number: uint64(i.nr)})
		for k, a := range i.args {
			put(wordArg+k, a)
		}
		put(wordDest, i.dest)
		put(wordCond, value{number: i.cond})
		put(wordCompare, i.compare)
		if i.target == nil {
			if i.cond != condNever {
				return nil, fmt.Errorf("glove: instruction %d (%s) has no target", n, i.name)
			}
			continue
		}
		target := i.target.fixed
		if target == 0 {
			if i.target.index < 0 || i.target.index >= len(s.ins) {
				return nil, fmt.Errorf("glove: instruction %d (%s) jumps to a label that is not placed", n, i.name)
			}
			target = base + uint64(i.target.index)*insSize
		}
		put(wordTarget, value{number: target})
	}
	return append(to[:len(to)+size], s.data...), nil
}

func address(v value, base uint64, dataStart, dataEnd int) uint64 {
	switch v.kind {
	case kindScratch:
		return base + uint64(dataEnd) + v.number
	case kindData:
		return base + uint64(dataStart) + v.number
	case kindArg:
		return base + uint64(v.ins)*insSize + v.number*8
	}
	return v.number
}

// name tells the instruction at an address, for a fault.
func (s *Script) name(addr uint64) string {
	n := (addr - scriptBase) / insSize
	if addr < scriptBase || n >= uint64(len(s.ins)) {
		return fmt.Sprintf("instruction at %#x", addr)
	}
	return s.ins[n].name
}

// Labels of the image: the instructions that load the next script, the place
// where it is loaded, and the killer's instructions.
var (
	loader = &Label{fixed: loaderBase}
	script = &Label{fixed: scriptBase}
	killer = &Label{fixed: killerBase}
	lender = &Label{fixed: lenderBase}
)
