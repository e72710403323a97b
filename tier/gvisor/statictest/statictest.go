// Package statictest lets tests of packages with gVisor run where Go would link
// the test binary dynamically: gVisor must start itself again in an empty root,
// without a loader.
package statictest

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Main runs the tests of the package in the current directory and returns the
// exit code. A dynamic test binary rebuilds itself without cgo, and runs the
// result with the same arguments; if the build fails, or the race detector is
// wanted, the dynamic binary's own tests run, and skip gVisor.
func Main(m interface{ Run() int }) int {
	if Race || !dynamic() {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "static")
	if err != nil {
		return m.Run()
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return m.Run()
	}
	static := filepath.Join(dir, "static.test")
	build := exec.Command("go", "test", "-c", "-o", static, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "no static test binary: %v\n%s", err, out)
		return m.Run()
	}
	run := exec.Command(static, os.Args[1:]...)
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = run.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, err)
	return 2
}

func dynamic() bool {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return false
	}
	defer f.Close()
	return slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}
