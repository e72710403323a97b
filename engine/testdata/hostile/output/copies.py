# By way of other descriptors of the same stream, and from children.
# want: output_limit
# limits: output=100KiB
import os
fds = [os.dup(1) for _ in range(20)]
try:
    fds.append(os.open("/proc/self/fd/1", os.O_WRONLY))
except OSError:
    pass
os.fork()
while True:
    for fd in fds:
        os.write(fd, b"x" * 100)
