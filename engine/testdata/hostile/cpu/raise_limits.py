# No limit can be raised again.
# want: pass
import resource
from attack import *
for r in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_STACK, resource.RLIMIT_CORE):
    soft, hard = resource.getrlimit(r)
    if hard == resource.RLIM_INFINITY:
        breach("resource %d has no limit" % r)
        continue
    refused("raise %d" % r, lambda: resource.setrlimit(r, (hard + 1, hard + 1)) or True)
if not own_kernel:
    refused("nice", os.nice, -5)
refused("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)) or True)
held()
