//go:build linux

package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// Mask is a path of /proc that a box does not see.
type Mask struct {
	Path string
	Dir  bool
}

// Maskable are the files and directories of /proc that tell about the host, count
// what all boxes do, or reach the host's kernel. Most are for root's eyes only
// anyway.
var Maskable = []string{
	"acpi", "asound", "buddyinfo", "bus", "cgroups", "cmdline", "config.gz", "consoles", "crypto", "diskstats", "dma", "driver", "dynamic_debug",
	"fb", "fs", "interrupts", "iomem", "ioports", "irq", "kallsyms", "kcore", "key-users", "keys", "kmsg", "kpagecgroup",
	"kpagecount", "kpageflags", "latency_stats", "locks", "mdstat", "misc", "modules", "mtrr", "pagetypeinfo", "partitions",
	"pressure", "sched_debug", "schedstat", "scsi", "slabinfo", "softirqs", "swaps", "sysrq-trigger", "timer_list", "tty",
	"vmallocinfo", "vmstat", "zoneinfo",
	// Files only: a runtime covers these first, and then mounts /proc/sys again.
	"sys/fs/aio-nr", "sys/fs/dentry-state", "sys/fs/file-nr", "sys/fs/inode-nr", "sys/fs/inode-state",
	"sys/kernel/pty/nr", "sys/kernel/random/boot_id", "sys/kernel/random/entropy_avail",
}

// Masks returns those that this host has.
func Masks() []Mask {
	var list []Mask
	for _, name := range Maskable {
		if info, err := os.Stat("/proc/" + name); err == nil {
			list = append(list, Mask{"/proc/" + name, info.IsDir()})
		}
	}
	return list
}

// still are the files of /proc that programs cannot do without and whose numbers
// are the host's. A box sees them as they would be if the host did nothing, and
// had no more memory free than the box may use.
func still(memory int64) map[string]string {
	var info unix.Sysinfo_t
	_ = unix.Sysinfo(&info) // it cannot fail
	total := int64(info.Totalram) * int64(info.Unit) / 1024
	free := min(memory/1024, total)
	var text strings.Builder
	// The host's memory is no secret, see sysinfo(2). V8 makes its heap half as
	// large: were it the box's, a program would not come to the limit of the box.
	fmt.Fprintf(&text, "MemTotal:       %8d kB\nMemFree:        %8d kB\nMemAvailable:   %8d kB\n", total, free, free)
	for _, name := range []string{"Buffers", "Cached", "SwapCached", "Active", "Inactive", "SwapTotal", "SwapFree", "Shmem", "Slab", "SReclaimable", "SUnreclaim"} {
		fmt.Fprintf(&text, "%-16s%8d kB\n", name+":", 0)
	}
	return map[string]string{
		"meminfo": text.String(),
		"loadavg": "0.00 0.00 0.00 1/1 1\n",
		"stat":    stillStat(),
		"uptime":  fmt.Sprintf("%d.00 0.00\n", info.Uptime),
	}
}

// stillStat is /proc/stat with the host's processors and the time when it was
// started, which clocks tell too. All that counts is 0.
var stillStat = sync.OnceValue(func() string {
	stat, _ := os.ReadFile("/proc/stat")
	var text strings.Builder
	for line := range strings.Lines(string(stat)) {
		name, numbers, _ := strings.Cut(strings.TrimSpace(line), " ")
		fields := strings.Fields(numbers)
		switch {
		case name == "btime":
		case strings.HasPrefix(name, "cpu"):
			for i := range fields {
				fields[i] = "0"
			}
		default:
			fields = []string{"0"}
		}
		fmt.Fprintln(&text, name, strings.Join(fields, " "))
	}
	return text.String()
})

// Still appends the calls that put still files in the place of /proc's, in a box
// that may use so much memory. They are in a file system that covers a directory
// of the box for that time, and is nowhere else after it. The names of the calls
// begin with [tier.ControlProc].
func Still(s *glove.Script, memory int64) {
	call := func(what string, nr uintptr, args ...any) *glove.Ins {
		return s.Call(tier.ControlProc+": "+what, nr, args...)
	}
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	at := tier.Temp
	call("mount still files", unix.SYS_MOUNT, "tmpfs", at, "tmpfs", flags, "size=1m,nr_inodes=8,mode=755")
	files := still(memory)
	for name, text := range files {
		fd := s.Buffer(8)
		call("make still "+name, unix.SYS_OPENAT, unix.AT_FDCWD, at+"/"+name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o444).To(fd)
		s.CallOn(fd, tier.ControlProc+": write still "+name, unix.SYS_WRITE, text, len(text))
		s.CallOn(fd, "close", unix.SYS_CLOSE)
	}
	call("close still files", unix.SYS_MOUNT, 0, at, 0, unix.MS_REMOUNT|unix.MS_RDONLY|flags, 0)
	for name := range files {
		call("cover /proc/"+name, unix.SYS_MOUNT, at+"/"+name, "/proc/"+name, 0, unix.MS_BIND, 0)
	}
	call("leave still files", unix.SYS_UMOUNT2, at, unix.MNT_DETACH)
}

// Counts are the files of /proc/PID/net that count what happens in all network name
// spaces. A name space has them once, for all of its processes.
var Counts = []string{"sockstat", "protocols", "softnet_stat", "rt_cache", "stat/rt_cache"}

// HideCounts closes them to who is in the network name space of a process, unless
// that is ours. It takes root of the host.
func HideCounts(pid int) error {
	if ours, err := ourNetwork(pid); err != nil || ours {
		return err
	}
	for _, name := range Counts {
		if err := os.Chmod(fmt.Sprintf("/proc/%d/net/%s", pid, name), 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
