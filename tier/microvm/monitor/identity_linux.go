package monitor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
)

// Users of monitors: a range that belongs to no one by convention (the list of
// systemd ends below it). Each machine takes one at random, so that no monitor
// is another's user.
const (
	firstUser = 0x70800000
	users     = 1 << 23
)

// Stranger returns a user and group that nothing else on this host is, with
// groups as its only others, for a monitor that root starts. For an ordinary
// user it is nil: the monitor runs as the caller.
func Stranger(groups ...uint32) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	id := uint32(firstUser + rand.IntN(users))
	for _, file := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if !mapped(string(data), id) {
			return nil, fmt.Errorf("this process is in a user namespace without the ids from %d on (%s)", firstUser, file)
		}
	}
	return &syscall.Credential{Uid: id, Gid: id, Groups: groups}, nil
}

// mapped tells whether an id exists in a namespace with this map.
func mapped(table string, id uint32) bool {
	for line := range strings.Lines(table) {
		var first, outside, count uint64
		if _, err := fmt.Sscan(line, &first, &outside, &count); err == nil && first <= uint64(id) && uint64(id) < first+count {
			return true
		}
	}
	return false
}
