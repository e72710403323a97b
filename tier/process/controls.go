package process

import (
	"fmt"

	"github.com/gloveboxhq/glovebox"
)

// The controls of this tier.
const (
	controlNamespaces   = "namespaces"
	controlUser         = "unprivileged_user"
	controlFilesystem   = "filesystem"
	controlProc         = "proc"
	controlDevices      = "devices"
	controlNetwork      = "network"
	controlIPC          = "ipc"
	controlHostname     = "hostname"
	controlCapabilities = "capabilities"
	controlNoNewPrivs   = "no_new_privs"
	controlSeccomp      = "seccomp"
	controlLandlock     = "landlock"
	controlDescriptors  = "descriptors"
	controlMemory       = string(glovebox.LimitMemory)
	controlCPU          = string(glovebox.LimitCPU)
	controlProcesses    = string(glovebox.LimitProcesses)
	controlDisk         = string(glovebox.LimitDisk)
	controlFileSize     = string(glovebox.LimitFileSize)
	controlOpenFiles    = string(glovebox.LimitOpenFiles)
	controlOutput       = string(glovebox.LimitOutput)
	controlWall         = string(glovebox.LimitWall)
)

// missing are controls that a box goes without, and why.
type missing map[string]error

// optional are the controls that tier.Spec.Allow can name: a box without them
// is weaker, and still a box.
var optional = map[string]bool{
	controlProc: true, controlNetwork: true, controlIPC: true, controlHostname: true, controlLandlock: true,
}

// fixes say what an operator can do about a control that the host lacks.
var fixes = map[string]string{
	controlNamespaces: "allow user namespaces: sysctl user.max_user_namespaces=15000, kernel.unprivileged_userns_clone=1 (Debian), " +
		"kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu); in a container, a seccomp profile that permits clone with CLONE_NEWUSER",
	controlUser:         "run as an ordinary user, or as root with CAP_SETUID and CAP_SETGID and at least 32768 ids in its user namespace",
	controlFilesystem:   "use Linux 5.12 or newer; in a container, a seccomp profile that permits mount, open_tree, move_mount and pivot_root",
	controlProc:         "run where /proc is not masked: in a container, with an unmasked /proc (Docker: --security-opt systempaths=unconfined)",
	controlDevices:      "the host needs /dev/null, zero, full, random and urandom as devices",
	controlNetwork:      "allow network namespaces: sysctl user.max_net_namespaces=15000",
	controlHostname:     "allow uts namespaces: sysctl user.max_uts_namespaces=15000",
	controlCapabilities: "use Linux 5.12 or newer",
	controlNoNewPrivs:   "use Linux 5.12 or newer",
	controlLandlock:     "use a kernel with Landlock enabled (lsm=landlock,…)",
	controlDisk:         "allow tmpfs in user namespaces",
}

// controls says what a box enforces, and by what.
func (t *Tier) controls(metered bool, without missing) []glovebox.Control {
	user := "the caller's own user, mapped to 1000"
	if t.host.root {
		user = "two users of the host that no file and no other box has"
	}
	landlock := fmt.Sprintf("Landlock, interface %d", t.host.landlock)
	if t.host.landlock == 0 && without[controlLandlock] == nil {
		without = missing{controlLandlock: fmt.Errorf("this kernel has none; the mounts and the filter hold without it")}.and(without)
	}
	memory, processes, cpu := "", "", ""
	if metered {
		groups := t.groups.String()
		memory, processes, cpu = groups, groups, groups+", and RLIMIT_CPU of each process"
	} else {
		why := fmt.Sprintf(" (%v)", t.noGroup)
		memory = "the supervisor measures every 20 ms and kills" + why
		processes = "RLIMIT_NPROC of the box's user namespace" + why
		cpu = "RLIMIT_CPU of each process; the supervisor sums every 20 ms and kills" + why
	}
	list := []glovebox.Control{
		{Name: controlNamespaces, How: "own user, pid, mount and cgroup namespaces"},
		{Name: controlUser, How: user},
		{Name: controlFilesystem, How: "read-only root, set by pivot_root and chroot; a workspace, /tmp and /dev/shm in memory"},
		{Name: controlProc, How: "own /proc, read-only, what tells about the host covered"},
		{Name: controlDevices, How: "null, zero, full, random and urandom"},
		{Name: controlNetwork, How: "own network namespace with a loopback"},
		{Name: controlIPC, How: "own ipc namespace"},
		{Name: controlHostname, How: "own uts namespace"},
		{Name: controlCapabilities, How: "none, and an empty bounding set"},
		{Name: controlNoNewPrivs, How: "PR_SET_NO_NEW_PRIVS"},
		{Name: controlSeccomp, How: "a list of allowed system calls"},
		{Name: controlLandlock, How: landlock},
		{Name: controlDescriptors, How: "the streams and those of the job; all others are closed"},
		{Name: controlMemory, How: memory},
		{Name: controlCPU, How: cpu},
		{Name: controlProcesses, How: processes},
		{Name: controlDisk, How: "the size and the number of files of each tmpfs"},
		{Name: controlFileSize, How: "RLIMIT_FSIZE"},
		{Name: controlOpenFiles, How: "RLIMIT_NOFILE"},
		{Name: controlOutput, How: "the supervisor counts each stream and kills"},
		{Name: controlWall, How: "the supervisor's clock"},
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
