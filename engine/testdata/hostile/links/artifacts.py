# Links as artifacts: none is followed.
# want: pass
import os
from attack import held
for i, to in enumerate(["/etc/passwd", "/proc/self/environ", "/proc/1/environ", "/", "..", ".", "loop", "/proc/self/root", os.environ["HOST_FILE"], "/dev/zero", "/proc/kcore", "../etc"]):
    os.symlink(to, "link%d" % i)
os.symlink("a", "b"); os.symlink("b", "a")
os.mkdir("d"); os.symlink("../d", "d/self")
for f in ("/etc/passwd", "/proc/self/exe", "/usr/bin/env"):
    try:
        os.link(f, "hard" + f.replace("/", "_"))
    except OSError:
        pass
os.mkfifo("fifo")
import socket
socket.socket(socket.AF_UNIX).bind("socket")
held()
