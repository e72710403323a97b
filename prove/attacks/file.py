import os, sys
bait = sys.argv[1]
for p in (bait, "/proc/1/root" + bait, "/workspace/../../.." + bait, "/proc/self/cwd/../../.." + bait):
    try:
        print(open(p).read())
        print("BREACH: read " + p)
    except OSError:
        pass
try:
    os.symlink(bait, "stolen.txt")
    os.link(bait, "linked.txt")
except OSError:
    pass
print("held")
