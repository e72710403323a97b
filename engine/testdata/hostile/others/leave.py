# What this one leaves, the next must not find.
# want: pass
import os
from attack import *
for p in ("/tmp/left", "/workspace/left", "/dev/shm/left"):
    if os.path.exists(p):
        breach(p)
    try:
        open(p, "w").write("left")
    except OSError:
        pass
try:
    syscall(68, 4711, 0o1666)
except OSError:
    pass
held()
