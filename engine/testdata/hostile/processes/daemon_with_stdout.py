# Daemons that keep stdout open must not hold up the end of the run.
# want: pass
import os, signal, time
from attack import held
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        for s in range(1, 65):
            try:
                signal.signal(s, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        if os.fork() == 0:
            while True:
                time.sleep(100)
        os._exit(0)
held()
