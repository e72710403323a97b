# Full sockets hold memory of the kernel's.
# want: memory_limit pass
# limits: memory=96MiB open_files=1000
import socket
from attack import held
keep = []
try:
    while True:
        a, b = socket.socketpair()
        for s in (a, b):
            s.setblocking(False)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 << 20)
        keep.append((a, b))
        try:
            while True:
                a.send(b"x" * 65536)
        except BlockingIOError:
            pass
except OSError:
    pass
held()
