//go:build linux

package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

// The limit is hit when something is refused, even if the program ends at once,
// and not before.
func TestGate(t *testing.T) {
	thread := unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM
	// grow makes n that stay, and ends with 1 when it was refused one.
	grow := func(flags, n int) func(s *glove.Script) {
		return func(s *glove.Script) {
			child, refused, more := s.Label(), s.Label(), s.Label()
			for range n - 1 {
				s.Call("clone", unix.SYS_CLONE, flags, 0, 0, 0, 0).IfEqual(0, child)
			}
			s.Call("clone", unix.SYS_CLONE, flags, 0, 0, 0, 0).IfError(refused)
			s.Jump(more)
			s.Place(refused)
			s.Call("exit", unix.SYS_EXIT_GROUP, 1)
			s.Place(child)
			pause(s)
			s.Place(more)
		}
	}
	for _, tc := range []struct {
		name    string
		program func(s *glove.Script)
		exit    int
		fact    string
	}{
		{"threads", grow(thread, 8), 1, "refused a process or thread: 8 of 8 at once"},
		{"processes", grow(int(unix.SIGCHLD), 8), 1, "refused a process or thread: 8 of 8 at once"},
		{"all that may be", grow(int(unix.SIGCHLD), 7), 0, ""},
		{"many, one after the other", func(s *glove.Script) {
			child := s.Label()
			for range 100 {
				s.Call("clone", unix.SYS_CLONE, int(unix.SIGCHLD), 0, 0, 0, 0).IfEqual(0, child)
				s.Call("wait", unix.SYS_WAIT4, -1, 0, 0, 0)
			}
			s.Place(child)
		}, 0, ""},
		// The box's own filter refuses these before anybody is asked.
		{"forbidden ones", func(s *glove.Script) {
			wrong := exits(s)
			for range 100 {
				s.Call("namespace", unix.SYS_CLONE, unix.CLONE_NEWUSER|int(unix.SIGCHLD), 0, 0, 0, 0).IfOther(-int64(unix.EPERM), wrong)
				s.Call("clone3", unix.SYS_CLONE3, s.Buffer(88), 88).IfOther(-int64(unix.ENOSYS), wrong)
			}
		}, 0, ""},
		{"the listener is not there", func(s *glove.Script) {
			open := exits(s)
			for fd := 3; fd < 64; fd++ {
				s.Call("fcntl", unix.SYS_FCNTL, fd, unix.F_GETFD).IfOther(-int64(unix.EBADF), open)
			}
		}, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr, err := New(Options{NoControlGroups: true})
			if err != nil {
				t.Fatal(err)
			}
			if tr.host.deaf != nil {
				t.Skip("this kernel does not ask: ", tr.host.deaf)
			}
			box := open(t, tr, glovebox.Limits{Processes: 8}, program(tc.program))
			// The second command finds the room that the first one left.
			for range 2 {
				out := box.Run(context.Background(), run)
				if out.Cause != glovebox.CauseExit || out.ExitCode != tc.exit {
					t.Errorf("ended with %+v", out)
				}
				if tc.fact == "" && len(out.Hits) > 0 ||
					tc.fact != "" && (len(out.Hits) != 1 || out.Hits[0].Evidence.Fact != tc.fact || out.Usage.ProcessesPeak != 8) {
					t.Errorf("%+v, want %q", out, tc.fact)
				}
			}
		})
	}
}

// deafEnv makes the test binary one whose boxes cannot have a listener.
const deafEnv = "GLOVEBOX_TEST_DEAF"

// deaf puts a filter with a listener on this process, as some container managers
// do, and tells how a box keeps its limit of processes then, and what it says.
func deaf() {
	runtime.LockOSThread()
	filter := seccomp.Assemble(seccomp.Arch, nil, seccomp.Allow)
	prog := unix.SockFprog{Len: uint16(len(filter) / seccomp.Size), Filter: (*unix.SockFilter)(unsafe.Pointer(&filter[0]))}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH
	if _, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog))); e != 0 {
		panic(e)
	}
	tr, err := New(Options{NoControlGroups: true})
	if err != nil {
		panic(err)
	}
	root, remove, err := bareRoot()
	if err != nil {
		panic(err)
	}
	defer remove()
	box, err := tr.Open(context.Background(), tier.Spec{Root: root, Limits: glovebox.Limits{Processes: 8, Wall: time.Second}.WithDefaults(),
		Files: []glovebox.File{program(func(s *glove.Script) {
			child, refused := s.Label(), s.Label()
			for range 20 {
				s.Call("clone", unix.SYS_CLONE, int(unix.SIGCHLD), 0, 0, 0, 0).IfEqual(0, child)
			}
			s.Call("clone", unix.SYS_CLONE, int(unix.SIGCHLD), 0, 0, 0, 0).IfError(refused)
			s.Place(child)
			pause(s)
			s.Place(refused)
			s.Call("exit", unix.SYS_EXIT_GROUP, 1)
		})}})
	if err != nil {
		panic(err)
	}
	for _, c := range box.Controls() {
		if c.Name == tier.ControlProcesses {
			fmt.Println(c.How)
		}
	}
	fmt.Printf("%+v\n", box.Run(context.Background(), run))
	if err := box.Close(); err != nil {
		panic(err)
	}
}

// Where the kernel allows no listener the box says so, and RLIMIT_NPROC holds.
func TestDeaf(t *testing.T) {
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), deafEnv+"=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	how, outcome, _ := strings.Cut(string(out), "\n")
	if !strings.Contains(how, "RLIMIT_NPROC") || !strings.Contains(how, unix.EBUSY.Error()) {
		t.Errorf("the box says %q", how)
	}
	if !strings.Contains(outcome, "8 of 8 processes and threads at once") {
		t.Errorf("the command ended with %s", outcome)
	}
}
