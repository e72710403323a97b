package pool

import (
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// machine asks the kernel for memory. Its files are below a root.
type machine struct{ root fs.FS }

func availableMemory() int64 {
	m := machine{os.DirFS("/")}
	if available, _, ok := m.memory(); ok {
		return available
	}
	return 4 << 30
}

func newPressure() func() bool { return machine{os.DirFS("/")}.pressure() }

// pressure makes a Config.Pressure. Memory is short in two cases: less than a
// sixteenth is available; or less than a quarter, and processes stalled for
// lack of memory for a tenth of the last ten seconds. The shortage is over at
// an eighth and a twentieth: else the pool would fill up at once and cause the
// next shortage.
//
// Stalls alone are no sign: a program that thrashes within the limit of its own
// control group counts in the machine's figure, and would take the pool from
// all others.
func (m machine) pressure() func() bool {
	short := false
	return func() bool {
		part, stall := int64(16), 10.0
		if short {
			part, stall = 8, 5
		}
		available, total, ok := m.memory()
		short = ok && (available < total/part || available < total/4 && m.stalled() > stall)
		return short
	}
}

// stalled is the percentage of time, over ten seconds, in which some process
// waited for memory, by /proc/pressure/memory; 0 on kernels that do not tell.
func (m machine) stalled() float64 {
	for line := range strings.Lines(m.read("proc/pressure/memory")) {
		if rest, ok := strings.CutPrefix(line, "some avg10="); ok {
			number, _, _ := strings.Cut(rest, " ")
			percent, _ := strconv.ParseFloat(number, 64)
			return percent
		}
	}
	return 0
}

// memory returns the available and the total bytes: the machine's, or the least
// left by a control group around this process.
func (m machine) memory() (available, total int64, ok bool) {
	info := fields(m.read("proc/meminfo"))
	available, total = info["MemAvailable:"]<<10, info["MemTotal:"]<<10
	if total == 0 {
		return 0, 0, false
	}
	for _, g := range m.groups() {
		limit, ok := m.number(g.dir, g.limit)
		if !ok || limit >= total {
			continue
		}
		used, ok := m.number(g.dir, g.usage)
		if !ok {
			continue
		}
		// Pages of files without recent use are available as well.
		used -= fields(m.read(path.Join(g.dir, "memory.stat")))[g.cache]
		total = limit
		available = min(available, max(0, limit-max(0, used)))
	}
	return available, total, true
}

// group is a directory of a control group, with the names of its files and
// fields.
type group struct{ dir, limit, usage, cache string }

// groups are the groups around this process that may bound its memory. In a
// container the names may be the host's; then only the root exists.
func (m machine) groups() (all []group) {
	for line := range strings.Lines(m.read("proc/self/cgroup")) {
		// hierarchy:controllers:path
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, dir, _ := strings.Cut(rest, ":")
		g := group{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"}
		switch controllers {
		case "":
		case "memory":
			g = group{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
		default:
			continue
		}
		root := g.dir
		for dir = path.Clean("/" + dir); ; dir = path.Dir(dir) {
			g.dir = root + strings.TrimSuffix(dir, "/")
			all = append(all, g)
			if dir == "/" {
				break
			}
		}
	}
	return all
}

// number reads a file with one number. "max" and what is absent are none.
func (m machine) number(dir, name string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(m.read(path.Join(dir, name))), 10, 64)
	return n, err == nil && n >= 0
}

// fields reads lines of a name and a number.
func fields(text string) map[string]int64 {
	all := map[string]int64{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if n, err := strconv.ParseInt(words[1], 10, 64); err == nil {
			all[words[0]] = min(n, math.MaxInt64>>10)
		}
	}
	return all
}

func (m machine) read(name string) string {
	b, _ := fs.ReadFile(m.root, name)
	return string(b)
}
