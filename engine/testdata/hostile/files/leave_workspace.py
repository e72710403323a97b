# want: pass
import os
from attack import *
unwritable("../etc/passwd", "../../etc/passwd", "/workspace/../etc/passwd", "/proc/self/root/etc/passwd", "/proc/self/cwd/../etc/passwd")
refused("rename the workspace", os.rename, "/workspace", "/tmp/w")
refused("remove the workspace", os.rmdir, "/workspace")
refused("link over the workspace", os.symlink, "/", "/workspace")
os.chdir("/")
held()
