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

// tellThread adds a call of Linux's that gVisor lacks: a thread asks where its C
// library keeps its number, which a glove needs to copy a process.
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

// field returns a field of a struct that has no name outside of its package.
func field[F, S any](s *S, name string) (*F, bool) {
	f, ok := reflect.TypeFor[S]().FieldByName(name)
	if !ok || f.Type != reflect.TypeFor[F]() {
		return nil, false
	}
	return (*F)(unsafe.Add(unsafe.Pointer(s), f.Offset)), true
}
