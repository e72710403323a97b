package glove

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"runtime"
	"testing"
)

// TestImage: whatever the host is, the image is a static program for Linux and
// this processor.
func TestImage(t *testing.T) {
	image := Image()
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if f.Machine != machine || f.Type != elf.ET_EXEC || len(f.Progs) != 2 {
		t.Errorf("%v with %d segments", f.FileHeader, len(f.Progs))
	}
	if text := f.Progs[0]; f.Entry < text.Vaddr || f.Entry >= text.Vaddr+text.Filesz || text.Flags != elf.PF_R|elf.PF_X {
		t.Errorf("it begins at %#x in %+v", f.Entry, text.ProgHeader)
	}
	t.Logf("%s/%s %x", runtime.GOOS, runtime.GOARCH, sha256.Sum256(image))
}
