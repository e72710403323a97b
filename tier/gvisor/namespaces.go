//go:build linux

package gvisor

import (
	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/abi/linux"
	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
)

// newNamespaces are the flags of new namespaces. In a user namespace of its own
// a command would have every capability, could mount, and would reach much more
// of the sentry's code; gVisor grants a mount namespace to any caller of clone.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// refuseNamespaces denies namespaces to the guest, except to process 1 of a
// nest for a box of a batch.
func refuseNamespaces() {
	wrapCalls(func(name string, next serve) serve {
		switch name {
		case "clone":
			return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
				switch args[0].Uint64() & newNamespaces {
				case 0:
				case lentNamespaces:
					if !t.Credentials().HasRootCapability(linux.CAP_SYS_ADMIN) {
						return 0, nil, linuxerr.EPERM
					}
					// gVisor never frees sockets in transit to each other, nor
					// the rest of their cargo: files, locks, timers.
					if len(t.Kernel().ListSockets()) > 0 {
						return 0, nil, linuxerr.EBUSY
					}
					beginLent(t)
				default:
					return 0, nil, linuxerr.EPERM
				}
				return next(t, nr, args)
			}
		case "unshare":
			return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
				if args[0].Uint64()&newNamespaces != 0 {
					return 0, nil, linuxerr.EPERM
				}
				return next(t, nr, args)
			}
		case "keyctl", "add_key", "request_key": // keys are of the user namespace, which is everybody's
			return func(*kernel.Task, uintptr, arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
				return 0, nil, linuxerr.ENOSYS
			}
		case "clone3": // its flags are in memory, which may change; libraries take clone instead
			return func(*kernel.Task, uintptr, arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
				return 0, nil, linuxerr.ENOSYS
			}
		}
		return nil
	})
}
