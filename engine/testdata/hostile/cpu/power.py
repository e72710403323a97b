# One instruction of the interpreter's that takes forever.
# want: timeout
# limit: cpu
# limits: cpu=1s wall=60s
print(9 ** 9 ** 9)
