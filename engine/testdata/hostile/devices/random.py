# Nobody stirs or drains the host's randomness.
# want: pass
import fcntl, os
from attack import *
for d in ("/dev/random", "/dev/urandom"):
    try:
        fd = os.open(d, os.O_RDONLY)
    except OSError:
        continue
    refused("RNDADDENTROPY", lambda: fcntl.ioctl(fd, 0x40085203, b"\0" * 16))
    refused("RNDCLEARPOOL", lambda: fcntl.ioctl(fd, 0x5206, 0))
os.urandom(10)
held()
