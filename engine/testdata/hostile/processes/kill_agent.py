# Every signal to the agent, its threads and our parent.
# want: pass
import os
from attack import held, libc
for s in range(1, 65):
    for pid in {1, 2, os.getppid()} - {0, os.getpid()}:
        try:
            os.kill(pid, s)
        except OSError:
            pass
        libc.syscall(200, pid, s)     # tkill
        libc.syscall(234, 1, pid, s)  # tgkill
held()
