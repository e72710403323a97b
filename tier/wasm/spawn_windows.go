package wasm

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

func own(cmd *exec.Cmd, _ bool) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NO_WINDOW
}

// give lets the process inherit the handles under their own numbers.
func give(cmd *exec.Cmd, files []*os.File) []uintptr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	numbers := make([]uintptr, len(files))
	for i, f := range files {
		if f == nil {
			continue
		}
		numbers[i] = f.Fd()
		if windows.SetHandleInformation(windows.Handle(numbers[i]), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT) == nil {
			cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(numbers[i]))
		}
	}
	return numbers
}

const apartPossible = false

func usage(int) (time.Duration, int64, error) { return 0, 0, errors.ErrUnsupported }
