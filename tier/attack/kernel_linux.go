package attack

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// OwnKernel asks the kernel who it is, for tiers whose boxes do not share the
// host's.
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
