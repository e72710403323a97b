package process

import (
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

// prologue appends what a command's own process does before it is executed: it
// puts on its limits, becomes the box's user without a capability, and puts on
// the walls that are a process's own.
func (p *bootPlan) prologue(s *glove.Script) {
	for _, l := range p.rlimits() {
		// What the operator's own limits are lower than, they bound.
		var own unix.Rlimit
		if unix.Getrlimit(l.resource, &own) == nil {
			l.soft, l.hard = min(l.soft, own.Max), min(l.hard, own.Max)
		}
		s.Call("limit "+l.name, unix.SYS_PRLIMIT64, 0, l.resource, s.Words(l.soft, l.hard), 0)
	}
	if p.host.root {
		s.Call("setresgid", unix.SYS_SETRESGID, tier.GID, tier.GID, tier.GID)
		s.Call("setresuid", unix.SYS_SETRESUID, tier.UID, tier.UID, tier.UID)
	}
	header := s.Words(uint64(unix.LINUX_CAPABILITY_VERSION_3))
	s.Call("drop the capabilities", unix.SYS_CAPSET, header, s.Buffer(24))
	if p.has(tier.ControlLandlock) && p.host.landlock > 0 {
		s.Call("landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, fdRules, 0)
	}
	if p.has(tier.ControlSyscalls) {
		filter := seccomp.Filter(seccomp.Policy{Metered: p.metered})
		prog := s.Words(len(filter)/seccomp.Size, s.Bytes(filter))
		s.Call("seccomp", unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, prog, 0, 0)
	}
}

type rlimit struct {
	name       string
	resource   int
	soft, hard uint64
}

// rlimits are the limits of one process. There is none on its address space:
// runtimes (Node, Go, Java) reserve far more than they use, and an allocation
// that such a limit refuses leaves no trace in the kernel, so that it could not
// be told from a bug. The control group's or the supervisor's limit on what is
// really used leaves its evidence.
func (p *bootPlan) rlimits() []rlimit {
	l := p.spec.Limits
	// The time of all together is metered, and ends the command with the word
	// that tells; the kernel's limit on each, a second later, is the last resort.
	seconds := uint64((l.CPU+999_999_999)/1_000_000_000) + 1
	const stack = 8 << 20
	list := []rlimit{
		// The first is a signal that tells; who catches it dies by the second.
		{"cpu", unix.RLIMIT_CPU, seconds, seconds + 1},
		{"file size", unix.RLIMIT_FSIZE, uint64(l.FileSize), uint64(l.FileSize)},
		{"open files", unix.RLIMIT_NOFILE, uint64(l.OpenFiles), uint64(l.OpenFiles)},
		{"stack", unix.RLIMIT_STACK, stack, max(stack, uint64(l.Memory))},
		{"core", unix.RLIMIT_CORE, 0, 0},
		{"locked memory", unix.RLIMIT_MEMLOCK, 64 << 10, 64 << 10},
		{"message queues", rlimitMsgqueue, 0, 0},
		{"pending signals", rlimitSigpending, 1024, 1024},
		{"nice", rlimitNice, 0, 0},
		{"real time", rlimitRtprio, 0, 0},
	}
	if !p.metered {
		// Tasks of this user in this user namespace: in this box. (Before
		// Linux 5.14: of this user on the host, which is the box's as root.)
		tasks := uint64(l.Processes)
		if !p.host.root {
			tasks += gloveTasks // the glove is the same user
		}
		if p.gated {
			tasks += beyond // the gate refuses, and says so
		}
		list = append(list, rlimit{"processes", unix.RLIMIT_NPROC, tasks, tasks})
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
