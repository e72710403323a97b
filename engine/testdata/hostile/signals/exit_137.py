# The code of a shell whose child was killed is no evidence of a limit.
# want: runtime_error
import os
print("Killed", flush=True)
os._exit(137)
