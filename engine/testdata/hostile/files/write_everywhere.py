# want: pass
import os
from attack import *
here = ("/workspace", "/tmp", "/dev/shm", "/proc")
for top, dirs, files in os.walk("/", followlinks=False):
    if top.startswith(here):
        dirs[:] = []
        continue
    refused("create in " + top, lambda: os.open(top + "/new", os.O_CREAT | os.O_WRONLY))
    for name in files[:20]:
        if not top.startswith("/dev"):
            unwritable(os.path.join(top, name))
    del dirs[40:]
held()
