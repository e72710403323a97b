# Artifacts that nobody may read, run or enter.
# want: pass
import os
from attack import held
os.mkdir("closed"); open("closed/x", "w").write("x"); os.chmod("closed", 0)
open("none", "w").write("x"); os.chmod("none", 0)
open("setid", "w").write("x")
try:
    os.chmod("setid", 0o6755)
except OSError:
    pass
held()
