# The report is not a stream that is shown: it is bounded all the same.
# want: timeout pass runtime_error
# limits: wall=3s
import os
from attack import held
try:
    for _ in range(400_000):
        os.write(5, b"x" * 4096)
except OSError:
    pass
held()
