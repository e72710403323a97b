# want: pass
import socket
from attack import *
for name in ("example.com", "metadata.google.internal", "host.docker.internal", "kubernetes.default.svc", "gateway.docker.internal"):
    refused("resolve " + name, socket.gethostbyname, name)
held()
