# want: pass
import os
from attack import held
for s in (15, 9, 19, 2, 1):
    try:
        os.kill(-1, s)
    except OSError:
        pass
held()
