# The agent gets the lowest priority, and we run on.
# want: timeout
# limits: wall=2s cpu=60s processes=30
import os
from attack import libc
for pid in (1, 2):
    libc.setpriority(0, pid, 19)
    libc.syscall(144, pid, 5, (b"\0" * 4))  # sched_setscheduler SCHED_IDLE
    libc.syscall(251, 1, pid, 3 << 13)      # ioprio_set idle
for _ in range(16):
    if os.fork() == 0:
        break
while True:
    pass
