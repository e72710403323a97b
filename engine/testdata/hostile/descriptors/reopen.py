# The pipes by their names in /proc: for the other direction too.
# want: pass
import os
from attack import *
for fd in (1, 2):
    try:
        r = os.open("/proc/self/fd/%d" % fd, os.O_RDONLY | os.O_NONBLOCK)
        if os.fstat(r).st_ino != os.fstat(fd).st_ino:
            breach("another file")
    except OSError:
        pass
for p in range(1, 5):
    for n in range(3, 45):
        unreadable("/proc/%d/fd/%d" % (p, n)) if p != os.getpid() else None
held()
