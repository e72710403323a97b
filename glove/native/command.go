//go:build linux

package native

import (
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// Command is what the own process of each command of a box puts on before it is
// executed: its limits, its user without a capability, and the walls that are a
// process's own.
type Command struct {
	Limits glovebox.Limits
	// Tasks is RLIMIT_NPROC, 0 for none: the tasks of the command's user in
	// this user name space, so in this box. (Before Linux 5.14: of this user on
	// the host, which is the box's as root.)
	Tasks uint64
	// Guest tells that the kernel of the box is not the host's. One in user
	// space knows fewer limits, and counts the processor time that a thread
	// would run, whether or not the host lets it.
	Guest bool
	// Become: pid 1 of the box is another user, who becomes [tier.UID].
	Become bool
	// Landlock: descriptor [FDRules] has rules to put on.
	Landlock bool
	// Filter is the filter of system calls, nil for none, and FilterSize the
	// bytes of one of its instructions.
	Filter     []byte
	FilterSize int
}

// Prologue appends the calls; see [glove.Config].
func (c Command) Prologue(s *glove.Script) {
	for _, l := range c.rlimits() {
		if c.Guest && !l.everywhere {
			continue
		}
		if l.resource == unix.RLIMIT_CORE {
			NoCoreHandler(s)
			continue
		}
		// What the operator's own limits are lower than, they bound.
		var own unix.Rlimit
		if unix.Getrlimit(l.resource, &own) == nil {
			l.soft, l.hard = min(l.soft, own.Max), min(l.hard, own.Max)
		}
		s.Call("limit "+l.name, unix.SYS_PRLIMIT64, 0, l.resource, s.Words(l.soft, l.hard), 0)
	}
	if c.Become {
		s.Call("setresgid", unix.SYS_SETRESGID, tier.GID, tier.GID, tier.GID)
		s.Call("setresuid", unix.SYS_SETRESUID, tier.UID, tier.UID, tier.UID)
	}
	DropCapabilities(s)
	if c.Landlock {
		s.Call("landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, FDRules, 0)
	}
	if c.Filter != nil {
		prog := s.Words(len(c.Filter)/c.FilterSize, s.Bytes(c.Filter))
		s.Call("seccomp", unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, prog, 0, 0)
	}
}

// NoCoreHandler appends the call after which no crash of a process makes a core
// file, nor starts the host's handler of core files, which is a process of the
// host's root: for a handler that reads from a pipe the kernel takes a limit of 0
// as none, and 1 as a refusal (do_coredump in fs/coredump.c). Where the operator's
// own limit is 0, only root may raise it; for anybody else a handler, if the host
// has any, may run.
func NoCoreHandler(s *glove.Script) {
	s.Call("limit core", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_CORE, s.Words(uint64(1), uint64(1)), 0).Ignore()
}

// FirstToGo appends the calls after which the kernel, when the host is out of
// memory, takes this process and those that it makes before any other. They need
// the host's /proc, and a box goes without where there is none.
func FirstToGo(s *glove.Script) {
	fd, without := s.Buffer(8), s.Label()
	s.Call("open oom_score_adj", unix.SYS_OPENAT, unix.AT_FDCWD, "/proc/self/oom_score_adj", unix.O_WRONLY|unix.O_CLOEXEC, 0).To(fd).IfError(without)
	s.CallOn(fd, "write", unix.SYS_WRITE, "1000", 4).Ignore()
	s.CallOn(fd, "close", unix.SYS_CLOSE)
	s.Place(without)
}

// DropCapabilities appends the call that gives up all capabilities.
func DropCapabilities(s *glove.Script) {
	header := s.Words(uint64(unix.LINUX_CAPABILITY_VERSION_3))
	s.Call("drop the capabilities", unix.SYS_CAPSET, header, s.Buffer(24))
}

// NoMorePrivileges appends the calls that take from all future programs every
// way to get any. The names begin with the control's.
func NoMorePrivileges(s *glove.Script) {
	for c := 0; c <= lastCap; c++ {
		call := s.Call(tier.ControlCapabilities+": drop", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if c > unix.CAP_AUDIT_READ {
			call.Ignore() // an older kernel does not know it
		}
	}
	s.Call(tier.ControlNoNewPrivs+": prctl", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// lastCap is the last capability there can be.
const lastCap = 63

// Stack is the bytes of a command's stack. They tell, when it is executed, where
// the kernel lays its memory.
const Stack = 8 << 20

type rlimit struct {
	name       string
	resource   int
	soft, hard uint64
	everywhere bool // guests know it, too
}

// rlimits are the limits of one process. There is none on its address space:
// runtimes (Node, Go, Java) reserve far more than they use, and an allocation
// that such a limit refuses leaves no trace in the kernel, so that it could not
// be told from a bug. The control group's or the supervisor's limit on what is
// really used leaves its evidence.
func (c Command) rlimits() []rlimit {
	l := c.Limits
	// The time of all together is metered, and ends the command with the word
	// that tells; the kernel's limit on each, a second later, is the last resort.
	seconds := uint64((l.CPU+999_999_999)/1_000_000_000) + 1
	list := []rlimit{
		// The first is a signal that tells; who catches it dies by the second.
		{"cpu", unix.RLIMIT_CPU, seconds, seconds + 1, false},
		{"file size", unix.RLIMIT_FSIZE, uint64(l.FileSize), uint64(l.FileSize), true},
		{"open files", unix.RLIMIT_NOFILE, uint64(l.OpenFiles), uint64(l.OpenFiles), true},
		{"stack", unix.RLIMIT_STACK, Stack, max(Stack, uint64(l.Memory)), true},
		{"core", unix.RLIMIT_CORE, 1, 1, true},
		{"locked memory", unix.RLIMIT_MEMLOCK, 64 << 10, 64 << 10, false},
		{"message queues", rlimitMsgqueue, 0, 0, false},
		{"pending signals", rlimitSigpending, 1024, 1024, false},
		{"nice", rlimitNice, 0, 0, false},
		{"real time", rlimitRtprio, 0, 0, false},
	}
	if c.Tasks > 0 {
		list = append(list, rlimit{"processes", unix.RLIMIT_NPROC, c.Tasks, c.Tasks, true})
	}
	return list
}

// Not in package unix; the same on all machines that we know.
const (
	rlimitSigpending = 11
	rlimitMsgqueue   = 12
	rlimitNice       = 13
	rlimitRtprio     = 14
)
