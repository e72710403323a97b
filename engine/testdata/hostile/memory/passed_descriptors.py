# Descriptors in flight do not count as open: the kernel holds them.
# want: memory_limit pass timeout
# limits: memory=96MiB open_files=64 wall=5s
import array, os, socket
from attack import held
keep = []
try:
    for _ in range(10_000):
        a, b = socket.socketpair()
        r, w = os.pipe()
        a.setblocking(False)
        a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [b.fileno(), r, w]))])
        os.close(r); os.close(w); b.close()
        keep.append(a)
        if len(keep) > 20:
            keep.pop(0).detach()
except OSError:
    pass
held()
