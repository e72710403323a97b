package seccomp

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_AARCH64

var allowedHere = []uintptr{unix.SYS_FSTATAT}

var refusedHere = []uintptr{unix.SYS_KEXEC_FILE_LOAD}
