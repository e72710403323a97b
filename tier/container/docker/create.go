package docker

import (
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove/wire"
	"github.com/gloveboxhq/glovebox/tier"
)

// The part of the engine's interface that describes a container: see
// ContainerCreate in its reference.
type (
	createRequest struct {
		Image           string
		Entrypoint      []string
		Cmd             []string
		User            string
		Hostname        string
		WorkingDir      string
		AttachStdin     bool
		AttachStdout    bool
		AttachStderr    bool
		OpenStdin       bool
		StdinOnce       bool
		NetworkDisabled bool
		Labels          map[string]string
		HostConfig      hostConfig
	}
	hostConfig struct {
		Runtime        string `json:",omitempty"`
		NetworkMode    string
		IpcMode        string
		CgroupnsMode   string
		UsernsMode     string `json:",omitempty"`
		ReadonlyRootfs bool
		CapDrop        []string
		CapAdd         []string
		SecurityOpt    []string
		Memory         int64
		MemorySwap     int64
		PidsLimit      int64
		Ulimits        []ulimit
		Tmpfs          map[string]string `json:",omitempty"`
		Binds          []string          `json:",omitempty"`
		MaskedPaths    []string
		ReadonlyPaths  []string
		LogConfig      logConfig
	}
	ulimit struct {
		Name       string
		Soft, Hard int64
	}
	logConfig struct{ Type string }
	created   struct {
		ID       string `json:"Id"`
		Warnings []string
	}
)

// capabilities are the glove's capabilities in the container, to set commands
// up and to end them. No command has any.
var capabilities = []string{
	"CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETPCAP", "SETUID",
}

// masked are the paths hidden from a box: the engines' own list, and further
// facts about the host. Of /sys only the control group remains.
var masked = []string{
	"/proc/acpi", "/proc/asound", "/proc/buddyinfo", "/proc/bus", "/proc/cgroups", "/proc/cmdline", "/proc/config.gz",
	"/proc/consoles", "/proc/crypto", "/proc/diskstats", "/proc/dma", "/proc/driver", "/proc/dynamic_debug",
	"/proc/fb", "/proc/fs", "/proc/interrupts", "/proc/iomem", "/proc/ioports", "/proc/irq", "/proc/kallsyms",
	"/proc/kcore", "/proc/key-users", "/proc/keys", "/proc/kmsg", "/proc/kpagecgroup", "/proc/kpagecount",
	"/proc/kpageflags", "/proc/latency_stats", "/proc/locks", "/proc/mdstat", "/proc/misc", "/proc/modules",
	"/proc/mtrr", "/proc/pagetypeinfo", "/proc/partitions", "/proc/pressure", "/proc/sched_debug",
	"/proc/schedstat", "/proc/scsi", "/proc/slabinfo", "/proc/softirqs", "/proc/swaps",
	"/proc/sys/fs/aio-nr", "/proc/sys/fs/dentry-state", "/proc/sys/fs/file-nr", "/proc/sys/fs/inode-nr", "/proc/sys/fs/inode-state",
	"/proc/sys/kernel/pty/nr", "/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/random/entropy_avail", "/proc/sysrq-trigger", "/proc/sysvipc", "/proc/timer_list",
	"/proc/timer_stats", "/proc/tty", "/proc/vmallocinfo", "/proc/vmstat", "/proc/zoneinfo",
	"/sys/block", "/sys/bus", "/sys/class", "/sys/dev", "/sys/devices", "/sys/firmware", "/sys/hypervisor",
	"/sys/kernel", "/sys/module", "/sys/power",
}

// describe describes the container of a box, except its writable directories.
func (t *Tier) describe(image string, limits glovebox.Limits) createRequest {
	security := []string{"no-new-privileges"}
	if t.engine.podman {
		security = append(security, "mask="+strings.Join(masked, ":")) // it does not know MaskedPaths
	}
	return createRequest{
		Image:      image,
		Entrypoint: []string{relayPath},
		Cmd:        []string{},
		User:       "0:0",
		Hostname:   tier.Hostname,
		WorkingDir: "/",
		// The end of the connection is the end of stdin.
		AttachStdin: true, AttachStdout: true, AttachStderr: true, OpenStdin: true, StdinOnce: true,
		NetworkDisabled: true,
		Labels:          map[string]string{labelOwner: t.owner.String()},
		HostConfig: hostConfig{
			Runtime:        t.options.Runtime,
			NetworkMode:    "none",
			IpcMode:        "none",
			CgroupnsMode:   "private",
			ReadonlyRootfs: true,
			CapDrop:        []string{"ALL"},
			CapAdd:         capabilities,
			SecurityOpt:    security,
			Memory:         limits.Memory,
			MemorySwap:     limits.Memory, // together with the memory: no swap
			PidsLimit:      tasks(limits),
			Ulimits: []ulimit{
				{"nofile", openFiles(limits), openFiles(limits)},
				{"nproc", manyTasks, manyTasks},
				{"core", 0, 0},
			},
			MaskedPaths:   masked,
			ReadonlyPaths: []string{"/proc/sys"},
			LogConfig:     logConfig{"none"},
		},
	}
}

// tasks is how many tasks a container has at the most.
func tasks(l glovebox.Limits) int64 { return l.Processes + wire.Tasks }

// openFiles bounds the descriptors of a process in the container: the relay
// needs its own; each command gets its own limit later.
func openFiles(l glovebox.Limits) int64 { return max(l.OpenFiles, 256) }

// manyTasks is no limit, but a number: the kernel would count all tasks of the
// user on the machine, and Podman's own default is more than it may always give.
const manyTasks = 32 << 10
