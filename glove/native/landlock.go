//go:build linux

package native

import (
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// Rights of files in Landlock, by the version of the interface that they came
// with.
const (
	landlockRead  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_EXECUTE
	landlockWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	// The first version's last right is that to make symbolic links.
	landlockV1     = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
	landlockMakers = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// handled are all rights that version knows: what no rule grants is refused.
func handled(version int) uint64 {
	rights := uint64(landlockV1)
	for v, right := range map[int]uint64{
		2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV,
	} {
		if version >= v {
			rights |= right
		}
	}
	return rights
}

// LandlockVersion returns the version of this kernel's interface, 0 for none.
func LandlockVersion() int {
	const version = 1 // LANDLOCK_CREATE_RULESET_VERSION
	v, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, version)
	if e != 0 {
		return 0
	}
	return int(v)
}

// FDRules is the descriptor of pid 1 of a box that has the Landlock rules.
const FDRules = 40

// Landlock appends the calls with which pid 1 of a box makes the rules of the
// commands, for a version of the interface: they read and execute everything of
// the box, write to what is theirs, and signal nobody outside of theirs. It
// repeats what the mounts say, in another part of the kernel. Descriptor
// [FDRules] has them; a command puts them on, see [Command]. metered tells that
// a control group meters memory. The names of the calls begin with
// [tier.ControlLandlock].
func Landlock(s *glove.Script, version int, metered bool) {
	rights := handled(version)
	ruleset, size := s.Words(rights, 0, 0), 8
	if version >= 4 {
		size = 16
	}
	if version >= 6 {
		ruleset, size = s.Words(rights, 0, unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET|unix.LANDLOCK_SCOPE_SIGNAL), 24
	}
	call := func(what string, nr uintptr, args ...any) *glove.Ins {
		return s.Call(tier.ControlLandlock+": "+what, nr, args...)
	}
	fd := s.Buffer(8)
	call("create the rules", unix.SYS_LANDLOCK_CREATE_RULESET, ruleset, size, 0).To(fd)
	s.Renumber(fd, FDRules)
	own := rights &^ uint64(landlockMakers|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
	for _, rule := range []struct {
		path   string
		rights uint64
	}{
		{"/", landlockRead},
		{tier.Workspace, own}, {tier.Temp, own}, {"/dev/shm", own},
		{"/dev/null", landlockWrite}, {"/dev/zero", landlockWrite}, {"/dev/full", landlockWrite},
	} {
		// Where no control group meters memory, a shared map of /dev/zero
		// would be memory that nobody counts; it needs the file writable.
		if rule.path == "/dev/zero" && !metered {
			continue
		}
		// struct landlock_path_beneath_attr is packed; the descriptor is
		// its ninth to twelfth byte.
		beneath := s.Words(rule.rights, 0)
		call("open "+rule.path, unix.SYS_OPENAT, unix.AT_FDCWD, rule.path, unix.O_PATH|unix.O_CLOEXEC, 0).To(beneath.Plus(8))
		call("allow "+rule.path, unix.SYS_LANDLOCK_ADD_RULE, FDRules, unix.LANDLOCK_RULE_PATH_BENEATH, beneath, 0)
		s.CallOn(beneath.Plus(8), "close", unix.SYS_CLOSE)
	}
}
