import os
for p in ("/etc/passwd", "/usr/bin/python3", "/usr/local/lib/x", "/opt/glovebox/x", "/proc/sys/kernel/core_pattern", "/sys/x", "/dev/mem", "/x"):
    try:
        with open(p, "ab"):
            print("BREACH: opened " + p)
    except OSError:
        pass
try:
    os.setuid(0)
    print("BREACH: became root")
except OSError:
    pass
try:
    os.chroot("/tmp")
    print("BREACH: changed the root")
except OSError:
    pass
print("held")
