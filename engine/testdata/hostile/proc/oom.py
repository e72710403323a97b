# We are not to be spared, nor is the agent to be taken for us.
# want: pass
import os
from attack import *
def write(p, v):
    with open(p, "w") as f:
        f.write(v)
    return True
if not own_kernel:
    refused("oom_score_adj", write, "/proc/self/oom_score_adj", "-1000")
refused("the agent's", write, "/proc/1/oom_score_adj", "1000")
held()
