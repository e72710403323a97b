# want: pass
from attack import *
for name, flag in [("user", 0x10000000), ("mount", 0x20000), ("pid", 0x20000000), ("net", 0x40000000), ("ipc", 0x8000000), ("uts", 0x4000000), ("cgroup", 0x2000000)]:
    refused("unshare " + name, syscall, 272, flag)
    refused("unshare user and " + name, syscall, 272, flag | 0x10000000)
    def clone():
        pid = syscall(56, flag | 17, 0, 0, 0, 0)
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        return pid
    refused("clone " + name, clone)
    def clone3():
        args = (ctypes.c_ulong * 11)(flag, 0, 0, 0, 17)
        pid = libc.syscall(435, args, 88)
        if pid < 0:
            raise OSError(ctypes.get_errno(), "clone3")
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        return pid
    refused("clone3 " + name, clone3)
held()
