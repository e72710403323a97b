//go:build linux

package container

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// A guest is a container with gVisor's kernel, which runs in processes of the
// host, instead of the host's kernel.

// The needs of the guest's kernel and of the runtime, beside the guest's.
const (
	kernelMemory = 192 << 20
	kernelTasks  = 512
	tasksPerTask = 4 // threads of the host for each of the guest's, at the most
)

// guestLimits bound all of a guest on the host. They are the last resort: the
// guest's own limits are hit before.
func guestLimits(l glovebox.Limits) cgroup.Limits {
	return cgroup.Limits{Memory: l.Memory + kernelMemory, Tasks: kernelTasks + tasksPerTask*l.Processes}
}

// forGuest removes from a bundle all that a guest's kernel does not know or
// need.
func forGuest(spec *specs.Spec) {
	l := spec.Linux
	// The guest's files of /proc reveal nothing about the host, and its system
	// calls stay inside.
	l.Seccomp, l.MaskedPaths, l.ReadonlyPaths = nil, nil, nil
	l.Namespaces = slices.DeleteFunc(l.Namespaces, func(n specs.LinuxNamespace) bool { return n.Type == specs.CgroupNamespace })
	for i := range spec.Mounts {
		m := &spec.Mounts[i]
		m.Options = slices.DeleteFunc(m.Options, func(o string) bool { return strings.HasPrefix(o, "nr_inodes=") || o == hidden })
	}
}

// guestMounts mounts the writable directories, in the guest: the runtime does
// not know the limit of files.
func (p *plan) guestMounts(s *glove.Script) {
	l := p.spec.Limits
	options := fmt.Sprintf("mode=1777,size=%d,nr_inodes=%d", l.Disk, l.Files+1)
	for _, at := range []string{tier.Workspace, tier.Temp, "/dev/shm"} {
		s.Call("mount "+at, unix.SYS_MOUNT, "tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options)
	}
}

// guestMeter measures a guest. It implements [native.Meter].
type guestMeter struct {
	stage  int
	memory *os.File // all that the guest has, in one file
	limit  int64    // of it
	kill   func()
	grown  []glovebox.Hit // it grew faster than its commands were killed
}

// guestMemory is the name of the file behind all memory of a guest.
const guestMemory = "/memfd:runsc-memory (deleted)"

// meterGuest finds the guest below a stage; kill kills the stage.
func meterGuest(stage int, limit int64, kill func()) (*guestMeter, error) {
	for _, pid := range native.Below(stage) {
		links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil {
			return nil, err
		}
		for _, link := range links {
			if name, err := os.Readlink(link); err != nil || name != guestMemory {
				continue
			}
			fd, err := unix.Open(link, unix.O_PATH|unix.O_CLOEXEC, 0)
			if err != nil {
				return nil, fmt.Errorf("the guest's memory: %w", err)
			}
			return &guestMeter{stage: stage, memory: os.NewFile(uintptr(fd), "guest memory"), limit: limit, kill: kill}, nil
		}
	}
	return nil, errors.New("no process of the runtime has the guest's memory")
}

// Sample implements [native.Meter].
func (m *guestMeter) Sample() (s glove.Sample, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(m.memory.Fd()), &st); err != nil {
		return s, err
	}
	s.Memory = st.Blocks * 512
	if s.Memory > m.limit+m.limit/2 && m.grown == nil {
		m.grown = []glovebox.Hit{{Limit: glovebox.LimitMemory, Evidence: glovebox.Evidence{
			Source: "supervisor", Fact: fmt.Sprintf("the guest's memory held %d of %d bytes", s.Memory, m.limit),
		}}}
		m.kill()
	}
	s.CPU = native.TreeTime(m.stage)
	return s, nil
}

// Evidence implements [native.Meter].
func (m *guestMeter) Evidence(glove.Sample) []glovebox.Hit { return m.grown }

// Close implements [native.Meter].
func (m *guestMeter) Close() error { return m.memory.Close() }
