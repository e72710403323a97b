//go:build linux

package native

import (
	"os"

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

// smallBuffer is the most bytes of a connection of TCP in one direction, where they
// are small. The kernel's own limits are megabytes, which nobody counts.
const smallBuffer = 128 << 10

// smallBuffers are the files that say so of the network name space of who opens
// them, and what is written to them.
var smallBuffers = map[string]string{
	"/proc/sys/net/ipv4/tcp_rmem": "4096 65536 131072",
	"/proc/sys/net/ipv4/tcp_wmem": "4096 16384 131072",
}

// SmallBuffers appends the calls that keep the buffers of TCP small in the network
// name space. They need a /proc that can be written to. The names begin with
// [tier.ControlMemory].
func SmallBuffers(s *glove.Script) {
	for file, sizes := range smallBuffers {
		fd := s.Buffer(8)
		s.Call(tier.ControlMemory+": open "+file, unix.SYS_OPENAT, unix.AT_FDCWD, file, unix.O_WRONLY|unix.O_CLOEXEC, 0).To(fd)
		s.CallOn(fd, tier.ControlMemory+": write "+file, unix.SYS_WRITE, sizes, len(sizes))
		s.CallOn(fd, "close", unix.SYS_CLOSE)
	}
}

// keepBuffersSmall does the same in the network name space of this thread.
func keepBuffersSmall() error {
	for file, sizes := range smallBuffers {
		if err := os.WriteFile(file, []byte(sizes), 0); err != nil {
			return err
		}
	}
	return nil
}
