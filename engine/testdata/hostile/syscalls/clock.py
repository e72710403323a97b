# want: pass
# arch: amd64
import time
from attack import *
t = (ctypes.c_long * 2)(0, 0)
tx = ctypes.create_string_buffer(b"\x03" + b"\0" * 300)
before = time.time()
calls([("settimeofday", 164, t, None), ("clock_settime", 227, 0, t), ("adjtimex", 159, tx), ("clock_adjtime", 305, 0, tx)])
if abs(time.time() - before) > 60:
    breach("the clock was set")
held()
