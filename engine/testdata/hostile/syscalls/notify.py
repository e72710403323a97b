# want: pass
# arch: amd64
from attack import *
calls([("fanotify_init", 300, 0, 0), ("fanotify_init class", 300, 4, 0), ("syslog clear", 103, 5, None, 0),
       ("syslog console", 103, 8, None, 1)])
held()
