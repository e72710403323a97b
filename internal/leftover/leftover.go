// Package leftover detects in tests the remains of a piece of code on the host.
package leftover

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Tables hold the state that must not change: the processes below this one, the
// mounts and the open descriptors.
type Tables struct {
	processes, mounts, descriptors []string
	o                              Options
}

// Options say what does not count.
type Options struct {
	// Kept are suffixes of names of descriptors kept for the life of the
	// process.
	Kept []string
	// Adopted: the process has adopted orphans, and nobody waits for their end.
	Adopted bool
}

// Look takes the tables. Lasting state that is made once must exist already.
func Look(t testing.TB, o Options) Tables {
	t.Helper()
	runtime.GC() // closes what was dropped
	now := Tables{o: o}
	for _, pid := range Below(os.Getpid()) {
		if o.Adopted && !Alive(pid) {
			continue
		}
		cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		now.processes = append(now.processes, fmt.Sprintf("%d %q", pid, cmd))
	}
	now.mounts = table()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		to, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if err == nil && !slices.ContainsFunc(o.Kept, func(end string) bool { return strings.HasSuffix(to, end) }) {
			now.descriptors = append(now.descriptors, to)
		}
	}
	return now
}

// Same fails where something is left.
func (before Tables) Same(t testing.TB) {
	t.Helper()
	now := Look(t, before.o)
	// Some descriptors are closed in the background.
	for end := time.Now().Add(background); len(now.descriptors) > len(before.descriptors) && time.Now().Before(end); {
		time.Sleep(background / 100)
		now = Look(t, before.o)
	}
	if !slices.Equal(now.processes, before.processes) {
		t.Errorf("processes %q, before %q", now.processes, before.processes)
	}
	if left := staying(added(now.mounts, before.mounts)); len(left) > 0 {
		t.Errorf("mounts %q that were not there before", left)
	}
	if len(now.descriptors) > len(before.descriptors) {
		t.Errorf("descriptors %q, before %q", now.descriptors, before.descriptors)
	}
}

// background bounds the time of work in the background.
const background = 10 * time.Second

// others is how long another program's mount may stay.
const others = 30 * time.Second

// staying returns the lasting ones of some mounts: the table is the whole
// host's, and unrelated programs mount and unmount meanwhile.
func staying(mounts []string) []string {
	for end := time.Now().Add(others); len(mounts) > 0 && time.Now().Before(end); time.Sleep(others / 100) {
		now := table()
		mounts = slices.DeleteFunc(mounts, func(m string) bool { return !slices.Contains(now, m) })
	}
	return mounts
}

// table is the table of mounts.
func table() []string {
	data, _ := os.ReadFile("/proc/self/mountinfo")
	return strings.Split(string(data), "\n")
}

// added returns the elements of now that before lacks.
func added(now, before []string) []string {
	return slices.DeleteFunc(slices.Clone(now), func(s string) bool { return slices.Contains(before, s) })
}

// Below returns the processes below one.
func Below(pid int) []int {
	var all []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, l := range lists {
		data, _ := os.ReadFile(l)
		for _, f := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(f); err == nil {
				all = append(append(all, child), Below(child)...)
			}
		}
	}
	slices.Sort(all)
	return all
}

// Alive reports whether a process runs; a zombie does not.
func Alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// Files lists what is below a folder.
func Files(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
