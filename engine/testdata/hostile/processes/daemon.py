# A daemon as books describe it: it must not outlive the run.
# want: pass
import os, sys, time
from attack import held
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        os.umask(0)
        for fd in range(3):
            os.close(fd)
        while True:
            time.sleep(0.01)
    os._exit(0)
os.wait()
held()
