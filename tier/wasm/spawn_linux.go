package wasm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// own makes the process die with us, with its own session and, where the host
// permits, name spaces.
func own(cmd *exec.Cmd, apart bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if apart {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET |
			syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
}

// give passes descriptors on, and returns their numbers in the process.
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

const apartPossible = true

// ticksPerSecond is USER_HZ, 100 on every machine supported by Go.
const ticksPerSecond = 100

// usage is the processor time and the resident memory of a process.
func usage(pid int) (cpu time.Duration, resident int64, err error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 22 {
		return 0, 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	user, _ := strconv.ParseInt(string(fields[11]), 10, 64)
	system, _ := strconv.ParseInt(string(fields[12]), 10, 64)
	pages, _ := strconv.ParseInt(string(fields[21]), 10, 64)
	return time.Duration(user+system) * time.Second / ticksPerSecond, pages * int64(os.Getpagesize()), nil
}
