# want: pass
import os, stat
from attack import *
for fd in range(3, 4096):
    try:
        st = os.fstat(fd)
    except OSError:
        continue
    # A pipe to report a syntax error is the only one there may be.
    if not (fd == 5 and stat.S_ISFIFO(st.st_mode)):
        breach("descriptor %d is %s" % (fd, os.readlink("/proc/self/fd/%d" % fd)))
for p in ("/proc/self/fd", "/dev/fd"):
    for fd in os.listdir(p):
        try:
            to = os.readlink(p + "/" + fd)
        except OSError:
            continue
        if not to.startswith(("pipe:", "/dev/", "/memfd:", "/proc/", "/workspace", "memfd:", "host:")) and "stdin" not in to:
            breach("%s is %s" % (fd, to))
held()
