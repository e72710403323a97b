# The classic of control groups of version 1.
# want: pass
import os
from attack import *
for kind in (b"rdma", b"memory", b"cpu", b"pids", b"none,name=x"):
    refused("mount cgroup", syscall, 165, b"cgroup", b"/tmp", b"cgroup", 0, kind)
refused("mount cgroup2", syscall, 165, b"cgroup2", b"/tmp", b"cgroup2", 0, None)
for top, dirs, files in os.walk("/sys/fs/cgroup"):
    for f in files:
        unwritable(os.path.join(top, f))
held()
