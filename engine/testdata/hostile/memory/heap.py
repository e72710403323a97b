# want: memory_limit
# limits: memory=96MiB
x = []
while True:
    x.append(bytearray(1 << 20))
