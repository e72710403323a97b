package seccomp

import "github.com/gloveboxhq/glovebox/internal/linux"

// Arch is the machine of this program, in a filter's terms.
const Arch = linux.AUDIT_ARCH_AARCH64

var allowedHere = []uintptr{linux.SYS_NEWFSTATAT}

var refusedHere = []uintptr{linux.SYS_KEXEC_FILE_LOAD}

// forks make processes beside clone.
var forks []uintptr

var watchesHere []uintptr
