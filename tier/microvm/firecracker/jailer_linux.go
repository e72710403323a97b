package firecracker

import (
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// Bounds of a Firecracker under control of its guest.
const (
	maxFiles = 256
	// slack is the bound on writes beside a guest's memory. The jailer writes a
	// little, too, so slack is never 0.
	slack = 1 << 20
)

// newID returns a name of letters and digits, as the jailer requires.
func newID() string { return "glovebox-" + strings.ToLower(rand.Text()) }

// fileSize bounds the files written by Firecracker. Only a booted machine
// writes its guest's memory, as a snapshot.
func fileSize(m *monitor.Machine) uint64 {
	if m.Snapshot != "" {
		return slack
	}
	return uint64(m.Memory) + 64*slack
}

// command describes the start of Firecracker. Firecracker runs with its initial
// descriptors, an empty environment and, by default, its own seccomp filters.
func (m *Monitor) command(machine *monitor.Machine, h *home) monitor.Command {
	c := monitor.Command{
		Path: m.path, Args: []string{"--id", h.id, "--api-sock", apiSocket},
		Dir: h.path, Group: machine.Group,
		Limits: map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: fileSize(machine), unix.RLIMIT_NOFILE: maxFiles},
	}
	if machine.Console != nil {
		c.Output = machine.Console
	}
	if m.jailer != "" {
		// Root unchanged: in a user namespace it could make no jail.
		c.Path, c.Args, c.Dir, c.Identity = m.jailer, m.jail(machine, h), "/", &syscall.Credential{}
		// The jailer sets the rest, after copying Firecracker.
		c.Limits = map[int]uint64{unix.RLIMIT_CORE: 0}
	}
	return c
}

// jail are the jailer's arguments (docs/jailer.md). The jailer becomes
// Firecracker, with the same process id: it neither daemonizes nor makes a
// namespace of processes, since either would leave a process other than our
// child. It joins no network namespace.
//
// The jailer begins in our control group, so the group's limits hold for the
// jailer, too. It makes no group of its own, and its parent-cgroup does not
// exist: with version 2 the jailer would leave our group for the named group,
// "firecracker" by default.
func (m *Monitor) jail(machine *monitor.Machine, h *home) []string {
	number := func(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
	return []string{
		"--id", h.id,
		"--exec-file", m.path,
		"--uid", number(h.owner.Uid),
		"--gid", number(h.owner.Gid),
		"--chroot-base-dir", machine.Dir,
		"--cgroup-version", cgroupVersion(),
		"--parent-cgroup", h.id,
		"--resource-limit", fmt.Sprintf("fsize=%d", fileSize(machine)),
		"--resource-limit", fmt.Sprintf("no-file=%d", maxFiles),
		"--",
		"--api-sock", apiSocket,
	}
}

// cgroupVersion is the version of the host's control groups, as the jailer
// expects it.
func cgroupVersion() string {
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		return "2"
	}
	return "1"
}
