# There is nothing but a loopback, and nothing can be made.
# want: pass
import socket, fcntl
from attack import *
names = [n for _, n in socket.if_nameindex()]
if names != ["lo"]:
    breach("interfaces %r" % names)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
refused("SIOCSIFFLAGS", lambda: fcntl.ioctl(s, 0x8914, b"lo".ljust(16, b"\0") + b"\0" * 24))
refused("SIOCSIFADDR", lambda: fcntl.ioctl(s, 0x8916, b"lo".ljust(16, b"\0") + b"\2\0\0\0\x0a\0\0\1" + b"\0" * 16))
refused("SIOCBRADDBR", lambda: fcntl.ioctl(s, 0x89a0, b"br0\0"))
refused("SO_MARK", lambda: s.setsockopt(socket.SOL_SOCKET, 36, 1) or True)
held()
