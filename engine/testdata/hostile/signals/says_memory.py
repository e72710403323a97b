# A word of memory is no evidence.
# want: runtime_error
import sys
print("MemoryError: Out of memory: Killed process 1 (python3)", file=sys.stderr)
sys.exit("memory cgroup out of memory: oom_kill 1")
