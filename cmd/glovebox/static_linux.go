package main

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
)

// becomeStatic helps those who try the program with go run. Where there is a C
// compiler, go run links dynamically; but gVisor starts itself again in an
// empty root, where there is no loader, so it could not be used. The program is
// then built once more, the same way but without cgo, and takes our place. A
// binary that somebody has built on purpose is left as it is.
func becomeStatic() {
	exe, err := os.Executable()
	if err != nil || !strings.Contains(exe, string(filepath.Separator)+"go-build") || !dynamic(exe) {
		return
	}
	info, ok := debug.ReadBuildInfo()
	tool, err := exec.LookPath("go")
	if !ok || err != nil {
		return
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return
	}
	static := filepath.Join(dir, "glovebox", "static", "glovebox")
	if os.MkdirAll(filepath.Dir(static), 0o700) != nil {
		return
	}
	build := exec.Command(tool, "build", "-ldflags=-s -w", "-o", static, info.Path)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if _, err := os.Stat(static); err != nil {
		fmt.Fprintln(os.Stderr, "glovebox: building once more without cgo, which gVisor needs (CGO_ENABLED=0 saves this)")
	}
	if build.Run() == nil {
		syscall.Exec(static, os.Args, os.Environ())
	}
}

// dynamic tells whether an executable needs a loader.
func dynamic(exe string) bool {
	f, err := elf.Open(exe)
	if err != nil {
		return false
	}
	defer f.Close()
	return slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}
