//go:build linux

package seccomp

import "golang.org/x/sys/unix"

// Policy says what the filter of a box depends on.
type Policy struct {
	// Metered tells that the kernel meters all memory of the box (a memory
	// control group). Where it does not, memory that belongs to no process and
	// no file system of the box is refused: shared anonymous maps, memfd and
	// System V's.
	Metered bool
}

// Filter returns the filter of a box for this machine.
func Filter(p Policy) []byte { return Assemble(Arch, list(p), Errno(unix.ENOSYS)) }

// Calls returns what the filter of a box says of each system call that it names;
// those that it does not name are missing (ENOSYS).
func Calls(p Policy) []Call { return list(p) }

// Makes returns a filter that asks before each new process or thread, and allows
// all else. It is put on before [Filter], which decides first: of what two filters
// say the stricter counts, and to refuse is stricter than to ask.
func Makes() []byte {
	var calls []Call
	for _, nr := range append([]uintptr{unix.SYS_CLONE, unix.SYS_CLONE3}, forks...) {
		calls = append(calls, Call{NR: nr, Else: Ask})
	}
	return Assemble(Arch, calls, Allow)
}

var (
	refuse  = Errno(unix.EPERM)
	missing = Errno(unix.ENOSYS)
	nothing = Errno(0)
)

func list(p Policy) []Call {
	var calls []Call
	add := func(then Action, nrs ...uintptr) {
		for _, nr := range nrs {
			calls = append(calls, Call{NR: nr, Else: then})
		}
	}
	add(Allow, allowed...)
	add(Allow, allowedHere...)
	add(refuse, refused...)
	add(refuse, refusedHere...)
	// These would reach the host's disks; the box has none to write to.
	add(nothing, unix.SYS_SYNC, unix.SYS_SYNCFS)
	// Its flags are in memory, where a filter cannot see them. C libraries
	// fall back to clone.
	add(missing, unix.SYS_CLONE3)
	calls = append(calls, tested...)

	mmap := Call{NR: unix.SYS_MMAP, Else: Allow}
	setsockopt := Call{NR: unix.SYS_SETSOCKOPT, Else: Allow}
	if p.Metered {
		add(Allow, unmetered...)
	} else {
		add(missing, unmetered...)
		mmap.Rules = []Rule{{[]Cond{{Arg: 3, Mask: unix.MAP_TYPE | unix.MAP_ANONYMOUS, Value: unix.MAP_SHARED | unix.MAP_ANONYMOUS}}, refuse}}
		// Buffers of megabytes, which are the kernel's own memory. Who asks for
		// them does as well without.
		for _, option := range []uint32{unix.SO_SNDBUF, unix.SO_RCVBUF} {
			setsockopt.Rules = append(setsockopt.Rules, Rule{[]Cond{{Arg: 1, Value: unix.SOL_SOCKET}, {Arg: 2, Value: option}}, nothing})
		}
	}
	return append(calls, mmap, setsockopt)
}

// unmetered makes memory that only a control group can count.
var unmetered = []uintptr{
	unix.SYS_MEMFD_CREATE,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SHMDT,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
}

// newSpaces are all flags of clone that make a name space.
const newSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// tested are the calls whose arguments decide.
var tested = []Call{
	{NR: unix.SYS_CLONE, Rules: []Rule{{[]Cond{{Arg: 0, Mask: newSpaces}}, Allow}}, Else: refuse},

	// Local, and the two families that a private loopback carries, with their
	// two plain protocols; the routing socket is how libraries list interfaces.
	{NR: unix.SYS_SOCKET, Rules: slicesOf(
		[]Rule{{[]Cond{{Arg: 0, Value: unix.AF_UNIX}}, Allow}},
		[]Rule{{[]Cond{{Arg: 0, Value: unix.AF_NETLINK}, {Arg: 2, Value: unix.NETLINK_ROUTE}}, Allow}},
		inet(unix.SOCK_STREAM, unix.IPPROTO_TCP), inet(unix.SOCK_DGRAM, unix.IPPROTO_UDP),
	), Else: Errno(unix.EAFNOSUPPORT)},
	{NR: unix.SYS_SOCKETPAIR, Rules: []Rule{{[]Cond{{Arg: 0, Value: unix.AF_UNIX}}, Allow}}, Else: Errno(unix.EAFNOSUPPORT)},

	// Input pushed into a terminal is typed on the host; there is none in a
	// box, but the filter does not rely on that.
	{NR: unix.SYS_IOCTL, Rules: when(1, refuse, unix.TIOCSTI, tioclinux, tioccons, unix.TIOCSETD, unix.TIOCSCTTY), Else: Allow},

	// One's own limits only: the agent of the box may be the same user, and
	// this call asks for no more.
	{NR: unix.SYS_PRLIMIT64, Rules: when(0, Allow, 0), Else: refuse},

	{NR: unix.SYS_PERSONALITY, Rules: when(0, Allow, 0, 8, 0xffffffff), Else: refuse},

	{NR: unix.SYS_PRCTL, Rules: when(0, Allow,
		unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_PDEATHSIG, unix.PR_GET_PDEATHSIG,
		unix.PR_SET_DUMPABLE, unix.PR_GET_DUMPABLE, unix.PR_SET_NO_NEW_PRIVS, unix.PR_GET_NO_NEW_PRIVS,
		unix.PR_GET_SECCOMP, unix.PR_CAPBSET_READ, unix.PR_SET_CHILD_SUBREAPER, unix.PR_GET_CHILD_SUBREAPER,
		unix.PR_SET_TIMERSLACK, unix.PR_GET_TIMERSLACK, unix.PR_SET_THP_DISABLE, unix.PR_GET_THP_DISABLE,
		unix.PR_SET_VMA, unix.PR_GET_KEEPCAPS, unix.PR_GET_SECUREBITS, unix.PR_GET_TSC,
	), Else: Errno(unix.EINVAL)},
}

// Not in package unix.
const (
	tioclinux = 0x541c
	tioccons  = 0x541d
)

func when(arg int, then Action, values ...uint32) []Rule {
	var rules []Rule
	for _, v := range values {
		rules = append(rules, Rule{[]Cond{{Arg: arg, Value: v}}, then})
	}
	return rules
}

// inet allows sockets of one type over IP; the bits above the type are flags.
func inet(typ, proto uint32) []Rule {
	var rules []Rule
	for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
		for _, p := range []uint32{0, proto} {
			rules = append(rules, Rule{[]Cond{{Arg: 0, Value: family}, {Arg: 1, Mask: 0xf, Value: typ}, {Arg: 2, Value: p}}, Allow})
		}
	}
	return rules
}

func slicesOf(lists ...[]Rule) []Rule {
	var all []Rule
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// refused are calls that look for privileges, other processes or the host.
var refused = []uintptr{
	// name spaces, mounts
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT, unix.SYS_MOUNT, unix.SYS_UMOUNT2,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
	// other processes
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES, unix.SYS_MBIND,
	// the kernel
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_SECCOMP, unix.SYS_SYSLOG, unix.SYS_ACCT,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_NFSSERVCTL, unix.SYS_LOOKUP_DCOOKIE,
	// keys of the host's user
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
}

// allowed are calls of ordinary programs: files, memory, time, processes and
// sockets of their own.
var allowed = []uintptr{
	// files
	unix.SYS_CHDIR, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_COPY_FILE_RANGE, unix.SYS_DUP, unix.SYS_DUP3,
	unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_FADVISE64, unix.SYS_FALLOCATE, unix.SYS_FCHDIR,
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_FCNTL,
	unix.SYS_FDATASYNC, unix.SYS_FSYNC, unix.SYS_FLOCK, unix.SYS_FSTAT, unix.SYS_FSTATFS, unix.SYS_FTRUNCATE,
	unix.SYS_GETCWD, unix.SYS_GETDENTS64, unix.SYS_LINKAT, unix.SYS_LSEEK, unix.SYS_MKDIRAT, unix.SYS_MKNODAT,
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_PIPE2, unix.SYS_PREAD64, unix.SYS_PREADV, unix.SYS_PREADV2,
	unix.SYS_PWRITE64, unix.SYS_PWRITEV, unix.SYS_PWRITEV2, unix.SYS_READ, unix.SYS_READAHEAD, unix.SYS_READLINKAT,
	unix.SYS_READV, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_SENDFILE, unix.SYS_SPLICE, unix.SYS_STATFS, unix.SYS_STATX,
	unix.SYS_SYMLINKAT, unix.SYS_SYNC_FILE_RANGE, unix.SYS_TEE, unix.SYS_TRUNCATE, unix.SYS_UMASK, unix.SYS_UNLINKAT,
	unix.SYS_UTIMENSAT, unix.SYS_VMSPLICE, unix.SYS_WRITE, unix.SYS_WRITEV, unix.SYS_CACHESTAT,
	unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_FGETXATTR, unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR, unix.SYS_FLISTXATTR,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
	unix.SYS_INOTIFY_INIT1, unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_INOTIFY_RM_WATCH,
	// waiting
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2, unix.SYS_EVENTFD2,
	unix.SYS_PPOLL, unix.SYS_PSELECT6, unix.SYS_SIGNALFD4,
	unix.SYS_TIMERFD_CREATE, unix.SYS_TIMERFD_SETTIME, unix.SYS_TIMERFD_GETTIME,
	unix.SYS_FUTEX, unix.SYS_FUTEX_WAITV, unix.SYS_FUTEX_WAKE, unix.SYS_FUTEX_WAIT, unix.SYS_FUTEX_REQUEUE,
	unix.SYS_GET_ROBUST_LIST, unix.SYS_SET_ROBUST_LIST, unix.SYS_RESTART_SYSCALL, unix.SYS_RSEQ, unix.SYS_MEMBARRIER,
	// memory
	unix.SYS_BRK, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_MLOCK, unix.SYS_MLOCK2, unix.SYS_MLOCKALL, unix.SYS_MUNLOCK,
	unix.SYS_MUNLOCKALL, unix.SYS_MPROTECT, unix.SYS_MREMAP, unix.SYS_MSYNC, unix.SYS_MUNMAP, unix.SYS_MSEAL,
	unix.SYS_PKEY_ALLOC, unix.SYS_PKEY_FREE, unix.SYS_PKEY_MPROTECT, unix.SYS_GET_MEMPOLICY, unix.SYS_SET_MEMPOLICY,
	// time
	unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_GETITIMER, unix.SYS_SETITIMER,
	unix.SYS_GETTIMEOFDAY, unix.SYS_NANOSLEEP, unix.SYS_TIMES,
	unix.SYS_TIMER_CREATE, unix.SYS_TIMER_DELETE, unix.SYS_TIMER_GETOVERRUN, unix.SYS_TIMER_GETTIME, unix.SYS_TIMER_SETTIME,
	// processes
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_WAIT4, unix.SYS_WAITID,
	unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETPGID, unix.SYS_SETPGID, unix.SYS_GETSID, unix.SYS_SETSID,
	unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPENDING, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_SIGRETURN,
	unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_SIGALTSTACK,
	unix.SYS_SET_TID_ADDRESS, unix.SYS_GETCPU, unix.SYS_GETPRIORITY, unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_GET, unix.SYS_IOPRIO_SET,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_GETATTR, unix.SYS_SCHED_SETATTR,
	unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_SETSCHEDULER,
	unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN, unix.SYS_SCHED_RR_GET_INTERVAL, unix.SYS_SCHED_YIELD,
	unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT, unix.SYS_GETRUSAGE, unix.SYS_SYSINFO, unix.SYS_UNAME, unix.SYS_GETRANDOM,
	// users: the kernel refuses what matters
	unix.SYS_CAPGET, unix.SYS_CAPSET, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID, unix.SYS_GETGROUPS,
	unix.SYS_GETRESUID, unix.SYS_GETRESGID, unix.SYS_SETUID, unix.SYS_SETGID, unix.SYS_SETREUID, unix.SYS_SETREGID,
	unix.SYS_SETRESUID, unix.SYS_SETRESGID, unix.SYS_SETFSUID, unix.SYS_SETFSGID, unix.SYS_SETGROUPS,
	// sockets
	unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_BIND, unix.SYS_CONNECT, unix.SYS_LISTEN, unix.SYS_SHUTDOWN,
	unix.SYS_GETPEERNAME, unix.SYS_GETSOCKNAME, unix.SYS_GETSOCKOPT,
	unix.SYS_RECVFROM, unix.SYS_RECVMMSG, unix.SYS_RECVMSG, unix.SYS_SENDMMSG, unix.SYS_SENDMSG, unix.SYS_SENDTO,
}
