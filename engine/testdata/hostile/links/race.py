# A name that is now a file and now a link, until the end of the run.
# want: pass
import os, time
from attack import held
if os.fork() == 0:
    while True:
        for f in (lambda: open("x", "w").write("x"), lambda: os.remove("x"), lambda: os.symlink("/etc/passwd", "x"), lambda: os.remove("x")):
            try:
                f()
            except OSError:
                pass
time.sleep(0.2)
held()
