package monitor

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
)

// launcher stands between the fork and a monitor: a program of a few system
// calls that gives up, in the process itself, all rights withheld from the
// monitor, and becomes it. A failure to give up a right ends the launcher, with
// one exception: the namespaces are a second wall behind a monitor without a
// network device and with its own filter of system calls, and not every host
// permits them.
type launcher struct {
	Command
	files []*os.File // by descriptor
	first int        // of the files to enter the control group by
	joins int
}

func (l *launcher) join(files []*os.File) {
	l.first, l.joins = len(l.files), len(files)
	l.files = append(l.files, files...)
}

// image returns the program as an unchangeable file in memory.
func (l *launcher) image() (*os.File, error) {
	elf, err := glove.Program(l.script())
	if err != nil {
		return nil, err
	}
	const mfdExec = 0x10 // since Linux 6.3, where it may be needed
	flags := unix.MFD_CLOEXEC
	fd, err := unix.MemfdCreate("launcher", flags|mfdExec)
	if err == unix.EINVAL {
		fd, err = unix.MemfdCreate("launcher", flags)
	}
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	w := os.NewFile(uintptr(fd), "launcher")
	defer w.Close()
	if _, err := w.Write(elf); err != nil {
		return nil, err
	}
	// A file that is open for writing cannot be executed.
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", fd))
}

func (l *launcher) script() *glove.Script {
	s := new(glove.Script)
	failures := []func(){}
	call := func(name string, nr uintptr, args ...any) *glove.Ins {
		failed := s.Label()
		failures = append(failures, func() {
			text := "the launcher cannot " + name + "\n"
			s.Place(failed)
			s.Call("say", unix.SYS_WRITE, 2, text, len(text)).Ignore()
			s.Call("exit", unix.SYS_EXIT_GROUP, 126)
		})
		return s.Call(name, nr, args...).IfError(failed)
	}
	for i := range l.joins {
		call("enter the control group", unix.SYS_WRITE, l.first+i, "0", 1)
	}
	for what, n := range l.Limits {
		call("limit itself", unix.SYS_PRLIMIT64, 0, what, s.Words(n, n), 0)
	}
	spaces := unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if l.Identity == nil {
		spaces |= unix.CLONE_NEWUSER
	}
	call("leave the host's namespaces", unix.SYS_UNSHARE, spaces).Ignore()
	if id := l.Identity; id != nil {
		groups := make([]byte, 0, 4*len(id.Groups))
		for _, g := range id.Groups {
			groups = append(groups, byte(g), byte(g>>8), byte(g>>16), byte(g>>24))
		}
		call("set its groups", unix.SYS_SETGROUPS, len(id.Groups), groups)
		call("set its group", unix.SYS_SETRESGID, id.Gid, id.Gid, id.Gid)
		call("set its user", unix.SYS_SETRESUID, id.Uid, id.Uid, id.Uid)
	}
	call("give up privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	// After the change of user, which resets the signal. An earlier death of
	// the owner is noticed below.
	call("die with its owner", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, int(unix.SIGKILL), 0, 0, 0)
	orphan := s.Label()
	failures = append(failures, func() {
		s.Place(orphan)
		s.Call("exit", unix.SYS_EXIT_GROUP, 126)
	})
	s.Call("look for its owner", unix.SYS_GETPPID).IfOther(int64(os.Getpid()), orphan)
	for sig := 1; sig < 32; sig++ {
		call("default signal", unix.SYS_RT_SIGACTION, sig, s.Buffer(32), 0, 8).Ignore()
	}
	call("unblock the signals", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, s.Buffer(8), 0, 8)
	call("close descriptors", unix.SYS_CLOSE_RANGE, 3+len(l.Files), uint32(1<<32-1), unix.CLOSE_RANGE_CLOEXEC)
	args := append([]string{filepath.Base(l.Path)}, l.Args...)
	call("execute "+l.Path, unix.SYS_EXECVE, l.Path, s.Strings(args), s.Strings(nil))
	for _, place := range failures {
		place()
	}
	return s
}
