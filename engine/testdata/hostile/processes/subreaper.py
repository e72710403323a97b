# The orphans are to come to us and not to the agent.
# want: pass
import os, time
from attack import held, libc
libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
for _ in range(5):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(100)
        os._exit(0)
held()
