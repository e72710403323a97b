# want: timeout
# limit: wall
# limits: wall=2s
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
