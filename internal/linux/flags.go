package linux

// Descriptors, paths and files (fcntl.h, stat.h, fs.h).
const (
	AT_FDCWD            = -100
	AT_EMPTY_PATH       = 0x1000
	AT_SYMLINK_NOFOLLOW = 0x100
	AT_SYMLINK_FOLLOW   = 0x400
	AT_REMOVEDIR        = 0x200
	AT_EACCESS          = 0x200
	AT_RECURSIVE        = 0x8000

	O_RDONLY   = 0
	O_WRONLY   = 1
	O_RDWR     = 2
	O_CREAT    = 0x40
	O_EXCL     = 0x80
	O_NOCTTY   = 0x100
	O_TRUNC    = 0x200
	O_APPEND   = 0x400
	O_NONBLOCK = 0x800
	O_CLOEXEC  = 0x80000
	O_PATH     = 0x200000

	F_DUPFD_CLOEXEC = 1030
	F_GETFD         = 1
	F_SETFD         = 2
	F_GETFL         = 3
	F_SETFL         = 4
	F_ADD_SEALS     = 1033
	F_SEAL_SEAL     = 0x1
	F_SEAL_SHRINK   = 0x2
	F_SEAL_GROW     = 0x4
	F_SEAL_WRITE    = 0x8
	F_SETPIPE_SZ    = 0x407
	F_SETLK         = 6
	F_SETLKW        = 7
	F_OFD_SETLK     = 37
	F_OFD_SETLKW    = 38
	F_SETLEASE      = 0x400
	F_NOTIFY        = 0x402
	FD_CLOEXEC      = 0x1

	S_IFMT   = 0o170000
	S_IFIFO  = 0o10000
	S_IFCHR  = 0o20000
	S_IFDIR  = 0o40000
	S_IFBLK  = 0o60000
	S_IFREG  = 0o100000
	S_IFLNK  = 0o120000
	S_IFSOCK = 0o140000

	DT_FIFO = 1
	DT_CHR  = 2
	DT_DIR  = 4
	DT_BLK  = 6
	DT_REG  = 8
	DT_LNK  = 10
	DT_SOCK = 12

	R_OK = 4
	W_OK = 2
	X_OK = 1

	CLOSE_RANGE_CLOEXEC = 0x4
	CLOSE_RANGE_UNSHARE = 0x2

	RENAME_NOREPLACE  = 0x1
	RENAME_EXCHANGE   = 0x2
	MFD_CLOEXEC       = 0x1
	MFD_ALLOW_SEALING = 0x2
	MFD_HUGETLB       = 0x4

	RESOLVE_BENEATH       = 0x8
	RESOLVE_IN_ROOT       = 0x10
	RESOLVE_NO_SYMLINKS   = 0x4
	RESOLVE_NO_MAGICLINKS = 0x2
	RESOLVE_NO_XDEV       = 0x1
)

// Mounts (mount.h).
const (
	MS_RDONLY  = 0x1
	MS_NOSUID  = 0x2
	MS_NODEV   = 0x4
	MS_NOEXEC  = 0x8
	MS_REMOUNT = 0x20
	MS_BIND    = 0x1000
	MS_MOVE    = 0x2000
	MS_REC     = 0x4000
	MS_PRIVATE = 0x40000
	MS_SLAVE   = 0x80000
	MNT_DETACH = 0x2

	MOUNT_ATTR_RDONLY       = 0x1
	MOUNT_ATTR_NOSUID       = 0x2
	MOUNT_ATTR_NODEV        = 0x4
	MOUNT_ATTR_NOEXEC       = 0x8
	OPEN_TREE_CLONE         = 0x1
	OPEN_TREE_CLOEXEC       = 0x80000
	MOVE_MOUNT_F_EMPTY_PATH = 0x4
)

// Processes (sched.h, wait.h, resource.h, prctl.h, ptrace.h, capability.h, seccomp.h).
const (
	CLONE_VM             = 0x100
	CLONE_FS             = 0x200
	CLONE_FILES          = 0x400
	CLONE_SIGHAND        = 0x800
	CLONE_VFORK          = 0x4000
	CLONE_PARENT         = 0x8000
	CLONE_THREAD         = 0x10000
	CLONE_SYSVSEM        = 0x40000
	CLONE_CHILD_CLEARTID = 0x200000
	CLONE_CHILD_SETTID   = 0x1000000
	CLONE_NEWNS          = 0x20000
	CLONE_NEWCGROUP      = 0x2000000
	CLONE_NEWUTS         = 0x4000000
	CLONE_NEWIPC         = 0x8000000
	CLONE_NEWUSER        = 0x10000000
	CLONE_NEWPID         = 0x20000000
	CLONE_NEWNET         = 0x40000000

	WNOHANG         = 1
	RUSAGE_SELF     = 0
	RUSAGE_CHILDREN = -1

	RLIMIT_CPU     = 0
	RLIMIT_FSIZE   = 1
	RLIMIT_STACK   = 3
	RLIMIT_CORE    = 4
	RLIMIT_NPROC   = 6
	RLIMIT_NOFILE  = 7
	RLIMIT_MEMLOCK = 8
	RLIMIT_AS      = 9

	PR_SET_PDEATHSIG       = 1
	PR_GET_DUMPABLE        = 3
	PR_SET_DUMPABLE        = 4
	PR_SET_NAME            = 15
	PR_GET_SECCOMP         = 21
	PR_SET_SECCOMP         = 22
	PR_GET_PDEATHSIG       = 2
	PR_GET_KEEPCAPS        = 7
	PR_GET_NAME            = 16
	PR_GET_TSC             = 25
	PR_GET_SECUREBITS      = 27
	PR_SET_TIMERSLACK      = 29
	PR_GET_TIMERSLACK      = 30
	PR_SET_MM              = 35
	PR_GET_CHILD_SUBREAPER = 37
	PR_SET_THP_DISABLE     = 41
	PR_GET_THP_DISABLE     = 42
	PR_SET_VMA             = 1398164801
	PR_CAPBSET_READ        = 23
	PR_CAPBSET_DROP        = 24
	PR_SET_CHILD_SUBREAPER = 36
	PR_SET_NO_NEW_PRIVS    = 38
	PR_GET_TID_ADDRESS     = 40
	PR_GET_NO_NEW_PRIVS    = 39

	PTRACE_TRACEME             = 0
	PTRACE_ATTACH              = 16
	LINUX_CAPABILITY_VERSION_3 = 0x20080522
	CAP_SYS_ADMIN              = 21
	CAP_AUDIT_READ             = 37
	CAP_LAST_CAP               = 40
)

// Filters of system calls (seccomp.h, bpf_common.h, filter.h, audit.h).
const (
	SECCOMP_MODE_FILTER      = 2
	SECCOMP_RET_KILL_PROCESS = 0x80000000
	SECCOMP_RET_USER_NOTIF   = 0x7fc00000
	SECCOMP_RET_ERRNO        = 0x50000
	SECCOMP_RET_ALLOW        = 0x7fff0000

	BPF_LD   = 0x0
	BPF_ALU  = 0x4
	BPF_JMP  = 0x5
	BPF_RET  = 0x6
	BPF_W    = 0x0
	BPF_ABS  = 0x20
	BPF_AND  = 0x50
	BPF_JA   = 0x0
	BPF_JEQ  = 0x10
	BPF_JGE  = 0x30
	BPF_JGT  = 0x20
	BPF_JSET = 0x40
	BPF_K    = 0x0

	AUDIT_ARCH_X86_64  = 0xc000003e
	AUDIT_ARCH_AARCH64 = 0xc00000b7
)

// Signals (signal.h).
const (
	SIG_BLOCK   = 0
	SIG_UNBLOCK = 1
	SIG_SETMASK = 2
)

// Memory (mman.h).
const (
	PROT_NONE     = 0x0
	PROT_READ     = 0x1
	PROT_WRITE    = 0x2
	PROT_EXEC     = 0x4
	MAP_SHARED    = 0x1
	MAP_PRIVATE   = 0x2
	MAP_TYPE      = 0xf
	MAP_FIXED     = 0x10
	MAP_ANONYMOUS = 0x20
	MAP_NORESERVE = 0x4000
	MAP_POPULATE  = 0x8000
	MAP_HUGETLB   = 0x40000

	MADV_MERGEABLE = 12
	MADV_COLD      = 20
	MADV_PAGEOUT   = 21

	POSIX_FADV_DONTNEED = 4
)

// Sockets (socket.h, in.h, netlink.h, sockios.h, if.h, vm_sockets.h).
const (
	AF_UNIX        = 1
	AF_INET        = 2
	AF_INET6       = 10
	AF_NETLINK     = 16
	AF_PACKET      = 17
	AF_ALG         = 38
	AF_VSOCK       = 40
	SOCK_STREAM    = 1
	SOCK_DGRAM     = 2
	SOCK_RAW       = 3
	SOCK_SEQPACKET = 5
	SOCK_CLOEXEC   = 0x80000
	SOCK_NONBLOCK  = 0x800

	IPPROTO_ICMP             = 1
	IPPROTO_TCP              = 6
	TCP_CONGESTION           = 13
	TCP_MD5SIG               = 14
	TCP_ULP                  = 31
	MSG_OOB                  = 1
	IPPROTO_UDP              = 17
	IPPROTO_IP               = 0
	IPPROTO_IPV6             = 41
	IPV6_JOIN_GROUP          = 20
	IPV6_JOIN_ANYCAST        = 27
	MCAST_JOIN_GROUP         = 42
	MCAST_JOIN_SOURCE_GROUP  = 46
	SOL_SOCKET               = 1
	SO_RCVBUF                = 8
	SO_ATTACH_FILTER         = 26
	SO_ATTACH_BPF            = 50
	SO_ATTACH_REUSEPORT_CBPF = 51
	SO_ATTACH_REUSEPORT_EBPF = 52
	SO_COOKIE                = 57
	SO_ZEROCOPY              = 60
	SO_SNDBUF                = 7
	SCM_RIGHTS               = 1
	SHUT_RD                  = 0
	SHUT_WR                  = 1
	SHUT_RDWR                = 2
	NETLINK_ROUTE            = 0
	NETLINK_NETFILTER        = 12
	SIOCGIFFLAGS             = 0x8913
	SIOCSIFFLAGS             = 0x8914
	IFF_UP                   = 0x1
	VMADDR_CID_ANY           = 0xffffffff
	VMADDR_CID_HOST          = 2
	VMADDR_PORT_ANY          = 0xffffffff
)

// Waiting (poll.h, eventpoll.h).
const (
	TFD_NONBLOCK  = 0x800
	TFD_CLOEXEC   = 0x80000
	POLLIN        = 0x1
	POLLOUT       = 0x4
	POLLERR       = 0x8
	POLLHUP       = 0x10
	EPOLL_CLOEXEC = 0x80000
	EPOLL_CTL_ADD = 1
	EPOLL_CTL_DEL = 2
	EPOLL_CTL_MOD = 3
	EPOLLIN       = 0x1
	EPOLLOUT      = 0x4
	EPOLLERR      = 0x8
	EPOLLHUP      = 0x10
	EPOLLRDHUP    = 0x2000
	EPOLLONESHOT  = 0x40000000
	EPOLLET       = 0x80000000
)

// Terminals (ioctls.h, termbits.h).
const (
	TCGETS    = 0x5401
	TCSETS    = 0x5402
	TIOCSTI   = 0x5412
	TIOCSCTTY = 0x540e
	TIOCSETD  = 0x5423
	TIOCINQ   = 0x541b
	ICANON    = 0x2
	ECHO      = 0x8
	ISIG      = 0x1
	IEXTEN    = 0x8000
	OPOST     = 0x1
	ICRNL     = 0x100
	IXON      = 0x400
)

// The machine (reboot.h, time.h, ipc.h).
const (
	LINUX_REBOOT_MAGIC1        = 0xfee1dead
	LINUX_REBOOT_MAGIC2        = 0x28121969
	LINUX_REBOOT_CMD_RESTART   = 0x1234567
	LINUX_REBOOT_CMD_POWER_OFF = 0x4321fedc
	LINUX_REBOOT_CMD_HALT      = 0xcdef0123
	CLOCK_REALTIME             = 0
	CLOCK_MONOTONIC            = 1
	CLOCK_BOOTTIME             = 7
	IPC_CREAT                  = 0x200
	IPC_EXCL                   = 0x400
	IPC_RMID                   = 0x0
)
