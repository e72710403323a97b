//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrNone is wrapped by the error of [Find] on a host where this process may
// make no groups.
var ErrNone = errors.New("no control group is writable")

// fix is the advice to an operator.
const fix = "run as root, or under `systemd-run --user --scope -p Delegate=yes`, or in a delegated control group"

// Find looks for the directory where this process may make groups: below its
// own group, to keep its boxes under the same limits; with version 2 the
// nearest group above that the kernel allows. Find changes nothing, unless this
// process is alone in a delegated group of version 2: then the process moves
// into a new group below, since processes and bounded groups cannot be
// siblings.
func Find() (*Parent, error) {
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, fmt.Errorf("%w: this kernel has no control groups", ErrNone)
	}
	p := find(mounts(string(mountinfo)), paths(string(own)))
	if len(p.hierarchies) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNone, fix)
	}
	return p, nil
}

// Ready returns the result of [Find], swept of the remains of dead processes.
// It searches and sweeps once in the life of this process, however many tiers
// ask: later deaths are for the next process, or for [Parent.Sweep].
var Ready = sync.OnceValues(func() (*Parent, error) {
	p, err := Find()
	if err != nil {
		return nil, err
	}
	return p, p.Sweep()
})

// Meters returns the groups of [Ready] where they bound and measure a box's
// memory, tasks and processor time. Without suitable groups p is nil, and
// lacking is the reason; err comes from a sweep.
func Meters() (p *Parent, lacking, err error) {
	switch p, err = Ready(); {
	case p == nil:
		return nil, err, nil
	case err != nil:
		return nil, nil, err
	case !p.Has(Memory) || !p.Has(Pids) || !p.Has(CPU):
		return nil, fmt.Errorf("only some control groups are writable: %s", p), nil
	}
	return p, nil, nil
}

// mount is where a hierarchy is seen.
type mount struct {
	v2         bool
	root, dir  string
	controller []string // version 1
}

// mounts reads /proc/self/mountinfo.
func mounts(info string) []mount {
	var list []mount
	for line := range strings.Lines(info) {
		// 30 23 0:26 /root /sys/fs/cgroup/memory rw,… shared:9 - cgroup cgroup rw,memory
		before, after, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(before), strings.Fields(after)
		if !ok || len(f) < 5 || len(g) < 3 || g[0] != "cgroup" && g[0] != "cgroup2" {
			continue
		}
		list = append(list, mount{
			v2: g[0] == "cgroup2", root: unescape(f[3]), dir: unescape(f[4]),
			controller: strings.Split(g[2], ","),
		})
	}
	return list
}

// unescape undoes the kernel's escapes of white space in a path.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// paths reads /proc/self/cgroup: the path of our group by controller of
// version 1, and by "" for version 2.
func paths(own string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(own) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) != 3 {
			continue
		}
		for c := range strings.SplitSeq(f[1], ",") {
			m[c] = f[2]
		}
	}
	return m
}

// place is the directory of our own group as seen in this mount.
func (m mount) place(path string) string {
	rel, err := filepath.Rel(m.root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return m.dir // the mount does not reach it: it begins at its root
	}
	return filepath.Join(m.dir, rel)
}

func find(list []mount, own map[string]string) *Parent {
	p := &Parent{}
	// Version 1 first: a controller in version 1 is absent from version 2.
	for _, c := range []Controller{Memory, Pids, CPU} {
		name := string(c)
		if c == CPU {
			name = "cpuacct"
		}
		i := slices.IndexFunc(list, func(m mount) bool { return !m.v2 && slices.Contains(m.controller, name) })
		path, in := own[name]
		if i < 0 || !in {
			continue
		}
		dir := list[i].place(path)
		if at := slices.IndexFunc(p.hierarchies, func(h hierarchy) bool { return h.dir == dir }); at >= 0 {
			p.hierarchies[at].controllers = append(p.hierarchies[at].controllers, c)
		} else if writable(dir) && writable(filepath.Join(dir, "tasks")) { // to come back, see Within
			p.hierarchies = append(p.hierarchies, hierarchy{root: list[i].dir, dir: dir, controllers: []Controller{c}})
		}
	}
	path, in := own[""]
	i := slices.IndexFunc(list, func(m mount) bool { return m.v2 })
	if i < 0 || !in {
		return p
	}
	if h, ok := findV2(list[i].dir, list[i].place(path)); ok {
		for _, c := range []Controller{Memory, Pids, CPU} {
			if p.Has(c) {
				h.controllers = slices.DeleteFunc(h.controllers, func(x Controller) bool { return x == c })
			}
		}
		if len(h.controllers) > 0 {
			p.hierarchies = append(p.hierarchies, h)
		}
	}
	return p
}

// findV2 looks for the nearest usable group, from our own upwards, that hands
// its controllers down. Above our own we must be allowed to move processes, as
// the kernel requires of the common ancestor.
func findV2(root, own string) (hierarchy, bool) {
	for dir := own; ; dir = filepath.Dir(dir) {
		if cs := handedDown(dir); len(cs) > 0 && writable(dir) && writable(filepath.Join(dir, "cgroup.procs")) {
			return hierarchy{v2: true, root: root, dir: dir, controllers: cs}, true
		}
		if dir == root || len(dir) <= len(root) {
			break
		}
	}
	if own != root && delegate(own) {
		return hierarchy{v2: true, root: root, dir: own, controllers: handedDown(own)}, true
	}
	return hierarchy{}, false
}

// handedDown returns the controllers of a group's children: all of ours or
// none, since half the controllers would make half a box.
func handedDown(dir string) []Controller {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
	have := strings.Fields(string(data))
	if err != nil || !slices.Contains(have, "memory") || !slices.Contains(have, "pids") {
		return nil
	}
	return []Controller{Memory, Pids, CPU}
}

// delegate makes our own group hand its controllers down, if we are its only
// process. The group we move to has a name of ours, to be swept after our
// death; until then we hold the lock.
func delegate(own string) bool {
	if !writable(own) || !writable(filepath.Join(own, "cgroup.subtree_control")) {
		return false
	}
	n := node{}
	var err error
	if n.fd, err = os.Open(own); err != nil {
		return false
	}
	defer n.fd.Close()
	if !n.alone() {
		return false
	}
	home, err := hierarchy{v2: true, dir: own}.create(newName())
	if err != nil {
		return false
	}
	// The lock lives in a descriptor that is never closed.
	if _, err := unix.FcntlInt(home.fd.Fd(), unix.F_DUPFD_CLOEXEC, 0); err != nil {
		return false
	}
	return home.writeString("cgroup.procs", "0") == nil && n.writeString("cgroup.subtree_control", "+memory +pids") == nil
}

// alone reports whether we are the only process in the group.
func (n node) alone() bool {
	pids, err := n.processes()
	return err == nil && len(pids) == 1 && isUs(pids[0])
}

func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }
