# want: pass
# arch: amd64
from attack import *
attr = ctypes.create_string_buffer(128)
calls([("bpf map", 321, 0, attr, 72), ("bpf prog", 321, 5, attr, 72), ("perf_event_open", 298, attr, 0, -1, -1, 0)])
held()
