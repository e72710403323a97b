package tier

import "github.com/gloveboxhq/glovebox"

// Names of controls: in [Spec.Allow], in [Report] and in a box's Controls. A
// limit's control has the limit's name.
const (
	ControlNamespaces   = "namespaces"        // no way to a namespace of the host, or to a new one
	ControlUser         = "unprivileged_user" // nobody on the host, and not root in the box
	ControlFilesystem   = "filesystem"        // nothing of the host's files but the root, read-only
	ControlOwnFiles     = "own_files"         // no lock, lease or watch on a file of the root reaches another box
	ControlProc         = "proc"              // no process of the host, no secret of its kernel
	ControlDevices      = "devices"
	ControlNetwork      = "network"
	ControlIPC          = "ipc"
	ControlHostname     = "hostname"
	ControlCapabilities = "capabilities"
	ControlNoNewPrivs   = "no_new_privs"
	ControlSyscalls     = "syscalls" // the host's kernel is reached by harmless calls only
	ControlLandlock     = "landlock"
	ControlDescriptors  = "descriptors"
	ControlAgent        = "agent" // the agent in the box cannot be killed, traced or read
	ControlWall         = string(glovebox.LimitWall)
	ControlCPU          = string(glovebox.LimitCPU)
	ControlMemory       = string(glovebox.LimitMemory)
	ControlProcesses    = string(glovebox.LimitProcesses)
	ControlOpenFiles    = string(glovebox.LimitOpenFiles)
	ControlFileSize     = string(glovebox.LimitFileSize)
	ControlDisk         = string(glovebox.LimitDisk)
	ControlFiles        = string(glovebox.LimitFiles)
	ControlOutput       = string(glovebox.LimitOutput)
)

// FixNamespaces is what an operator can do where the host gives no namespaces: to an
// ordinary user, or to root in a container.
const FixNamespaces = "allow user namespaces: sysctl user.max_user_namespaces=65536, and where they exist " +
	"kernel.unprivileged_userns_clone=1 (Debian) and kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu); " +
	"in a container, a seccomp profile that permits clone with CLONE_NEWUSER"

// Optional lists the controls for [Spec.Allow]: a box without one is weaker and
// still a box. All further controls are required.
var Optional = []string{ControlOwnFiles, ControlProc, ControlNetwork, ControlIPC, ControlHostname, ControlLandlock}
