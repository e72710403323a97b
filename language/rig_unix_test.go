//go:build unix

package language

import (
	"os/exec"
	"syscall"
)

// endGroup has a command end with its whole group. bubblewrap's child outlives its
// parent where that is killed in the moment of the fork, before the child has asked to
// die with it; it would hold its pipes for good.
func endGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
