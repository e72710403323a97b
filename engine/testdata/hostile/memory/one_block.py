# want: memory_limit
# limits: memory=96MiB
x = bytearray(1 << 30)
for i in range(0, len(x), 4096):
    x[i] = 1
