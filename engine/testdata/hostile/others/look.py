# A run that goes on beside this one has left files, a name and a process.
# want: pass
import glob, os, socket
from attack import *
for p in glob.glob("/tmp/**", recursive=True) + glob.glob("/workspace/**", recursive=True) + glob.glob("/dev/shm/**", recursive=True):
    if "neighbour" in p:
        breach(p)
for p in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        if b"canary-" in read(p):
            breach(p)
    except OSError:
        pass
refused("abstract name", lambda: socket.socket(socket.AF_UNIX).connect("\0neighbour") or True)
s = socket.socket()
s.settimeout(2)
refused("its port", lambda: s.connect(("127.0.0.1", 47111)) or True)
held()
