//go:build linux

package gvisor

import (
	"reflect"
	"unsafe"

	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/marshal/primitive"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
)

// tellThread adds a call of Linux that gVisor lacks: a thread asks where its C
// library keeps its number, which the glove needs to copy a process.
func tellThread() {
	field, ok := reflect.TypeFor[kernel.Task]().FieldByName("cleartid")
	if !ok || field.Type.Kind() != reflect.Uintptr {
		return // the call fails, as ever
	}
	wrapCalls(func(name string, next serve) serve {
		if name != "prctl" {
			return nil
		}
		return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
			if args[0].Int() != linux.PR_GET_TID_ADDRESS {
				return next(t, nr, args)
			}
			address := *(*uint64)(unsafe.Add(unsafe.Pointer(t), field.Offset))
			_, err := primitive.CopyUint64Out(t, args[1].Pointer(), address)
			return 0, nil, err
		}
	})
}
