# No process lives long: each hands on to the next.
# want: timeout
# limit: cpu
# limits: memory=2GiB cpu=2s wall=60s
import os, time
while True:
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    if os.fork():
        os.wait()
        while True:
            pid = os.fork()
            if pid == 0:
                break
            os.waitpid(pid, 0)
