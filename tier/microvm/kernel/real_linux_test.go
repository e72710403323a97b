package kernel

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestDebianItself prepares a kernel from Debian's own archive, for both
// processors.
func TestDebianItself(t *testing.T) {
	if _, err := (Debian{}).keys(); err != nil {
		t.Skip("real Debian: ", err)
	}
	if testing.Short() {
		t.Skip("real Debian: it fetches 35 MB")
	}
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			k, err := Prepare(ctx, Options{Dir: private(t), Arch: arch})
			if unreachable(err) {
				t.Skip("real Debian: ", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			mods, err := k.Modules(Required...)
			if err != nil || len(mods) < 4 {
				t.Errorf("%v, %v", mods, err)
			}
			if arch == "amd64" {
				f, err := elf.Open(k.Vmlinux)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if f.Entry == 0 {
					t.Error("vmlinux has no entry")
				}
				checkAgainstModinfo(t, k)
			}
			t.Log(k.Version, k.Source)
		})
	}
}

// unreachable tells whether err is of the way to a mirror and not of what came.
func unreachable(err error) bool {
	var n net.Error
	return errors.As(err, &n) || errors.Is(err, io.ErrUnexpectedEOF)
}

// checkAgainstModinfo compares with what the system's own tool says.
func checkAgainstModinfo(t *testing.T, k *Kernel) {
	tool, err := exec.LookPath("modinfo")
	if err != nil {
		t.Log("modinfo: ", err)
		return
	}
	mods, err := k.Modules(Required...)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mods {
		ko, err := os.ReadFile(m.Path)
		if err != nil {
			t.Fatal(err)
		}
		i, err := readInfo(ko)
		if err != nil {
			t.Fatal(err)
		}
		said, err := exec.Command(tool, "-F", "depends", m.Path).Output()
		if err != nil {
			t.Fatal(err)
		}
		var needs []string
		for need := range bytes.FieldsFuncSeq(said, func(r rune) bool { return r == ',' || r == '\n' }) {
			needs = append(needs, plain(string(need)))
		}
		if len(needs) != len(i.needs) {
			t.Errorf("%s needs %q, modinfo says %q", m.Name, i.needs, needs)
		}
	}
}
