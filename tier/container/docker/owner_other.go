//go:build !linux

package docker

import (
	"crypto/sha256"
	"fmt"
	"os"
	"syscall"
)

// machine identifies the machine by name, hashed: labels are public.
func machine() string {
	name, _ := os.Hostname()
	return fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:32]
}

// process identifies a process by its number. A reused number delays the sweep
// of its last owner's remains.
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
