import glob, os
print(dict(os.environ))
for p in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
    try:
        print(open(p, "rb").read())
    except OSError:
        pass
print("held")
