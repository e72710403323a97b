//go:build linux

package seccomp

import "golang.org/x/sys/unix"

// Arch is the machine that this program runs on, as a filter knows it.
const Arch = unix.AUDIT_ARCH_AARCH64

var allowedHere = []uintptr{unix.SYS_FSTATAT}

var refusedHere = []uintptr{unix.SYS_KEXEC_FILE_LOAD}

// forks make processes beside clone.
var forks []uintptr
