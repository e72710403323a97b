# want: timeout
# limit: cpu
# limits: cpu=1s wall=60s
while True:
    pass
