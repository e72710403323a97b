# want: memory_limit
# limits: memory=96MiB disk=1GiB file_size=1GiB
f = open("/workspace/big", "wb")
while True:
    f.write(b"x" * (1 << 20))
