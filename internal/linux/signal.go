package linux

import "strconv"

// Signal is the number of a signal of Linux.
type Signal int

// Signals (asm-generic/signal.h and, with the same numbers, x86's own).
const (
	SIGHUP Signal = iota + 1
	SIGINT
	SIGQUIT
	SIGILL
	SIGTRAP
	SIGABRT
	SIGBUS
	SIGFPE
	SIGKILL
	SIGUSR1
	SIGSEGV
	SIGUSR2
	SIGPIPE
	SIGALRM
	SIGTERM
	SIGSTKFLT
	SIGCHLD
	SIGCONT
	SIGSTOP
	SIGTSTP
	SIGTTIN
	SIGTTOU
	SIGURG
	SIGXCPU
	SIGXFSZ
	SIGVTALRM
	SIGPROF
	SIGWINCH
	SIGIO
	SIGPWR
	SIGSYS
)

var signals = [...]string{
	"", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
	"SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP",
	"SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
}

// firstRealTime is the first of the real-time signals that C libraries give to
// programs, and lastSignal the last of all.
const (
	firstRealTime = 34
	lastSignal    = 64
)

// Name is the signal's name, such as "SIGKILL" or "SIGRTMIN+3", or "" for an
// unknown signal.
func (s Signal) Name() string {
	switch {
	case s < 0 || s > lastSignal:
		return ""
	case int(s) < len(signals):
		return signals[s]
	case s < firstRealTime: // the C library's own
		return "SIG" + strconv.Itoa(int(s))
	case s == firstRealTime:
		return "SIGRTMIN"
	}
	return "SIGRTMIN+" + strconv.Itoa(int(s-firstRealTime))
}

func (s Signal) String() string {
	if s.Name() == "" {
		return "signal " + strconv.Itoa(int(s))
	}
	return s.Name()
}

// WaitStatus describes the end of a process, as reported by wait4 (the kernel's
// wait.h has no names for its parts; POSIX has).
type WaitStatus uint32

// Exited reports whether the process ended by itself.
func (w WaitStatus) Exited() bool { return w&0x7f == 0 }

// ExitStatus is the exit code, or -1 for a process ended by a signal.
func (w WaitStatus) ExitStatus() int {
	if !w.Exited() {
		return -1
	}
	return int(w >> 8 & 0xff)
}

// Signaled reports whether a signal ended the process.
func (w WaitStatus) Signaled() bool { return w&0x7f != 0 && w&0x7f != 0x7f }

// Signal is the signal that ended the process, or -1.
func (w WaitStatus) Signal() Signal {
	if !w.Signaled() {
		return -1
	}
	return Signal(w & 0x7f)
}
