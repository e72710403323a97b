# want: pass
import os, shutil
from attack import *
for f in (lambda: os.remove("input.txt"), lambda: os.rename("input.txt", "x"), lambda: os.chmod("input.txt", 0o777),
          lambda: os.truncate("input.txt", 0), lambda: os.replace("main.py", "input.txt"), lambda: shutil.copy("main.py", "input.txt"),
          lambda: os.symlink("/etc/passwd", "input.txt"), lambda: os.link("input.txt", "y") or os.truncate("y", 0)):
    try:
        f()
    except OSError:
        pass
if open("input.txt").read() != "the input":
    breach("the input was changed")
held()
