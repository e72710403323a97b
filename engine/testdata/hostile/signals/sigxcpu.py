# want: runtime_error
import os, signal
os.kill(os.getpid(), signal.SIGXCPU)
