import socket, sys
port = int(sys.argv[2])
for address in ("127.0.0.1", "0.0.0.0", "169.254.169.254", "10.0.0.1", "1.1.1.1"):
    s = socket.socket()
    s.settimeout(0.3)
    try:
        s.connect((address, port))
        print("BREACH: connected to " + address)
    except OSError:
        pass
print("held")
