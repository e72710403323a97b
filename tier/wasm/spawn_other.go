//go:build !linux && !windows

package wasm

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func own(cmd *exec.Cmd, _ bool) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func give(cmd *exec.Cmd, files []*os.File) []uintptr {
	numbers := make([]uintptr, len(files))
	for i, f := range files {
		if f != nil {
			cmd.ExtraFiles = append(cmd.ExtraFiles, f)
			numbers[i] = uintptr(2 + len(cmd.ExtraFiles))
		}
	}
	return numbers
}

const apartPossible = false

func usage(int) (time.Duration, int64, error) { return 0, 0, errors.ErrUnsupported }
