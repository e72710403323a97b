package seccomp

import "github.com/gloveboxhq/glovebox/internal/linux"

// Arch is the machine of this program, in a filter's terms.
const Arch = linux.AUDIT_ARCH_X86_64

// allowedHere are the older forms of allowed calls on this machine.
var allowedHere = []uintptr{
	linux.SYS_ACCESS, linux.SYS_ALARM, linux.SYS_ARCH_PRCTL, linux.SYS_CHMOD, linux.SYS_CHOWN, linux.SYS_CREAT, linux.SYS_DUP2,
	linux.SYS_EPOLL_CREATE, linux.SYS_EPOLL_WAIT, linux.SYS_EVENTFD, linux.SYS_FORK, linux.SYS_FUTIMESAT, linux.SYS_GETDENTS,
	linux.SYS_GETPGRP, linux.SYS_LCHOWN, linux.SYS_LINK, linux.SYS_LSTAT, linux.SYS_MKDIR, linux.SYS_MKNOD,
	linux.SYS_NEWFSTATAT, linux.SYS_OPEN, linux.SYS_PAUSE, linux.SYS_PIPE, linux.SYS_POLL, linux.SYS_READLINK, linux.SYS_RENAME,
	linux.SYS_RMDIR, linux.SYS_SELECT, linux.SYS_SIGNALFD, linux.SYS_STAT, linux.SYS_SYMLINK, linux.SYS_TIME, linux.SYS_UNLINK,
	linux.SYS_UTIME, linux.SYS_UTIMES, linux.SYS_VFORK,
}

// forks make processes beside clone.
var forks = []uintptr{linux.SYS_FORK, linux.SYS_VFORK}

var refusedHere = []uintptr{
	linux.SYS_IOPL, linux.SYS_IOPERM, linux.SYS_MODIFY_LDT, linux.SYS_KEXEC_FILE_LOAD, linux.SYS_USELIB, linux.SYS_USTAT, linux.SYS_SYSFS,
	linux.SYS__SYSCTL, linux.SYS_CREATE_MODULE, linux.SYS_GET_KERNEL_SYMS, linux.SYS_QUERY_MODULE,
}

var watchesHere = []uintptr{linux.SYS_INOTIFY_INIT}
