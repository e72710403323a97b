# want: pass
# arch: amd64
from attack import *
calls([("iopl", 172, 3), ("ioperm", 173, 0, 1024, 1)])
held()
