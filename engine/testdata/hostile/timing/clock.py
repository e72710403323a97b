# The clock runs as it should.
# want: pass
import time
from attack import *
a = time.monotonic(); time.sleep(0.1); b = time.monotonic()
if not 0.09 < b - a < 5:
    breach("time is %f" % (b - a))
if time.time() < 1.7e9:
    breach("the date is wrong")
held()
