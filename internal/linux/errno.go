package linux

import (
	"io/fs"
	"runtime"
	"strconv"
	"syscall"
)

// Errno is the number of an error of the Linux kernel.
type Errno uintptr

// Name is the kernel's name of the error, such as "ENOENT", or "".
func (e Errno) Name() string {
	if e >= Errno(len(errnos)) {
		return ""
	}
	return errnos[e].name
}

func (e Errno) Error() string {
	if e.Name() == "" {
		return "errno " + strconv.Itoa(int(e))
	}
	return errnos[e].text
}

// Is implements the interface of [errors.Is]: it matches the errors of io/fs,
// and on Linux the host's errors, with equal numbers.
func (e Errno) Is(target error) bool {
	switch target {
	case fs.ErrPermission:
		return e == EACCES || e == EPERM
	case fs.ErrExist:
		return e == EEXIST || e == ENOTEMPTY
	case fs.ErrNotExist:
		return e == ENOENT
	}
	host, ok := target.(syscall.Errno)
	return ok && runtime.GOOS == "linux" && uintptr(host) == uintptr(e)
}
