//go:build linux

package container

import (
	"fmt"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// fixes say how an operator can supply a control that the host lacks.
var fixes = map[string]string{
	tier.ControlNamespaces:   tier.FixNamespaces,
	tier.ControlUser:         "run as an ordinary user, or as root with CAP_SETUID and CAP_SETGID and at least 32768 ids in its user namespace",
	tier.ControlFilesystem:   "use Linux 5.12 or newer; in a container, a seccomp profile that permits mount, open_tree, move_mount and pivot_root",
	tier.ControlOwnFiles:     "use Linux 5.11 or newer with overlayfs, and a cache (GLOVEBOX_CACHE) on a file system that overlays may lie on",
	tier.ControlProc:         "run where /proc is not masked: in a container, with an unmasked /proc (Docker: --security-opt systempaths=unconfined)",
	tier.ControlNetwork:      "allow network namespaces: sysctl user.max_net_namespaces=15000",
	tier.ControlCapabilities: "use Linux 5.12 or newer",
	tier.ControlNoNewPrivs:   "use Linux 5.12 or newer",
	tier.ControlLandlock:     "use a kernel with Landlock enabled (lsm=landlock,…)",
}

// controls lists the box's controls and their means.
func (p *plan) controls() []glovebox.Control {
	t := p.tier
	user := "the caller's own user, mapped to 1000"
	if t.root {
		user = "two users of the host that no file and no other box has"
	}
	memory, processes, cpu := "", "", ""
	if t.groups != nil {
		memory, processes, cpu = t.groups.String(), t.groups.String(), t.groups.String()+", and RLIMIT_CPU of each process"
	} else {
		why := fmt.Sprintf(" (%v)", t.noGroup)
		memory = "the supervisor measures every 20 ms and kills" + why
		processes = "the supervisor is asked for each (seccomp), and RLIMIT_NPROC of the box's user namespace" + why
		if !p.gated {
			processes = fmt.Sprintf("RLIMIT_NPROC of the box's user namespace; the supervisor counts every 20 ms, since it cannot be asked (seccomp: %v)", p.deaf) + why
		}
		cpu = "RLIMIT_CPU of each process; the supervisor sums every 20 ms and kills" + why
	}
	landlock := glovebox.Control{Name: tier.ControlLandlock, Enforced: t.landlock > 0, How: fmt.Sprintf("Landlock, interface %d", t.landlock)}
	if !landlock.Enforced {
		landlock.How = "this kernel has none; the mounts and the filters hold without it"
	}
	namespaces := "own user, pid, mount and cgroup namespaces, made by " + t.runtime.path +
		", which itself is confined to such ones and sees the host read-only"
	proc, syscalls := "own /proc, read-only, what tells about the host covered", "two lists of allowed system calls, the runtime's and each command's own"
	if t.runtime.guest {
		const meter = "the supervisor measures every 20 ms and kills"
		memory, cpu, processes = meter, meter, "RLIMIT_NPROC in the guest, without evidence of who met it"
		if t.groups != nil {
			memory += "; behind it " + t.groups.String()
		}
		proc, syscalls = "the guest's own", "a kernel of its own, made by "+t.runtime.path+", and a list of allowed system calls"
		landlock.Enforced, landlock.How = false, "the guest's kernel has none; the host's kernel is not reached"
	}
	list := []glovebox.Control{
		{Name: tier.ControlNamespaces, How: namespaces},
		{Name: tier.ControlUser, How: user},
		{Name: tier.ControlFilesystem, How: "read-only root; a workspace, /tmp and /dev/shm in memory"},
		{Name: tier.ControlProc, How: proc},
		{Name: tier.ControlDevices, How: "null, zero, full, random and urandom"},
		{Name: tier.ControlNetwork, How: "own network namespace with a loopback"},
		{Name: tier.ControlIPC, How: "own ipc namespace"},
		{Name: tier.ControlHostname, How: "own uts namespace"},
		{Name: tier.ControlCapabilities, How: "none, and an empty bounding set"},
		{Name: tier.ControlNoNewPrivs, How: "PR_SET_NO_NEW_PRIVS"},
		{Name: tier.ControlSyscalls, How: syscalls},
		{Name: tier.ControlAgent, How: "pid 1 of the box, with capabilities that commands lack, and not dumpable"},
		{Name: tier.ControlDescriptors, How: "the streams and those of the job; all others are closed"},
		{Name: tier.ControlMemory, How: memory},
		{Name: tier.ControlCPU, How: cpu},
		{Name: tier.ControlProcesses, How: processes},
		{Name: tier.ControlDisk, How: "the size of each tmpfs"},
		{Name: tier.ControlFiles, How: "the number of files of each tmpfs"},
		{Name: tier.ControlFileSize, How: "RLIMIT_FSIZE"},
		{Name: tier.ControlOpenFiles, How: "RLIMIT_NOFILE"},
		{Name: tier.ControlOutput, How: "the supervisor counts each stream and kills"},
		{Name: tier.ControlWall, How: "the supervisor's clock"},
	}
	if !t.runtime.guest {
		list = append(list, glovebox.Control{Name: tier.ControlOwnFiles, How: "an overlay of the root, made for this box"})
	}
	for i := range list {
		list[i].Enforced = true
	}
	return append(list, landlock)
}
