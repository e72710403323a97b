# Where no control group counts it, there is none of this memory.
# want: memory_limit runtime_error
# limits: memory=96MiB
import mmap
m = mmap.mmap(-1, 1 << 30)
for i in range(0, len(m), 4096):
    m[i] = 1
