package docker

import (
	"context"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/wire"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

// boot finishes the container and examines the result.
func boot(l *wire.Link) (f found, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// No command may start before the last of the relay's threads: the number
	// of tasks is limited.
	if err := l.Settle(ctx); err != nil {
		return nil, err
	}
	s := new(glove.Script)
	l.Place(s)
	for _, at := range scratch {
		s.Call("chmod "+at, linux.SYS_FCHMODAT, linux.AT_FDCWD, at, 0o1777) // as engines differ
	}
	buf := s.Buffer(foundSize)
	for i := range rlimits {
		s.Call("limits", linux.SYS_PRLIMIT64, 0, i, 0, buf.Plus(16*i))
	}
	for i, at := range places {
		s.Call("statfs "+at, linux.SYS_STATFS, at, buf.Plus(16*rlimits+statfsSize*i))
	}
	s.Reply(buf, s.Words(foundSize))
	reply, err := l.Ends().Do(s, time.Now().Add(patience))
	if err == nil && len(reply) != foundSize {
		err = fmt.Errorf("the glove replied with %d bytes", len(reply))
	}
	return found(reply), err
}

// prologue prepares a command's own process: the kernel's first choice when
// memory runs out, under limits, the ordinary user, without a capability or a
// way to any, and behind the filter of system calls.
func prologue(limits glovebox.Limits, f found) func(*glove.Script) {
	return func(s *glove.Script) {
		fd := s.Words(0)
		s.Call("open oom_score_adj", linux.SYS_OPENAT, linux.AT_FDCWD, "/proc/self/oom_score_adj", linux.O_WRONLY|linux.O_CLOEXEC, 0).To(fd)
		s.CallOn(fd, "write oom_score_adj", linux.SYS_WRITE, "1000", 4)
		s.CallOn(fd, "close", linux.SYS_CLOSE)
		for _, l := range commandLimits(limits) {
			hard := f.hardLimit(l.resource)
			s.Call("limit "+l.name, linux.SYS_PRLIMIT64, 0, l.resource, s.Words(min(l.soft, hard), min(l.hard, hard)), 0)
		}
		for c := range lastCap + 1 {
			call := s.Call("drop a capability", linux.SYS_PRCTL, linux.PR_CAPBSET_DROP, c, 0, 0, 0)
			if c > knownCap {
				call.Ignore() // an older kernel does not know it
			}
		}
		s.Call("setgroups", linux.SYS_SETGROUPS, 0, 0)
		s.Call("setresgid", linux.SYS_SETRESGID, tier.GID, tier.GID, tier.GID)
		s.Call("setresuid", linux.SYS_SETRESUID, tier.UID, tier.UID, tier.UID)
		header := s.Words(uint64(linux.LINUX_CAPABILITY_VERSION_3))
		s.Call("drop the capabilities", linux.SYS_CAPSET, header, s.Buffer(24))
		s.Call("no new privileges", linux.SYS_PRCTL, linux.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		filter := seccomp.Filter(seccomp.Policy{Metered: true})
		program := s.Words(len(filter)/seccomp.Size, s.Bytes(filter))
		s.Call("seccomp", linux.SYS_PRCTL, linux.PR_SET_SECCOMP, linux.SECCOMP_MODE_FILTER, program, 0, 0)
	}
}

// Capabilities by number: the highest possible, and the highest of Linux 3.16.
const (
	lastCap  = 63
	knownCap = 37
)

// Not in package linux: see include/uapi/asm-generic/resource.h.
const (
	rlimitSigpending = 11
	rlimitMsgqueue   = 12
	rlimitNice       = 13
	rlimitRtprio     = 14
)

type rlimit struct {
	name       string
	resource   int
	soft, hard uint64
}

// commandLimits are the limits of one process. Processes have no such limit:
// the kernel would count those of every user 1000 on the machine; the control
// group counts the box's.
func commandLimits(l glovebox.Limits) []rlimit {
	// The time of all together is measured, and ends the command with the word
	// that tells; the kernel's limit on each, a second later, is the last resort.
	seconds := uint64((l.CPU+time.Second-1)/time.Second) + 1
	const stack = 8 << 20
	same := func(name string, resource int, value int64) rlimit {
		return rlimit{name, resource, uint64(value), uint64(value)}
	}
	return []rlimit{
		{"cpu", linux.RLIMIT_CPU, seconds, seconds + 1},
		same("file size", linux.RLIMIT_FSIZE, l.FileSize),
		same("open files", linux.RLIMIT_NOFILE, l.OpenFiles),
		{"stack", linux.RLIMIT_STACK, stack, max(stack, uint64(l.Memory))},
		same("core", linux.RLIMIT_CORE, 0),
		same("locked memory", linux.RLIMIT_MEMLOCK, 64<<10),
		same("message queues", rlimitMsgqueue, 0),
		same("pending signals", rlimitSigpending, 1024),
		same("nice", rlimitNice, 0),
		same("real time", rlimitRtprio, 0),
	}
}
