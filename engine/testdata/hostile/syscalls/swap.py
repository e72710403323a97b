# want: pass
# arch: amd64
from attack import *
open("s", "wb").truncate(1 << 20)
calls([("swapon", 167, b"s", 0), ("swapoff", 168, b"s"), ("acct", 163, b"s"), ("acct off", 163, None), ("quotactl", 179, 0x800007 << 8, b"/", 0, None),
       ("nfsservctl", 180, 0, None, None), ("vhangup", 153), ("uselib", 134, b"x"), ("lookup_dcookie", 212, 0, None, 0), ("ustat", 136, 0, None)])
held()
