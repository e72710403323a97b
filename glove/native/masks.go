//go:build linux

package native

import "os"

// Mask is a path of /proc that a box does not see.
type Mask struct {
	Path string
	Dir  bool
}

// Maskable are the files and directories of /proc that tell about the host or
// reach its kernel. Most are for root's eyes only anyway.
var Maskable = []string{
	"acpi", "asound", "buddyinfo", "bus", "cmdline", "config.gz", "consoles", "diskstats", "dma", "driver", "dynamic_debug",
	"fb", "fs", "interrupts", "iomem", "ioports", "irq", "kallsyms", "kcore", "key-users", "keys", "kmsg", "kpagecgroup",
	"kpagecount", "kpageflags", "latency_stats", "locks", "mdstat", "misc", "modules", "mtrr", "pagetypeinfo", "partitions",
	"pressure", "sched_debug", "schedstat", "scsi", "slabinfo", "softirqs", "swaps", "sysrq-trigger", "timer_list", "tty",
	"vmallocinfo", "zoneinfo", "sys/kernel/random/boot_id",
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
