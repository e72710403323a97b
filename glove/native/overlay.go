//go:build linux

package native

import (
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// OwnFiles appends the calls that make a read-only overlay of a tree, as a mount
// that is nowhere yet, and returns where its descriptor is. Its files are, for
// locks, watches and leases, files of this mount alone, while all boxes have the
// tree. An overlay that nobody writes to has two layers: empty is a directory
// without entries in another file system.
func OwnFiles(s *glove.Script, tree, empty string) glove.Ref {
	const name = tier.ControlOwnFiles + ": "
	overlay, mount := s.Buffer(8), s.Buffer(8)
	s.Call(name+"fsopen", unix.SYS_FSOPEN, "overlay", unix.FSOPEN_CLOEXEC).To(overlay)
	s.CallOn(overlay, name+"lowerdir", unix.SYS_FSCONFIG, unix.FSCONFIG_SET_STRING, "lowerdir", tree+":"+empty, 0)
	s.CallOn(overlay, name+"read-only", unix.SYS_FSCONFIG, unix.FSCONFIG_SET_FLAG, "ro", 0, 0)
	s.CallOn(overlay, name+"create", unix.SYS_FSCONFIG, unix.FSCONFIG_CMD_CREATE, 0, 0, 0)
	s.CallOn(overlay, name+"fsmount", unix.SYS_FSMOUNT, unix.FSMOUNT_CLOEXEC,
		unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV).To(mount)
	s.CallOn(overlay, "close", unix.SYS_CLOSE)
	return mount
}
