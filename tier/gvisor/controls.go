package gvisor

import (
	"fmt"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// controls says what a box enforces. All of it is part of how a box is made:
// there is no box without one of them.
func (t *Tier) controls() []glovebox.Control {
	memory := "a meter of the guest's memory, fifty times a second"
	if t.groups != nil {
		memory += ", and " + t.groups.String()
	}
	var list []glovebox.Control
	for _, c := range [][2]string{
		{"kernel", "the guest has gVisor's kernel, not the host's"},
		{"root", "an EROFS image, mounted read-only"},
		{"files of the host", "the guest sees the image and its own memory alone"},
		{"processes of the host", "a /proc of the guest's own"},
		{"network", "a network stack of the guest's own, with a loopback alone"},
		{"hostname", "a host name of the guest's own"},
		{"user", fmt.Sprintf("user %d and group %d", tier.UID, tier.GID)},
		{"capabilities", "none, and an empty bounding set"},
		{"no_new_privs", "set before the command is executed"},
		{"namespaces", "the guest's kernel refuses user namespaces"},
		{"descriptors", "a command has its own and no others"},
		{"agent", "the agent is another user, and not dumpable"},
		{"limit wall", "our own clock"},
		{"limit cpu", "a meter of the host's time that the box takes, fifty times a second"},
		{"limit memory", memory},
		{"limit processes", "RLIMIT_NPROC in the guest"},
		{"limit open_files", "RLIMIT_NOFILE"},
		{"limit file_size", "RLIMIT_FSIZE"},
		{"limit disk", "file systems in memory, of a bounded size"},
		{"limit files", "file systems with a bounded number of files"},
		{"limit output", "counted as it comes"},
	} {
		list = append(list, glovebox.Control{Name: c[0], Enforced: true, How: c[1]})
	}
	return list
}
