# want: pass
import os
from attack import *
for pid in ("1", "self"):
    for ns in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"):
        def enter():
            fd = os.open("/proc/%s/ns/%s" % (pid, ns), os.O_RDONLY)
            return syscall(308, fd, 0)
        refused("setns %s %s" % (pid, ns), enter)
def pidfd():
    return syscall(308, syscall(434, 1, 0), 0x20000000)
refused("setns of a pidfd", pidfd)
for p in ("/proc/self/uid_map", "/proc/self/gid_map"):
    def write():
        with open(p, "w") as f:
            f.write("0 0 1")
        return True
    refused(p, write)
held()
