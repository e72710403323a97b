# Our drivers and the interpreter's own modules cannot be changed.
# want: pass
import os, sys
from attack import *
places = ["/opt/glovebox", os.path.dirname(os.__file__), sys.prefix + "/bin", os.path.dirname(sys.executable)] + [p for p in sys.path if p.startswith("/usr") or p.startswith("/opt")]
for place in places:
    if not os.path.isdir(place):
        continue
    refused("create in " + place, lambda: os.open(place + "/sitecustomize.py", os.O_CREAT | os.O_WRONLY))
    for top, dirs, files in os.walk(place):
        del dirs[5:]
        for f in files[:10]:
            unwritable(os.path.join(top, f))
held()
