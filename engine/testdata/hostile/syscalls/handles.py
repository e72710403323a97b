# A file by its number, past every directory (the shocker).
# want: pass
# arch: amd64
from attack import *
for i in (2, 128, 256):
    h = ctypes.create_string_buffer(b"\x08\0\0\0\x01\0\0\0" + i.to_bytes(8, "little") + b"\0" * 16)
    for at in (os.open("/", os.O_RDONLY), os.open("/tmp", os.O_RDONLY), os.open("/etc", os.O_RDONLY)):
        refused("open_by_handle_at", syscall, 304, at, h, 0)
held()
