# The local descriptor table, the personality, 16-bit and 32-bit worlds.
# want: pass
# arch: amd64
from attack import *
d = (ctypes.c_uint * 4)(0, 0, 0xfffff, 0x51)
for nr, args in [(154, (1, d, 16)), (154, (0x11, d, 16)), (135, (0x0400000,)), (135, (0x0040000,)), (135, (0x8,)), (205, (d,))]:
    try:
        syscall(nr, *args)
    except OSError:
        pass
held()
