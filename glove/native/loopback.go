//go:build linux

package native

import (
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// RaiseLoopback appends the calls that bring the loopback of the network name
// space up. The names begin with [tier.ControlNetwork].
func RaiseLoopback(s *glove.Script) {
	fd := s.Buffer(8)
	s.Call(tier.ControlNetwork+": socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0).To(fd)
	up := make([]byte, 40) // struct ifreq
	copy(up, "lo")
	up[16] = unix.IFF_UP
	s.CallOn(fd, tier.ControlNetwork+": raise the loopback", unix.SYS_IOCTL, unix.SIOCSIFFLAGS, up)
	s.CallOn(fd, "close", unix.SYS_CLOSE)
}
