//go:build linux

package gvisor

import (
	"bytes"
	"io"
	"reflect"
	"sync/atomic"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
)

// A guest's kernel numbers terminals in one file system outside all namespaces:
// the next program would see how many were opened before. A nest is tainted,
// and not used again, once a program had a terminal.

// spoiltLine is what a sentry says then.
const spoiltLine = "glovebox: spoilt\n"

// terminal is gVisor's type of an open terminal's first end.
const terminal = "*devpts.masterFileDescription"

var saidSpoilt atomic.Bool

// watchTerminals makes the sentry report a program that opens a terminal.
func watchTerminals() {
	wrapCalls(func(name string, next serve) serve {
		switch name {
		case "open", "openat", "openat2", "creat":
		default:
			return nil
		}
		return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
			fd, control, err := next(t, nr, args)
			if err == nil && oneProcessor.Load() && isTerminal(t, int32(fd)) && !saidSpoilt.Swap(true) {
				_, _ = unix.Write(2, []byte(spoiltLine))
			}
			return fd, control, err
		}
	})
}

func isTerminal(t *kernel.Task, fd int32) bool {
	file := t.GetFile(fd)
	if file == nil {
		return true // another thread closed it: who knows
	}
	defer file.DecRef(t)
	return reflect.TypeOf(file.Impl()).String() == terminal
}

// spoilt reports whether the sentry logged a terminal since the box began. Each
// line is one write, and lines are few.
func (n *nest) spoilt() bool {
	said, err := io.ReadAll(io.NewSectionReader(n.log, n.logged, sentryLogMax))
	return err != nil || len(said) == sentryLogMax || bytes.Contains(said, []byte(spoiltLine))
}
