package gvisor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// stat is what /proc says of a process.
type stat struct {
	start uint64 // clock ticks since boot
	// cpu is what its threads used, and what the children used that it has
	// waited for.
	cpu time.Duration
}

// tick is the clock tick of /proc: USER_HZ, 100 on every architecture of Go.
const tick = time.Second / 100

func readStat(pid int) (stat, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	// The name, in parentheses, may hold anything.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	const state, utime, cstime, starttime = 3, 14, 17, 22
	if len(fields) <= starttime-state {
		return stat{}, fmt.Errorf("/proc/%d/stat: %q", pid, data)
	}
	var s stat
	for n := utime; n <= cstime; n++ {
		v, _ := strconv.ParseUint(fields[n-state], 10, 63)
		s.cpu += time.Duration(v) * tick
	}
	s.start, err = strconv.ParseUint(fields[starttime-state], 10, 64)
	return s, err
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

// treeCPU is the processor time of a process and all that descend from it.
func treeCPU(pid int) time.Duration {
	s, err := readStat(pid)
	if err != nil {
		return 0
	}
	total := s.cpu
	for _, child := range childrenOf(pid) {
		total += treeCPU(child)
	}
	return total
}
