package firecracker

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
)

// watcher kills a jailed Firecracker when this process dies. The kernel does
// the same for our further children, but forgets after a change of user, as in
// the jailer. The watcher is a program of two system calls: it waits until a
// pipe of ours has no writer, and signals the process by a descriptor, without
// the risk of a reused pid.
type watcher struct {
	proc *os.Process
	pipe *os.File
}

func watch(pid int, h *home) (*watcher, error) {
	if h.owner == nil {
		return nil, nil
	}
	s := new(glove.Script)
	s.Call("wait for the end of the host", unix.SYS_READ, 3, s.Buffer(8), 1).Ignore()
	s.Call("kill", unix.SYS_PIDFD_SEND_SIGNAL, 4, int(unix.SIGKILL), 0, 0)
	program, err := glove.Program(s)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(h.base, "watch")
	if err := os.WriteFile(path, program, 0o500); err != nil {
		return nil, err
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, os.NewSyscallError("pidfd_open", err)
	}
	target := os.NewFile(uintptr(fd), "pidfd")
	defer target.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	proc, err := os.StartProcess(path, []string{"watch"}, &os.ProcAttr{
		Dir: "/", Env: []string{},
		Files: []*os.File{nil, nil, nil, r, target},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return &watcher{proc, w}, nil
}

// close ends the watcher without a kill.
func (w *watcher) close() error {
	if w == nil {
		return nil
	}
	err := w.proc.Kill()
	_, e := w.proc.Wait()
	return errors.Join(err, e, w.pipe.Close())
}
