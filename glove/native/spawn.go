//go:build linux

package native

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// FDImage is the descriptor of a started glove that is its own executable; its
// first script closes it. Package glove has the numbers up to 33.
const FDImage = tier.FDImage

// Start starts a glove as a process of the host, in the working directory dir,
// with files as its descriptors by number, and no other but [FDImage]. change
// may change how it is started, or is nil.
func Start(dir string, files map[int]*os.File, change func(*syscall.SysProcAttr)) (proc *os.Process, err error) {
	done := make(chan struct{})
	common() <- func() {
		defer close(done)
		proc, err = start(dir, files, change)
	}
	<-done
	return proc, err
}

// start is Start on the thread that the caller is on.
func start(dir string, files map[int]*os.File, change func(*syscall.SysProcAttr)) (*os.Process, error) {
	image, err := gloveFile()
	if err != nil {
		return nil, err
	}
	attr := &os.ProcAttr{
		Dir:   dir,
		Env:   []string{},
		Files: make([]*os.File, FDImage+1),
		Sys:   &syscall.SysProcAttr{Setsid: true},
	}
	attr.Files[FDImage] = image
	for fd, f := range files {
		for len(attr.Files) <= fd {
			attr.Files = append(attr.Files, nil)
		}
		attr.Files[fd] = f
	}
	if change != nil {
		change(attr.Sys)
	}
	path := fmt.Sprintf("/proc/self/fd/%d", FDImage) // in the child
	return os.StartProcess(path, []string{"glove"}, attr)
}

// gloveFile is the glove as an unchangeable file in memory.
var gloveFile = sync.OnceValues(func() (*os.File, error) {
	const mfdExec = 0x10 // since Linux 6.3, where it may be needed
	flags := unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate("glove", flags|mfdExec)
	if err == unix.EINVAL {
		fd, err = unix.MemfdCreate("glove", flags)
	}
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	w := os.NewFile(uintptr(fd), "glove")
	defer w.Close()
	if _, err := w.Write(glove.Image()); err != nil {
		return nil, err
	}
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(w.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return nil, fmt.Errorf("seal the glove: %w", err)
	}
	// A file that is open for writing cannot be executed.
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", fd))
})

// spawner runs functions on one thread that lives as long as this process. The
// kernel kills a box when the thread that started it ends, and the threads of
// Go come and go.
type spawner chan func()

func newSpawner() spawner {
	work := make(spawner)
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
}

// common is the spawner of what is started as any process of the host.
var common = sync.OnceValue(newSpawner)

// Succeed appends the calls by which a started glove makes its successor, in
// new name spaces by the flags of clone, as a child of the host, says which
// process it is (see [Successor]), and ends. The successor waits until the host
// writes a byte to the kill pipe, for when its users are mapped; what follows in
// the script is its own. name tells the call that makes it.
func Succeed(s *glove.Script, name string, flags int) {
	SucceedWith(s, name, flags, func() {})
}

// SucceedWith is [Succeed] of a successor that has something to do before it
// waits: early appends it.
func SucceedWith(s *glove.Script, name string, flags int, early func()) {
	pid, inside, failed, on := s.Buffer(8), s.Label(), s.Label(), s.Label()
	s.Call(name, unix.SYS_CLONE, flags|unix.CLONE_PARENT|int(unix.SIGCHLD), 0, 0, 0, 0).To(pid)
	s.Load(pid).IfEqual(0, inside)
	s.Report(pid, 8)
	s.Call("exit", unix.SYS_EXIT_GROUP, 0)
	s.Place(inside)
	s.OnFail(failed)
	early()
	s.OnFail(nil)
	awaitHost(s)
	s.Jump(on)
	// It must not speak before the host has heard who it is.
	s.Place(failed)
	awaitHost(s)
	s.Fail()
	s.Place(on)
}

// awaitHost appends the calls that wait for the byte, and end without it.
func awaitHost(s *glove.Script) {
	mapped := s.Label()
	s.Call("wait for the host", unix.SYS_READ, glove.FDKill, s.Buffer(8), 1).IfEqual(1, mapped)
	s.Call("exit", unix.SYS_EXIT_GROUP, 0)
	s.Place(mapped)
}

// Successor reads the report of a glove that has made its successor.
func Successor(report []byte) (*os.Process, error) {
	if len(report) != 8 {
		return nil, fmt.Errorf("the glove reported a process id of %d bytes", len(report))
	}
	pid := binary.LittleEndian.Uint64(report)
	if pid < 2 || pid > maxPID {
		return nil, fmt.Errorf("the glove reported the process id %d", pid)
	}
	return os.FindProcess(int(pid))
}

// Abandon kills and reaps a started glove, and its successor if that was made
// and we were not told: it is our child, and in the first one's process group.
func Abandon(first *os.Process) {
	unix.Kill(-first.Pid, unix.SIGKILL)
	first.Wait()
	for {
		if _, err := unix.Wait4(-first.Pid, nil, 0, nil); err != nil && err != unix.EINTR {
			return
		}
	}
}

// DieWithHost appends the call by which a process dies with the thread of the
// host that started it. It comes after the last change of user, which resets
// it. (The host that died before it closed the pipe of scripts, which ends the
// glove too.)
func DieWithHost(s *glove.Script) {
	s.Call("die with the host", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, int(unix.SIGKILL), 0, 0, 0)
}
