# want: pass
# arch: amd64
from attack import *
if own_kernel:  # it has keys for each of its users
    held()
    raise SystemExit
calls([("add_key", 248, b"user", b"k", b"v", 1, -3), ("request_key", 249, b"user", b"k", None, -3), ("keyctl", 250, 0, -3, 1, 0, 0), ("keyctl join", 250, 1, None, 0, 0, 0)])
held()
