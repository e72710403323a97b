# Each is small enough; nobody may read the 2 TiB of zeros that they are.
# want: pass
# limits: wall=20s
import os
from attack import held
for i in range(2000):
    with open("s%d" % i, "wb") as f:
        f.truncate(60 << 20)
held()
