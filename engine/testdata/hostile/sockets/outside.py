# want: pass
import socket
from attack import *
for host in ("192.0.2.1", "1.1.1.1", "8.8.8.8", "10.0.0.1", "172.17.0.1", "192.168.0.1", "169.254.169.254", "100.100.100.200"):
    for port in (22, 53, 80, 443):
        s = socket.socket()
        s.settimeout(2)
        refused("tcp %s:%d" % (host, port), lambda: s.connect((host, port)) or True)
        s.close()
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    refused("udp " + host, lambda: u.sendto(b"x", (host, 53)))
for host in ("2001:db8::1", "fd00:ec2::254", "fe80::1", "ff02::1"):
    try:
        s = socket.socket(socket.AF_INET6)
    except OSError:
        break
    s.settimeout(2)
    refused("tcp6 " + host, lambda: s.connect((host, 80)) or True)
held()
