//go:build linux

package gvisor

import (
	"fmt"
	"os"
)

// ownMemory is how much of a process's memory is of no file, in bytes; 0 for a
// process that is gone.
func ownMemory(pid int) int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(data), &size, &resident, &shared); err != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}
