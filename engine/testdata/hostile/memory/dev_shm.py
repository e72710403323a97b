# The place is a memory file system of its own, where there is one.
# want: memory_limit disk_limit runtime_error
# limits: memory=96MiB disk=1GiB file_size=1GiB
f = open("/dev/shm/big", "wb")
while True:
    f.write(b"x" * (1 << 20))
