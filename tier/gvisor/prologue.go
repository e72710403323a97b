package gvisor

import (
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// prologue makes a command's own process what a command is: the ordinary user,
// without capabilities and the way to any, and under its limits.
func prologue(limits glovebox.Limits) func(*glove.Script) {
	return func(s *glove.Script) {
		for _, l := range rlimits(limits) {
			s.Call(l.name, unix.SYS_PRLIMIT64, 0, l.resource, s.Words(l.value, l.value), 0)
		}
		for c := 0; c <= unix.CAP_LAST_CAP; c++ {
			s.Call("drop a capability", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0, 0, 0).Ignore()
		}
		s.Call("setgroups", unix.SYS_SETGROUPS, 0, 0)
		s.Call("setresgid", unix.SYS_SETRESGID, tier.GID, tier.GID, tier.GID)
		s.Call("setresuid", unix.SYS_SETRESUID, tier.UID, tier.UID, tier.UID)
		s.Call("no new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	}
}

type rlimit struct {
	name     string
	resource int
	value    uint64
}

// rlimits has no limit of processor time: the guest's kernel counts the time
// that a thread would run, whether or not the host lets it, so on a busy host
// it would take a program's time away. The host's own count is metered instead.
func rlimits(l glovebox.Limits) []rlimit {
	return []rlimit{
		{"limit of file size", unix.RLIMIT_FSIZE, uint64(l.FileSize)},
		{"limit of open files", unix.RLIMIT_NOFILE, uint64(l.OpenFiles)},
		{"limit of processes", unix.RLIMIT_NPROC, uint64(l.Processes)},
		{"limit of core dumps", unix.RLIMIT_CORE, 0},
	}
}
