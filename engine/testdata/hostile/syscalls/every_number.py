# Every number, with arguments that are wrong: none may end the box.
# want: pass runtime_error timeout
# limits: wall=15s
# arch: amd64
from attack import *
# Those that end, stop or replace the caller, or wait.
skip = {0, 15, 23, 34, 35, 56, 57, 58, 59, 60, 61, 62, 130, 128, 200, 202, 219, 230, 231, 234, 247, 270, 271, 297, 322, 3, 33, 292, 11, 9, 10, 12, 25, 13, 14, 31, 435, 436, 449, 455, 441, 232, 281, 449, 288, 43, 45, 47, 299, 158, 37, 38, 222, 223, 77, 76, 285, 16, 72, 110, 112, 109, 157, 317, 218, 273, 334}
for nr in list(range(0, 470)) + [512, 520, 545, 1 << 30, (1 << 30) | 272, 0x7fffffff]:
    if nr in skip or 512 <= nr < 548:
        continue
    pid = os.fork()
    if pid == 0:
        try:
            libc.alarm(1)
            libc.syscall(ctypes.c_long(nr), ctypes.c_long(-1), ctypes.c_long(1), ctypes.c_long(0), ctypes.c_long(0), ctypes.c_long(0), ctypes.c_long(0))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
held()
