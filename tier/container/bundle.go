//go:build linux

package container

import (
	"fmt"

	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
)

// bundle describes the container: the same for every runtime.
func (p *plan) bundle() *specs.Spec {
	limits := p.spec.Limits
	// Writable file systems are all memory of the box, and bounded.
	tmpfs := func(at string, options ...string) specs.Mount {
		return specs.Mount{Destination: at, Type: "tmpfs", Source: "tmpfs", Options: append([]string{"nosuid", "nodev"}, options...)}
	}
	scratch := func(at string, options ...string) specs.Mount {
		// The root directory of the file system is a file too.
		return tmpfs(at, append(options, fmt.Sprintf("size=%d", limits.Disk), fmt.Sprintf("nr_inodes=%d", limits.Files+1))...)
	}
	// Users and groups alike.
	ids := []specs.LinuxIDMapping{{ContainerID: 0, HostID: 0, Size: 1}}
	if p.tier.root {
		ids = append(ids, specs.LinuxIDMapping{ContainerID: tier.UID, HostID: tier.UID, Size: 1})
	}
	var masked []string
	for _, m := range p.tier.masks {
		masked = append(masked, m.Path)
	}
	worst := 1000 // when the host is out of memory, boxes go first
	spec := &specs.Spec{
		Version:  "1.0.2",
		Hostname: tier.Hostname,
		Root:     &specs.Root{Path: rootDir, Readonly: true},
		Process: &specs.Process{
			Args: []string{glove.Path},
			Cwd:  "/",
			Capabilities: &specs.LinuxCapabilities{
				Bounding: bootCapabilities, Effective: bootCapabilities, Permitted: bootCapabilities,
			},
			NoNewPrivileges: true,
			OOMScoreAdj:     &worst,
		},
		Mounts: []specs.Mount{
			// Hide the agent from the commands, even if the kernel treats the
			// commands' user as the owner.
			{Destination: "/proc", Type: "proc", Source: "proc", Options: []string{"nosuid", "nodev", "noexec", hidden}},
			{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "noexec", "mode=755", "size=64k", "nr_inodes=64"}},
			tmpfs("/sys", "noexec", "ro", "mode=555", "size=4k", "nr_inodes=2"),
			scratch("/dev/shm", "noexec"),
			scratch(tier.Temp),
			scratch(tier.Workspace),
		},
		Linux: &specs.Linux{
			Namespaces: []specs.LinuxNamespace{
				{Type: specs.UserNamespace}, {Type: specs.PIDNamespace}, {Type: specs.MountNamespace}, {Type: specs.NetworkNamespace},
				{Type: specs.IPCNamespace}, {Type: specs.UTSNamespace}, {Type: specs.CgroupNamespace},
			},
			UIDMappings:   ids,
			GIDMappings:   ids,
			Seccomp:       profile(),
			MaskedPaths:   masked,
			ReadonlyPaths: []string{"/proc/sys"},
		},
	}
	switch {
	case p.tier.runtime.guest:
		forGuest(spec)
	case !p.metered:
		spec.Linux.Sysctl = native.SmallBuffers
	}
	return spec
}

// hidden makes a /proc that hides processes closed to tracing by the reader.
const hidden = "hidepid=1"

// bootCapabilities are the glove's capabilities in the box's user name space to
// finish the walls. The glove keeps few, and no command has any.
var bootCapabilities = []string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_KILL", "CAP_NET_ADMIN",
	"CAP_SETFCAP", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID", "CAP_SYS_ADMIN", "CAP_SYS_CHROOT",
}
