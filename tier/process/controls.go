//go:build linux

package process

import (
	"fmt"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// missing maps the controls that a box goes without to the reasons.
type missing map[string]error

// fixes say how an operator can supply a control that the host lacks.
var fixes = map[string]string{
	tier.ControlNamespaces:   tier.FixNamespaces,
	tier.ControlUser:         "run as an ordinary user, or as root with CAP_SETUID and CAP_SETGID and at least 32768 ids in its user namespace",
	tier.ControlFilesystem:   "use Linux 5.12 or newer; in a container, a seccomp profile that permits mount, open_tree, move_mount and pivot_root",
	tier.ControlOwnFiles:     "use Linux 5.11 or newer with overlayfs, and a cache (GLOVEBOX_CACHE) on a file system that overlays may lie on",
	tier.ControlProc:         "run where /proc is not masked: in a container, with an unmasked /proc (Docker: --security-opt systempaths=unconfined)",
	tier.ControlDevices:      "the host needs /dev/null, zero, full, random and urandom as devices",
	tier.ControlNetwork:      "allow network namespaces: sysctl user.max_net_namespaces=15000",
	tier.ControlHostname:     "allow uts namespaces: sysctl user.max_uts_namespaces=15000",
	tier.ControlCapabilities: "use Linux 5.12 or newer",
	tier.ControlNoNewPrivs:   "use Linux 5.12 or newer",
	tier.ControlLandlock:     "use a kernel with Landlock enabled (lsm=landlock,…)",
	tier.ControlMemory:       "use control groups, or a /proc/sys that can be written to",
	tier.ControlDisk:         "allow tmpfs in user namespaces",
}

// controls lists the box's controls and their means.
func (t *Tier) controls(p *bootPlan, without missing) []glovebox.Control {
	user := "the caller's own user, mapped to 1000"
	if t.host.root {
		user = "two users of the host that no file and no other box has"
	}
	landlock := fmt.Sprintf("Landlock, interface %d", t.host.landlock)
	if t.host.landlock == 0 && without[tier.ControlLandlock] == nil {
		without = missing{tier.ControlLandlock: fmt.Errorf("this kernel has none; the mounts and the filter hold without it")}.and(without)
	}
	memory, processes, cpu := "", "", ""
	if p.metered {
		groups := t.groups.String()
		memory, processes, cpu = groups, groups, groups+", and RLIMIT_CPU of each process"
	} else {
		why := fmt.Sprintf(" (%v)", t.noGroup)
		memory = "the supervisor measures every 20 ms and kills" + why
		processes = "the supervisor is asked for each (seccomp), and RLIMIT_NPROC of the box's user namespace" + why
		if !p.gated {
			processes = fmt.Sprintf("RLIMIT_NPROC of the box's user namespace; the supervisor counts every 20 ms, since it cannot be asked (seccomp: %v)", p.deaf) + why
		}
		cpu = "RLIMIT_CPU of each process; the supervisor sums every 20 ms and kills" + why
	}
	list := []glovebox.Control{
		{Name: tier.ControlNamespaces, How: "own user, pid, mount and cgroup namespaces"},
		{Name: tier.ControlUser, How: user},
		{Name: tier.ControlFilesystem, How: "read-only root, set by pivot_root and chroot; a workspace, /tmp and /dev/shm in memory"},
		{Name: tier.ControlOwnFiles, How: "an overlay of the root, made for this box"},
		{Name: tier.ControlProc, How: "own /proc, read-only, what tells about the host covered"},
		{Name: tier.ControlDevices, How: "null, zero, full, random and urandom"},
		{Name: tier.ControlNetwork, How: "own network namespace with a loopback"},
		{Name: tier.ControlIPC, How: "own ipc namespace"},
		{Name: tier.ControlHostname, How: "own uts namespace"},
		{Name: tier.ControlCapabilities, How: "none, and an empty bounding set"},
		{Name: tier.ControlNoNewPrivs, How: "PR_SET_NO_NEW_PRIVS"},
		{Name: tier.ControlSyscalls, How: "a list of allowed system calls"},
		{Name: tier.ControlLandlock, How: landlock},
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
	for i := range list {
		c := &list[i]
		err := without[c.Name]
		if c.Enforced = err == nil; !c.Enforced {
			c.How = err.Error()
		}
	}
	return list
}

// and returns both.
func (m missing) and(other missing) missing {
	for name, err := range other {
		m[name] = err
	}
	return m
}
