//go:build linux

package gvisor

import (
	"reflect"
	"unsafe"

	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/hostarch"
	"gvisor.dev/gvisor/pkg/marshal/primitive"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
)

// tellThread adds a system call of Linux missing from gVisor: a thread asks for
// the address of its number in the C library, required for a glove to copy a
// process.
func tellThread() {
	wrapCalls(func(name string, next serve) serve {
		if name != "prctl" {
			return nil
		}
		return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
			if args[0].Int() != linux.PR_GET_TID_ADDRESS {
				return next(t, nr, args)
			}
			at, ok := field[hostarch.Addr](t, "cleartid")
			if !ok {
				return next(t, nr, args) // which fails, as ever
			}
			_, err := primitive.CopyUint64Out(t, args[1].Pointer(), uint64(*at))
			return 0, nil, err
		}
	})
}

// field returns an unexported field of a struct.
func field[F, S any](s *S, name string) (*F, bool) {
	f, ok := reflect.TypeFor[S]().FieldByName(name)
	if !ok || f.Type != reflect.TypeFor[F]() {
		return nil, false
	}
	return (*F)(unsafe.Add(unsafe.Pointer(s), f.Offset)), true
}
