# want: pass
# arch: amd64
from attack import *
calls([
    ("mount", 165, b"tmpfs", b"/tmp", b"tmpfs", 0, None), ("bind", 165, b"/etc", b"/tmp", None, 4096, None),
    ("remount", 165, None, b"/", None, 32 | 4096, None), ("proc", 165, b"proc", b"/tmp", b"proc", 0, None),
    ("cgroup", 165, b"cgroup", b"/tmp", b"cgroup", 0, b"rdma"), ("overlay", 165, b"overlay", b"/tmp", b"overlay", 0, b"lowerdir=/etc,upperdir=/tmp,workdir=/workspace"),
    ("umount", 166, b"/proc", 2), ("umount /", 166, b"/", 2), ("pivot_root", 155, b"/tmp", b"/tmp"), ("chroot", 161, b"/tmp"),
    ("open_tree", 428, -100, b"/", 1), ("move_mount", 429, -100, b"/tmp", -100, b"/", 0), ("fsopen", 430, b"tmpfs", 0),
    ("fspick", 433, -100, b"/", 0), ("mount_setattr", 442, -100, b"/", 0, b"\0" * 32, 32),
])
held()
