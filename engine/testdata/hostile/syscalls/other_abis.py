# The same calls by way of the 32-bit and the x32 entrances.
# want: pass
# arch: amd64
import mmap, signal
from attack import *
for nr in (272, 165, 101, 321, 425):
    refused("x32 %d" % nr, syscall, 0x40000000 | nr, 0x10000000, 0, 0, 0, 0)
def int80(nr, arg):
    """Runs: mov eax, nr; mov ebx, arg; xor ecx, ecx; int 0x80; ret"""
    code = mmap.mmap(-1, 4096, prot=7)
    code.write(b"\x53\xb8" + nr.to_bytes(4, "little") + b"\xbb" + arg.to_bytes(4, "little") + b"\x31\xc9\x31\xd2\xcd\x80\x5b\xc3")
    f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    return f()
for name, nr, arg in (("unshare", 310, 0x10000000), ("mount", 21, 0), ("chroot", 61, 0), ("ptrace", 26, 0), ("io_uring", 425, 1)):
    pid = os.fork()
    if pid == 0:
        try:
            r = int80(nr, arg)
        except OSError:
            r = -1
        os._exit(7 if r == 0 else 0)
    if os.waitpid(pid, 0)[1] >> 8 == 7:
        breach("int 0x80 " + name)
held()
