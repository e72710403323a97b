package cost

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// descendants is the memory of all descendants of the process, in bytes: each
// page divided by the number of sharers.
func descendants() int64 {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		var pid, parent int
		// The name, in parentheses, may hold anything.
		at := strings.LastIndexByte(string(text), ')')
		if _, err := fmt.Sscan(string(text), &pid); err != nil || at < 0 {
			continue
		}
		var state string
		if _, err := fmt.Sscan(string(text[at+1:]), &state, &parent); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	var sum int64
	var add func(pid int)
	add = func(pid int) {
		for _, child := range children[pid] {
			sum += Proportional(child)
			add(child)
		}
	}
	add(os.Getpid())
	return sum
}

// Proportional is a process's proportional set size in bytes: each page divided
// by the number of its sharers. It is 0 for a dead process.
func Proportional(pid int) int64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	var kib int64
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "Pss:"); ok {
			fmt.Sscan(rest, &kib)
		}
	}
	return kib << 10
}
