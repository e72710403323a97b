# The stacks of threads.
# want: memory_limit process_limit
# limits: memory=96MiB processes=40
import threading
threading.stack_size(64 << 20)
def deep(n):
    a = bytearray(4096)
    return n and deep(n - 1)
def run():
    import sys
    sys.setrecursionlimit(1 << 20)
    keep = bytearray(8 << 20)
    threading.Event().wait()
while True:
    threading.Thread(target=run, daemon=True).start()
