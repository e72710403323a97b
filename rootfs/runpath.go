package rootfs

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"strings"
)

// A program or library may name directories to search first for libraries, as a
// version manager's Python does. Without the directories in the root, the file
// is copied without its run path.

// patch replaces a part of a file.
type patch struct {
	at   int64
	data []byte
}

// withoutRunPath returns the changes for removing a file's named directories;
// nil if the file names none, or one that may exist in a box.
func withoutRunPath(name string, there func(dir string) bool) (*patch, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|asFound, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	image, err := elf.NewFile(f)
	if err != nil || image.Class != elf.ELFCLASS64 || image.Data != elf.ELFDATA2LSB {
		return nil, nil // it has none that we know
	}
	i := slices.IndexFunc(image.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_DYNAMIC })
	section := image.SectionByType(elf.SHT_DYNAMIC) // which debug/elf reads
	if i < 0 || section == nil || section.Offset != image.Progs[i].Off || image.Progs[i].Filesz > maxDynamic {
		return nil, nil
	}
	p := &patch{at: int64(image.Progs[i].Off), data: make([]byte, image.Progs[i].Filesz)}
	if _, err := image.Progs[i].ReadAt(p.data, 0); err != nil && err != io.EOF {
		return nil, err
	}
	removed := false
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		lists, err := image.DynString(tag)
		if err != nil {
			return nil, nil
		}
		for _, list := range lists {
			// A relative path, for example from $ORIGIN, may be anywhere.
			if slices.ContainsFunc(strings.Split(list, ":"), func(dir string) bool {
				return !strings.HasPrefix(dir, "/") || strings.Contains(dir, "$") || there(dir)
			}) {
				return nil, nil
			}
			removed = p.remove(tag) || removed
		}
	}
	if !removed {
		return nil, nil
	}
	return p, nil
}

const (
	maxDynamic   = 64 << 10
	dynamicEntry = 16 // bytes of an Elf64_Dyn: a tag and a value
)

// remove removes an entry with the tag from a dynamic section, moving its end
// one entry forward, and reports success.
func (p *patch) remove(tag elf.DynTag) bool {
	whole := p.data[:len(p.data)/dynamicEntry*dynamicEntry]
	for at := 0; at < len(whole); at += dynamicEntry {
		switch elf.DynTag(binary.LittleEndian.Uint64(whole[at:])) {
		case tag:
			copy(whole[at:], whole[at+dynamicEntry:])
			clear(whole[len(whole)-dynamicEntry:])
			return true
		case elf.DT_NULL:
			return false
		}
	}
	return false
}

// patched reads a file with its patch, without the file's further methods.
type patched struct {
	file  *os.File
	patch *patch
	read  int64
}

func (r *patched) Close() error { return r.file.Close() }

func (r *patched) Read(b []byte) (int, error) {
	n, err := r.file.Read(b)
	if from := max(r.patch.at, r.read); from < min(r.patch.at+int64(len(r.patch.data)), r.read+int64(n)) {
		copy(b[from-r.read:n], r.patch.data[from-r.patch.at:])
	}
	r.read += int64(n)
	return n, err
}
