package kernel

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	xzwriter "github.com/ulikunitz/xz"
)

// version is that of the kernels that tests make.
const version = "6.12.1-cloud-amd64"

// elfHeader is as much of an ELF file as is there to be read.
func elfHeader(machine elf.Machine, kind elf.Type) elf.Header64 {
	h := elf.Header64{
		Type: uint16(kind), Machine: uint16(machine), Version: 1, Ehsize: 64,
		Phentsize: 56, Shentsize: 64,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1
	return h
}

func encode(t testing.TB, parts ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, p := range parts {
		if err := binary.Write(&b, binary.LittleEndian, p); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// makeVmlinux makes an ELF file that says it is a kernel.
func makeVmlinux(t testing.TB, version string) []byte {
	text := []byte("Linux version " + version + " (someone@example.org) #1 SMP\n\x00" + strings.Repeat("instructions ", 4000))
	h := elfHeader(elf.EM_X86_64, elf.ET_EXEC)
	h.Phoff, h.Phnum = 64, 1
	return encode(t, h, elf.Prog64{Type: uint32(elf.PT_LOAD), Off: 120, Filesz: uint64(len(text)), Memsz: uint64(len(text))}, text)
}

// makeArm64 makes an arm64 Image.
func makeArm64(version string) []byte {
	image := make([]byte, 4096)
	copy(image, "MZ")
	copy(image[56:], "ARM\x64")
	return append(image, "Linux version "+version+" (someone@example.org) #1 SMP\n"...)
}

// makeModule makes a .ko that says of itself what info holds.
func makeModule(t testing.TB, info ...string) []byte {
	modinfo := []byte(strings.Join(info, "\x00") + "\x00")
	names := []byte("\x00.modinfo\x00.shstrtab\x00")
	h := elfHeader(elf.EM_X86_64, elf.ET_REL)
	h.Shnum, h.Shstrndx = 3, 2
	h.Shoff = uint64(64 + len(modinfo) + len(names))
	at := func(name uint32, kind elf.SectionType, off, size int) elf.Section64 {
		return elf.Section64{Name: name, Type: uint32(kind), Off: uint64(off), Size: uint64(size)}
	}
	return encode(t, h, modinfo, names, elf.Section64{},
		at(1, elf.SHT_PROGBITS, 64, len(modinfo)),
		at(10, elf.SHT_STRTAB, 64+len(modinfo), len(names)))
}

// module makes a .ko of our kernel.
func makeKo(t testing.TB, name string, more ...string) []byte {
	return makeModule(t, append([]string{"name=" + name, "vermagic=" + version + " SMP mod_unload "}, more...)...)
}

// pack compresses.
func pack(t testing.TB, how string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch how {
	case "":
		return data
	case "gzip":
		w = gzip.NewWriter(&b)
	case "xz":
		w, err = xzwriter.NewWriter(&b)
	case "zstd":
		w, err = zstd.NewWriter(&b)
	case "lz4":
		l := lz4.NewWriter(&b)
		err = l.Apply(lz4.LegacyOption(true))
		w = l
	default:
		t.Fatalf("no compression %q", how)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// makeBzImage makes an x86 boot image around a compressed kernel, as
// arch/x86/boot does: setup code of two sectors, a stub, the payload, and its
// uncompressed size where the compression does not tell it.
func makeBzImage(t testing.TB, how string, vmlinux []byte) []byte {
	payload := pack(t, how, vmlinux)
	if how != "gzip" {
		payload = binary.LittleEndian.AppendUint32(payload, uint32(len(vmlinux)))
	}
	const setup, stub = 1, 300
	image := make([]byte, (setup+1)*512+stub)
	image[0x1f1] = setup
	copy(image[0x202:], "HdrS")
	binary.LittleEndian.PutUint16(image[0x206:], 0x20f)
	binary.LittleEndian.PutUint32(image[0x248:], stub)
	binary.LittleEndian.PutUint32(image[0x24c:], uint32(len(payload)))
	return append(append(image, payload...), "the rest of the stub"...)
}

// entry is a file of a package.
type entry struct {
	name string
	data []byte
	kind byte // 0 means a regular file
	link string
	size int64 // that the header says, if not 0
}

func makeTar(t testing.TB, entries []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		// A writer of its own for each: they let no header lie.
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Size: int64(len(e.data)), Mode: 0o644}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if e.size != 0 {
			h.Size = e.size
		}
		var one bytes.Buffer
		w := tar.NewWriter(&one)
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write(e.data)
		b.Write(one.Bytes())
		b.Write(make([]byte, (512-len(e.data)%512)%512))
	}
	b.Write(make([]byte, 1024))
	return b.Bytes()
}

// member is one of an ar archive.
type member struct {
	name string
	data []byte
	size string // that the header says, if not empty
}

func makeAr(members ...member) []byte {
	b := bytes.NewBufferString(arMagic)
	for _, m := range members {
		size := m.size
		if size == "" {
			size = fmt.Sprint(len(m.data))
		}
		fmt.Fprintf(b, "%-16s%-12d%-6d%-6d%-8s%-10s`\n", m.name, 0, 0, 0, "100644", size)
		b.Write(m.data)
		if len(m.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// makeDeb makes a package whose data is compressed in that way.
func makeDeb(t testing.TB, how string, entries []entry) []byte {
	end := map[string]string{"": "", "gzip": ".gz", "xz": ".xz", "zstd": ".zst"}[how]
	return makeAr(
		member{name: "debian-binary", data: []byte("2.0\n")},
		member{name: "control.tar.gz", data: pack(t, "gzip", makeTar(t, []entry{{name: "./postinst", data: []byte("#!/bin/sh\nrm -rf /\n")}}))},
		member{name: "data.tar" + end, data: pack(t, how, makeTar(t, entries))},
	)
}

// makeBomb makes a compressed archive with a file that is as large as a whole
// package may be.
func makeBomb(t testing.TB) []byte {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "zeros", Size: maxTree, Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range maxTree / len(zeros) {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// kernelFiles are the files of a package that has all that a guest needs.
func kernelFiles(t testing.TB) []entry {
	lib := "./usr/lib/modules/" + version + "/"
	ko := func(where, packed string, data []byte) entry {
		end := map[string]string{"": "", "gzip": ".gz", "xz": ".xz", "zstd": ".zst"}[packed]
		return entry{name: lib + "kernel/" + where + ".ko" + end, data: pack(t, packed, data)}
	}
	return []entry{
		{name: "./boot/", kind: tar.TypeDir},
		{name: "./boot/config-" + version, data: []byte("CONFIG_64BIT=y\n")},
		{name: "./boot/vmlinuz-" + version, data: makeBzImage(t, "lz4", makeVmlinux(t, version))},
		{name: "./usr/share/doc/copyright", kind: tar.TypeSymlink, link: "/etc/shadow"},
		ko("drivers/virtio/virtio_mmio", "xz", makeKo(t, "virtio_mmio", "depends=")),
		ko("drivers/block/virtio_blk", "", makeKo(t, "virtio_blk", "depends=virtio-ring")),
		ko("drivers/virtio/virtio-ring", "gzip", makeKo(t, "virtio_ring")),
		ko("fs/erofs/erofs", "zstd", makeKo(t, "erofs", "depends=libcrc32c,netfs")),
		ko("fs/netfs/netfs", "", makeKo(t, "netfs", "softdep=pre: nowhere post: erofs")),
		ko("lib/libcrc32c", "xz", makeKo(t, "libcrc32c", "depends=", "softdep=pre: crc32c")),
		ko("crypto/crc32c_generic", "", makeKo(t, "crc32c_generic")),
		ko("net/vmw_vsock/vmw_vsock_virtio_transport", "xz", makeKo(t, "vmw_vsock_virtio_transport", "depends=vsock")),
		ko("net/vmw_vsock/vsock", "xz", makeKo(t, "vsock")),
		ko("drivers/char/hw_random/virtio-rng", "xz", makeKo(t, "virtio_rng")),
		ko("sound/unneeded", "", []byte("not an ELF file, and never looked at")),
		{name: lib + "modules.builtin", data: []byte("kernel/drivers/char/virtio_console.ko\nkernel/net/core.ko\n")},
	}
}
