# No path of the host, no control group's name.
# want: pass
import os
from attack import *
text = b"".join(read("/proc/self/" + n) for n in ("mountinfo", "mounts", "mountstats", "cgroup", "maps", "cmdline", "status", "cpuset") if os.access("/proc/self/" + n, os.R_OK))
for word in (b"glovebox-box-", b"/root/", b"/home/", b".cache", b"rootfs", b"upperdir", b"/var/lib", b"docker", b"kubepods", b"user.slice"):
    if word in text:
        breach("%r shows" % word)
held()
