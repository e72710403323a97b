//go:build linux

package native

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// meter measures a box from outside where there is no control group: through
// the box's own /proc, which lists the processes of the box and no others, and
// the file systems it writes to.
//
// What a process holds is what it has resident and not from a file, and the page
// tables by which it maps anything: a map of which it reads a byte here and there
// costs nothing else. Memory that
// is neither a process's nor a file's of these file systems cannot be had: the
// filter refuses it (see seccomp.Policy). Its methods are called by one goroutine
// at a time.
type meter struct {
	limits glovebox.Limits
	proc   *os.File
	places []*os.File
	clock  clock
	most   int64 // the most that tasks returned since the last sample
}

// writable are the places of a box that hold memory.
var writable = []string{tier.Workspace, tier.Temp, "/dev/shm"}

func newMeter(pid int, limits glovebox.Limits) (*meter, error) {
	m := &meter{limits: limits}
	root := fmt.Sprintf("/proc/%d/root", pid)
	var err error
	if m.proc, err = os.Open(root + "/proc"); err != nil {
		return nil, err
	}
	for _, place := range writable {
		fd, err := unix.Open(root+place, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, errors.Join(&os.PathError{Op: "open", Path: place, Err: err}, m.Close())
		}
		m.places = append(m.places, os.NewFile(uintptr(fd), place))
	}
	return m, nil
}

// Close implements [Meter].
func (m *meter) Close() error {
	errs := []error{m.proc.Close()}
	for _, f := range m.places {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// Sample implements [Meter]. Memory that processes share is counted for each of them at
// first, which is cheap; only when that exceeds the limit is it counted right.
func (m *meter) Sample() (glove.Sample, error) {
	pids, err := m.processes()
	if err != nil {
		return glove.Sample{}, err
	}
	files, err := m.files()
	if err != nil {
		return glove.Sample{}, err
	}
	var s glove.Sample
	var private int64
	now := make(map[task]spent, len(pids))
	for _, pid := range pids {
		f := m.stat(pid)
		if f == nil {
			continue
		}
		now[task{pid, f[statStart]}] = statSpent(f)
		s.Processes += number(f[statThreads])
		private += m.memory(pid, "RssAnon:", "VmPTE:", "VmSwap:")
	}
	s.CPU = m.clock.look(now)
	if private+files > m.limits.Memory {
		private = 0
		for _, pid := range pids {
			private += m.proportional(pid)
		}
	}
	s.Memory = private + files
	s.Processes = max(s.Processes-GloveTasks, m.most)
	m.most = 0
	return s, nil
}

// tasks counts the processes and threads, the glove's not.
func (m *meter) tasks() (int64, error) {
	pids, err := m.processes()
	if err != nil {
		return 0, err
	}
	n := int64(-GloveTasks)
	for _, pid := range pids {
		if f := m.stat(pid); f != nil {
			n += number(f[statThreads])
		}
	}
	m.most = max(m.most, n)
	return n, nil
}

// Evidence implements [Meter].
func (m *meter) Evidence(peak glove.Sample) []glovebox.Hit {
	if peak.Processes < m.limits.Processes {
		return nil
	}
	return []glovebox.Hit{{Limit: glovebox.LimitProcesses, Evidence: glovebox.Evidence{
		Source: "supervisor", Fact: fmt.Sprintf("%d of %d processes and threads at once", peak.Processes, m.limits.Processes),
	}}}
}

// processes lists the processes of the box.
func (m *meter) processes() ([]string, error) {
	if _, err := m.proc.Seek(0, 0); err != nil {
		return nil, err
	}
	names, err := m.proc.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	pids := names[:0]
	for _, n := range names {
		if n[0] >= '1' && n[0] <= '9' {
			pids = append(pids, n)
		}
	}
	return pids, nil
}

// files returns the bytes in the file systems of the box.
func (m *meter) files() (int64, error) {
	var used int64
	for _, f := range m.places {
		var st unix.Statfs_t
		if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
			return 0, err
		}
		used += int64(st.Blocks-st.Bfree) * int64(st.Bsize)
	}
	return used, nil
}

// read reads a file of a process; one that has ended has none.
func (m *meter) read(pid, name string) []byte {
	fd, err := unix.Openat(int(m.proc.Fd()), pid+"/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	buf := make([]byte, 4096)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return nil
	}
	return buf[:n]
}

// stat returns the fields of a process's stat, nil where it has ended.
func (m *meter) stat(pid string) []string { return statFields(m.read(pid, "stat")) }

// memory sums lines of a process's status.
func (m *meter) memory(pid string, names ...string) int64 {
	return kibibytes(m.read(pid, "status"), names...)
}

// proportional returns the memory of one process that is not from files, that
// which it shares with n others divided by n.
func (m *meter) proportional(pid string) int64 {
	return kibibytes(m.read(pid, "smaps_rollup"), "Pss_Anon:", "SwapPss:") + m.memory(pid, "VmPTE:")
}

// kibibytes sums the bytes in lines such as "VmPTE:  12 kB".
func kibibytes(lines []byte, names ...string) (sum int64) {
	for line := range strings.Lines(string(lines)) {
		if f := strings.Fields(line); len(f) >= 2 && slices.Contains(names, f[0]) {
			sum += number(f[1]) << 10
		}
	}
	return sum
}
