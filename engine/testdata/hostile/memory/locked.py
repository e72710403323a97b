# want: memory_limit runtime_error
# limits: memory=96MiB
import mmap
from attack import libc
libc.mlockall(3)
keep = []
while True:
    m = mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x2000 | 0x8000)
    m.write(b"x" * (8 << 20))
    keep.append(m)
