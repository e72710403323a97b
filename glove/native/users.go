//go:build linux

package native

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/tier"
)

// Users of boxes on the host. This range belongs to no one by convention (the
// list of systemd, which has the others, ends below it), and two of it for each
// possible process id fit.
const (
	firstUser = 0x70000000
	maxPID    = 1 << 22
)

// FreeUsers is the first of FreeUsersCount users and groups behind those, which
// nobody has either.
const (
	FreeUsers      = firstUser + 2*maxPID
	FreeUsersCount = 1<<31 - 1 - FreeUsers
)

// MapUsers maps the users of the user name space of process pid. As root, user
// 0 and the box's user ([tier.UID]) become users that no other living box and no
// file has: their numbers follow from the process id, which is unique for as
// long as the box lives. Without root there is the caller's own user only, who
// becomes user own; groups alike.
func MapUsers(pid, own int) error {
	ids := fmt.Sprintf("%d %d 1\n", own, os.Geteuid())
	groups := fmt.Sprintf("%d %d 1\n", own, os.Getegid())
	write := func(name, data string) error {
		return os.WriteFile(fmt.Sprintf("/proc/%d/%s", pid, name), []byte(data), 0)
	}
	var err error
	if os.Geteuid() == 0 {
		var user, group uint32
		user, group, err = Unused(pid)
		ids = fmt.Sprintf("0 %d 1\n%d %d 1\n", user, tier.UID, user+1)
		groups = fmt.Sprintf("0 %d 1\n%d %d 1\n", group, tier.GID, group+1)
	} else {
		err = write("setgroups", "deny")
	}
	if err != nil {
		return err
	}
	return errors.Join(write("gid_map", groups), write("uid_map", ids))
}

// Unused returns a user and a group of no other living box and no file, for process
// pid. Only root can use them. The numbers give away pid to any reader, such as the
// process itself in its auxiliary vector.
func Unused(pid int) (user, group uint32, err error) {
	if user, err = ownUsers().unusedPair(pid); err == nil {
		group, err = ownGroups().unusedPair(pid)
	}
	return user, group, err
}

// idMap is the ids that a process has itself, as the kernel lists them: it may
// live in a container that has few.
type idMap struct {
	file string
	text []byte
	err  error
}

// What this process has does not change.
var (
	ownUsers  = sync.OnceValue(func() idMap { return readMap("/proc/self/uid_map") })
	ownGroups = sync.OnceValue(func() idMap { return readMap("/proc/self/gid_map") })
)

func readMap(file string) idMap {
	text, err := os.ReadFile(file)
	return idMap{file, text, err}
}

// HasIDs reports whether count users and groups from first on are ids of this
// process's own user namespace: root of one that was made by `unshare -r`, or by a
// rootless container, has few.
func HasIDs(first, count uint64) bool {
	return ownUsers().holds(first, count) && ownGroups().holds(first, count)
}

// holds reports whether one line of the map has all of these ids. A kernel
// without user namespaces has no map, and all ids.
func (m idMap) holds(first, count uint64) bool {
	if m.err != nil {
		return true
	}
	for line := range strings.Lines(string(m.text)) {
		var inside, host, n uint64
		if _, err := fmt.Sscan(line, &inside, &host, &n); err == nil && inside <= first && inside+n >= first+count {
			return true
		}
	}
	return false
}

// unusedPair returns the first of two ids for pid.
func (m idMap) unusedPair(pid int) (uint32, error) {
	if m.err != nil {
		return 0, m.err
	}
	const few = 1 << 14
	var best uint64
	for line := range strings.Lines(string(m.text)) {
		var first, host, count uint64
		if _, err := fmt.Sscan(line, &first, &host, &count); err != nil {
			return 0, fmt.Errorf("%s: %w", m.file, err)
		}
		if first <= firstUser && first+count >= firstUser+2*maxPID {
			return firstUser + 2*uint32(pid), nil
		}
		// The upper end of a range, below the ids of nobody.
		if count > 2*few && first+count > best {
			best = first + count
		}
	}
	if best == 0 {
		return 0, fmt.Errorf("%s has no range of unused ids", m.file)
	}
	return uint32(best - few - 1024 + 2*uint64(pid%(few/2))), nil
}
