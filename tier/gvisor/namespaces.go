package gvisor

import (
	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
)

// refuseNamespaces takes user namespaces from the guest. In one of its own a
// command would have every capability there, could mount, and would reach much
// more of the sentry's code.
func refuseNamespaces() {
	wrapCalls(func(name string, next serve) serve {
		switch name {
		case "clone", "unshare":
			return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
				if args[0].Uint64()&unix.CLONE_NEWUSER != 0 {
					return 0, nil, linuxerr.EPERM
				}
				return next(t, nr, args)
			}
		case "clone3": // its flags are in memory, which may change; libraries take clone instead
			return func(*kernel.Task, uintptr, arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
				return 0, nil, linuxerr.ENOSYS
			}
		}
		return nil
	})
}
