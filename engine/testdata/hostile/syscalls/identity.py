# want: pass
# arch: amd64
from attack import *
for name, nr, args in [("setuid", 105, (0,)), ("setgid", 106, (0,)), ("setreuid", 113, (0, 0)), ("setresuid", 117, (0, 0, 0)), ("setresgid", 119, (0, 0, 0)), ("setfsuid", 122, (0,)), ("setgroups", 116, (1, (ctypes.c_int * 1)(0)))]:
    try:
        r = syscall(nr, *args)
        if name != "setfsuid":
            breach(name)
    except OSError:
        pass
if 0 in os.getresuid() + os.getresgid():
    breach("root")
header, data = (ctypes.c_uint * 2)(0x20080522, 0), (ctypes.c_uint * 6)(*[0xffffffff] * 6)
refused("capset", syscall, 126, header, data)
for line in open("/proc/self/status"):
    if line.startswith("Cap") and int(line.split()[1], 16) != 0 and not line.startswith("CapBnd"):
        breach(line)
    if line.startswith("NoNewPrivs") and line.split()[1] != "1":
        breach(line)
held()
