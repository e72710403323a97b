//go:build linux

package native

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Below returns the processes below one, as far as they are still there.
func Below(pid int) (all []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(data)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(append(all, child), Below(child)...)
			}
		}
	}
	return all
}

// TreeTime is the processor time of a process, of those below it, and of those
// that they have waited for.
func TreeTime(pid int) (sum time.Duration) {
	for _, pid := range append(Below(pid), pid) {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if f := statFields(stat); f != nil {
			sum += statTime(f)
		}
	}
	return sum
}

// Fields of /proc/PID/stat, after the name of the program, which may hold
// anything.
const (
	statParent  = 1
	statUser    = 11
	statThreads = 17
	statStart   = 19
	tick        = time.Second / 100 // USER_HZ
)

// statFields returns these fields, nil where they are not all there.
func statFields(stat []byte) []string {
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) <= statStart {
		return nil
	}
	return f
}

// statTime is the processor time of a process and of the children that it has
// waited for.
func statTime(fields []string) time.Duration {
	s := statSpent(fields)
	return s.own + s.waited
}

func statSpent(fields []string) spent {
	ticks := func(i int) time.Duration { return time.Duration(number(fields[i])) * tick }
	return spent{ticks(statUser) + ticks(statUser+1), ticks(statUser+2) + ticks(statUser+3), fields[statParent]}
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}
