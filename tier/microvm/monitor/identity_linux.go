package monitor

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
)

// Users of monitors: a range unassigned by convention (the list of systemd ends
// below). Each machine takes one user at random, so no two monitors share a
// user. In a user namespace with fewer ids the users are from the upper end.
const (
	firstUser = 0x70800000
	users     = 1 << 23
	few       = 1 << 14
)

// ErrNoUsers is in the error of a start where root has no user to give to a
// monitor.
var ErrNoUsers = errors.New("this user namespace has no unused ids")

// Stranger returns a user and group unused on this host, with groups as
// supplementary groups, for a monitor started by root. For an ordinary user the
// result is nil: the monitor runs as the caller.
func Stranger(groups ...uint32) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	var ids [2]uint32
	for i, file := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		first, n := unused(string(data))
		if n == 0 {
			return nil, fmt.Errorf("%w (%s)", ErrNoUsers, file)
		}
		ids[i] = first + rand.Uint32N(n)
	}
	return &syscall.Credential{Uid: ids[0], Gid: ids[1], Groups: groups}, nil
}

// unused returns a free range of ids, out of a namespace with this map.
func unused(table string) (from, n uint32) {
	for line := range strings.Lines(table) {
		var first, outside, count uint64
		if _, err := fmt.Sscan(line, &first, &outside, &count); err != nil {
			continue
		}
		if first <= firstUser && first+count >= firstUser+users {
			return firstUser, users
		}
		// Below the ids of nobody.
		if end := first + count; count > 2*few && end > uint64(from) && end < 1<<32 {
			from, n = uint32(end-few-1024), few
		}
	}
	return from, n
}
