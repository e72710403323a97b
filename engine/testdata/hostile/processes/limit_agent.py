# The agent is to die of a limit that we set on it.
# want: pass
import os, resource, time
from attack import held
for pid in (1, 2, os.getppid()):
    for r in range(16):
        try:
            resource.prlimit(pid, r, (0, 0))
        except (OSError, ValueError):
            pass
time.sleep(0.2)
held()
