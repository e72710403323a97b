package attack

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// OwnKernel asks the kernel for its identity, for tiers with a kernel in each
// box.
func OwnKernel() Attack {
	return Attack{
		Control: tier.ControlSyscalls, What: "asking for the host's kernel",
		Program: func(s *glove.Script) {
			var name unix.Utsname
			size := len(name.Release)
			buf := s.Buffer(6 * size)
			s.Call("uname", linux.SYS_UNAME, buf)
			s.Call("write", linux.SYS_WRITE, 1, buf.Plus(2*size), size)
		},
		Held: func(_ glovebox.Outcome, stdout []byte) (bool, string) {
			var host unix.Utsname
			if err := unix.Uname(&host); err != nil {
				return false, err.Error()
			}
			theirs, ours := unix.ByteSliceToString(stdout), unix.ByteSliceToString(host.Release[:])
			return theirs != "" && theirs != ours, fmt.Sprintf("the guest has %s, the host %s", theirs, ours)
		},
	}
}

// OwnFiles looks for a lock on a file of the root, held on the host as another
// box with the same root could hold it, for tiers with one tree for all boxes.
func OwnFiles() Attack {
	return Attack{
		Control: tier.ControlOwnFiles, What: "meeting another's lock on the root",
		Before: func(root *rootfs.Root) (io.Closer, error) {
			f, err := os.Open(root.Tree)
			if err != nil {
				return nil, err
			}
			if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
				return nil, errors.Join(err, f.Close())
			}
			return f, nil
		},
		Program: func(s *glove.Script) {
			fd := s.Buffer(8)
			s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, "/", linux.O_RDONLY, 0).To(fd)
			s.CallOn(fd, "flock", linux.SYS_FLOCK, unix.LOCK_EX|unix.LOCK_NB)
		},
		Held: func(out glovebox.Outcome, _ []byte) (bool, string) {
			if out.ExitCode == int(linux.EWOULDBLOCK) {
				return false, "it is locked in the box, too"
			}
			return out.Cause == glovebox.CauseExit && out.ExitCode == 0, "no lock there"
		},
	}
}

// Load reads the host's load, for tiers whose boxes have constant files in
// place of /proc's.
func Load() Attack {
	return Attack{Control: tier.ControlProc, What: "reading the host's load", Held: Prints("0.00 0.00 0.00 1/1 1\n"),
		Program: prints("/proc/loadavg")}
}
