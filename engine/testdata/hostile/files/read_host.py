# Files of the host by their names: they are not here.
# want: pass
import os
from attack import *
host = [os.environ["HOST_FILE"], os.environ["HOST_SOCKET"], os.environ["HOST_HOME"], "/etc/shadow", "/etc/ssh", "/root/.ssh", "/root/.bash_history",
        "/var/run/docker.sock", "/run/containerd/containerd.sock", "/var/lib/docker", "/etc/kubernetes", "/var/run/secrets/kubernetes.io", "/home", "/boot", "/lib/modules", "/var/log", "/run/user", "/etc/machine-id"]
if not own_kernel:
    host.append("/sys/class/dmi")
for p in host:
    if os.path.isdir(p):
        if os.listdir(p):
            breach("%s lists %r" % (p, os.listdir(p)[:5]))
    elif os.path.exists(p):
        breach(p)
print(open("/etc/passwd").read())
held()
