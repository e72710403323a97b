//go:build linux

package gvisor

import (
	"fmt"
	"slices"

	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// gloveCapabilities are what the glove has inside the guest, to set commands
// up and to end them. They are powers over the guest alone, and no command has
// any of them.
var gloveCapabilities = []string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_KILL",
	"CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID", "CAP_SYS_RESOURCE",
}

// guestSpec describes the guest to gVisor: an EROFS image as root, memory file
// systems for what is written, and the glove as process 1.
func guestSpec(spec *tier.Spec) *specs.Spec {
	image, limits := spec.Root.Image, spec.Limits
	gloveCapabilities := gloveCapabilities
	if spec.Batch != "" {
		gloveCapabilities = append(slices.Clone(gloveCapabilities), "CAP_SYS_ADMIN")
	}
	return &specs.Spec{
		Version:  "1.1.0",
		Hostname: tier.Hostname,
		Root:     &specs.Root{Path: "/", Readonly: true},
		Annotations: map[string]string{
			"dev.gvisor.spec.rootfs.source": image,
			"dev.gvisor.spec.rootfs.type":   "erofs",
		},
		Process: &specs.Process{
			Args: []string{glove.Path},
			Cwd:  "/",
			Capabilities: &specs.LinuxCapabilities{
				Bounding: gloveCapabilities, Effective: gloveCapabilities, Permitted: gloveCapabilities,
			},
			NoNewPrivileges: true,
		},
		Mounts: []specs.Mount{
			{Destination: "/proc", Type: "proc", Source: "proc", Options: []string{"nosuid", "nodev", "noexec"}},
			{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "noexec"}},
			memoryFS("/dev/shm", limits),
			memoryFS(tier.Temp, limits),
			memoryFS(tier.Workspace, limits),
		},
		Linux: &specs.Linux{
			Namespaces: []specs.LinuxNamespace{
				{Type: specs.PIDNamespace}, {Type: specs.NetworkNamespace}, {Type: specs.IPCNamespace},
				{Type: specs.UTSNamespace}, {Type: specs.MountNamespace},
			},
		},
	}
}

// memoryFS is a file system in the guest's memory, which counts against its
// memory limit too.
func memoryFS(at string, limits glovebox.Limits) specs.Mount {
	return specs.Mount{Destination: at, Type: "tmpfs", Source: "tmpfs", Options: []string{
		"nosuid", "nodev", "mode=1777",
		fmt.Sprintf("size=%d", limits.Disk),
		// The root directory of the file system is a file too.
		fmt.Sprintf("nr_inodes=%d", limits.Files+1),
	}}
}
