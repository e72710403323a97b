# A fork bomb that stops at the first refusal.
# want: process_limit
# limits: processes=20
import os, time
while True:
    if os.fork() == 0:
        time.sleep(100)
