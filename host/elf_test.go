//go:build linux

package host_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/host"
)

// image is an ELF file with nothing in it but what the loader reads.
type image struct {
	machine                elf.Machine
	interp                 string
	needed, rpath, runpath []string
}

func (e image) write(t *testing.T, p string) {
	t.Helper()
	const headers = 64 + 56 // file header, one program header
	if e.machine == 0 {
		e.machine = elf.EM_X86_64
	}
	strs := []byte{0}
	text := func(s string) uint64 {
		strs = append(strs, s+"\x00"...)
		return uint64(len(strs) - len(s) - 1)
	}
	interp := text(e.interp)
	var dyn []uint64
	for _, s := range e.needed {
		dyn = append(dyn, uint64(elf.DT_NEEDED), text(s))
	}
	for _, s := range e.rpath {
		dyn = append(dyn, uint64(elf.DT_RPATH), text(s))
	}
	for _, s := range e.runpath {
		dyn = append(dyn, uint64(elf.DT_RUNPATH), text(s))
	}
	dyn = append(dyn, 0, 0)
	names := text(".dynamic")

	var b bytes.Buffer
	put := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	strOff, dynOff := uint64(headers), uint64(headers+len(strs))
	secOff := dynOff + uint64(8*len(dyn))
	put(elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1},
		Type:  uint16(elf.ET_DYN), Machine: uint16(e.machine), Version: 1,
		Phoff: 64, Phentsize: 56, Phnum: 1, Shoff: secOff, Shentsize: 64, Shnum: 3, Shstrndx: 1, Ehsize: 64,
	})
	prog := elf.Prog64{Type: uint32(elf.PT_NULL)}
	if e.interp != "" {
		prog = elf.Prog64{Type: uint32(elf.PT_INTERP), Off: strOff + interp, Filesz: uint64(len(e.interp) + 1)}
	}
	put(prog)
	put(strs)
	put(dyn)
	put(elf.Section64{})
	put(elf.Section64{Name: uint32(names), Type: uint32(elf.SHT_STRTAB), Off: strOff, Size: uint64(len(strs))})
	put(elf.Section64{Name: uint32(names), Type: uint32(elf.SHT_DYNAMIC), Off: dynOff, Size: uint64(8 * len(dyn)), Link: 1, Entsize: 16})
	program(t, p, b.String(), 0o755)
}

func TestLibraries(t *testing.T) {
	const loader = "/lib64/ld-test.so.2"
	tests := []struct {
		name    string
		files   map[string]image // DIR is the directory
		search  []string
		elfs    []string
		want    []string
		missing []string
	}{
		{
			name:  "static",
			files: map[string]image{"a": {}},
			elfs:  []string{"a"},
		},
		{
			name: "breadth first, each once, the loader by its name",
			files: map[string]image{
				"a": {interp: loader, needed: []string{"x", "y"}}, "s/x": {needed: []string{"z"}}, "s/y": {needed: []string{"x", "z"}}, "s/z": {needed: []string{"y"}},
			},
			search: []string{"s"}, elfs: []string{"a", "s/y"},
			want: []string{loader, "s/x", "s/y", "s/z"},
		},
		{
			name: "RUNPATH with ORIGIN is the file's own only",
			files: map[string]image{
				"bin/a": {needed: []string{"x"}, runpath: []string{"/nowhere:$ORIGIN/../lib:DIR/other"}}, "lib/x": {needed: []string{"y"}}, "lib/y": {}, "s/x": {}, "s/y": {},
			},
			search: []string{"s"}, elfs: []string{"bin/a"},
			want: []string{"lib/x", "s/y"},
		},
		{
			name: "RPATH holds for what a library needs too",
			files: map[string]image{
				"bin/a": {needed: []string{"x"}, rpath: []string{"${ORIGIN}/../lib"}}, "lib/x": {needed: []string{"y"}}, "lib/y": {}, "s/y": {},
			},
			search: []string{"s"}, elfs: []string{"bin/a"},
			want: []string{"lib/x", "lib/y"},
		},
		{
			name:   "RUNPATH switches RPATH off",
			files:  map[string]image{"a": {needed: []string{"x"}, rpath: []string{"DIR/r"}, runpath: []string{"DIR/n"}}, "r/x": {}, "s/x": {}},
			search: []string{"s"}, elfs: []string{"a"},
			want: []string{"s/x"},
		},
		{
			name:   "another machine's library is passed over",
			files:  map[string]image{"a": {needed: []string{"x"}}, "s/x": {machine: elf.EM_AARCH64}, "t/x": {}},
			search: []string{"s", "t"}, elfs: []string{"a"},
			want: []string{"t/x"},
		},
		{
			name:   "missing, and what was found",
			files:  map[string]image{"a": {needed: []string{"no.so", "x"}}, "s/x": {needed: []string{"none.so"}}},
			search: []string{"s"}, elfs: []string{"a"},
			want: []string{"s/x"}, missing: []string{"no.so (needed by DIR/a)", "none.so (needed by DIR/s/x)"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			here := func(list []string, join string) []string {
				list = slices.Clone(list)
				for i, s := range list {
					if list[i] = strings.ReplaceAll(s, "DIR", dir); !filepath.IsAbs(s) && join != "" {
						list[i] = filepath.Join(dir, s)
					}
				}
				return list
			}
			for name, f := range tt.files {
				f.rpath, f.runpath = here(f.rpath, ""), here(f.runpath, "")
				f.write(t, filepath.Join(dir, name))
			}
			got, err := host.ForTest("", "", here(tt.search, dir)...).Libraries(here(tt.elfs, dir)...)
			if want := here(tt.want, dir); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			var missing *host.MissingError
			if errors.As(err, &missing) {
				if want := here(tt.missing, ""); !slices.Equal(missing.Missing, want) {
					t.Errorf("missing %q, want %q", missing.Missing, want)
				}
			} else if err != nil || tt.missing != nil {
				t.Errorf("got %v, missing should be %q", err, tt.missing)
			}
		})
	}
}

func TestLibrariesOfNoELF(t *testing.T) {
	p := filepath.Join(t.TempDir(), "script")
	program(t, p, "#!/bin/sh\n", 0o755)
	if got, err := host.New().Libraries(p); err == nil {
		t.Errorf("got %q", got)
	}
}

// TestLibrariesAsTheLoader compares with what the loader itself says.
func TestLibrariesAsTheLoader(t *testing.T) {
	ldd, err := exec.LookPath("ldd")
	if err != nil {
		t.Skip("ldd is not installed")
	}
	h := host.New()
	for _, name := range []string{"sh", "bash", "python3", "node", "php", "ruby", "perl", "lua", "git", "curl"} {
		t.Run(name, func(t *testing.T) {
			exe, err := h.LookPath(name)
			if err != nil {
				t.Skip(err)
			}
			out, err := h.Ask(t.Context(), ldd, exe)
			if err != nil || strings.Contains(out, "not found") {
				t.Skipf("ldd %s: %v", exe, err)
			}
			var want []string
			for line := range strings.Lines(out) {
				f := strings.Fields(line)
				if len(f) > 0 && !strings.Contains(f[0], "vdso") && strings.Contains(f[0], ".so") {
					want = append(want, filepath.Base(f[0]))
				}
			}
			libs, err := h.Libraries(exe)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range libs {
				got = append(got, filepath.Base(l))
				if _, err := os.Stat(l); err != nil {
					t.Error(err)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %q, the loader says %q", got, want)
			}
		})
	}
}

func TestConfiguredDirs(t *testing.T) {
	dir := t.TempDir()
	program(t, filepath.Join(dir, "ld.so.conf"), "# comment\ninclude conf.d/*.conf\n  /a/ # b\n/c:/d,/e /f=libc6\nrelative\nhwcap 1 x\ninclude ld.so.conf\ninclude /nowhere/*", 0o644)
	program(t, filepath.Join(dir, "conf.d/2.conf"), "/two\n", 0o644)
	program(t, filepath.Join(dir, "conf.d/1.conf"), "/one", 0o644)
	got := host.ConfiguredDirs(filepath.Join(dir, "ld.so.conf"))
	if want := []string{"/one", "/two", "/a", "/c", "/d", "/e", "/f"}; !slices.Equal(got[:len(want)], want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestELFs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.so", "deep/b.cpython-311-x86_64-linux-gnu.so", "c.so.1.2", "n.node", "exe"} {
		image{}.write(t, filepath.Join(dir, name))
	}
	program(t, filepath.Join(dir, "text.so"), "INPUT(-lx)", 0o755)
	program(t, filepath.Join(dir, "short.so"), "\x7fEL", 0o755)
	program(t, filepath.Join(dir, "script"), "#!/bin/sh\n", 0o755)
	program(t, filepath.Join(dir, "object.so"), "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00>", 0o755)
	if err := os.Symlink("a.so", filepath.Join(dir, "link.so")); err != nil {
		t.Fatal(err)
	}
	got, err := host.New().ELFs(dir)
	for i := range got {
		got[i], _ = filepath.Rel(dir, got[i])
	}
	if want := []string{"a.so", "c.so.1.2", "deep/b.cpython-311-x86_64-linux-gnu.so", "exe", "n.node"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
