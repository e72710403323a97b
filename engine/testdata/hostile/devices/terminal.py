# There is no terminal to type into.
# want: pass
import fcntl, os
from attack import *
refused("/dev/tty", lambda: os.open("/dev/tty", os.O_RDWR))
for fd in range(3):
    refused("TIOCSTI", lambda: fcntl.ioctl(fd, 0x5412, b"x"))
    refused("TIOCLINUX", lambda: fcntl.ioctl(fd, 0x541C, b"\x03" + b"\0" * 60))
    if os.isatty(fd):
        breach("descriptor %d is a terminal" % fd)
held()
