package seccomp

import (
	"sync"

	"github.com/gloveboxhq/glovebox/internal/linux"
)

// Policy holds the choices behind the filter of a box.
type Policy struct {
	// Metered means that the kernel meters all memory of the box (a memory
	// control group). Elsewhere, memory that belongs to no process and no file
	// system of the box is refused: shared anonymous maps, memfd, System V's,
	// and pages of files in pipes and sockets.
	Metered bool
}

// Filter returns the filter of a box for this machine. The bytes are the same
// every time and must not be changed.
func Filter(p Policy) []byte {
	if p.Metered {
		return whereMetered()
	}
	return elsewhere()
}

var whereMetered, elsewhere = assembled(Policy{Metered: true}), assembled(Policy{})

// assembled makes a filter on first use.
func assembled(p Policy) func() []byte {
	return sync.OnceValue(func() []byte { return Assemble(Arch, list(p), Errno(linux.ENOSYS)) })
}

// Calls returns the treatment of each system call that the filter of a box
// names; all others are missing (ENOSYS).
func Calls(p Policy) []Call { return list(p) }

// Makes returns a filter that asks before each new process or thread, each
// watch of epoll, each lock of a file's bytes and each end of a process, and
// allows all else. It is put on before [Filter], which decides first: of two
// filters the stricter answer counts, and a refusal is stricter than a
// question.
func Makes() []byte {
	calls := []Call{
		{NR: linux.SYS_EPOLL_CTL, Rules: when(1, Ask, linux.EPOLL_CTL_ADD), Else: Allow},
		{NR: linux.SYS_FCNTL, Rules: when(1, Ask, linux.F_SETLK, linux.F_SETLKW, linux.F_OFD_SETLK, linux.F_OFD_SETLKW), Else: Allow},
	}
	for _, nr := range append([]uintptr{linux.SYS_CLONE, linux.SYS_CLONE3, linux.SYS_EXIT_GROUP}, forks...) {
		calls = append(calls, Call{NR: nr, Else: Ask})
	}
	return Assemble(Arch, calls, Allow)
}

var (
	refuse  = Errno(linux.EPERM)
	missing = Errno(linux.ENOSYS)
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
	add(nothing, linux.SYS_SYNC, linux.SYS_SYNCFS)
	// The flags of clone3 are in memory, hidden from a filter. C libraries fall
	// back to clone.
	add(missing, linux.SYS_CLONE3)
	// Activity of other users of shared files. Watches see the opening of a
	// file, on a device even by the host, and count against the host's user;
	// the last two calls show the pages read by other boxes.
	add(missing, watches...)
	add(missing, linux.SYS_MINCORE, linux.SYS_CACHESTAT)
	// Pages of a process in a pipe no longer count as its memory.
	add(missing, linux.SYS_VMSPLICE, linux.SYS_TEE)
	calls = append(calls, tested...)

	// Huge pages that a host has set aside are shared by all boxes and not
	// counted.
	mmap := Call{NR: linux.SYS_MMAP, Rules: flagged(3, linux.MAP_HUGETLB, Errno(linux.ENOMEM)), Else: Allow}
	memfd := Call{NR: linux.SYS_MEMFD_CREATE, Else: missing}
	// A lease stops every opening of the file, and a directory's notes report
	// openings: the files of the root are not the box's alone.
	fcntl := Call{NR: linux.SYS_FCNTL, Rules: when(1, refuse, linux.F_SETLEASE, linux.F_NOTIFY), Else: Allow}
	// Programs for the kernel, further protocols and algorithms.
	setsockopt := Call{NR: linux.SYS_SETSOCKOPT, Rules: slicesOf(
		option(linux.SOL_SOCKET, refuse, linux.SO_ATTACH_FILTER, linux.SO_ATTACH_BPF, linux.SO_ATTACH_REUSEPORT_CBPF, linux.SO_ATTACH_REUSEPORT_EBPF, linux.SO_ZEROCOPY),
		option(linux.IPPROTO_TCP, refuse, linux.TCP_ULP, linux.TCP_CONGESTION, linux.TCP_MD5SIG),
	), Else: Allow}
	if p.Metered {
		add(Allow, unmetered...)
		add(Allow, fromFiles...)
		memfd.Rules, memfd.Else = flagged(1, linux.MFD_HUGETLB, refuse), Allow
	} else {
		add(missing, unmetered...)
		// Calls that hold the page of a file for one byte, even after
		// truncation of the file. Programs copy after a refusal.
		add(Errno(linux.EINVAL), fromFiles...)
		mmap.Rules = append(mmap.Rules, Rule{[]Cond{{Arg: 3, Mask: linux.MAP_TYPE | linux.MAP_ANONYMOUS, Value: linux.MAP_SHARED | linux.MAP_ANONYMOUS}}, refuse})
		// Buffers of megabytes, in the kernel's own memory. Programs do as well
		// without.
		setsockopt.Rules = append(setsockopt.Rules, option(linux.SOL_SOCKET, nothing, linux.SO_SNDBUF, linux.SO_RCVBUF)...)
		// Groups belong to the loopback, and their number is unbounded.
		setsockopt.Rules = append(setsockopt.Rules, slicesOf(
			option(linux.IPPROTO_IP, refuse, linux.MCAST_JOIN_GROUP, linux.MCAST_JOIN_SOURCE_GROUP),
			option(linux.IPPROTO_IPV6, refuse, linux.IPV6_JOIN_GROUP, linux.IPV6_JOIN_ANYCAST, linux.MCAST_JOIN_GROUP, linux.MCAST_JOIN_SOURCE_GROUP),
		)...)
		fcntl.Rules = append(fcntl.Rules, when(1, refuse, linux.F_SETPIPE_SZ)...)
	}
	return append(calls, mmap, memfd, fcntl, setsockopt)
}

// unmetered are calls that make memory countable only by a control group, like
// memfd.
var unmetered = []uintptr{
	linux.SYS_SHMGET, linux.SYS_SHMAT, linux.SYS_SHMCTL, linux.SYS_SHMDT,
	linux.SYS_SEMGET, linux.SYS_SEMOP, linux.SYS_SEMTIMEDOP, linux.SYS_SEMCTL,
	linux.SYS_MSGGET, linux.SYS_MSGSND, linux.SYS_MSGRCV, linux.SYS_MSGCTL,
}

// fromFiles put pages of files into pipes and sockets.
var fromFiles = []uintptr{linux.SYS_SPLICE, linux.SYS_SENDFILE}

// watches tell of what happens to files.
var watches = append([]uintptr{linux.SYS_INOTIFY_INIT1, linux.SYS_INOTIFY_ADD_WATCH, linux.SYS_INOTIFY_RM_WATCH}, watchesHere...)

// newSpaces are all flags of clone that make a name space.
const newSpaces = linux.CLONE_NEWNS | linux.CLONE_NEWCGROUP | linux.CLONE_NEWUTS | linux.CLONE_NEWIPC |
	linux.CLONE_NEWUSER | linux.CLONE_NEWPID | linux.CLONE_NEWNET

// tested are the calls whose arguments decide.
var tested = []Call{
	{NR: linux.SYS_CLONE, Rules: []Rule{{[]Cond{{Arg: 0, Mask: newSpaces}}, Allow}}, Else: refuse},

	// Local, and the two families of a private loopback, with their two plain
	// protocols; libraries list interfaces through the routing socket.
	{NR: linux.SYS_SOCKET, Rules: slicesOf(
		[]Rule{{[]Cond{{Arg: 0, Value: linux.AF_UNIX}}, Allow}},
		[]Rule{{[]Cond{{Arg: 0, Value: linux.AF_NETLINK}, {Arg: 2, Value: linux.NETLINK_ROUTE}}, Allow}},
		inet(linux.SOCK_STREAM, linux.IPPROTO_TCP), inet(linux.SOCK_DGRAM, linux.IPPROTO_UDP),
	), Else: Errno(linux.EAFNOSUPPORT)},
	{NR: linux.SYS_SOCKETPAIR, Rules: []Rule{{[]Cond{{Arg: 0, Value: linux.AF_UNIX}}, Allow}}, Else: Errno(linux.EAFNOSUPPORT)},

	// Input pushed into a terminal is typed on the host. A box has no terminal,
	// but the filter does not rely on that.
	{NR: linux.SYS_IOCTL, Rules: when(1, refuse, linux.TIOCSTI, tioclinux, tioccons, linux.TIOCSETD, linux.TIOCSCTTY), Else: Allow},

	// A process's own limits only: the agent of the box may be the same user,
	// and this call asks for no more. The limit of core files is read-only: at
	// 1 no handler of the host's runs for a process that crashes, at 0 one may
	// (see core(5)).
	{NR: linux.SYS_PRLIMIT64, Rules: slicesOf(
		[]Rule{{[]Cond{{Arg: 0, Value: 0}, {Arg: 1, Value: linux.RLIMIT_CORE}, {Arg: 2, Value: 0}, {Arg: 2, Value: 0, High: true}}, Allow}},
		when(1, refuse, linux.RLIMIT_CORE),
		when(0, Allow, 0),
	), Else: refuse},
	{NR: linux.SYS_SETRLIMIT, Rules: when(0, refuse, linux.RLIMIT_CORE), Else: Allow},

	// Pages of files are shared by all boxes, so no box may evict any. Nor are
	// a box's own pages merged with equal pages elsewhere: the time of a write
	// would reveal the match.
	{NR: linux.SYS_FADVISE64, Rules: when(3, nothing, linux.POSIX_FADV_DONTNEED), Else: Allow},
	{NR: linux.SYS_MADVISE, Rules: append(when(2, nothing, linux.MADV_COLD, linux.MADV_PAGEOUT), when(2, Errno(linux.EINVAL), linux.MADV_MERGEABLE)...), Else: Allow},

	// A number that the kernel counts for all boxes.
	{NR: linux.SYS_GETSOCKOPT, Rules: option(linux.SOL_SOCKET, refuse, linux.SO_COOKIE), Else: Allow},

	// Urgent data is an old corner of the kernel without modern use.
	{NR: linux.SYS_SENDTO, Rules: flagged(3, linux.MSG_OOB, refuse), Else: Allow},
	{NR: linux.SYS_SENDMSG, Rules: flagged(2, linux.MSG_OOB, refuse), Else: Allow},
	{NR: linux.SYS_SENDMMSG, Rules: flagged(3, linux.MSG_OOB, refuse), Else: Allow},
	{NR: linux.SYS_RECVFROM, Rules: flagged(3, linux.MSG_OOB, refuse), Else: Allow},
	{NR: linux.SYS_RECVMSG, Rules: flagged(2, linux.MSG_OOB, refuse), Else: Allow},
	{NR: linux.SYS_RECVMMSG, Rules: flagged(3, linux.MSG_OOB, refuse), Else: Allow},

	{NR: linux.SYS_PERSONALITY, Rules: when(0, Allow, 0, 8, 0xffffffff), Else: refuse},

	{NR: linux.SYS_PRCTL, Rules: when(0, Allow,
		linux.PR_SET_NAME, linux.PR_GET_NAME, linux.PR_SET_PDEATHSIG, linux.PR_GET_PDEATHSIG,
		linux.PR_SET_DUMPABLE, linux.PR_GET_DUMPABLE, linux.PR_SET_NO_NEW_PRIVS, linux.PR_GET_NO_NEW_PRIVS,
		linux.PR_GET_SECCOMP, linux.PR_CAPBSET_READ, linux.PR_SET_CHILD_SUBREAPER, linux.PR_GET_CHILD_SUBREAPER,
		linux.PR_SET_TIMERSLACK, linux.PR_GET_TIMERSLACK, linux.PR_SET_THP_DISABLE, linux.PR_GET_THP_DISABLE,
		linux.PR_SET_VMA, linux.PR_GET_KEEPCAPS, linux.PR_GET_SECUREBITS, linux.PR_GET_TSC,
	), Else: Errno(linux.EINVAL)},
}

// Not in package linux.
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

// flagged refuses calls with a flag in an argument.
func flagged(arg int, flag uint32, then Action) []Rule {
	return []Rule{{[]Cond{{Arg: arg, Mask: flag, Value: flag}}, then}}
}

// option gives the options of sockets at one level an action.
func option(level uint32, then Action, names ...uint32) []Rule {
	var rules []Rule
	for _, n := range names {
		rules = append(rules, Rule{[]Cond{{Arg: 1, Value: level}, {Arg: 2, Value: n}}, then})
	}
	return rules
}

// inet allows sockets of one type over IP; the bits above the type are flags.
func inet(typ, proto uint32) []Rule {
	var rules []Rule
	for _, family := range []uint32{linux.AF_INET, linux.AF_INET6} {
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

// refused are calls in search of privileges, other processes or the host.
var refused = []uintptr{
	// name spaces, mounts
	linux.SYS_UNSHARE, linux.SYS_SETNS, linux.SYS_CHROOT, linux.SYS_PIVOT_ROOT, linux.SYS_MOUNT, linux.SYS_UMOUNT2,
	linux.SYS_FSOPEN, linux.SYS_FSCONFIG, linux.SYS_FSMOUNT, linux.SYS_FSPICK, linux.SYS_OPEN_TREE, linux.SYS_MOVE_MOUNT, linux.SYS_MOUNT_SETATTR,
	linux.SYS_SETHOSTNAME, linux.SYS_SETDOMAINNAME, linux.SYS_QUOTACTL, linux.SYS_QUOTACTL_FD, linux.SYS_SWAPON, linux.SYS_SWAPOFF,
	linux.SYS_NAME_TO_HANDLE_AT, linux.SYS_OPEN_BY_HANDLE_AT, linux.SYS_FANOTIFY_INIT, linux.SYS_FANOTIFY_MARK,
	// other processes
	linux.SYS_PTRACE, linux.SYS_PROCESS_VM_READV, linux.SYS_PROCESS_VM_WRITEV, linux.SYS_PROCESS_MADVISE, linux.SYS_PROCESS_MRELEASE,
	linux.SYS_PIDFD_GETFD, linux.SYS_KCMP, linux.SYS_MOVE_PAGES, linux.SYS_MIGRATE_PAGES, linux.SYS_MBIND,
	// the kernel
	linux.SYS_BPF, linux.SYS_PERF_EVENT_OPEN, linux.SYS_USERFAULTFD, linux.SYS_SECCOMP, linux.SYS_SYSLOG, linux.SYS_ACCT,
	linux.SYS_IO_URING_SETUP, linux.SYS_IO_URING_ENTER, linux.SYS_IO_URING_REGISTER,
	linux.SYS_KEXEC_LOAD, linux.SYS_INIT_MODULE, linux.SYS_FINIT_MODULE, linux.SYS_DELETE_MODULE, linux.SYS_REBOOT, linux.SYS_VHANGUP,
	linux.SYS_SETTIMEOFDAY, linux.SYS_CLOCK_SETTIME, linux.SYS_CLOCK_ADJTIME, linux.SYS_ADJTIMEX, linux.SYS_NFSSERVCTL, linux.SYS_LOOKUP_DCOOKIE,
	// keys of the host's user
	linux.SYS_ADD_KEY, linux.SYS_REQUEST_KEY, linux.SYS_KEYCTL,
}

// allowed are calls of ordinary programs: files, memory, time, processes and
// sockets of their own.
var allowed = []uintptr{
	// files
	linux.SYS_CHDIR, linux.SYS_CLOSE, linux.SYS_CLOSE_RANGE, linux.SYS_COPY_FILE_RANGE, linux.SYS_DUP, linux.SYS_DUP3,
	linux.SYS_FACCESSAT, linux.SYS_FACCESSAT2, linux.SYS_FALLOCATE, linux.SYS_FCHDIR,
	linux.SYS_FCHMOD, linux.SYS_FCHMODAT, linux.SYS_FCHMODAT2, linux.SYS_FCHOWN, linux.SYS_FCHOWNAT,
	linux.SYS_FDATASYNC, linux.SYS_FSYNC, linux.SYS_FLOCK, linux.SYS_FSTAT, linux.SYS_FSTATFS, linux.SYS_FTRUNCATE,
	linux.SYS_GETCWD, linux.SYS_GETDENTS64, linux.SYS_LINKAT, linux.SYS_LSEEK, linux.SYS_MKDIRAT, linux.SYS_MKNODAT,
	linux.SYS_OPENAT, linux.SYS_OPENAT2, linux.SYS_PIPE2, linux.SYS_PREAD64, linux.SYS_PREADV, linux.SYS_PREADV2,
	linux.SYS_PWRITE64, linux.SYS_PWRITEV, linux.SYS_PWRITEV2, linux.SYS_READ, linux.SYS_READAHEAD, linux.SYS_READLINKAT,
	linux.SYS_READV, linux.SYS_RENAMEAT, linux.SYS_RENAMEAT2, linux.SYS_STATFS, linux.SYS_STATX,
	linux.SYS_SYMLINKAT, linux.SYS_SYNC_FILE_RANGE, linux.SYS_TRUNCATE, linux.SYS_UMASK, linux.SYS_UNLINKAT,
	linux.SYS_UTIMENSAT, linux.SYS_WRITE, linux.SYS_WRITEV,
	linux.SYS_GETXATTR, linux.SYS_LGETXATTR, linux.SYS_FGETXATTR, linux.SYS_LISTXATTR, linux.SYS_LLISTXATTR, linux.SYS_FLISTXATTR,
	linux.SYS_SETXATTR, linux.SYS_LSETXATTR, linux.SYS_FSETXATTR, linux.SYS_REMOVEXATTR, linux.SYS_LREMOVEXATTR, linux.SYS_FREMOVEXATTR,
	// waiting
	linux.SYS_EPOLL_CREATE1, linux.SYS_EPOLL_CTL, linux.SYS_EPOLL_PWAIT, linux.SYS_EPOLL_PWAIT2, linux.SYS_EVENTFD2,
	linux.SYS_PPOLL, linux.SYS_PSELECT6, linux.SYS_SIGNALFD4,
	linux.SYS_TIMERFD_CREATE, linux.SYS_TIMERFD_SETTIME, linux.SYS_TIMERFD_GETTIME,
	linux.SYS_FUTEX, linux.SYS_FUTEX_WAITV, linux.SYS_FUTEX_WAKE, linux.SYS_FUTEX_WAIT, linux.SYS_FUTEX_REQUEUE,
	linux.SYS_GET_ROBUST_LIST, linux.SYS_SET_ROBUST_LIST, linux.SYS_RESTART_SYSCALL, linux.SYS_RSEQ, linux.SYS_MEMBARRIER,
	// memory
	linux.SYS_BRK, linux.SYS_MLOCK, linux.SYS_MLOCK2, linux.SYS_MLOCKALL, linux.SYS_MUNLOCK,
	linux.SYS_MUNLOCKALL, linux.SYS_MPROTECT, linux.SYS_MREMAP, linux.SYS_MSYNC, linux.SYS_MUNMAP, linux.SYS_MSEAL,
	linux.SYS_PKEY_ALLOC, linux.SYS_PKEY_FREE, linux.SYS_PKEY_MPROTECT, linux.SYS_GET_MEMPOLICY, linux.SYS_SET_MEMPOLICY,
	// time
	linux.SYS_CLOCK_GETRES, linux.SYS_CLOCK_GETTIME, linux.SYS_CLOCK_NANOSLEEP, linux.SYS_GETITIMER, linux.SYS_SETITIMER,
	linux.SYS_GETTIMEOFDAY, linux.SYS_NANOSLEEP, linux.SYS_TIMES,
	linux.SYS_TIMER_CREATE, linux.SYS_TIMER_DELETE, linux.SYS_TIMER_GETOVERRUN, linux.SYS_TIMER_GETTIME, linux.SYS_TIMER_SETTIME,
	// processes
	linux.SYS_EXECVE, linux.SYS_EXECVEAT, linux.SYS_EXIT, linux.SYS_EXIT_GROUP, linux.SYS_WAIT4, linux.SYS_WAITID,
	linux.SYS_GETPID, linux.SYS_GETPPID, linux.SYS_GETTID, linux.SYS_GETPGID, linux.SYS_SETPGID, linux.SYS_GETSID, linux.SYS_SETSID,
	linux.SYS_KILL, linux.SYS_TKILL, linux.SYS_TGKILL, linux.SYS_PIDFD_OPEN, linux.SYS_PIDFD_SEND_SIGNAL,
	linux.SYS_RT_SIGACTION, linux.SYS_RT_SIGPENDING, linux.SYS_RT_SIGPROCMASK, linux.SYS_RT_SIGQUEUEINFO, linux.SYS_RT_SIGRETURN,
	linux.SYS_RT_SIGSUSPEND, linux.SYS_RT_SIGTIMEDWAIT, linux.SYS_RT_TGSIGQUEUEINFO, linux.SYS_SIGALTSTACK,
	linux.SYS_SET_TID_ADDRESS, linux.SYS_GETCPU, linux.SYS_GETPRIORITY, linux.SYS_SETPRIORITY, linux.SYS_IOPRIO_GET, linux.SYS_IOPRIO_SET,
	linux.SYS_SCHED_GETAFFINITY, linux.SYS_SCHED_SETAFFINITY, linux.SYS_SCHED_GETATTR, linux.SYS_SCHED_SETATTR,
	linux.SYS_SCHED_GETPARAM, linux.SYS_SCHED_SETPARAM, linux.SYS_SCHED_GETSCHEDULER, linux.SYS_SCHED_SETSCHEDULER,
	linux.SYS_SCHED_GET_PRIORITY_MAX, linux.SYS_SCHED_GET_PRIORITY_MIN, linux.SYS_SCHED_RR_GET_INTERVAL, linux.SYS_SCHED_YIELD,
	linux.SYS_GETRLIMIT, linux.SYS_GETRUSAGE, linux.SYS_SYSINFO, linux.SYS_UNAME, linux.SYS_GETRANDOM,
	// users: the kernel refuses what matters
	linux.SYS_CAPGET, linux.SYS_CAPSET, linux.SYS_GETUID, linux.SYS_GETEUID, linux.SYS_GETGID, linux.SYS_GETEGID, linux.SYS_GETGROUPS,
	linux.SYS_GETRESUID, linux.SYS_GETRESGID, linux.SYS_SETUID, linux.SYS_SETGID, linux.SYS_SETREUID, linux.SYS_SETREGID,
	linux.SYS_SETRESUID, linux.SYS_SETRESGID, linux.SYS_SETFSUID, linux.SYS_SETFSGID, linux.SYS_SETGROUPS,
	// sockets
	linux.SYS_ACCEPT, linux.SYS_ACCEPT4, linux.SYS_BIND, linux.SYS_CONNECT, linux.SYS_LISTEN, linux.SYS_SHUTDOWN,
	linux.SYS_GETPEERNAME, linux.SYS_GETSOCKNAME,
}
