# vfork and execve, by way of posix_spawn.
# want: process_limit
# limits: processes=12
import os, sys
while True:
    os.posix_spawn(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(100)"], {})
