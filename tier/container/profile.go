//go:build linux

package container

import (
	"slices"

	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

// gloveCalls are calls for the glove and not for commands: to finish the walls,
// and to put on the walls of a command.
var gloveCalls = []uintptr{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_SETDOMAINNAME,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT,
	unix.SYS_PRCTL, unix.SYS_PRLIMIT64, unix.SYS_SECCOMP,
	unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF,
}

// profile is the runtime's filter of system calls: the calls of a command's
// filter and the glove's. It is the outer wall. Behind it each command has a
// filter without the glove's calls, which also distinguishes refused from
// missing calls: the newer filter's error counts.
func profile() *specs.LinuxSeccomp {
	missing := uint(unix.ENOSYS)
	p := &specs.LinuxSeccomp{
		DefaultAction: specs.ActErrno, DefaultErrnoRet: &missing,
		Architectures: machines[seccomp.Arch],
	}
	names := func(nrs ...uintptr) (list []string) {
		for _, nr := range nrs {
			list = append(list, callNames[nr])
		}
		return list
	}
	special := map[uintptr]bool{}
	for _, nr := range gloveCalls {
		special[nr] = true
	}
	plain := slices.Clone(gloveCalls)
	var tested []specs.LinuxSyscall
	// With metered memory, the list is longer.
	for _, c := range seccomp.Calls(seccomp.Policy{Metered: true}) {
		switch {
		case special[c.NR]:
		case c.Else == seccomp.Allow:
			// Calls refused by their arguments are left to a command's own
			// filter: a profile cannot express them.
			plain = append(plain, c.NR)
		default:
			for _, r := range c.Rules {
				if r.Then == seccomp.Allow {
					tested = append(tested, specs.LinuxSyscall{Names: names(c.NR), Action: specs.ActAllow, Args: arguments(r.When)})
				}
			}
		}
	}
	p.Syscalls = append([]specs.LinuxSyscall{{Names: names(plain...), Action: specs.ActAllow}}, tested...)
	return p
}

// machines are the architectures of the profile. The calls of other
// architectures end the process. Calls of x32 would, too, but x32 belongs to
// the same machine: it is listed, and a command's own filter reports its calls
// as missing.
var machines = map[uint32][]specs.Arch{
	unix.AUDIT_ARCH_X86_64: {specs.ArchX86_64, specs.ArchX32}, unix.AUDIT_ARCH_AARCH64: {specs.ArchAARCH64},
}

func arguments(conds []seccomp.Cond) (args []specs.LinuxSeccompArg) {
	for _, c := range conds {
		mask := c.Mask
		if mask == 0 {
			mask = 1<<32 - 1
		}
		args = append(args, specs.LinuxSeccompArg{
			Index: uint(c.Arg), Op: specs.OpMaskedEqual, Value: uint64(mask), ValueTwo: uint64(c.Value),
		})
	}
	return args
}
