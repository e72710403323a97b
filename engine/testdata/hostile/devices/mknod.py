# want: pass
import os, stat
from attack import *
for name, major, minor in [("mem", 1, 1), ("kmem", 1, 2), ("port", 1, 4), ("kmsg", 1, 11), ("sda", 8, 0), ("vda", 253, 0), ("loop", 7, 0), ("fuse", 10, 229), ("kvm", 10, 232), ("tun", 10, 200), ("tty", 5, 0), ("null", 1, 3)]:
    for kind in (stat.S_IFCHR, stat.S_IFBLK):
        refused("mknod " + name, lambda: os.mknod("/tmp/" + name, kind | 0o666, os.makedev(major, minor)) or True)
held()
