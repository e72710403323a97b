# The agent's memory and descriptors, by way of every call that gives them.
# want: pass
import os
from attack import *
for pid in {1, os.getppid()} - {0}:
    refused("ptrace attach", syscall, 101, 16, pid, 0, 0)
    refused("ptrace seize", syscall, 101, 0x4206, pid, 0, 0)
    buf = ctypes.create_string_buffer(64)
    local = (ctypes.c_ulong * 2)(ctypes.addressof(buf), 64)
    remote = (ctypes.c_ulong * 2)(0x10000000, 64)
    refused("process_vm_readv", syscall, 310, pid, local, 1, remote, 1, 0)
    refused("process_vm_writev", syscall, 311, pid, local, 1, remote, 1, 0)
    refused("kcmp", syscall, 312, pid, os.getpid(), 0, 1, 1)
    try:
        fd = syscall(434, pid, 0)
        for n in range(40):
            refused("pidfd_getfd %d" % n, syscall, 438, fd, n, 0)
    except OSError:
        pass
    for name in ("mem", "environ", "maps", "fd/30", "fd/31", "fd/32", "root/etc/passwd", "cwd", "exe", "stack", "auxv", "pagemap", "map_files"):
        unreadable("/proc/%d/%s" % (pid, name))
        unwritable("/proc/%d/%s" % (pid, name))
    refused("listing descriptors", os.listdir, "/proc/%d/fd" % pid)
    unwritable("/proc/%d/comm" % pid, "/proc/%d/oom_score_adj" % pid, "/proc/%d/clear_refs" % pid)
held()
