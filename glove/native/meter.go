//go:build linux

package native

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

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
// costs nothing else. Sockets and pipes count as full, since nobody tells what is
// in them: a pipe whose descriptor waits in a message is the one that is not found.
// Other memory of the kernel's cannot be had, or not much of it: the
// filter refuses it (see seccomp.Policy). Its methods are called by one goroutine
// at a time.
type meter struct {
	limits glovebox.Limits
	proc   *os.File
	places []*os.File
	clock  clock
	most   int64 // the most that tasks returned since the last sample
	socket int64 // the bytes of a full one, 0 where the network is the host's
	gate   *gate // nil where the kernel does not ask
}

// The most kernel memory that one object holds.
const (
	perFile = 1 << 10  // a file of a tmpfs, or so many bytes of its attributes
	perPipe = 64 << 10 // what fits into it
	perMap  = 256      // a part of a process's address space
	mostMap = 1 << 16  // parts, by the kernel's default
)

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
	if m.socket, err = fullSocket(pid); err == nil {
		_, err = m.sockets() // else no sample would ever say anything
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// fullSocket returns the most bytes of a socket in the network name space of a
// process, 0 where that is ours: what is in it is not the box's alone.
//
// One packet is taken as long as there is any room, so there may be twice as much.
// Those of TCP need no more with [SmallBuffers].
func fullSocket(pid int) (int64, error) {
	if ours, err := ourNetwork(pid); err != nil || ours {
		return 0, err
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	out, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF)
	in, err2 := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	return 2 * int64(max(out, in, 2*smallBuffer)), errors.Join(err, err2)
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
// first, and what they may hold in the kernel as if they did, which is cheap; only
// when that exceeds the limit is it counted right.
func (m *meter) Sample() (glove.Sample, error) {
	made := int64(-1)
	if m.gate != nil {
		made = m.gate.made.Load() // before we look for them
	}
	pids, err := m.processes()
	if err != nil {
		return glove.Sample{}, err
	}
	files, err := m.files()
	if err != nil {
		return glove.Sample{}, err
	}
	sockets, err := m.sockets()
	if err != nil {
		return glove.Sample{}, err
	}
	var s glove.Sample
	var private, kernel int64
	now := make(map[task]spent, len(pids))
	for _, pid := range pids {
		f := m.stat(pid)
		if f == nil {
			continue
		}
		spent := statSpent(f)
		spent.own = max(spent.own, m.thread(pid))
		now[task{pid, f[statStart]}] = spent
		s.Processes += number(f[statThreads])
		status := m.read(pid, "status")
		private += kibibytes(status, "RssAnon:", "VmPTE:", "VmSwap:")
		kernel += mostPipes(status) + min(kibibytes(status, "VmSize:")>>12, mostMap)*perMap
	}
	s.CPU = m.clock.look(now, made, time.Now())
	s.Memory = private + files + sockets
	if m.gate != nil {
		s.Memory += m.gate.asked.Load()
	}
	if s.Memory+kernel > m.limits.Memory {
		s.Memory += m.pipesAndMaps(pids)
	}
	if s.Memory > m.limits.Memory {
		s.Memory -= private
		for _, pid := range pids {
			s.Memory += m.proportional(pid)
		}
	}
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

// ended takes note of what a process has used that ends now, by one of its threads.
func (m *meter) ended(thread uint32) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	for line := range bytes.Lines(status) {
		f := strings.Fields(string(line))
		if len(f) < 3 || f[0] != "NStgid:" {
			continue
		}
		// The clock of another process; see clock_getcpuclockid(3).
		const ofAll = 2
		var used unix.Timespec
		stat := m.stat(f[len(f)-1])
		if stat == nil || unix.ClockGettime(int32(^number(f[1])<<3|ofAll), &used) != nil {
			return
		}
		s := statSpent(stat)
		s.own = time.Duration(used.Nano())
		m.clock.ended(task{f[len(f)-1], stat[statStart]}, s)
		return
	}
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
		used += int64(st.Blocks-st.Bfree)*int64(st.Bsize) + int64(st.Files-st.Ffree)*perFile
	}
	return used, nil
}

// sockets returns the bytes in the sockets of the box, if all are full: those that
// nobody has any more whose bytes another has not read, and those that wait in a
// message or to be accepted, included.
func (m *meter) sockets() (int64, error) {
	if m.socket == 0 {
		return 0, nil
	}
	const begin = "sockets: used "
	line, _, _ := bytes.Cut(m.read("1", "net/sockstat"), []byte("\n"))
	if !bytes.HasPrefix(line, []byte(begin)) {
		return 0, fmt.Errorf("the kernel says of the sockets %q", line)
	}
	return number(string(line[len(begin):])) * m.socket, nil
}

// mostPipes returns the bytes in the pipes of a process, if all that it can have open
// without asking for more room are pipes, and full.
func mostPipes(status []byte) int64 {
	return kibibytes(status, "FDSize:") >> 10 * perPipe
}

// pipesAndMaps returns the bytes in the pipes of processes, if all are full, and of
// the parts of their address spaces.
func (m *meter) pipesAndMaps(pids []string) (sum int64) {
	pipes := map[string]bool{}
	for _, pid := range pids {
		if pid == "1" {
			continue // the glove's lead to the host
		}
		fds, err := m.list(pid + "/fd")
		if err != nil {
			// It does not let its own user look.
			sum += mostPipes(m.read(pid, "status"))
		}
		for _, fd := range fds {
			to := make([]byte, 32)
			n, err := unix.Readlinkat(int(m.proc.Fd()), pid+"/fd/"+fd, to)
			if err == nil && bytes.HasPrefix(to[:n], []byte("pipe:")) {
				pipes[string(to[:n])] = true
			}
		}
		sum += m.maps(pid) * perMap
	}
	return sum + int64(len(pipes))*perPipe
}

// list lists a directory of the box's /proc.
func (m *meter) list(name string) ([]string, error) {
	fd, err := unix.Openat(int(m.proc.Fd()), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return f.Readdirnames(-1)
}

// maps counts the parts of a process's address space.
func (m *meter) maps(pid string) (n int64) {
	fd, err := unix.Openat(int(m.proc.Fd()), pid+"/maps", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	buf := make([]byte, 64<<10)
	for {
		got, err := unix.Read(fd, buf)
		if got <= 0 || err != nil {
			return n
		}
		n += int64(bytes.Count(buf[:got], []byte("\n")))
	}
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

// thread returns the processor time of the first thread of a process, to the
// nanosecond: that of a process is in ticks of 10 ms, and there may be many processes.
func (m *meter) thread(pid string) time.Duration {
	first, _, _ := strings.Cut(string(m.read(pid, "schedstat")), " ")
	return time.Duration(number(first))
}

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
