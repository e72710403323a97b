# There is nothing to read, and that is known at once.
# want: pass
import sys
from attack import *
if sys.stdin.read():
    breach("stdin")
held()
