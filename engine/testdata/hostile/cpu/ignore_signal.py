# want: timeout
# limit: cpu
# limits: cpu=1s wall=60s
import signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True:
    pass
