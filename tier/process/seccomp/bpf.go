// Package seccomp builds the filter of system calls for commands of a box: only
// calls known to be harmless reach the kernel.
//
// The filter is an allow list. Forbidden calls commonly tried by programs (name
// spaces, mounts, tracing, keys, …) are refused like the kernel refuses an
// ordinary user (EPERM); unknown calls do not exist (ENOSYS), so libraries take
// the older way.
package seccomp

import (
	"encoding/binary"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/linux"
)

// Action is the filter's answer to a system call.
type Action uint32

// The actions. See also [Errno].
const (
	Allow       Action = linux.SECCOMP_RET_ALLOW
	KillProcess Action = linux.SECCOMP_RET_KILL_PROCESS
	// Ask makes the call wait until the holder of the filter's listener
	// answers: fail, or try. The answer must not rest on memory that the caller
	// can change in the meantime.
	Ask Action = linux.SECCOMP_RET_USER_NOTIF
)

// Errno makes the call fail with e without being tried; 0 makes it succeed.
func Errno(e linux.Errno) Action { return linux.SECCOMP_RET_ERRNO | Action(e) }

// Cond holds when 32 bits of an argument, masked, have a value. The low 32 bits
// suffice for most arguments, of which the kernel takes no more; of an address
// the high ones count as well.
type Cond struct {
	Arg   int
	Mask  uint32 // 0 means all bits
	Value uint32
	High  bool // the high bits
}

// Rule applies when all its conditions hold.
type Rule struct {
	When []Cond
	Then Action
}

// Call is the treatment of one system call: the first rule whose conditions
// hold, else Else.
type Call struct {
	NR    uintptr
	Rules []Rule
	Else  Action
}

// Offsets in struct seccomp_data.
const (
	offNR   = 0
	offArch = 4
	offArgs = 16
)

// Size is the size of one instruction of a filter, in bytes.
const Size = 8

// ins is struct sock_filter.
type ins struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

func load(off uint32) ins { return ins{code: linux.BPF_LD | linux.BPF_W | linux.BPF_ABS, k: off} }
func ret(a Action) ins    { return ins{code: linux.BPF_RET | linux.BPF_K, k: uint32(a)} }
func jump(op uint16, k uint32, jt, jf int) ins {
	return ins{code: linux.BPF_JMP | op | linux.BPF_K, k: k, jt: uint8(jt), jf: uint8(jf)}
}

// Assemble returns the filter for the machine arch as an array of struct
// sock_filter. Calls missing from the list get the action other.
func Assemble(arch uint32, calls []Call, other Action) []byte {
	calls = slices.Clone(calls)
	slices.SortFunc(calls, func(a, b Call) int { return int(a.NR) - int(b.NR) })
	prog := []ins{
		load(offArch),
		jump(linux.BPF_JEQ, arch, 1, 0),
		ret(KillProcess), // the numbers of another machine mean other calls
		load(offNR),
	}
	prog = append(prog, tree(ranges(calls, other))...)
	raw := make([]byte, 0, len(prog)*Size)
	for _, i := range prog {
		raw = binary.LittleEndian.AppendUint16(raw, i.code)
		raw = append(raw, i.jt, i.jf)
		raw = binary.LittleEndian.AppendUint32(raw, i.k)
	}
	return raw
}

// span is the calls from a number on, up to the next span.
type span struct {
	from uintptr
	call Call
}

// ranges joins neighbours with the same action. The spans cover every number:
// the calls of another interface (x32 sets bit 30) are in the last.
func ranges(calls []Call, other Action) []span {
	spans := []span{{0, Call{Else: other}}}
	put := func(from uintptr, c Call) {
		last := &spans[len(spans)-1]
		switch {
		case last.from == from:
			last.call = c
		case len(c.Rules) > 0 || len(last.call.Rules) > 0 || c.Else != last.call.Else:
			spans = append(spans, span{from, c})
		}
	}
	for i, c := range calls {
		if i > 0 && calls[i-1].NR == c.NR {
			panic("seccomp: a system call is in the list twice")
		}
		put(c.NR, c)
		if i == len(calls)-1 || calls[i+1].NR != c.NR+1 {
			put(c.NR+1, Call{Else: other})
		}
	}
	return spans
}

// tree finds the span of the loaded number by halving.
func tree(spans []span) []ins {
	if len(spans) == 1 {
		return leaf(spans[0].call)
	}
	half := len(spans) / 2
	low, high := tree(spans[:half]), tree(spans[half:])
	// A conditional jump reaches 255 instructions, an unconditional one any
	// number.
	prog := []ins{
		jump(linux.BPF_JGE, uint32(spans[half].from), 0, 1),
		{code: linux.BPF_JMP | linux.BPF_JA, k: uint32(len(low))},
	}
	return append(append(prog, low...), high...)
}

func leaf(c Call) []ins {
	var prog []ins
	for _, r := range c.Rules {
		var body []ins
		for i := len(r.When) - 1; i >= 0; i-- {
			w := r.When[i]
			off := offArgs + 8*uint32(w.Arg)
			if w.High {
				off += 4 // the machines that we know are little-endian
			}
			test := []ins{load(off)}
			if w.Mask != 0 {
				test = append(test, ins{code: linux.BPF_ALU | linux.BPF_AND | linux.BPF_K, k: w.Mask})
			}
			// If the test fails: jump past the rest of the rule and its return.
			test = append(test, jump(linux.BPF_JEQ, w.Value, 0, len(body)+1))
			body = append(test, body...)
		}
		prog = append(append(prog, body...), ret(r.Then))
	}
	return append(prog, ret(c.Else))
}
