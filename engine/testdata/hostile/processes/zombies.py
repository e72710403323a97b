# Children that nobody waits for.
# want: process_limit
# limits: processes=20
import os
while True:
    if os.fork() == 0:
        os._exit(0)
