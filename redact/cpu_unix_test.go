//go:build !windows

package redact

import (
	"syscall"
	"time"
)

// cpu is the processor time of this process, which other load on the machine
// changes less than the time that passes.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
