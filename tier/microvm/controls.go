//go:build linux

package microvm

import (
	"fmt"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// controls lists the controls that a box enforces. Every box has all of them,
// by construction. cold explains why a box booted from the start where a
// snapshot was wanted.
func (t *Tier) controls(p plan, cold error) []glovebox.Control {
	processor := "KVM"
	if p.accel == monitor.Emulated {
		processor = "an emulated processor"
	}
	if cold != nil {
		processor += ", booted from the start since its snapshot could not be used"
	}
	machine := fmt.Sprintf("a virtual machine with Linux %s (%s, %s)", p.guest.kernel.Version, p.guest.monitor.Name(), processor)
	const meter = "the supervisor measures the whole machine every 20 ms and kills"
	memory := fmt.Sprintf("a control group of the guest; behind it a machine of %d MiB", p.memory>>20)
	if t.groups != nil {
		memory += ", itself in " + t.groups.String()
	}
	list := []glovebox.Control{
		{Name: tier.ControlSyscalls, How: machine + ", and a list of allowed system calls in it"},
		{Name: tier.ControlNamespaces, How: "the guest's own, and no new ones"},
		{Name: tier.ControlUser, How: fmt.Sprintf("user %d of the guest; the monitor is a user that nothing else of the host is, or the caller", tier.UID)},
		{Name: tier.ControlFilesystem, How: "an EROFS image as a read-only drive; a workspace, /tmp and /dev/shm in the guest's memory"},
		{Name: tier.ControlProc, How: "the guest's own /proc, read-only, and an empty /sys"},
		{Name: tier.ControlDevices, How: "null, zero, full, random and urandom of the guest"},
		{Name: tier.ControlNetwork, How: "no network device; a loopback of the guest's"},
		{Name: tier.ControlIPC, How: "the guest's own"},
		{Name: tier.ControlHostname, How: "the guest's own"},
		{Name: tier.ControlCapabilities, How: "none, and an empty bounding set"},
		{Name: tier.ControlNoNewPrivs, How: "PR_SET_NO_NEW_PRIVS"},
		{Name: tier.ControlDescriptors, How: "the streams and those of the job; all others are closed"},
		{Name: tier.ControlAgent, How: "process 1 of the box, another user, and not dumpable"},
		{Name: tier.ControlMemory, How: memory},
		{Name: tier.ControlCPU, How: meter},
		{Name: tier.ControlProcesses, How: "a control group of the guest"},
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
