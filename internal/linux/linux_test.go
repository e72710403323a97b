//go:build linux

package linux

import (
	"encoding/binary"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// pair is a constant, by name, and the number that x/sys has for it.
type pair struct {
	name       string
	ours, want int64
}

// TestNumbers compares every constant of the package with x/sys.
func TestNumbers(t *testing.T) {
	compared := map[string]bool{}
	for _, p := range append(systemCalls, flags...) {
		compared[p.name] = true
		if p.ours != p.want {
			t.Errorf("%s is %#x, not %#x", p.name, p.ours, p.want)
		}
	}
	files := []string{"syscalls_" + runtime.GOARCH + ".go", "abi_" + runtime.GOARCH + ".go", "flags.go"}
	if runtime.GOARCH == "amd64" {
		files = append(files, "legacy_amd64.go")
	}
	for _, name := range constants(t, files...) {
		if !compared[name] {
			t.Errorf("%s is compared with nothing", name)
		}
	}
}

// TestBothProcessorsHaveTheSameNames: a script builds on both.
func TestBothProcessorsHaveTheSameNames(t *testing.T) {
	amd64, arm64 := constants(t, "syscalls_amd64.go", "abi_amd64.go"), constants(t, "syscalls_arm64.go", "abi_arm64.go")
	if !slices.Equal(amd64, arm64) {
		t.Errorf("amd64 has %v, arm64 has %v", amd64, arm64)
	}
}

// constants are the names of the constants that the files declare, sorted.
func constants(t *testing.T, files ...string) []string {
	var names []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, s := range g.Specs {
					for _, n := range s.(*ast.ValueSpec).Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	if len(names) == 0 {
		t.Fatalf("%v declare no constant", files)
	}
	slices.Sort(names)
	return names
}

func TestErrno(t *testing.T) {
	for n := range 200 {
		host, e := unix.Errno(n), Errno(n)
		text := host.Error()
		if e == EHWPOISON { // package syscall has no text for it
			text = e.Error()
		}
		if e.Name() != unix.ErrnoName(host) || e.Error() != text {
			t.Errorf("%d is %q, %q; x/sys says %q, %q", n, e.Name(), e, unix.ErrnoName(host), text)
		}
		for _, target := range []error{fs.ErrPermission, fs.ErrExist, fs.ErrNotExist, fs.ErrInvalid, host, unix.ENOENT} {
			if got, want := errors.Is(e, target), errors.Is(host, target); got != want {
				t.Errorf("%v is %v: %v, not %v", e, target, got, want)
			}
		}
	}
	for _, name := range constants(t, "errno_table.go") {
		if name != "EWOULDBLOCK" && !slices.ContainsFunc(errnos[:], func(e struct{ name, text string }) bool { return e.name == name }) {
			t.Errorf("%s has no text", name)
		}
	}
	if EWOULDBLOCK != Errno(unix.EWOULDBLOCK) || ENOTDIR != Errno(unix.ENOTDIR) || EHWPOISON != Errno(unix.EHWPOISON) {
		t.Error("the constants are out of step")
	}
}

func TestSignal(t *testing.T) {
	for n := -1; n < 32; n++ { // x/sys names no others
		if s := Signal(n); s.Name() != unix.SignalName(unix.Signal(n)) {
			t.Errorf("%d is %q, not %q", n, s.Name(), unix.SignalName(unix.Signal(n)))
		}
	}
	if SIGSYS != Signal(unix.SIGSYS) || SIGKILL != Signal(unix.SIGKILL) || SIGCHLD.String() != "SIGCHLD" || Signal(65).String() != "signal 65" {
		t.Error("the constants are out of step")
	}
}

func TestWaitStatus(t *testing.T) {
	for _, n := range []uint32{0, 1 << 8, 127 << 8, 255 << 8, 9, 9 | 0x80, 11, 0x137f, 0xffff, 15} {
		w, host := WaitStatus(n), syscall.WaitStatus(n)
		if w.Exited() != host.Exited() || w.ExitStatus() != host.ExitStatus() || w.Signaled() != host.Signaled() || int(w.Signal()) != int(host.Signal()) {
			t.Errorf("%#x: %v %d %v %d, not %v %d %v %d", n, w.Exited(), w.ExitStatus(), w.Signaled(), w.Signal(),
				host.Exited(), host.ExitStatus(), host.Signaled(), host.Signal())
		}
	}
}

// TestStat decodes what the kernel writes and compares each field.
func TestStat(t *testing.T) {
	var host unix.Stat_t
	if err := unix.Stat(os.Args[0], &host); err != nil {
		t.Fatal(err)
	}
	raw, err := binary.Append(nil, binary.LittleEndian, &host)
	if err != nil {
		t.Fatal(err)
	}
	var ours Stat
	if n, err := binary.Decode(raw, binary.LittleEndian, &ours); err != nil || n != len(raw) {
		t.Fatalf("decoded %d of %d bytes: %v", n, len(raw), err)
	}
	want, got := reflect.ValueOf(host), reflect.ValueOf(ours)
	for i := range want.NumField() {
		name := want.Type().Field(i).Name
		if strings.HasPrefix(name, "_") || strings.HasPrefix(name, "X_") {
			continue
		}
		if f := got.FieldByName(name); !f.IsValid() || !reflect.DeepEqual(binaryOf(t, f), binaryOf(t, want.Field(i))) {
			t.Errorf("%s is %v, not %v", name, f, want.Field(i))
		}
	}
}

func binaryOf(t *testing.T, v reflect.Value) []byte {
	raw, err := binary.Append(nil, binary.LittleEndian, v.Interface())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestSignalNames(t *testing.T) {
	for s, want := range map[Signal]string{0: "", 9: "SIGKILL", 31: "SIGSYS", 32: "SIG32", 34: "SIGRTMIN", 40: "SIGRTMIN+6", 64: "SIGRTMIN+30", 65: "", -1: ""} {
		if got := s.Name(); got != want {
			t.Errorf("signal %d is %q, want %q", int(s), got, want)
		}
	}
}
