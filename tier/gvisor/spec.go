//go:build linux

package gvisor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// gloveCapabilities are the glove's capabilities inside the guest, to set
// commands up and to end them. They are powers over the guest alone, and no
// command has any.
var gloveCapabilities = []string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_KILL",
	"CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID", "CAP_SYS_RESOURCE",
}

// gloveCapabilityNumbers are the same capabilities as numbers.
var gloveCapabilityNumbers = []int{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_KILL,
	unix.CAP_SETGID, unix.CAP_SETPCAP, unix.CAP_SETUID, unix.CAP_SYS_RESOURCE,
}

// nestCapability is the additional capability of process 1 of a nest, to make
// namespaces and mounts. The glove of a box in the nest gives it up.
const nestCapability = "CAP_SYS_ADMIN"

// guestSpec describes the guest to gVisor: an EROFS image as root, memory file
// systems for writes, and the glove as process 1.
func guestSpec(spec *tier.Spec) *specs.Spec {
	image, limits := spec.Root.Image, spec.Limits
	has := gloveCapabilities
	if spec.Batch != "" {
		has = append(slices.Clone(has), nestCapability)
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
				Bounding: has, Effective: has, Permitted: has,
			},
			NoNewPrivileges: true,
		},
		Mounts: []specs.Mount{
			{Destination: "/proc", Type: "proc", Source: "proc", Options: []string{"nosuid", "nodev", "noexec"}},
			{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "noexec"}},
			memoryFS(memoryDirs[0], limits),
			memoryFS(memoryDirs[1], limits),
			memoryFS(memoryDirs[2], limits),
		},
		Linux: &specs.Linux{
			Namespaces: []specs.LinuxNamespace{
				{Type: specs.PIDNamespace}, {Type: specs.NetworkNamespace}, {Type: specs.IPCNamespace},
				{Type: specs.UTSNamespace}, {Type: specs.MountNamespace},
			},
		},
	}
}

// memoryDirs are where commands can write.
var memoryDirs = []string{"/dev/shm", tier.Temp, tier.Workspace}

// memoryOptions are the options of a file system in the guest's memory, which
// counts against the memory limit too. The root directory counts as a file.
func memoryOptions(l glovebox.Limits) string {
	return fmt.Sprintf("mode=1777,size=%d,nr_inodes=%d", l.Disk, l.Files+1)
}

// memoryFS is such a file system.
func memoryFS(at string, limits glovebox.Limits) specs.Mount {
	options := append([]string{"nosuid", "nodev"}, strings.Split(memoryOptions(limits), ",")...)
	return specs.Mount{Destination: at, Type: "tmpfs", Source: "tmpfs", Options: options}
}
