# want: disk_limit
# limits: files=500
i = 0
while True:
    open("f%d" % i, "w").close()
    i += 1
