# Only our own processes are here, and of the agent's nothing can be read.
# want: pass
import os
from attack import *
ours = {1, os.getpid(), os.getppid()}
for p in os.listdir("/proc"):
    if p.isdigit() and int(p) not in ours:
        breach("process %s: %r" % (p, read("/proc/%s/cmdline" % p)))
for pid in (os.environ["HOST_PID"], os.environ["HOST_SLEEPER"]):
    if int(pid) not in ours:
        refused("kill", os.kill, int(pid), 0)
        refused("look", os.stat, "/proc/" + pid)
for name in ("environ", "mem", "maps", "auxv", "syscall", "stack", "personality", "io"):
    unreadable("/proc/1/" + name)
for name in ("root/etc/passwd", "cwd/etc/passwd", "exe"):
    unreadable("/proc/1/" + name)
held()
