# want: pass
# arch: amd64
from attack import *
calls([("attach", 101, 16, 1, 0, 0), ("seize", 101, 0x4206, 1, 0, 0), ("peek", 101, 1, 1, 0, 0), ("kcmp", 312, 1, 1, 0, 0, 0)])
held()
