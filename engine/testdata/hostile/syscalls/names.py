# want: pass
# arch: amd64
import socket
from attack import *
calls([("sethostname", 170, b"evil", 4), ("setdomainname", 171, b"evil", 4)])
if socket.gethostname() != "glovebox":
    breach("the host is named " + socket.gethostname())
held()
