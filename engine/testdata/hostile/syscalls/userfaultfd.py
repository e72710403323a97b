# want: pass
# arch: amd64
from attack import *
p = ctypes.create_string_buffer(256)
calls([("userfaultfd", 323, 0), ("userfaultfd user", 323, 1), ("io_uring_setup", 425, 8, p), ("io_uring_enter", 426, 0, 0, 0, 0, None, 0), ("io_uring_register", 427, 0, 0, None, 0)])
held()
