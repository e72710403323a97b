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

// Name is the signal's name, such as "SIGKILL", or "" where it has none, as a
// real-time signal.
func (s Signal) Name() string {
	if s < 0 || int(s) >= len(signals) {
		return ""
	}
	return signals[s]
}

func (s Signal) String() string {
	if s.Name() == "" {
		return "signal " + strconv.Itoa(int(s))
	}
	return s.Name()
}

// WaitStatus is how a process ended, as wait4 says (the kernel's wait.h has no
// names for its parts; POSIX has).
type WaitStatus uint32

// Exited tells that the process ended by itself.
func (w WaitStatus) Exited() bool { return w&0x7f == 0 }

// ExitStatus is the exit code, or -1 where it did not end by itself.
func (w WaitStatus) ExitStatus() int {
	if !w.Exited() {
		return -1
	}
	return int(w >> 8 & 0xff)
}

// Signaled tells that a signal ended the process.
func (w WaitStatus) Signaled() bool { return w&0x7f != 0 && w&0x7f != 0x7f }

// Signal is the signal that ended the process, or -1.
func (w WaitStatus) Signal() Signal {
	if !w.Signaled() {
		return -1
	}
	return Signal(w & 0x7f)
}
