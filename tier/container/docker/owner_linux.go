package docker

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
)

// machine is the running kernel and the pid name space, hashed: labels are for
// everybody to read.
func machine() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return fmt.Sprintf("%x", sha256.Sum256([]byte(string(boot)+space)))[:32]
}

// process identifies a process by its number and start time; without a start
// time it matches none.
func process(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return fmt.Sprintf("%d.", pid)
	}
	// Its name, in parentheses, may hold anything.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return fmt.Sprintf("%d.", pid)
	}
	return fmt.Sprintf("%d.%s", pid, fields[19])
}
