# Full pipes hold memory of the kernel's.
# want: memory_limit pass
# limits: memory=96MiB open_files=1000
import fcntl, os
from attack import held
try:
    while True:
        r, w = os.pipe()
        os.set_blocking(w, False)
        try:
            fcntl.fcntl(w, 1031, 1 << 20)
        except OSError:
            pass
        try:
            while True:
                os.write(w, b"x" * 65536)
        except BlockingIOError:
            pass
except OSError:
    pass
held()
