# Each process stays under the limit.
# want: timeout
# limit: cpu
# limits: cpu=2s wall=60s processes=20
import os
for _ in range(8):
    if os.fork() == 0:
        break
while True:
    pass
