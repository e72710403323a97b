package glove

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gloveboxhq/glovebox/internal/linux"
)

// vmAddress returns where the code of the virtual machine begins.
func vmAddress() *byte

// endMark ends the code of the virtual machine.
var endMark = []byte{0x0f, 0x0b, 0x0f, 0x0b, 'G', 'L', 'O', 'V'}

// The text lies before the data, far from where programs lie: another process can
// hold the image too; see [Config.Within].
const textBase = faultBase - 0x10000

// Image returns the glove as a static ELF executable for this machine. It is
// the same bytes every time; nobody may change them.
var Image = sync.OnceValue(func() []byte { return makeImage(loaderData()) })

// code returns the machine code of the virtual machine, read from this
// program's own text.
func code() []byte {
	mem := unsafe.Slice(vmAddress(), 4096)
	n := bytes.Index(mem, endMark)
	if n < 0 {
		panic("glove: the virtual machine has no end")
	}
	return bytes.Clone(mem[:n])
}

// makeImage returns the virtual machine as an executable, with data at faultBase.
func makeImage(data []byte) []byte {
	const headers = 64 + 2*56
	text := code()
	for (headers+len(text))%16 != 0 {
		text = append(text, 0)
	}

	machine := elf.EM_X86_64
	if runtime.GOARCH == "arm64" {
		machine = elf.EM_AARCH64
	}
	var b bytes.Buffer
	h := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1,
		Entry: textBase + headers, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 2,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	h.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	h.Ident[elf.EI_VERSION] = byte(elf.EV_CURRENT)
	textSize := uint64(headers + len(text))
	// The data begins on a page of its own, as arm64's largest pages need.
	const dataOffset = 0x10000
	progs := []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: textBase, Paddr: textBase,
			Filesz: textSize, Memsz: textSize, Align: 0x10000},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W), Off: dataOffset, Vaddr: faultBase, Paddr: faultBase,
			Filesz: uint64(len(data)), Memsz: memoryEnd - faultBase, Align: 0x10000},
	}
	binary.Write(&b, binary.LittleEndian, h)
	binary.Write(&b, binary.LittleEndian, progs)
	b.Write(text)
	b.Write(make([]byte, dataOffset-b.Len()))
	b.Write(data)
	return b.Bytes()
}

// loaderData is the memory from faultBase: the fault words, the instructions
// that read the next script from [FDScript], and those of the killer.
func loaderData() []byte {
	mem := make([]byte, scriptBase-faultBase)
	place := func(s *Script, at uint64, limit int) {
		raw, err := s.layout(nil, at)
		if err != nil || len(raw) > limit {
			panic(fmt.Sprintf("glove: the image: %v, %d bytes", err, len(raw)))
		}
		copy(mem[at-faultBase:], raw)
	}
	place(loaderScript(), loaderBase, killerBase-loaderBase)
	place(killerScript(), killerBase, lenderBase-killerBase)
	place(lenderScript(), lenderBase, scriptBase-lenderBase)
	return mem
}

// loaderScript reads a length of eight bytes and then so many bytes to
// scriptBase, and goes there. When the host closes the pipe, the glove ends,
// and everything in the box with it.
func loaderScript() *Script {
	s, again, exit := new(Script), &Label{}, &Label{}
	length := s.add("read length", linux.SYS_READ, FDScript, 0, 8).IfOther(8, exit)
	start := s.add("start at", opAdd, scriptBase)
	s.Place(again)
	body := s.add("read", linux.SYS_READ, FDScript).IfError(exit)
	check := s.add("end of file", opAdd).IfEqual(0, exit)
	count := s.Load(check.Arg(0))
	ahead := s.AddTo(body.Arg(1), 0)
	left := s.Sub(body.Arg(2), 0).IfEqual(0, script)
	s.Jump(again)
	s.Place(exit)
	s.add("exit", linux.SYS_EXIT_GROUP)

	length.args[1] = body.Arg(2).v
	start.To(body.Arg(1))
	body.To(check.Arg(0))
	check.To(ahead.Arg(1))
	count.To(left.Arg(1))
	return s
}

// killerScript starts a second thread and replies. The thread kills everything
// else in the box whenever the host writes a byte to [FDKill], and when the time of
// a command is over for good (see [Script.alarm]); the first one is
// then waiting for the command, and sees it die. It is part of the image since
// a script is overwritten by the next, and the thread may be slow to start.
func killerScript() *Script {
	s, thread, again, exit, late := new(Script), &Label{}, &Label{}, &Label{}, &Label{}
	// Two of struct pollfd.
	const in = linux.POLLIN << 32
	either := s.Words(FDKill|in, fdTimer|in)
	s.add("start", linux.SYS_CLONE, linux.CLONE_VM|linux.CLONE_FS|linux.CLONE_FILES|
		linux.CLONE_SIGHAND|linux.CLONE_THREAD|linux.CLONE_SYSVSEM).IfEqual(0, thread)
	s.add("reply", linux.SYS_WRITE, FDReply, s.Words(tagReply, 0), 16)
	s.Jump(loader)
	s.Place(thread)
	s.Place(again)
	s.add("wait", linux.SYS_PPOLL, either, 2, 0, 0)
	s.Load(either).IfEqual(FDKill|in, late) // nothing came
	s.add("read", linux.SYS_READ, FDKill, s.Buffer(8), 1).IfOther(1, exit)
	s.add("kill all", linux.SYS_KILL, -1, linux.SIGKILL)
	s.add("answer", linux.SYS_WRITE, FDReply, s.Words(tagKilled, 0), 16)
	s.Jump(again)
	s.Place(late)
	s.add("read", linux.SYS_READ, fdTimer, s.Buffer(8), 8).IfOther(8, again)
	s.add("kill all", linux.SYS_KILL, -1, linux.SIGKILL)
	s.Jump(again)
	s.Place(exit)
	s.add("exit thread", linux.SYS_EXIT)
	return s
}
