# The signal of a file that is too large, without one: it cannot be told from
# the kernel's, and is the program's own loss.
# want: runtime_error disk_limit
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGXFSZ)
