# A little for ever.
# want: timeout
# limits: wall=2s
import time
while True:
    print(".", end="", flush=True)
    time.sleep(0.01)
