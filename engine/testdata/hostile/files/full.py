# want: disk_limit
# limits: disk=1MiB
import os
f = open("/tmp/a", "wb", buffering=0)
while True:
    if f.write(b"x" * 65536) < 65536:
        f.write(b"x" * 65536)
