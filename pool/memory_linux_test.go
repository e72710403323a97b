package pool

import (
	"strings"
	"testing"
	"testing/fstest"
)

const meminfo = "MemTotal:       16000 kB\nMemFree:         1 kB\nMemAvailable:    %s kB\nHugePages_Total:       0\n"

// files are a machine with some available memory, in KiB.
func files(available string, more ...string) fstest.MapFS {
	m := fstest.MapFS{"proc/meminfo": {Data: []byte(strings.ReplaceAll(meminfo, "%s", available))}}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i]] = &fstest.MapFile{Data: []byte(more[i+1])}
	}
	return m
}

func TestMemory(t *testing.T) {
	const k = 1 << 10
	v1 := []string{
		"proc/self/cgroup", "12:cpu,cpuacct:/x\n5:memory:/a/b\n0::/unified\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n",
		"sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n",
		"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4096000\n",
		"sys/fs/cgroup/memory/a/memory.usage_in_bytes", "3072000\n",
		"sys/fs/cgroup/memory/a/memory.stat", "cache 5\ntotal_inactive_file 1024000\n",
	}
	v2 := []string{
		"proc/self/cgroup", "0::/a/b\n",
		"sys/fs/cgroup/a/memory.max", "8192000\n",
		"sys/fs/cgroup/a/memory.current", "1024000\n",
		"sys/fs/cgroup/a/b/memory.max", "max\n",
		"sys/fs/cgroup/a/b/memory.current", "1024\n",
	}
	for _, test := range []struct {
		name             string
		m                fstest.MapFS
		available, total int64
		ok               bool
	}{
		{"no groups", files("8000"), 8000 * k, 16000 * k, true},
		{"nothing to read", fstest.MapFS{}, 0, 0, false},
		{"version 1, a group above", files("8000", v1...), 2000 * k, 4000 * k, true},
		{"version 2, a group above", files("8000", v2...), 7000 * k, 8000 * k, true},
		{"the machine has less", files("10", v2...), 10 * k, 8000 * k, true},
		{"another namespace's path", files("8000", "proc/self/cgroup", "0::/../../x\n",
			"sys/fs/cgroup/memory.max", "1024000", "sys/fs/cgroup/memory.current", "2048000"), 0, 1000 * k, true},
		{"nonsense", files("8000", "proc/self/cgroup", "\n:\n::\n0::\nx", "sys/fs/cgroup/memory.max", "-5"), 8000 * k, 16000 * k, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			available, total, ok := machine{test.m}.memory()
			if available != test.available || total != test.total || ok != test.ok {
				t.Errorf("%d of %d, %v; not %d of %d", available, total, ok, test.available, test.total)
			}
		})
	}
	if n := availableMemory(); n <= 0 {
		t.Errorf("this machine has %d", n)
	}
}

// TestKernelPressure goes through one shortage after another.
func TestKernelPressure(t *testing.T) {
	stall := func(avg10 string) string {
		return "some avg10=" + avg10 + " avg60=99.00 avg300=0.00 total=1\nfull avg10=99.00 avg60=0.00 avg300=0.00 total=1\n"
	}
	const psi = "proc/pressure/memory"
	steps := []struct {
		m    fstest.MapFS
		want bool
	}{
		{files("8000"), false},
		{files("1001"), false},
		{files("999"), true},
		{files("1999"), true}, // not over yet
		{files("2001"), false},
		{files("3999", psi, stall("10.00")), false},
		{files("3999", psi, stall("10.01")), true},
		{files("3999", psi, stall("5.01")), true},
		{files("3999", psi, stall("5.00")), false},
		{files("3999", psi, "nonsense"), false},
		{files("4001", psi, stall("99.00")), false}, // somebody's own limit
		{fstest.MapFS{psi: {Data: []byte(stall("50.00"))}}, false},
		{fstest.MapFS{}, false},
	}
	m := fstest.MapFS{}
	short := machine{m}.pressure()
	for i, s := range steps {
		clear(m)
		for name, f := range s.m {
			m[name] = f
		}
		if got := short(); got != s.want {
			t.Errorf("step %d: %v", i, got)
		}
	}
	newPressure()() // this machine's is read without trouble
}
