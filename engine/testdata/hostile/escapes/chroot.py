# want: pass
import os
from attack import *
os.makedirs("jail", exist_ok=True)
refused("chroot", lambda: os.chroot("jail") or True)
for _ in range(100):
    os.chdir("..")
if os.path.exists("." + os.environ["HOST_FILE"]):
    breach("outside")
held()
