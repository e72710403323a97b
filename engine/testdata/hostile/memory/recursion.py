# want: runtime_error memory_limit
# limits: memory=96MiB
import sys
sys.setrecursionlimit(1 << 30)
def f(x):
    return f([x]) + 1
f(0)
