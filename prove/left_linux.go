package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tables are the possible remains of boxes on this host.
type tables struct{ processes, mounts, groups []string }

// look reads the tables.
func look() tables {
	var t tables
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	t.mounts = strings.Split(string(mounts), "\n")
	for _, pattern := range []string{"/sys/fs/cgroup/*/glovebox-box-*", "/sys/fs/cgroup/glovebox-box-*", "/sys/fs/cgroup/*/*/glovebox-box-*", "/sys/fs/cgroup/*/*/*/glovebox-box-*"} {
		found, _ := filepath.Glob(pattern)
		t.groups = append(t.groups, slices.DeleteFunc(found, owned)...)
	}
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", os.Getpid()))
	for _, name := range children {
		pids, _ := os.ReadFile(name)
		for _, pid := range strings.Fields(string(pids)) {
			name, _ := os.ReadFile("/proc/" + pid + "/comm")
			t.processes = append(t.processes, pid+" "+strings.TrimSpace(string(name)))
		}
	}
	return t
}

// owned reports whether a living process holds the lock of a group: those of
// other programs come and go.
func owned(group string) bool {
	f, err := os.Open(group)
	if err != nil {
		return true // it is gone
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil
}

// left returns the entries added since then. Entries about to end get five
// seconds.
func (t tables) left() []string {
	var left []string
	for range 50 {
		left = nil
		now := look()
		for _, table := range []struct {
			what      string
			now, then []string
		}{{"process", now.processes, t.processes}, {"mount", now.mounts, t.mounts}, {"control group", now.groups, t.groups}} {
			for _, entry := range table.now {
				if !slices.Contains(table.then, entry) {
					left = append(left, table.what+" "+entry)
				}
			}
		}
		if len(left) == 0 {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return left
}
