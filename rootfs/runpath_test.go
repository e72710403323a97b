//go:build linux

package rootfs

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"
)

// TestRunPath: a program's directories that no box has are left out of its copy,
// which runs as it did and has all else that the loader is told.
func TestRunPath(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("there is no gcc to link programs with")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "main.c")
	if err := os.WriteFile(source, []byte("int main(void) { return 3; }"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		flags []string
		left  bool
	}{
		"none":               {nil, false},
		"a run path":         {[]string{"-Wl,-rpath,/home/u/.v/lib"}, false},
		"two directories":    {[]string{"-Wl,-rpath,/home/u/.v/lib:/srv/lib"}, false},
		"an old rpath":       {[]string{"-Wl,--disable-new-dtags,-rpath,/home/u/.v/lib"}, false},
		"beside the program": {[]string{"-Wl,-rpath,$ORIGIN/../lib"}, true},
		"one of the root":    {[]string{"-Wl,-rpath,/home/u/.v/lib:/opt/odd"}, true},
		"that is not clean":  {[]string{"-Wl,-rpath,//opt/../opt/./odd/"}, true},
		"behind a link":      {[]string{"-Wl,-rpath,/srv/odd"}, true},
		"a file":             {[]string{"-Wl,-rpath,/as-is"}, false},
		"relative":           {[]string{"-Wl,-rpath,lib"}, true},
		"alike":              {[]string{"-Wl,-rpath,/opt/odder"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			at := filepath.Join(t.TempDir(), "program")
			if out, err := exec.Command(gcc, append(c.flags, "-o", at, source)...).CombinedOutput(); err != nil {
				t.Skipf("gcc: %v: %s", err, out)
			}
			before := told(t, at)
			root := build(t, Plan{Entries: []Entry{
				{Path: "/program", Source: at, Linked: true}, {Path: "/as-is", Source: at},
				{Path: "/opt/odd", Dir: true}, {Path: "/srv", Link: "opt"},
			}})
			if !sameFile(t, filepath.Join(root, "as-is"), at) {
				t.Error("without Linked the copy is another")
			}
			placed := filepath.Join(root, "program")
			after := told(t, placed)
			if _, has := after["path"]; has != c.left {
				t.Errorf("it has a path: %t, %q", has, after["path"])
			}
			if !c.left {
				delete(before, "path")
			}
			for tag, v := range before {
				if !slices.Equal(after[tag], v) {
					t.Errorf("%s was %q and is %q", tag, v, after[tag])
				}
			}
			if err := exec.Command(placed).Run(); err == nil || err.Error() != "exit status 3" {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// told is what a program's loader is told.
func told(t *testing.T, name string) map[string][]string {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string][]string{}
	section := f.SectionByType(elf.SHT_DYNAMIC)
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	for ; len(data) >= dynamicEntry; data = data[dynamicEntry:] {
		tag, value := elf.DynTag(f.ByteOrder.Uint64(data)), f.ByteOrder.Uint64(data[8:])
		if tag != elf.DT_RPATH && tag != elf.DT_RUNPATH && tag != elf.DT_NULL {
			all[tag.String()] = append(all[tag.String()], fmt.Sprint(value))
		}
	}
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		if s, err := f.DynString(tag); err != nil {
			t.Fatal(err)
		} else if len(s) > 0 {
			all["path"] = s
		}
	}
	return all
}

func sameFile(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(x, y)
}

// TestPatched: the patch is in its place however the file is read.
func TestPatched(t *testing.T) {
	whole := make([]byte, 100)
	for i := range whole {
		whole[i] = byte(i)
	}
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{0, 1, 37, 90} {
		want := bytes.Clone(whole)
		p := &patch{at: at, data: bytes.Repeat([]byte{255}, 10)}
		copy(want[at:], p.data)
		for _, read := range []func(io.Reader) io.Reader{
			iotest.OneByteReader,
			iotest.HalfReader,
			func(r io.Reader) io.Reader { return io.LimitReader(r, 1000) },
			func(r io.Reader) io.Reader {
				var all bytes.Buffer
				_, _ = io.CopyBuffer(struct{ io.Writer }{&all}, struct{ io.Reader }{r}, make([]byte, 7))
				return &all
			},
		} {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(read(&patched{file: f, patch: p}))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("at %d: %v %v", at, got, err)
			}
			f.Close()
		}
	}
}

// TestRunPathOfOthers: what is no program of a kind that we know stays as it is.
func TestRunPathOfOthers(t *testing.T) {
	dir := t.TempDir()
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "script": []byte("#!/bin/sh\n"), "head": self[:64], "short": self[:4096], "magic": []byte("\x7fELF"),
	} {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, data, 0o755); err != nil {
			t.Fatal(err)
		}
		if p, err := withoutRunPath(at, func(string) bool { return false }); p != nil || err != nil {
			t.Errorf("%s: %v %v", name, p, err)
		}
	}
}
