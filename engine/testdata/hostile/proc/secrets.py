# want: pass
from attack import *
unreadable("/proc/kcore", "/proc/kmsg", "/proc/sysrq-trigger", "/proc/keys", "/proc/key-users", "/proc/sched_debug", "/proc/timer_list", "/proc/latency_stats", "/proc/vmallocinfo", "/proc/kpagecount", "/proc/kpageflags", "/proc/kallsyms", "/proc/iomem", "/proc/config.gz", "/proc/1/pagemap", "/proc/scsi/scsi", "/sys/firmware/acpi/tables/DSDT", "/sys/class/dmi/id/product_uuid", "/sys/kernel/notes", "/sys/kernel/vmcoreinfo")
held()
