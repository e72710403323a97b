//go:build linux

package gvisor

import (
	"fmt"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// lentControls are the controls of a box in a nest.
func (t *Tier) lentControls() []glovebox.Control {
	list := t.controls()
	for i, c := range list {
		switch c.Name {
		case tier.ControlSyscalls:
			list[i].How += "; it serves other programs of the batch before and after this one, never at the same time"
		case tier.ControlNamespaces:
			list[i].How = "pid, mount, net, ipc and uts namespaces of its own; the guest's kernel makes no other"
		case tier.ControlAgent:
			list[i].How = "process 1 of its namespaces, another user, and not dumpable"
		}
	}
	return list
}

// controls lists the controls of a box. Every box has all, by construction.
func (t *Tier) controls() []glovebox.Control {
	const meter = "the supervisor measures every 20 ms and kills"
	memory := meter
	if t.groups != nil {
		memory += "; behind it " + t.groups.String()
	}
	list := []glovebox.Control{
		{Name: tier.ControlSyscalls, How: "a kernel of its own, gVisor, itself under a seccomp filter"},
		{Name: tier.ControlNamespaces, How: "the guest's kernel makes no user namespace"},
		{Name: tier.ControlUser, How: fmt.Sprintf("user %d of the guest; the guest's kernel is a user that nothing else of the host is, or the caller's in a user namespace", tier.UID)},
		{Name: tier.ControlFilesystem, How: "an EROFS image, read-only; a workspace, /tmp and /dev/shm in the guest's memory"},
		{Name: tier.ControlProc, How: "the guest's own /proc and /sys"},
		{Name: tier.ControlDevices, How: "the guest's own /dev"},
		{Name: tier.ControlNetwork, How: "a network stack of the guest's own, with a loopback"},
		{Name: tier.ControlIPC, How: "the guest's own"},
		{Name: tier.ControlHostname, How: "the guest's own"},
		{Name: tier.ControlCapabilities, How: "none, and an empty bounding set"},
		{Name: tier.ControlNoNewPrivs, How: "PR_SET_NO_NEW_PRIVS"},
		{Name: tier.ControlDescriptors, How: "the streams and those of the job; all others are closed"},
		{Name: tier.ControlAgent, How: "process 1 of the guest, another user, and not dumpable"},
		{Name: tier.ControlMemory, How: memory},
		{Name: tier.ControlCPU, How: meter},
		{Name: tier.ControlProcesses, How: "RLIMIT_NPROC in the guest"},
		{Name: tier.ControlOpenFiles, How: "RLIMIT_NOFILE in the guest"},
		{Name: tier.ControlFileSize, How: "RLIMIT_FSIZE in the guest"},
		{Name: tier.ControlDisk, How: "the size of each tmpfs of the guest"},
		{Name: tier.ControlFiles, How: "the number of files of each tmpfs of the guest"},
		{Name: tier.ControlOutput, How: "the supervisor counts each stream and kills"},
		{Name: tier.ControlWall, How: "the supervisor's clock"},
	}
	for i := range list {
		list[i].Enforced = true
	}
	return list
}
