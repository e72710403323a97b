# want: pass
from attack import *
unwritable(*("/proc/sys/" + p for p in "kernel/core_pattern kernel/modprobe kernel/hostname kernel/domainname kernel/hotplug kernel/poweroff_cmd kernel/randomize_va_space kernel/yama/ptrace_scope kernel/kptr_restrict kernel/dmesg_restrict kernel/sysrq kernel/pid_max kernel/ns_last_pid vm/overcommit_memory vm/drop_caches vm/panic_on_oom net/ipv4/ip_forward fs/binfmt_misc/register fs/suid_dumpable fs/file-max user/max_user_namespaces".split()))
unwritable("/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/bus/pci/00/00.0", "/proc/acpi/wakeup", "/proc/scsi/scsi", "/proc/mtrr", "/proc/timer_stats", "/sys/kernel/uevent_helper", "/sys/power/state", "/sys/fs/cgroup/release_agent", "/sys/kernel/debug", "/sys/kernel/security", "/sys/firmware/efi/efivars")
held()
