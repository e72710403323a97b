# want: pass
import socket
from attack import *
for family, kind, proto in [(2, 3, 1), (2, 3, 255), (10, 3, 58), (17, 3, 0x0300), (17, 2, 0x0300), (16, 3, 12), (16, 3, 4), (40, 1, 0), (44, 3, 0), (38, 5, 0), (15, 3, 2), (31, 3, 1), (29, 3, 1), (30, 1, 0), (21, 5, 0), (9, 5, 0), (4, 2, 0), (5, 2, 0), (41, 2, 0), (43, 1, 0), (42, 2, 0)]:
    refused("socket %d %d %d" % (family, kind, proto), lambda: socket.socket(family, kind, proto))
held()
