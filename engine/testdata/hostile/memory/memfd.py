# want: memory_limit runtime_error
# limits: memory=96MiB file_size=1GiB
import os
fd = os.memfd_create("hidden")
while True:
    os.write(fd, b"x" * (1 << 20))
