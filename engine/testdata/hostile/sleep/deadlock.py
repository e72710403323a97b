# want: timeout
# limit: wall
# limits: wall=2s
import threading
l = threading.Lock()
l.acquire()
l.acquire()
