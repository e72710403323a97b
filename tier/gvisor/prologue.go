//go:build linux

package gvisor

import (
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// prologue prepares a command's own process: the ordinary user, without
// capabilities or a way to any, and under limits. bounded means that the glove
// has an empty bounding set.
func prologue(limits glovebox.Limits, bounded bool) func(*glove.Script) {
	return func(s *glove.Script) {
		for _, l := range rlimits(limits) {
			s.Call("limit of "+l.name, unix.SYS_PRLIMIT64, 0, l.resource, s.Words(l.soft, l.hard), 0)
		}
		if !bounded {
			boundCapabilities(s)
		}
		s.Call("setgroups", unix.SYS_SETGROUPS, 0, 0)
		s.Call("setresgid", unix.SYS_SETRESGID, tier.GID, tier.GID, tier.GID)
		s.Call("setresuid", unix.SYS_SETRESUID, tier.UID, tier.UID, tier.UID)
		s.Call("no new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	}
}

// boundCapabilities denies all capabilities to every program.
func boundCapabilities(s *glove.Script) {
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		s.Call("drop a capability", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0, 0, 0).Ignore()
	}
}

type rlimit struct {
	name       string
	resource   int
	soft, hard uint64
}

// rlimits are the limits of one process.
//
// Processor time has none: the guest's kernel counts the time of a runnable
// thread, whether or not the host runs it, so a busy host would cost a program
// some time. The host's own count is metered instead. Address space has none:
// runtimes reserve far more than needed.
func rlimits(l glovebox.Limits) []rlimit {
	const stack = 8 << 20
	same := func(name string, resource int, value int64) rlimit {
		return rlimit{name, resource, uint64(value), uint64(value)}
	}
	return []rlimit{
		same("file size", unix.RLIMIT_FSIZE, l.FileSize),
		same("open files", unix.RLIMIT_NOFILE, l.OpenFiles),
		same("processes", unix.RLIMIT_NPROC, l.Processes),
		same("core dumps", unix.RLIMIT_CORE, 0),
		{"stack", unix.RLIMIT_STACK, stack, max(stack, uint64(l.Memory))},
	}
}
