//go:build linux

package microvm

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/glove/wire"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

// jobScript turns a guest in the common state into one box with limits l. The
// first calls set the values that two machines of one snapshot must not share.
func jobScript(link *wire.Link, l glovebox.Limits) *glove.Script {
	s := new(glove.Script)
	entropy(s)
	clock(s)
	link.Place(s)
	set := func(fd int, v int64) {
		text := strconv.FormatInt(v, 10)
		s.Call("limit", unix.SYS_WRITE, fd, text, len(text))
	}
	set(fdMemoryMax, l.Memory)
	set(fdPidsMax, l.Processes)
	// The workspace is sticky, which protects the glove's files.
	bound := fmt.Sprintf("size=%d,nr_inodes=%d,mode=1777", l.Disk, l.Files+1)
	for _, m := range []struct {
		at    string
		flags int
	}{{tier.Workspace, 0}, {tier.Temp, 0}, {"/dev/shm", unix.MS_NOEXEC}} {
		s.Call("mount "+m.at, unix.SYS_MOUNT, "tmpfs", m.at, "tmpfs", tmpFlags|m.flags, bound)
	}
	return s
}

// Requests of /dev/random: see include/uapi/linux/random.h.
const (
	rndAddEntropy = 0x40085203
	rndReseedCRNG = 0x5207
)

// entropy gives the guest's kernel random numbers of the host, for immediate
// use.
func entropy(s *glove.Script) {
	const size = 64
	// Struct rand_pool_info: the bits, the bytes, and those.
	info := binary.LittleEndian.AppendUint32(nil, 8*size)
	info = binary.LittleEndian.AppendUint32(info, size)
	seed := make([]byte, size)
	rand.Read(seed) // never fails
	fd := s.Buffer(8)
	s.Call("open /dev/random", unix.SYS_OPENAT, unix.AT_FDCWD, "/dev/random", unix.O_WRONLY|unix.O_CLOEXEC, 0).To(fd)
	s.CallOn(fd, "add entropy", unix.SYS_IOCTL, rndAddEntropy, append(info, seed...))
	s.CallOn(fd, "reseed", unix.SYS_IOCTL, rndReseedCRNG, 0)
	s.CallOn(fd, "close", unix.SYS_CLOSE)
}

// clock sets the guest's clock, which has stood still since the snapshot.
func clock(s *glove.Script) {
	now := time.Now()
	s.Call("set the clock", unix.SYS_CLOCK_SETTIME, unix.CLOCK_REALTIME, s.Words(now.Unix(), now.Nanosecond()))
}

// prologue prepares each command's own process.
func prologue(l glovebox.Limits) func(*glove.Script) {
	// The guest's kernel counts a processor's time whether or not the host runs
	// it, so on a busy host a guest limit would cost a program some time. The
	// host's own count is metered instead.
	l.CPU = glovebox.MaxLimits.CPU
	c := native.Command{Limits: l, Become: true, Filter: seccomp.Filter(seccomp.Policy{Metered: true}), FilterSize: seccomp.Size}
	return func(s *glove.Script) {
		s.Call("enter the control group", unix.SYS_WRITE, fdJoin, "0", 1)
		c.Prologue(s)
	}
}
