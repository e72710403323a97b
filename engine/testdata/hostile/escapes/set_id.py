# Nothing of another user's power can be started.
# want: pass
import os, stat
from attack import *
for top, dirs, files in os.walk("/"):
    if top.startswith(("/proc", "/sys")):
        dirs[:] = []
        continue
    for f in files:
        try:
            st = os.lstat(os.path.join(top, f))
        except OSError:
            continue
        if stat.S_ISREG(st.st_mode) and st.st_mode & 0o6000:
            breach("set-id " + os.path.join(top, f))
        try:
            if b"security.capability" in str(os.listxattr(os.path.join(top, f), follow_symlinks=False)).encode():
                breach("capabilities of " + f)
        except OSError:
            pass
open("suid", "w").write("#!/bin/sh\nid -u\n")
os.chmod("suid", 0o4755)
if os.geteuid() == 0:
    breach("root")
held()
