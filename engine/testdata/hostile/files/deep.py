# Directories deeper than any path may be.
# want: pass
# limits: wall=20s
import os
from attack import held
for i in range(3000):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
open("bottom", "w").write("x")
held()
