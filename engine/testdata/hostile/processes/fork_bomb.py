# A fork bomb that goes on at the limit.
# want: timeout
# limits: wall=2s processes=20
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
