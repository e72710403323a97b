//go:build !linux

package docker

import (
	"crypto/sha256"
	"fmt"
	"os"
	"syscall"
)

// machine is this machine by its name, hashed: labels are for everybody to read.
func machine() string {
	name, _ := os.Hostname()
	return fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:32]
}

// process is a process by its number. A number that is in use again keeps what
// its last owner left for longer.
func process(pid int) string {
	p, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Sprintf("%d.", pid)
	}
	defer p.Release()
	if err := p.Signal(syscall.Signal(0)); err == os.ErrProcessDone {
		return fmt.Sprintf("%d.", pid)
	}
	return fmt.Sprintf("%d.alive", pid)
}
