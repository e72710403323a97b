# Modules beside the program that bear a name of the library's.
# want: pass
import os, subprocess, sys
from attack import held
for name in ("json", "os", "sitecustomize", "usercustomize", "encodings", "ast", "io", "traceback", "unittest"):
    with open(name + ".py", "w") as f:
        f.write("import os; os._exit(0)\n")
held()
