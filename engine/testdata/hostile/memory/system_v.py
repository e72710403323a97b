# Segments of System V outlive their processes.
# want: memory_limit pass
# limits: memory=96MiB
from attack import *
import ctypes
libc.shmat.restype = ctypes.c_void_p
try:
    for _ in range(100):
        i = syscall(29, 0, 16 << 20, 0o1666)  # shmget
        p = libc.shmat(i, None, 0)
        if p in (None, ctypes.c_void_p(-1).value):
            break
        ctypes.memset(p, 1, 16 << 20)
except OSError:
    pass
held()
