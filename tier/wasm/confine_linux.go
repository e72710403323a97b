package wasm

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

// The code below stands behind the module's own walls: for the day when a bug
// in wazero lets a module become machine code of this process. Each part is
// applied if the host supports it, and the box's Controls list the parts in
// force.

// confine gives up all rights except to memory, time and the open descriptors.
func confine(limits glovebox.Limits) []glovebox.Control {
	// The filter extends to all threads the settings made for this thread only.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	debug.SetTraceback("none")
	say := func(name, how string, err error) glovebox.Control {
		if err != nil {
			return glovebox.Control{Name: name, How: fmt.Sprintf("%s: %v", how, err)}
		}
		return glovebox.Control{Name: name, Enforced: true, How: how}
	}
	return []glovebox.Control{
		say(tier.ControlMemory, "limit of the process's data", rlimits(limits)),
		say(tier.ControlNoNewPrivs, "no_new_privs", noNewPrivs()),
		say(tier.ControlLandlock, "Landlock without a rule: no file is opened", landlock()),
		say(tier.ControlSyscalls, "a seccomp filter: memory, time, threads, and what is open", filter()),
	}
}

func rlimits(limits glovebox.Limits) error {
	data := uint64(limits.Memory + goHeap(limits) + machineMemory)
	for _, l := range []struct {
		resource int
		value    uint64
	}{
		{unix.RLIMIT_DATA, data},
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_MEMLOCK, 0},
	} {
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.value, Max: l.value}); err != nil {
			return err
		}
	}
	return nil
}

// everyThread makes a system call on every thread of the process. In programs
// linked with C it fails.
func everyThread(nr, a, b, c uintptr) error {
	if _, _, errno := syscall.AllThreadsSyscall(nr, a, b, c); errno != 0 {
		return errno
	}
	return nil
}

// noNewPrivs is the kernel's condition for an ordinary user before Landlock and
// filters, on each confined thread.
func noNewPrivs() error {
	err := everyThread(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0)
	if err == unix.ENOTSUP {
		err = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	}
	return err
}

// landlock refuses every right to files known to the kernel's version of
// Landlock.
func landlock() error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return errno
	}
	rights := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1)
	for v, right := range map[uintptr]uint64{
		2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV,
	} {
		if version >= v {
			rights |= right
		}
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rights)), 8, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	return everyThread(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
}

// kept are the system calls for Go's runtime, reading and writing.
var kept = []uintptr{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK,
	unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP,
	unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_RESTART_SYSCALL,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_GETRANDOM,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// filter permits only the remaining system calls, for all threads.
func filter() error {
	refuse := seccomp.Errno(linux.EPERM)
	calls := []seccomp.Call{
		{NR: unix.SYS_CLONE, Else: refuse, Rules: []seccomp.Rule{{
			When: []seccomp.Cond{{Arg: 0, Mask: unix.CLONE_THREAD, Value: unix.CLONE_THREAD}}, Then: seccomp.Allow,
		}}},
		// The runtime interrupts its own threads.
		{NR: unix.SYS_TGKILL, Else: refuse, Rules: []seccomp.Rule{{
			When: []seccomp.Cond{{Arg: 0, Value: uint32(os.Getpid())}}, Then: seccomp.Allow,
		}}},
	}
	// C libraries, linked into some programs, then use clone.
	calls = append(calls, seccomp.Call{NR: unix.SYS_CLONE3, Else: seccomp.Errno(linux.ENOSYS)})
	for _, nr := range kept {
		calls = append(calls, seccomp.Call{NR: nr, Else: seccomp.Allow})
	}
	program := seccomp.Assemble(seccomp.Arch, calls, refuse)
	prog := unix.SockFprog{Len: uint16(len(program) / seccomp.Size), Filter: (*unix.SockFilter)(unsafe.Pointer(&program[0]))}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}
