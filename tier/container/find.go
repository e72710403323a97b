//go:build linux

package container

import (
	"fmt"
	"os"
	"strings"

	"github.com/gloveboxhq/glovebox/glove/native"
)

// processOne finds process 1 of the container below a stage, by its pid on the
// host.
func processOne(stage int) (int, error) {
	for _, pid := range native.Below(stage) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(status)) {
			// The pid in each pid name space, from ours inwards: 1 in the
			// container's, not in the stage's.
			if ids, ok := strings.CutPrefix(line, "NSpid:"); ok {
				if f := strings.Fields(ids); len(f) > 2 && f[len(f)-1] == "1" {
					return pid, nil
				}
			}
		}
	}
	return 0, fmt.Errorf("process %d has no container below it", stage)
}
