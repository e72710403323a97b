package kernel

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/internal/unpack"
)

// boot is what a boot image holds.
type boot struct {
	arch    string
	version string
	vmlinux []byte // uncompressed
}

// readBoot takes a boot image apart: a bzImage, an ELF file, an arm64 Image,
// plain, compressed or in a self-decompressing EFI application. It reads the
// image and never runs any of it.
func readBoot(image []byte) (boot, error) {
	inner, err := payload(image)
	if err != nil {
		return boot{}, fmt.Errorf("boot image: %w", err)
	}
	b := boot{vmlinux: inner}
	switch {
	case bytes.HasPrefix(inner, []byte(elf.ELFMAG)):
		b.arch = "amd64"
		err = checkELF(inner)
	case isArm64(inner):
		b.arch = "arm64"
	default:
		err = errors.New("holds neither an x86-64 ELF file nor an arm64 Image")
	}
	if err == nil {
		b.version, err = banner(inner)
	}
	if err != nil {
		return boot{}, fmt.Errorf("boot image: %w", err)
	}
	return b, nil
}

// payload returns the uncompressed kernel within a boot image.
func payload(image []byte) ([]byte, error) {
	switch {
	case len(image) > 0x206 && string(image[0x202:0x206]) == "HdrS":
		return bzImage(image)
	case len(image) > 0x40 && string(image[:2]) == "MZ" && string(image[4:8]) == "zimg":
		return zboot(image)
	case compressed(image): // Image.gz and its like
		return unpacked(image, maxVmlinux)
	}
	return image, nil
}

// bzImage returns the payload of an x86 boot image, with the header of
// Documentation/arch/x86/boot.rst: the number of setup sectors at 0x1f1, the
// protocol's version at 0x206, the payload's offset behind the setup code at
// 0x248 and its length at 0x24c.
func bzImage(image []byte) ([]byte, error) {
	if len(image) < 0x250 {
		return nil, errors.New("a bzImage without its whole header")
	}
	u32 := func(at int) int64 { return int64(binary.LittleEndian.Uint32(image[at:])) }
	if v := binary.LittleEndian.Uint16(image[0x206:]); v < 0x208 {
		return nil, fmt.Errorf("boot protocol %#x is older than 2.08, which tells the payload", v)
	}
	setup := int64(image[0x1f1])
	if setup == 0 {
		setup = 4
	}
	begin := (setup+1)*512 + u32(0x248)
	packed, err := cut(image, begin, u32(0x24c))
	if err != nil {
		return nil, err
	}
	if !compressed(packed) {
		return nil, fmt.Errorf("the payload is compressed in a way that is not known: it begins with % x", packed[:min(4, len(packed))])
	}
	if unpack.Sniff(packed) == unpack.Gzip { // its own trailer has the size
		return unpacked(packed, maxVmlinux)
	}
	// The build appended the size.
	if len(packed) < 8 {
		return nil, errors.New("the payload is cut short")
	}
	packed, tail := packed[:len(packed)-4], packed[len(packed)-4:]
	out, err := unpacked(packed, maxVmlinux)
	if err != nil {
		return nil, err
	}
	if want := binary.LittleEndian.Uint32(tail); int64(want) != int64(len(out)) {
		return nil, fmt.Errorf("the payload has %d bytes and says that it has %d", len(out), want)
	}
	return out, nil
}

// zboot returns the payload of a self-decompressing EFI application: offset at
// 8, length at 12 (drivers/firmware/efi/libstub/zboot-header.S).
func zboot(image []byte) ([]byte, error) {
	u32 := func(at int) int64 { return int64(binary.LittleEndian.Uint32(image[at:])) }
	packed, err := cut(image, u32(8), u32(12))
	if err != nil {
		return nil, err
	}
	return unpacked(packed, maxVmlinux)
}

// cut returns n bytes of image from an offset on.
func cut(image []byte, from, n int64) ([]byte, error) {
	if from < 0 || n < 0 || from > int64(len(image)) || n > int64(len(image))-from {
		return nil, fmt.Errorf("the payload is said to be %d bytes at %d of an image of %d", n, from, len(image))
	}
	return image[from : from+n], nil
}

// isArm64 reports whether data is an Image, by the magic number of
// Documentation/arch/arm64/booting.rst.
func isArm64(data []byte) bool {
	return len(data) >= 64 && string(data[56:60]) == "ARM\x64"
}

// checkELF fails unless a monitor can load data as an ELF file.
func checkELF(data []byte) error {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if f.Machine != elf.EM_X86_64 {
		return fmt.Errorf("the kernel is for %s", f.Machine)
	}
	loads := 0
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		loads++
		if _, err := cut(data, int64(p.Off), int64(p.Filesz)); err != nil || p.Filesz > p.Memsz {
			return fmt.Errorf("a segment of the kernel lies outside of it")
		}
	}
	if loads == 0 {
		return errors.New("the kernel has no segment to load")
	}
	return nil
}

// banners match the first words of every kernel.
var banners = lazyre.New(`Linux version ([0-9][0-9A-Za-z.+~_-]{0,63}) \(`)

// banner returns the version stated in an uncompressed kernel.
func banner(vmlinux []byte) (string, error) {
	m := banners().FindSubmatch(vmlinux)
	if m == nil {
		return "", errors.New("the kernel does not say its version")
	}
	return string(m[1]), nil
}
