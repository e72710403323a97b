# want: pass
# arch: amd64
from attack import *
calls([("migrate_pages", 256, 1, 64, b"\xff" * 8, b"\xff" * 8), ("move_pages", 279, 1, 1, (ctypes.c_ulong * 1)(0x10000000), None, (ctypes.c_int * 1)(), 0),
       ("process_madvise", 440, 0, None, 0, 21, 0), ("remap_file_pages", 216, 0, 0, 0, 0, 0)])
held()
