# A tmpfs in a new user namespace would be nobody's memory.
# want: pass
from attack import *
refused("unshare", syscall, 272, 0x10020000)
refused("unshare mount", syscall, 272, 0x20000)
calls([("mount", 165, b"tmpfs", b"/tmp", b"tmpfs", 0, None), ("fsopen", 430, b"tmpfs", 0)])
held()
