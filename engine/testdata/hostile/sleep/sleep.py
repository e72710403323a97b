# want: timeout
# limit: wall
# limits: wall=1s
import time
time.sleep(1e6)
