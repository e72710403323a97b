# The program's own file is its own.
# want: pass
import os
from attack import held
open(__file__, "w").write("raise SystemExit(1)")
os.rename(__file__, "gone")
os.symlink("/etc/passwd", __file__)
held()
