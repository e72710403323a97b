# Message queues, semaphores, keys, watches and timers: memory of the kernel's.
# want: memory_limit pass
# limits: memory=96MiB
from attack import *
import ctypes
def all(f):
    try:
        for _ in range(5000):
            f()
    except OSError:
        pass
def queue():
    q = syscall(68, 0, 0o1666)
    while True:
        syscall(69, q, b"\1" + b"\0" * 7 + b"x" * 8000, 8000, 0o4000)
def loop():
    try:
        queue()
    except OSError as e:
        if e.errno != 11:
            raise
all(loop)
all(lambda: syscall(64, 0, 250, 0o1666))                      # semget
all(lambda: syscall(248, b"user", b"k%d", b"x" * 8000, 8000, -3))  # add_key
ino = libc.inotify_init()
all(lambda: syscall(254, ino, b"/", 1))
t = ctypes.c_int()
all(lambda: syscall(222, 0, None, ctypes.create_string_buffer(8)))  # timer_create
held()
