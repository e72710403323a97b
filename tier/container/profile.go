//go:build linux

package container

import (
	"slices"

	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

// gloveCalls are the calls that the glove makes and no command may: to finish the
// walls, and to put on those of a command.
var gloveCalls = []uintptr{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_SETDOMAINNAME,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT,
	unix.SYS_PRCTL, unix.SYS_PRLIMIT64, unix.SYS_SECCOMP,
	unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF,
}

// profile is the runtime's filter of system calls: what the filter of a command
// allows, and what the glove needs. It is the outer wall. Each command has a
// filter of its own behind it, which takes the glove's calls away, and says what
// is refused and what is missing: the newer filter's error is the one that
// counts.
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
	// With a meter of memory, the list is the longer one.
	for _, c := range seccomp.Calls(seccomp.Policy{Metered: true}) {
		switch {
		case special[c.NR]:
		case c.Else == seccomp.Allow:
			// What is refused by its arguments a command's own filter refuses:
			// here there is no way to say it.
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

// machines are the machines that the profile is for. The calls of another one
// end the process. Those of x32 would, too, but they are the same machine's, and
// a command's own filter says that they are missing.
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
