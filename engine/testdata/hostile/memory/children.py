# Each child is small, all together are not.
# want: memory_limit timeout
# limits: memory=128MiB processes=40 wall=5s
import os, time
for _ in range(20):
    if os.fork() == 0:
        keep = bytearray(os.urandom(1 << 20) * 12)
        time.sleep(100)
time.sleep(100)
