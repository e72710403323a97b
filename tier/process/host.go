package process

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// machine is what the boot script depends on; it is looked at once.
type machine struct {
	// root: we may give the box users that are nobody's on the host, one for
	// the glove and one for the commands. Else both are our own user.
	root     bool
	landlock int // the version of its interface, 0 for none
	masked   []mask
	devices  []string
	listen   int   // the flags of a filter that asks, 0 for none
	deaf     error // why there is none
}

// mask is a path of /proc that a box does not see.
type mask struct {
	path string
	dir  bool
}

// maskable are the files and directories of /proc that tell about the host or
// reach its kernel. Most are for root's eyes only anyway.
var maskable = []string{
	"acpi", "asound", "buddyinfo", "bus", "cmdline", "config.gz", "consoles", "diskstats", "dma", "driver", "dynamic_debug",
	"fb", "fs", "interrupts", "iomem", "ioports", "irq", "kallsyms", "kcore", "key-users", "keys", "kmsg", "kpagecgroup",
	"kpagecount", "kpageflags", "latency_stats", "locks", "mdstat", "misc", "modules", "mtrr", "pagetypeinfo", "partitions",
	"pressure", "sched_debug", "schedstat", "scsi", "slabinfo", "softirqs", "swaps", "sysrq-trigger", "timer_list", "tty",
	"vmallocinfo", "zoneinfo", "sys/kernel/random/boot_id",
}

// devices are those of a box, all without state.
var devices = []string{"null", "zero", "full", "random", "urandom"}

func lookAtHost() machine {
	h := machine{root: os.Geteuid() == 0, devices: devices}
	for _, name := range maskable {
		if info, err := os.Stat("/proc/" + name); err == nil {
			h.masked = append(h.masked, mask{"/proc/" + name, info.IsDir()})
		}
	}
	const version = 1 // LANDLOCK_CREATE_RULESET_VERSION
	if v, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, version); e == 0 {
		h.landlock = int(v)
	}
	h.listen, h.deaf = listen()
	return h
}

// Users of boxes on the host. This range belongs to no one by convention (the
// list of systemd, which has the others, ends below it), and two of it for each
// possible process id fit.
const (
	firstUser = 0x70000000
	maxPID    = 1 << 22
)

// mapUsers maps the users of a box whose first process is pid. As root, the
// glove and the commands get a user each that no other living box and no file
// has: their numbers follow from the process id, which is unique for as long as
// the box lives.
func (h *machine) mapUsers(pid int) error {
	ids := fmt.Sprintf("%d %d 1\n", tier.UID, os.Geteuid())
	groups := fmt.Sprintf("%d %d 1\n", tier.GID, os.Getegid())
	write := func(name, data string) error {
		return os.WriteFile(fmt.Sprintf("/proc/%d/%s", pid, name), []byte(data), 0)
	}
	var err error
	if h.root {
		var user, group uint32
		if user, err = unusedPair("/proc/self/uid_map", pid); err == nil {
			group, err = unusedPair("/proc/self/gid_map", pid)
		}
		ids = fmt.Sprintf("0 %d 1\n%d %d 1\n", user, tier.UID, user+1)
		groups = fmt.Sprintf("0 %d 1\n%d %d 1\n", group, tier.GID, group+1)
	} else {
		err = write("setgroups", "deny")
	}
	if err == nil {
		err = errors.Join(write("gid_map", groups), write("uid_map", ids))
	}
	if err != nil {
		return &tier.Error{Tier: glovebox.TierProcess, Op: "map the users", Kind: tier.KindUnsupported,
			Control: tier.ControlUser, Fix: fixes[tier.ControlUser], Err: err}
	}
	return nil
}

// unusedPair returns the first of two ids for pid, out of those that this
// process has itself; it may live in a container that has few.
func unusedPair(file string, pid int) (uint32, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	const few = 1 << 14
	var best uint64
	for line := range strings.Lines(string(data)) {
		var first, host, count uint64
		if _, err := fmt.Sscan(line, &first, &host, &count); err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		if first <= firstUser && first+count >= firstUser+2*maxPID {
			return firstUser + 2*uint32(pid), nil
		}
		// The upper end of a range, below the ids of nobody.
		if count > 2*few && first+count > best {
			best = first + count
		}
	}
	if best == 0 {
		return 0, fmt.Errorf("%s has no range of unused ids", file)
	}
	return uint32(best - few - 1024 + 2*uint64(pid%(few/2))), nil
}
