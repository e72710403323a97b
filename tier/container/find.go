//go:build linux

package container

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// processOne finds process 1 of the container below a stage, as the host calls
// it.
func processOne(stage int) (int, error) {
	for _, pid := range below(stage) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(status)) {
			// Its number in each pid name space, from ours inwards: in the
			// stage's it is not 1, in the container's it is.
			if ids, ok := strings.CutPrefix(line, "NSpid:"); ok {
				if f := strings.Fields(ids); len(f) > 2 && f[len(f)-1] == "1" {
					return pid, nil
				}
			}
		}
	}
	return 0, fmt.Errorf("process %d has no container below it", stage)
}

// below returns the processes below one.
func below(pid int) (all []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(data)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(append(all, child), below(child)...)
			}
		}
	}
	return all
}
