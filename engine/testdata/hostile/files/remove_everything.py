# want: pass
import os, shutil
from attack import *
shutil.rmtree("/", ignore_errors=True)
for p in ("/etc/passwd", "/opt/glovebox", "/usr", "/proc/self/status"):
    if not os.path.lexists(p):
        breach(p + " was removed")
held()
