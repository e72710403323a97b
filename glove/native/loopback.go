//go:build linux

package native

import (
	"errors"
	"fmt"
	"os"
	"strings"

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

// smallBuffer is the most bytes of a TCP connection in one direction under
// [SmallBuffers]. The kernel's own limits are megabytes, counted by no meter.
const smallBuffer = 128 << 10

// SmallBuffers are the settings of a network name space, by their names for sysctl(8),
// that keep the buffers of TCP small. Without a control
// group to count the buffers, the meter assumes these settings.
var SmallBuffers = map[string]string{
	"net.ipv4.tcp_rmem": "4096 65536 131072",
	"net.ipv4.tcp_wmem": "4096 16384 131072",
}

// setting is the file of a setting, in the network name space of who opens it.
func setting(name string) string { return "/proc/sys/" + strings.ReplaceAll(name, ".", "/") }

// KeepBuffersSmall appends the calls that make [SmallBuffers] so. They need a /proc
// that can be written to. The names begin with [tier.ControlMemory].
func KeepBuffersSmall(s *glove.Script) {
	for name, sizes := range SmallBuffers {
		file, fd := setting(name), s.Buffer(8)
		s.Call(tier.ControlMemory+": open "+file, unix.SYS_OPENAT, unix.AT_FDCWD, file, unix.O_WRONLY|unix.O_CLOEXEC, 0).To(fd)
		s.CallOn(fd, tier.ControlMemory+": write "+file, unix.SYS_WRITE, sizes, len(sizes))
		s.CallOn(fd, "close", unix.SYS_CLOSE)
	}
}

// keepBuffersSmall does the same in the network name space of this thread.
func keepBuffersSmall() error {
	for name, sizes := range SmallBuffers {
		if err := os.WriteFile(setting(name), []byte(sizes), 0); err != nil {
			return err
		}
	}
	return nil
}

// ourNetwork reports whether a process is in our network name space.
func ourNetwork(pid int) (bool, error) {
	var ours, its unix.Stat_t
	// Not /proc/self: our first thread may be the one that waits in a box's ([Apart]).
	err := errors.Join(unix.Stat("/proc/thread-self/ns/net", &ours), unix.Stat(fmt.Sprintf("/proc/%d/ns/net", pid), &its))
	return err == nil && ours.Ino == its.Ino && ours.Dev == its.Dev, err
}
