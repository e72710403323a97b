//go:build linux

package gvisor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the clock tick of /proc: USER_HZ, 100 on every architecture of Go.
const tick = time.Second / 100

// processCPU is the processor time of a process's threads and of the children
// that it has waited for. It is 0 for a process that is gone.
func processCPU(pid int) time.Duration {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name, in parentheses, may hold anything.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	const state, utime, cstime = 3, 14, 17
	if len(fields) <= cstime-state {
		return 0
	}
	var ticks uint64
	for _, field := range fields[utime-state : cstime-state+1] {
		n, _ := strconv.ParseUint(field, 10, 63)
		ticks += n
	}
	return time.Duration(ticks) * tick
}

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

// childrenOf returns the processes that a process started and that live.
func childrenOf(pid int) []int {
	var pids []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// descendants returns what childrenOf does, with their children and so on.
func descendants(pid int) []int {
	all := childrenOf(pid)
	for _, child := range all {
		all = append(all, descendants(child)...)
	}
	return all
}

// treeCPU is the processor time of a process and all that descend from it.
func treeCPU(pid int) time.Duration {
	total := processCPU(pid)
	for _, child := range descendants(pid) {
		total += processCPU(child)
	}
	return total
}
