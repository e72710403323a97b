package docker

import (
	"fmt"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// controls lists the box's controls and their means.
func (t *Tier) controls(g group) []glovebox.Control {
	word := func(c counter) string {
		if c.limit == "" {
			return "the control group of the container, by the engine's word"
		}
		return "the control group of the container, read back in the box"
	}
	root := "the container's root with seven capabilities"
	if t.facts.mapped() {
		root = "the container's root with seven capabilities, an ordinary user of the engine's machine"
	}
	list := []glovebox.Control{
		{Name: tier.ControlNamespaces, How: "the engine's pid, mount, network, ipc, uts and control group namespaces; commands cannot make any"},
		{Name: tier.ControlUser, How: fmt.Sprintf("user %d; the glove is %s", tier.UID, root)},
		{Name: tier.ControlFilesystem, How: "an image, read-only; a workspace, /tmp and /dev/shm in memory"},
		{Name: tier.ControlProc, How: "the container's /proc, what tells about the host covered"},
		{Name: tier.ControlDevices, How: "the engine's few"},
		{Name: tier.ControlNetwork, How: "the engine's network \"none\": a loopback"},
		{Name: tier.ControlIPC, How: "own ipc namespace"},
		{Name: tier.ControlHostname, How: "own uts namespace"},
		{Name: tier.ControlCapabilities, How: "none, and an empty bounding set"},
		{Name: tier.ControlNoNewPrivs, How: "PR_SET_NO_NEW_PRIVS, by the engine too"},
		{Name: tier.ControlSyscalls, How: "a list of allowed system calls, behind the engine's own filter"},
		{Name: tier.ControlAgent, How: "another user, with capabilities that commands lack, and not dumpable"},
		{Name: tier.ControlDescriptors, How: "the streams and those of the job; all others are closed"},
		{Name: tier.ControlMemory, How: word(g.memory)},
		{Name: tier.ControlCPU, How: "RLIMIT_CPU of each process; the engine is asked for the sum ten times a second, and the supervisor kills"},
		{Name: tier.ControlProcesses, How: word(g.pids)},
		{Name: tier.ControlDisk, How: "the size of each tmpfs"},
		{Name: tier.ControlFiles, How: "the number of files of each tmpfs"},
		{Name: tier.ControlFileSize, How: "RLIMIT_FSIZE"},
		{Name: tier.ControlOpenFiles, How: "RLIMIT_NOFILE"},
		{Name: tier.ControlOutput, How: "the supervisor counts each stream and kills"},
		{Name: tier.ControlWall, How: "the supervisor's clock"},
	}
	for i := range list {
		list[i].Enforced = true
	}
	return append(list, glovebox.Control{Name: tier.ControlLandlock, How: "not used: the mounts and the filter hold without it"})
}
