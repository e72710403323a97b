package linux

// Numbers of the older calls that only x86-64 has.
const (
	SYS_OPEN            = 2
	SYS_STAT            = 4
	SYS_LSTAT           = 6
	SYS_POLL            = 7
	SYS_ACCESS          = 21
	SYS_PIPE            = 22
	SYS_SELECT          = 23
	SYS_DUP2            = 33
	SYS_PAUSE           = 34
	SYS_ALARM           = 37
	SYS_FORK            = 57
	SYS_VFORK           = 58
	SYS_GETDENTS        = 78
	SYS_RENAME          = 82
	SYS_MKDIR           = 83
	SYS_RMDIR           = 84
	SYS_CREAT           = 85
	SYS_LINK            = 86
	SYS_UNLINK          = 87
	SYS_SYMLINK         = 88
	SYS_READLINK        = 89
	SYS_CHMOD           = 90
	SYS_CHOWN           = 92
	SYS_LCHOWN          = 94
	SYS_GETPGRP         = 111
	SYS_UTIME           = 132
	SYS_MKNOD           = 133
	SYS_USELIB          = 134
	SYS_USTAT           = 136
	SYS_SYSFS           = 139
	SYS_MODIFY_LDT      = 154
	SYS__SYSCTL         = 156
	SYS_ARCH_PRCTL      = 158
	SYS_IOPL            = 172
	SYS_IOPERM          = 173
	SYS_CREATE_MODULE   = 174
	SYS_GET_KERNEL_SYMS = 177
	SYS_QUERY_MODULE    = 178
	SYS_TIME            = 201
	SYS_EPOLL_CREATE    = 213
	SYS_EPOLL_WAIT      = 232
	SYS_UTIMES          = 235
	SYS_INOTIFY_INIT    = 253
	SYS_FUTIMESAT       = 261
	SYS_SIGNALFD        = 282
	SYS_EVENTFD         = 284
)
