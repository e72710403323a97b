# Services of the host: on its loopback, by an abstract name, by a path.
# want: pass
import os, socket
from attack import *
port = int(os.environ["HOST_PORT"])
for host in ("127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "::ffff:127.0.0.1", "localhost"):
    for family in (socket.AF_INET, socket.AF_INET6):
        def connect():
            s = socket.socket(family)
            s.settimeout(2)
            s.connect((host, port))
            return s.recv(100)
        refused("tcp %s" % host, connect)
def udp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(("127.0.0.1", port))
    s.settimeout(0.3)
    s.send(b"x")
    return s.recv(100)
refused("udp", udp)
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    for name in ("\0" + os.environ["HOST_ABSTRACT"], os.environ["HOST_SOCKET"], "/var/run/docker.sock", "/run/systemd/private", "/run/dbus/system_bus_socket", "/tmp/.X11-unix/X0", "\0/tmp/.X11-unix/X0"):
        refused("unix %r" % name, lambda: socket.socket(socket.AF_UNIX, kind).connect(name) or True)
held()
