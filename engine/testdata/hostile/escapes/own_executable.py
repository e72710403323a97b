# The program of the agent, or of the interpreter, overwritten as it runs.
# want: pass
import os, sys
from attack import *
unwritable("/proc/self/exe", "/proc/1/exe", "/proc/%d/exe" % os.getppid(), sys.executable, os.path.realpath(sys.executable))
held()
