# want: memory_limit
# limits: memory=96MiB
x = []
loop { x << "x" * (1 << 20) }
