# All of /proc and /sys: nothing of the host's is in it, nothing can be written.
# want: pass
# limits: wall=60s
import os
from attack import *
count = 0
for start in ("/proc", "/sys"):
    for top, dirs, files in os.walk(start):
        if top.count("/") > 6:
            dirs[:] = []
        dirs[:] = [d for d in dirs if not (top == "/proc" and d.isdigit())][:100]
        for name in files[:100]:
            p = os.path.join(top, name)
            if p in ("/proc/kmsg", "/proc/kcore"):
                continue
            count += 1
            try:
                data = read(p)
            except OSError:
                data = b""
            for word in (b"canary-", os.environ["HOST_HOME"].encode() if len(os.environ["HOST_HOME"]) > 5 else b"canary-", b"glovebox-box-"):
                if word in data:
                    breach("%s shows %r" % (p, word))
            if not top.startswith("/proc/self") and not top.startswith("/proc/thread-self"):
                unwritable(p)
print(count)
held()
